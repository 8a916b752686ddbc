"""What the GPU computes, in plain NumPy lines; its random numbers are made again, word by word."""

import numpy as np

SUBSETS, ANSWERS, LABELS, RACE = range(4)


def philox(key, counter):
    """Philox4x32-10 (Salmon and others, 2011): four random words for each counter, (..., 4) in and out."""
    k0, k1 = key % 2**32, key // 2**32
    c = [np.asarray(word, np.uint64) for word in np.moveaxis(np.asarray(counter), -1, 0)]
    low = np.uint64(2**32 - 1)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high_a, high_b = a >> np.uint64(32), b >> np.uint64(32)
        c = [high_b ^ c[1] ^ np.uint64(k0), b & low, high_a ^ c[3] ^ np.uint64(k1), a & low]
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return np.stack(c, axis=-1)


def words(seed, u, v, purpose, place):
    """The words of pairs."""
    u, v, place = np.broadcast_arrays(u, v, place)
    counter = np.stack([np.minimum(u, v), np.maximum(u, v), np.full_like(u, purpose), place], axis=-1)
    return philox(seed, counter)


def uniform(words):
    """Uniform numbers in double precision."""
    return words[..., 0] / 2**32 + (words[..., 1] + 0.5) / 2**64


def keys(seed, u, v, values, noise):
    """Keys of the race: noise ln X - ln value."""
    x = -np.log1p(-uniform(words(seed, u, v, RACE, 0)))
    return noise * np.log(x) - np.log(np.maximum(values, 1e-16))


def chances(rates, t):
    """Probability that clocks of these rates have rung by t."""
    return -np.expm1(-t * np.maximum(rates, 1e-16))


def subset(seed, n, i, rates, t):
    """The i-th subset as an n x n matrix of truth values; rates are n x n."""
    u, v = np.indices((n, n))
    return (uniform(words(seed, u, v, SUBSETS, i)) < chances(rates, t)) & (u != v)


def answers(seed, n, block, probability, lanes):
    """Pseudo-answers of one block of lanes: (lanes, n, n) of -1 and +1."""
    u, v = np.indices((n, n))
    found = []
    for lane in range(lanes):
        word = words(seed, u, v, ANSWERS, block * (lanes // 4) + lane // 4)[..., lane % 4]
        found.append(np.where(word / 2**32 < probability, 1, -1))
    return np.array(found)


def labels(seed, q, place):
    """Label of each object by one random number each."""
    u = np.arange(len(q))
    at = uniform(words(seed, u, u, LABELS, place))
    return (at[:, None] >= np.cumsum(q, axis=1)[:, :-1]).sum(axis=1)


def parts(n, count):
    """Part of each object in a sweep."""
    return (np.arange(n) * 2654435761 % 2**32 // 2**16) % count


def softmax(x):
    weights = np.exp(x - x.max(axis=-1, keepdims=True, initial=-np.inf))
    return weights / weights.sum(axis=-1, keepdims=True)


def sweeps(S, q, beta, *, count, parts_in_all, tol=None):
    """Sweeps part by part, of one field or of (fields, n, k); with ``tol`` only what moves further moves."""
    q = q.copy()
    part = parts(q.shape[-2], parts_in_all)
    for _ in range(count):
        for p in range(parts_in_all):
            here = part == p
            fresh, old = softmax(beta * (S[..., here, :] @ q)), q[..., here, :]
            if tol is not None:
                goes = np.abs(fresh - old).max(axis=-1, initial=0) > tol
                fresh = np.where(goes[..., None], fresh, old)
            q[..., here, :] = fresh
    return q


def dense(subsets, n):
    """Read back which pairs are in (subsets, n, n), and answers (subsets, groups, 64 lanes, n, n)."""
    start, index = subsets.start.cpu().numpy(), subsets.index.cpu().numpy()
    bits = subsets.bits.cpu().numpy()
    count = (len(start) - 1) // n
    member = np.zeros((count, n, n), bool)
    word = np.zeros((len(bits), count, n, n), np.int64)
    for i in range(count):
        for u in range(n):
            slots = slice(start[i * n + u], start[i * n + u + 1])
            assert np.all(np.diff(index[slots]) > 0)
            member[i, u, index[slots]] = True
            word[:, i, u, index[slots]] = bits[:, slots]
    lanes = np.stack([(word >> lane) & 1 for lane in range(64)])  # (lanes, groups, subsets, n, n)
    return member, np.where(member, 2 * lanes - 1, 0).transpose(2, 1, 0, 3, 4)
