"""Shares and quantiles, against SciPy's."""

import numpy as np
import pytest
from scipy import special, stats

from ofakind.kernels import portable
from ofakind.kernels.portable.quantiles import beta_share


@pytest.mark.parametrize("z", [-12.0, -5.0, -2.6, -2.5, -2.4, -1.0, 0.0, 0.3, 2.0, 4.0, 9.0])
def test_shares_of_the_normal_distribution(z):
    assert portable.normal_share(z) == pytest.approx(special.ndtr(z), rel=5e-14)


@pytest.mark.parametrize("share", [1e-9, 0.005, 0.05, 0.3, 0.5, 0.95, 0.9995])
def test_quantiles_of_the_normal_and_of_students_distribution(share):
    assert portable.normal_quantile(share) == pytest.approx(special.ndtri(share), rel=1e-12, abs=1e-15)
    for freedom in (1, 2, 3, 7, 31, 400):
        expected = special.stdtrit(freedom, share)
        assert portable.t_quantile(freedom, share) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.5, 40.5), (2.5, 30.0), (100.5, 2000.0), (1.0, 1.0)])
def test_shares_and_quantiles_of_the_beta_distribution(a, b):
    for x in (1e-6, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6):
        assert beta_share(a, b, x) == pytest.approx(special.betainc(a, b, x), rel=1e-10, abs=1e-14)
    for share in (0.025, 0.05, 0.5, 0.975):
        assert portable.beta_quantile(a, b, share) == pytest.approx(stats.beta.ppf(share, a, b), rel=1e-9)
    assert (beta_share(a, b, 0.0), beta_share(a, b, 1.0)) == (0.0, 1.0)


def test_a_quantile_lies_where_its_share_is():
    for share in np.linspace(0.01, 0.99, 9).tolist():
        assert portable.normal_share(portable.normal_quantile(share)) == pytest.approx(share, rel=1e-13)
