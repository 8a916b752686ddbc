"""KwikCluster on a dense matrix."""

import numpy as np


def pivot_labels(S, order):
    labels = np.full(len(order), -1)
    for pivot in order:
        if labels[pivot] == -1:
            members = (labels == -1) & (S[pivot] > 0)
            members[pivot] = True
            labels[members] = labels.max() + 1
    return labels
