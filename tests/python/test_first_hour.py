"""The first hour with the package: what someone new tries, in order, and what they must get.

The steps have the numbers of tests/cli/test_first_hour.py.
"""

import numpy as np
import pytest

import geotherm


@pytest.fixture(scope="module")
def roll():
    return geotherm.datasets.swiss_roll(n=300, noise=0.1).X


# -- 1: columns are matched by name -------------------------------------------------------------------


def test_1_names_travel_with_the_model(roll, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(roll, columns=["a", "b", "c"])
    geotherm.HeatGeo().fit(table[:200]).save(tmp_path / "map.gtm")
    loaded = geotherm.load(tmp_path / "map.gtm")
    assert list(loaded.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="order"):
        loaded.transform(table[200:][["c", "a", "b"]])


def test_1_points_far_from_the_reference_are_warned_of(roll):
    fitted = geotherm.HeatGeo().fit(roll[:200])
    with pytest.warns(geotherm.GeothermWarning, match="far from every point of the model"):
        fitted.transform(100 * roll[200:])
