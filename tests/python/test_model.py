"""New points, files and copies: through the documented model file."""

import copy
import pickle

import geotherm
import joblib
import numpy as np
import pytest
from conftest import ESTIMATORS


@pytest.fixture(scope="module")
def fitted(points):
    return geotherm.HeatGeo().fit(points)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_training_rows_fall_on_their_places_and_new_ones_near_them(estimator, points):
    est = estimator().fit(points)
    assert np.array_equal(est.transform(points), est.embedding_)
    moved = est.transform(points + 1e-9)
    spread = np.ptp(est.embedding_, axis=0).max()
    assert np.abs(moved - est.embedding_).max() < 0.05 * spread


def test_new_points_are_placed_as_the_program_places_them(points, program):
    old, new = points[:200], points[200:]
    np.save(program.dir / "old.npy", old)
    np.save(program.dir / "new.npy", new)
    program("embed", "old.npy", "-o", "map.npy", "--model", "map.gtm")
    program("transform", "map.gtm", "new.npy", "-o", "placed.npy")
    placed = np.load(program.dir / "placed.npy")
    assert np.array_equal(geotherm.HeatGeo().fit(old).transform(new), placed)
    assert np.array_equal(geotherm.load(program.dir / "map.gtm").transform(new), placed)


def test_the_program_reads_what_python_saved(points, program, fitted):
    fitted.save(program.dir / "map.gtm")
    np.save(program.dir / "new.npy", points[:20] + 0.01)
    program("transform", "map.gtm", "new.npy", "-o", "placed.npy")
    assert np.array_equal(np.load(program.dir / "placed.npy"), fitted.transform(points[:20] + 0.01))


@pytest.mark.parametrize(
    "through",
    [
        pytest.param(lambda est, path: pickle.loads(pickle.dumps(est)), id="pickle"),
        pytest.param(lambda est, path: copy.deepcopy(est), id="deepcopy"),
        pytest.param(lambda est, path: joblib.load(joblib.dump(est, path / "est.joblib")[0]), id="joblib"),
    ],
)
def test_copies_do_what_the_estimator_does(points, fitted, through, tmp_path):
    other = through(fitted, tmp_path)
    new = points[:30] + 0.02
    assert np.array_equal(other.embedding_, fitted.embedding_)
    assert np.array_equal(other.transform(new), fitted.transform(new))
    assert np.array_equal(other.distances_from(3), fitted.distances_from(3))
    assert other.get_params() == fitted.get_params()
    assert other.methods_text() == fitted.methods_text()


def test_float32_rows_are_placed_too(points):
    single = points.astype(np.float32)
    est = geotherm.HeatGeo().fit(single)
    assert np.array_equal(est.transform(single), est.embedding_)


def test_files_that_are_no_models_are_refused_in_words(tmp_path):
    path = tmp_path / "map.gtm"
    path.write_bytes(b"no model at all")
    with pytest.raises(geotherm.IoError, match=r"map\.gtm"):
        geotherm.load(path)
    with pytest.raises(OSError):
        geotherm.load(tmp_path / "absent.gtm")


def test_transform_refuses_what_fit_would(fitted, points):
    for bad in (points[:, :2], np.full((2, 3), np.nan), np.zeros(3), "X"):
        with pytest.raises(ValueError):
            fitted.transform(bad)
    with pytest.raises(ValueError, match="not fitted"):
        geotherm.HeatGeo().transform(points)
