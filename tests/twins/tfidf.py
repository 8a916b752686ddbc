"""TF-IDF by scikit-learn, text by text, and its columns put in order."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer


def weights(texts, **options):
    """Rows of weights, the rarest columns first; without columns where nothing is left to count."""
    vectorizer = TfidfVectorizer(dtype=np.float32, lowercase=False, **options)
    try:
        matrix = vectorizer.fit_transform(texts).tocsr()
    except ValueError:  # no text, or none with such a token
        return sparse.csr_matrix((len(texts), 0), dtype=np.float32)
    # The columns of scikit-learn stand in the order of their tokens, so equal counts are in order too.
    order = np.argsort(np.bincount(matrix.indices, minlength=matrix.shape[1]), kind="stable")
    matrix = matrix[:, order].tocsr()
    matrix.sort_indices()
    return matrix


def letters(texts, shortest, longest, least):
    """Weights of n-grams of characters within words."""
    span = {"ngram_range": (shortest, longest), "min_df": least}
    return weights(texts, analyzer="char_wb", sublinear_tf=True, **span)
