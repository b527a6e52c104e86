"""refine= and balance= of the estimators, and geotherm.refine for maps made elsewhere."""

import geotherm
import numpy as np
import pytest


@pytest.fixture
def roll():
    return geotherm.datasets.swiss_roll(n=300, noise=0.3).X


def test_balance_zero_and_refine_off_give_the_map_as_it_is(roll):
    plain = geotherm.HeatGeo(refine="off").fit_transform(roll)
    assert np.array_equal(plain, geotherm.HeatGeo(balance=0).fit_transform(roll))
    assert np.array_equal(plain, geotherm.HeatGeo(refine=False).fit_transform(roll))
    assert np.array_equal(plain, geotherm.refine(roll, plain, balance=0))


@pytest.mark.parametrize("estimator", [geotherm.HeatGeo, geotherm.PHATE, geotherm.LaplacianEigenmaps])
def test_estimators_refine_and_report_it(roll, estimator):
    plain, refined = estimator(refine="off").fit(roll), estimator(refine=20).fit(roll)
    assert refined.report_["resolved"]["refine_epochs"] == 20
    moved = np.abs(refined.embedding_ - plain.embedding_).max()
    assert 0 < moved <= 1.001 * refined.report_["resolved"]["refine_largest_move"]
    assert np.array_equal(refined.transform(roll), refined.embedding_)


def test_the_methods_paragraph_tells_of_it(roll):
    assert "20 epochs" in geotherm.HeatGeo(refine=20).fit(roll).methods_text()
    assert "epochs" not in geotherm.HeatGeo(refine="off").fit(roll).methods_text()


def test_a_map_made_elsewhere_is_refined_from_points_and_from_neighbour_tables(roll):
    start = roll[:, [0, 2]]
    distances = np.sqrt(((roll[:, None] - roll[None]) ** 2).sum(2))
    order = np.argsort(distances, 1, kind="stable")[:, 1:16]
    tables = (order, np.take_along_axis(distances, order, 1))
    from_points = geotherm.refine(roll, start, refine=25, n_jobs=2)
    assert np.array_equal(from_points, geotherm.refine(roll, start, refine=25, n_jobs=1))
    assert np.allclose(from_points, geotherm.refine(tables, start, refine=25), atol=1e-3 * np.abs(start).max())
    assert not np.array_equal(from_points, start)


def test_bad_values_are_named(roll):
    with pytest.raises(ValueError, match="balance"):
        geotherm.HeatGeo(balance=2.0).fit(roll)
    with pytest.raises(ValueError, match="refine"):
        geotherm.HeatGeo(refine="often").fit(roll)
    with pytest.raises(ValueError, match="map has 3 rows"):
        geotherm.refine(roll, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="dimensions"):
        geotherm.refine(roll, np.zeros((300, 4)) + roll[:, :1])
