"""Every quantity of the paper on six small instances, against values computed by a plain dense program."""

from pathlib import Path

import numpy as np
import pytest

import ofakind as ok

CASES = sorted((Path(__file__).parents[1] / "golden").glob("case_*.npz"))


@pytest.fixture(params=CASES, ids=lambda path: path.stem)
def case(request):
    with np.load(request.param) as arrays:
        return dict(arrays)


@pytest.fixture
def similarity(case):
    return ok.Similarity.from_pairs(int(case["n"]), case["u"], case["v"], case["s"])


@pytest.fixture
def field(case, similarity):
    return ok.mean_field(
        similarity,
        case["labels"],
        beta=float(case["beta"]),
        schedule="synchronous",
        tol=1e-10,
        max_sweeps=20_000,
    )


def close(a, b):
    return np.max(np.abs(np.asarray(a) - b), initial=0) < 1e-6


def test_there_are_six_cases():
    assert len(CASES) == 6


def test_costs_are_the_golden_ones(case, similarity):
    assert close(ok.cost(similarity, case["labels"]), case["cc_cost"])
    assert close(ok.correlation_cost(similarity, case["labels"]), case["mc_cost"])


def test_start_costs_are_the_golden_ones(case, similarity):
    from ofakind.kernels.field.mean_field import label_costs

    s, k = similarity, case["initial_costs"].shape[1]
    assert close(label_costs(s.indptr, s.indices, s.values, case["labels"], k), case["initial_costs"])


def test_the_synchronous_mean_field_is_the_golden_one(case, field):
    assert field.converged
    assert close(field.q, case["q"])
    assert close(field.costs, case["costs"])


def test_the_asynchronous_mean_field_reaches_the_golden_fixed_point(case, similarity):
    field = ok.mean_field(similarity, case["labels"], beta=float(case["beta"]), tol=1e-10, max_sweeps=20_000)
    assert field.converged
    assert close(field.q, case["q"])


def test_entropies_are_the_golden_ones(case, field):
    u, v = case["pair_u"], case["pair_v"]
    assert close(field.same_probability(u, v), case["same_probability"])
    assert close(field.pair_entropy(u, v), case["pair_entropy"])
    assert close(field.label_entropy(), case["label_entropy"])


def test_expected_information_gain_is_the_golden_one(case, field):
    assert close(ok.expected_information_gain(field, case["eig_pair_u"], case["eig_pair_v"]), case["eig_o"])


def test_joint_information_gain_is_the_golden_one(case, field):
    subsets = np.stack([case["subset_u"], case["subset_v"]], axis=2)  # (m, d, 2)
    gains = ok.joint_information_gain(field, case["pair_u"], case["pair_v"], subsets, case["subset_samples"])
    assert close(gains, case["jeig"])
