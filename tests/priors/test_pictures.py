"""The plain descriptor of pictures: what changes it, and what does not."""

import numpy as np

from ofakind.priors.pictures import PICTURES, describe_picture

SIDE = PICTURES.side


def smooth(seed):
    """A picture of a few blurred spots."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:SIDE, :SIDE] / SIDE
    spots = rng.random((5, 3))
    return sum(a * np.exp(-((y - b) ** 2 + (x - c) ** 2) * 40) for a, b, c in spots) / 5


def cosine(one, other):
    a, b = describe_picture(one), describe_picture(other)
    return a @ b / (np.linalg.norm(a) * np.linalg.norm(b))


def test_light_and_contrast_change_little_and_another_picture_much():
    for seed in range(10):
        picture = smooth(seed)
        assert cosine(picture, 0.3 + 0.5 * picture) > 0.95
        assert cosine(picture, smooth(seed + 100)) < 0.9


def test_a_small_shift_changes_less_than_a_large_one():
    for seed in range(10):
        picture = smooth(seed)
        near, far = (cosine(picture, np.roll(picture, by, axis=1)) for by in (2, 20))
        assert near > far


def test_edges_are_told_apart_by_their_direction():
    stripes = np.tile((np.arange(SIDE) // 8 % 2).astype(float), (SIDE, 1))
    assert cosine(stripes, stripes) > 0.999
    assert cosine(stripes, stripes.T) < 0.5


def test_a_picture_of_one_grey_has_a_descriptor_of_zeros():
    assert not describe_picture(np.full((SIDE, SIDE), 0.7)).any()
