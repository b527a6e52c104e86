"""Odd arrays are taken for what they are or refused in words; nothing ends the interpreter."""

import geotherm
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ESTIMATORS
from geotherm import _native

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(40, 4))


@pytest.fixture(scope="module")
def expected(X):
    return geotherm.HeatGeo().fit_transform(X)


@pytest.mark.parametrize(
    "view",
    [
        pytest.param(lambda X: np.asfortranarray(X), id="fortran order"),
        pytest.param(lambda X: np.repeat(X, 2, axis=0)[::2], id="every other row"),
        pytest.param(lambda X: np.repeat(X, 2, axis=1)[:, ::2], id="every other column"),
        pytest.param(lambda X: X[::-1].copy()[::-1], id="rows backwards"),
        pytest.param(lambda X: X[:, ::-1].copy()[:, ::-1], id="columns backwards"),
        pytest.param(lambda X: np.pad(X, ((0, 0), (3, 2)))[:, 3:-2], id="columns of a wider table"),
        pytest.param(lambda X: X.astype(">f8"), id="other byte order"),
        pytest.param(lambda X: X.astype(object), id="objects that are numbers"),
        pytest.param(lambda X: X.tolist(), id="lists"),
        pytest.param(lambda X: np.ma.masked_array(X), id="masked array without masks"),
        pytest.param(lambda X: sp.csr_matrix(X), id="sparse rows"),
        pytest.param(lambda X: sp.coo_array(X), id="sparse triplets"),
        pytest.param(
            lambda X: np.frombuffer(b"\0" + X.tobytes(), dtype="u1")[1:].view("f8").reshape(X.shape), id="unaligned"
        ),
    ],
)
def test_layouts_do_not_change_the_result(X, expected, view):
    assert np.array_equal(geotherm.HeatGeo().fit_transform(view(X)), expected)


def test_read_only_arrays_are_taken_and_nobody_writes_into_inputs(X, expected):
    frozen = X.copy()
    frozen.flags.writeable = False
    assert np.array_equal(geotherm.HeatGeo().fit_transform(frozen), expected)
    kept = X.copy()
    for estimator in ESTIMATORS:
        estimator(n_jobs=1).fit(kept)
        assert np.array_equal(kept, X), estimator.__name__


def test_a_c_order_array_is_viewed_and_not_copied(X):
    from geotherm._input import as_points

    assert as_points(X) is X or np.shares_memory(as_points(X), X)
    single = X.astype(np.float32)
    assert np.shares_memory(as_points(single), single)


def test_results_outlive_the_estimator_and_are_writable(X):
    y = geotherm.HeatGeo().fit_transform(X)
    graph = geotherm.HeatGeo().fit(X).graph_
    y += 1  # owned by the array alone
    assert np.isfinite(y).all() and graph.nnz > 0


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f2", "?"])
def test_other_numbers_become_double(dtype):
    X = (np.random.default_rng(1).integers(0, 2, (30, 12)) * 1).astype(dtype)
    expected = geotherm.HeatGeo().fit_transform(X.astype(np.float64))
    assert np.array_equal(geotherm.HeatGeo().fit_transform(X), expected)


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(np.zeros((0, 3)), id="no rows"),
        pytest.param(np.zeros((5, 0)), id="no columns"),
        pytest.param(np.zeros((1, 3)), id="one row"),
        pytest.param(np.zeros(5), id="1D"),
        pytest.param(np.zeros((2, 2, 2)), id="3D"),
        pytest.param(np.float64(3), id="a number"),
        pytest.param(np.array([[0, np.nan], [1, 2], [3, 4.0]]), id="NaN"),
        pytest.param(np.array([[0, np.inf], [1, 2], [3, 4.0]]), id="infinity"),
        pytest.param(np.array([["a", "b"], ["c", "d"]], dtype=object), id="objects"),
        pytest.param(np.array([["a", "b"], ["c", "d"]]), id="text"),
        pytest.param(np.ones((4, 4), dtype=complex), id="complex"),
        pytest.param(None, id="None"),
        pytest.param("X", id="a word"),
        pytest.param([[1, 2], [3]], id="ragged"),
        pytest.param(np.zeros((3, 2), dtype="M8[s]"), id="dates"),
        pytest.param(sp.csr_matrix(np.array([[0, np.nan], [1, 2], [3, 4.0]])), id="sparse NaN"),
        pytest.param({"a": 1}, id="a dictionary"),
    ],
)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_what_cannot_be_mapped_is_refused_in_words(estimator, bad):
    with pytest.raises((ValueError, TypeError)) as error:
        estimator().fit(bad)
    assert len(str(error.value)) > 10


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"knn": 40}, ValueError, "knn"),
        ({"knn": 10**30}, ValueError, "knn"),
        ({"knn": 2**62}, ValueError, "knn"),
        ({"knn": 0}, ValueError, "knn"),
        ({"knn": -1}, ValueError, "knn"),
        ({"knn": 2.5}, TypeError, "knn"),
        ({"knn": "many"}, TypeError, "knn"),
        ({"knn": True}, TypeError, "knn"),
        ({"metric": "taxi"}, ValueError, "metric"),
        ({"metric": 3}, TypeError, "metric"),
        ({"graph": "dense"}, ValueError, "alpha-decay"),
        ({"time": -1}, ValueError, "time"),
        ({"time": float("nan")}, ValueError, "time"),
        ({"time": "soon"}, ValueError, "time"),
        ({"time": [1, 2]}, TypeError, "time"),
        ({"decay": None}, TypeError, "decay"),
        ({"decay": -3}, ValueError, "decay"),
        ({"n_components": 0}, ValueError, "n_components"),
        ({"n_components": 10**12}, (ValueError, MemoryError), ""),
        ({"harnack": float("nan")}, ValueError, "harnack"),
        ({"pca": 0}, ValueError, "pca"),
        ({"pca": 10**6}, ValueError, ""),
        ({"shortcuts": 0.9}, ValueError, "share"),
        ({"order": 2**40}, ValueError, "order"),
        ({"max_iterations": -5}, ValueError, "max_iterations"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"n_jobs": "all"}, TypeError, "n_jobs"),
        ({"random_state": "seed"}, ValueError, "random_state"),
        ({"random_state": -1}, ValueError, "random_state"),
        ({"callbacks": 3}, TypeError, ""),
        ({"mds": "nonsense"}, ValueError, "smacof"),
        ({"precomputed_knn": 5}, TypeError, "precomputed_knn"),
        ({"precomputed_knn": (np.zeros((40, 3)), np.zeros((40, 3)))}, TypeError, "whole"),
        ({"precomputed_knn": (np.zeros((40, 3), int), np.zeros((40, 2)))}, ValueError, "n x k"),
        ({"precomputed_knn": (np.full((40, 3), 99), np.ones((40, 3)))}, ValueError, ""),
        ({"precomputed_knn": (np.full((40, 3), 2**40), np.ones((40, 3)))}, ValueError, "32 bits"),
        ({"precomputed_knn": (np.zeros((0, 0), int), np.zeros((0, 0)))}, ValueError, ""),
    ],
)
def test_options_that_cannot_be_are_refused_by_name(X, options, kind, words):
    with pytest.raises(kind) as error:
        geotherm.HeatGeo(**options).fit(X)
    assert words in str(error.value)


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(np.ones((40, 3)), id="not square"),
        pytest.param(-np.ones((40, 40)), id="negative"),
        pytest.param(np.triu(np.ones((40, 40)), 1), id="not symmetric"),
        pytest.param(sp.csr_matrix((40, 40)), id="sparse, empty"),
        pytest.param(sp.csr_matrix(-np.ones((40, 40))), id="sparse, negative"),
        pytest.param(sp.csr_matrix(np.ones((40, 39))), id="sparse, not square"),
    ],
)
@pytest.mark.parametrize("metric", ["precomputed", "precomputed_affinity"])
def test_matrices_that_are_no_distances_or_affinities_never_crash(bad, metric):
    try:
        geotherm.HeatGeo(metric=metric, n_jobs=1).fit(bad)
    except (ValueError, TypeError) as e:
        assert str(e)
    else:
        assert metric == "precomputed_affinity"  # a one-sided or empty graph is a graph


def test_the_native_module_checks_for_itself(X):
    run = _native.Run()
    csr = sp.csr_matrix(np.eye(3))
    parts = (csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data)
    for call, kind in [
        (lambda: _native.points_input(np.asfortranarray(X)), ValueError),
        (lambda: _native.points_input(X[::-1]), ValueError),
        (lambda: _native.points_input(X.astype(int)), TypeError),
        (lambda: _native.points_input(X[0]), ValueError),
        (lambda: _native.points_input(None), TypeError),
        (lambda: _native.points_input(X.astype(object)), TypeError),
        (lambda: _native.sparse_input(parts[0], parts[1] + 7, parts[2], 3, True), ValueError),
        (lambda: _native.sparse_input(parts[0], parts[1] - 7, parts[2], 3, True), ValueError),
        (lambda: _native.sparse_input(parts[0][::-1].copy(), parts[1], parts[2], 3, True), ValueError),
        (lambda: _native.sparse_input(parts[0] * 1000, parts[1], parts[2], 3, True), ValueError),
        (lambda: _native.sparse_input(np.array([0, 5, -5, 3]), parts[1], parts[2], 3, True), ValueError),
        (lambda: _native.sparse_input(*parts, 10**6, True), ValueError),
        (lambda: _native.embed("nothing", _native.points_input(X), {}, run), ValueError),
        (lambda: _native.embed("heatgeo", _native.points_input(X), {"no": 1}, run), TypeError),
        (lambda: _native.embed("heatgeo", _native.points_input(X), {1: 1}, run), TypeError),
        (lambda: _native.embed("heatgeo", None, {}, run), TypeError),
        (lambda: _native.distances("tsne", _native.points_input(X), {}, run), ValueError),
        (lambda: _native.mds(X, {}, run), ValueError),
        (lambda: _native.compare_maps(X, X[:3], 2, run), ValueError),
        (lambda: _native.compare_maps(X[:0], X[:0], 2, run), ValueError),
        (lambda: _native.Run(0, 2**60), (ValueError, RuntimeError, MemoryError, OverflowError)),
        (lambda: _native.synth("cube", 5, 0, None, False, 1, 1, 1, run), ValueError),
    ]:
        with pytest.raises(kind):
            call()


def test_random_arrays_of_every_kind_are_taken_or_refused():
    """Fuzzing with a fixed seed: shapes, types, strides, values and options."""
    rng = np.random.default_rng(7)
    taken = 0
    for _ in range(400):
        shape = tuple(rng.integers(0, 25, rng.integers(1, 4)))
        dtype = rng.choice(["f4", "f8", "i4", "u1", "c8", "O", "U3", "f2", "?", "M8[s]"])
        values = rng.normal(size=shape) * 10.0 ** rng.integers(-200, 200)
        try:
            array = values.astype(dtype)
        except (TypeError, ValueError, OverflowError):
            continue
        if array.ndim and rng.random() < 0.4:
            array = array[tuple(slice(None, None, int(rng.choice([-2, -1, 1, 2, 3]))) for _ in shape)]
        if rng.random() < 0.3:
            array = np.asfortranarray(array)
        if rng.random() < 0.2 and array.size and array.dtype.kind == "f":
            array = array.copy()
            array.flat[rng.integers(array.size)] = rng.choice([np.nan, np.inf, 0.0])
        estimator = ESTIMATORS[rng.integers(len(ESTIMATORS))]
        options = {
            "metric": str(rng.choice(["euclidean", "cosine", "precomputed", "precomputed_affinity"])),
            "n_components": int(rng.integers(0, 6)),
            "n_jobs": 1,
        }
        if "knn" in estimator().get_params():
            options["knn"] = [None, 1, 3, 24, 10**9][rng.integers(5)]
        if "n_iterations" in estimator().get_params():
            options["n_iterations"] = 20
        try:
            y = estimator(**options).fit_transform(array)
        except (ValueError, TypeError) as e:
            assert str(e)
        else:
            taken += 1
            assert y.shape == (len(array), options["n_components"])
    assert taken > 10  # the fuzz reaches the library, not only the checks
