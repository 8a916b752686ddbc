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


def field_features(column, pairs, shortest, longest):
    """Cosine of two values and whether they are equal, less a half, pair by pair; 0 where one is empty."""
    texts = list(dict.fromkeys(filter(None, column)))
    matrix = letters(texts, shortest, longest, 1)
    rows = [dict(zip(row.indices.tolist(), row.data, strict=True)) for row in matrix]
    weights_of = dict(zip(texts, rows, strict=True))
    for u, v in pairs:
        a, b = column[u], column[v]
        if not a or not b:
            yield [0.0, 0.0]
        elif a == b:
            yield [0.5, 0.5]
        else:
            yield [min(product(weights_of[a], weights_of[b]), 1.0) - 0.5, -0.5]


def product(row, other):
    """Dot product of two rows, from column to weight: of single precision, and added up in double."""
    return sum(float(weight * other[column]) for column, weight in row.items() if column in other)
