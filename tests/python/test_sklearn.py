"""scikit-learn's own checks for every estimator, and its tools around them."""

import geotherm
import numpy as np
import pytest
from conftest import ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks

#: Small problems: the checks fit some fifty times.
QUICK = {
    "TSNE": {"n_iterations": 50, "perplexity": 5.0},
    "UMAP": {"n_epochs": 20, "knn": 5},
}


def quick(estimator):
    return estimator(n_jobs=1, **QUICK.get(estimator.__name__, {}))


def expected_failures(estimator):
    """Checks that cannot hold, each with its reason."""
    return {}


@pytest.mark.filterwarnings("ignore::geotherm.GeothermWarning")
@parametrize_with_checks([quick(e) for e in ESTIMATORS], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_an_estimator_serves_in_a_pipeline_and_gives_data_frames(points):
    import pandas as pd
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), geotherm.HeatGeo()).set_output(transform="pandas")
    frame = pipeline.fit_transform(points)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["heatgeo0", "heatgeo1"]


def test_get_and_set_params_reach_the_library(points):
    est = geotherm.HeatGeo().set_params(knn=6, time=2.0)
    assert est.get_params()["knn"] == 6
    est.fit(points)
    assert est.report_["resolved"]["knn"] == 6
    assert est.time_ == 2.0


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_defaults_are_those_of_the_library(estimator):
    from geotherm import _native

    defaults = _native.default_options()
    params = estimator().get_params()
    for name in estimator._options:
        assert params[name] == defaults[name], name


def test_random_states_of_every_kind_are_taken(points):
    first = geotherm.HeatGeo(random_state=np.random.RandomState(0), mds="sgd").fit(points)
    again = geotherm.HeatGeo(random_state=np.random.RandomState(0), mds="sgd").fit(points)
    other = geotherm.HeatGeo(random_state=np.random.default_rng(1), mds="sgd").fit(points)
    assert np.array_equal(first.embedding_, again.embedding_)
    assert not np.array_equal(first.embedding_, other.embedding_)
    assert geotherm.HeatGeo(random_state=None).fit(points).embedding_.shape == (250, 2)


def test_it_works_without_scikit_learn(points):
    import subprocess
    import sys

    code = """
import sys
sys.modules["sklearn"] = None
import geotherm, numpy as np
est = geotherm.HeatGeo(knn=5)
assert est.get_params()["knn"] == 5
assert est.set_params(knn=6).fit_transform(np.random.default_rng(0).normal(size=(40, 3))).shape == (40, 2)
assert list(est.get_feature_names_out()) == ["heatgeo0", "heatgeo1"]
assert repr(est) == "HeatGeo(knn=6)"
try:
    est.set_params(no=1)
except ValueError as e:
    assert "no" in str(e)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
