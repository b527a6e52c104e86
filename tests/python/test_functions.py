"""The function layer, comparison, text, doctests, and the names that PHATE's users know."""

import doctest
import importlib
import pkgutil

import geotherm
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ESTIMATORS


def all_modules():
    yield "geotherm"
    for module in pkgutil.iter_modules(geotherm.__path__):
        if module.name != "_native":
            yield f"geotherm.{module.name}"


@pytest.mark.parametrize("name", list(all_modules()))
@pytest.mark.filterwarnings("ignore")
def test_examples_in_docstrings_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", geotherm.__all__)
def test_everything_public_is_documented(name):
    member = getattr(geotherm, name)
    assert name == "__version__" or (member.__doc__ and len(member.__doc__) > 20)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_every_parameter_is_in_the_docstring(estimator):
    assert "{" not in estimator.__doc__.split("Examples")[0].replace("{n_components}", "")
    for name in estimator().get_params():
        assert f"\n    {name} : " in estimator.__doc__, name


def test_the_modules_one_by_one_give_what_the_estimator_gives(points):
    graph = geotherm.graph(points, knn=8)
    kernel = geotherm.heat_kernel(graph, 3.0)
    distances = geotherm.heat_geodesic(kernel)
    plain = {"pca": "none", "shortcuts": "off", "rates": "hops", "units": "heat"}
    est = geotherm.HeatGeo(knn=8, time=3.0, keep_dissimilarity=True, **plain).fit(points)
    assert np.array_equal(distances, est.dissimilarity_)
    assert np.array_equal(geotherm.mds(distances), est.embedding_)
    assert np.array_equal(graph.weights.toarray(), est.graph_.toarray())


def test_kernels_act_as_their_matrices_do(points):
    kernel = geotherm.heat_kernel(geotherm.graph(points), 2.0)
    dense = kernel.dense()
    block = np.random.default_rng(0).uniform(size=(250, 3))
    np.testing.assert_allclose(kernel @ block, dense @ block, rtol=1e-10)
    np.testing.assert_allclose(kernel @ block[:, 0], dense @ block[:, 0], rtol=1e-10)
    np.testing.assert_allclose(kernel.rows([3, 5]), dense[[3, 5]], rtol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(), np.diag(dense), rtol=1e-9)
    walk = geotherm.walk_kernel(geotherm.graph(points), 5).dense()
    np.testing.assert_allclose(walk.sum(axis=1), 1, rtol=1e-12)
    assert geotherm.walk_kernel(geotherm.graph(points)).time >= 1
    for bad in (0, -1, 2.5, "many", True, 2**40):
        with pytest.raises(ValueError):
            geotherm.walk_kernel(geotherm.graph(points), bad)
    with pytest.raises(ValueError, match="rows"):
        kernel @ np.ones(3)
    with pytest.raises(IndexError):
        kernel.rows([250])
    with pytest.raises(TypeError):
        geotherm.heat_geodesic(dense)


def test_shortest_paths_are_scipys(points):
    graph = geotherm.graph(points)
    lengths = sp.csr_matrix((graph.lengths, graph.weights.indices, graph.weights.indptr), graph.weights.shape)
    expected = sp.csgraph.dijkstra(lengths, indices=[0, 9])
    np.testing.assert_allclose(geotherm.shortest_paths(graph, [0, 9]), expected, rtol=1e-12)


def test_lengths_stay_with_their_edges_whatever_else_is_stored(points):
    graph = geotherm.graph(points)
    expected = geotherm.shortest_paths(graph, [0, 9])
    coo = graph.weights.tocoo()
    n = graph.n_points
    # The diagonal stored at every other point, with and without numbers for it; rows in any order.
    loops = np.arange(0, n, 2)
    rows, columns = np.append(coo.row, loops), np.append(coo.col, loops)
    weights, lengths = np.append(coo.data, np.ones(loops.size)), np.append(graph.lengths, np.full(loops.size, 7.0))
    by_row = np.lexsort((-columns, rows))
    indptr = np.append(0, np.cumsum(np.bincount(rows, minlength=n)))
    stored = sp.csr_matrix((weights[by_row], columns[by_row], indptr), (n, n))
    off_diagonal = rows[by_row] != columns[by_row]
    for given in (lengths[by_row], lengths[by_row][off_diagonal]):
        found = geotherm.shortest_paths(geotherm.Graph(stored, given), [0, 9])
        np.testing.assert_array_equal(found, expected)
    # Each edge one way only: it has its length both ways.
    upper = rows < columns
    half = sp.coo_matrix((2 * weights[upper], (rows[upper], columns[upper])), (n, n)).tocsr()
    half_lengths = sp.coo_matrix((lengths[upper], (rows[upper], columns[upper])), (n, n)).tocsr().data
    with pytest.warns(geotherm.GeothermWarning, match="symmetric"):
        found = geotherm.shortest_paths(geotherm.Graph(half, half_lengths), [0, 9])
    np.testing.assert_array_equal(found, expected)


def test_lengths_that_do_not_fit_are_refused(points):
    graph = geotherm.graph(points)
    lengths = graph.lengths
    with pytest.raises(ValueError, match="give one for each"):
        geotherm.Graph(graph.weights, lengths[:-1])
    uneven = lengths.copy()
    uneven[0] *= 2
    with pytest.raises(ValueError, match="symmetric"):
        geotherm.shortest_paths(geotherm.Graph(graph.weights, uneven), [0])
    with pytest.raises(ValueError, match="not finite"):
        geotherm.shortest_paths(geotherm.Graph(graph.weights, -lengths), [0])
    twice = sp.csr_matrix(([1.0, 1.0, 1.0], [1, 1, 0], [0, 2, 3]), (2, 2))
    with pytest.raises(ValueError, match="twice"):
        geotherm.Graph(twice, [1.0, 1.0, 1.0])


def test_distances_from_rows_are_those_of_the_square(points):
    doubled = np.vstack([points, points[:5]])
    with pytest.warns(geotherm.GeothermWarning, match="equal"):
        est = geotherm.HeatGeo(keep_dissimilarity=True).fit(doubled)
    found = est.distances_from([2, 251])
    assert found.shape == (2, 255)
    # Rows and square sum the same series in another order.
    np.testing.assert_allclose(found, est.dissimilarity_[[2, 251]], rtol=1e-9, atol=1e-6)
    assert est.connectivities().shape == (255, 255)
    with pytest.raises(IndexError):
        est.distances_from(255)
    with pytest.raises(TypeError):
        est.distances_from("first")


def test_precomputed_input_of_every_kind_gives_the_same_graph(points):
    from scipy.spatial.distance import cdist
    from sklearn.neighbors import NearestNeighbors

    distances = cdist(points, points)
    plain = geotherm.HeatGeo(graph="knn", knn=6).fit(points)
    square = geotherm.HeatGeo(graph="knn", knn=6, metric="precomputed").fit(distances)
    search = NearestNeighbors(n_neighbors=6).fit(points)
    lists = search.kneighbors_graph(mode="distance")
    sparse = geotherm.HeatGeo(graph="knn", knn=6, metric="precomputed").fit(lists)
    found = search.kneighbors()
    tables = geotherm.HeatGeo(graph="knn", knn=6, precomputed_knn=(found[1], found[0])).fit(points)
    weights = geotherm.HeatGeo(metric="precomputed_affinity").fit(plain.graph_)
    for other in (square, sparse, tables, weights):
        assert np.array_equal(other.graph_.indices, plain.graph_.indices)
        # 1e-6: scipy's distances differ from ours in the last digit, and bandwidths are shared by all edges.
        np.testing.assert_allclose(other.graph_.data, plain.graph_.data, rtol=1e-6)


def test_scripts_of_phate_run_by_changing_the_import(points):
    ours = geotherm.PHATE(knn=5, decay=40, time="auto").fit(points)
    theirs = geotherm.PHATE(knn=5, decay=40, t="auto").fit_transform(points)
    assert np.array_equal(ours.embedding_, theirs)
    every_word = geotherm.PHATE(
        n_components=2,
        knn=5,
        decay=40,
        n_landmark=2000,
        t=10,
        gamma=1,
        n_pca=100,
        mds_solver="sgd",
        knn_dist="euclidean",
        knn_max=None,
        mds_dist="euclidean",
        mds="metric",
        n_jobs=1,
        random_state=42,
        verbose=0,
    )
    assert every_word.fit_transform(points).shape == (250, 2)
    assert every_word.time_ == 10 and every_word.report_["resolved"]["mds"] == "sgd"
    assert geotherm.PHATE(mds="classic").fit(points).report_["resolved"]["mds"] == "classical"
    with pytest.raises(ValueError, match="gamma"):
        geotherm.PHATE(gamma=0).fit(points)
    with pytest.raises(ValueError, match="nonmetric"):
        geotherm.PHATE(mds="nonmetric").fit(points)
    assert every_word.report_["resolved"]["solver"] == "all pairs"  # fewer points than landmarks
    few = geotherm.PHATE(n_landmark=100).fit(points)
    assert few.report_["resolved"]["landmarks"] == 100
    assert np.array_equal(few.embedding_, geotherm.PHATE(landmarks=100).fit_transform(points))
    for wrong, kind in ((1, ValueError), ("many", ValueError), (2.5, TypeError)):
        with pytest.raises(kind, match="landmarks"):
            geotherm.PHATE(n_landmark=wrong).fit(points)


def test_sparse_tables_are_reduced_without_becoming_dense(monkeypatch):
    rng = np.random.default_rng(3)
    counts = sp.random(300, 120, density=0.1, random_state=3, format="csr", data_rvs=lambda k: rng.poisson(3, k) + 1.0)
    found = geotherm.pca(counts, 5)
    centred = counts.toarray() - counts.toarray().mean(axis=0)
    _, values, right = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(found.singular_values, values[:5], rtol=1e-8)
    # 1e-4: directions of close values settle slower than the values.
    np.testing.assert_allclose(np.abs(found.components @ right[:5].T), np.eye(5), atol=1e-4)
    np.testing.assert_allclose(found.scores, centred @ found.components.T, atol=1e-9)
    assert np.array_equal(found.scores, geotherm.pca(counts.tocsc(), 5, n_jobs=1).scores)
    with pytest.raises(ValueError, match="rank"):
        geotherm.pca(counts, 120)
    monkeypatch.setattr(geotherm._input, "MOST_DENSE_BYTES", 1 << 10)
    with pytest.raises(ValueError, match=r"geotherm\.pca"):
        geotherm.HeatGeo().fit(counts)


def test_two_maps_are_aligned_and_compared(points):
    first = geotherm.HeatGeo().fit(points)
    turned = -2 * first.embedding_[:, ::-1] + 5
    found = geotherm.compare(first, turned)
    assert found.disparity < 1e-20 and found.kept_neighbors.min() == 1
    np.testing.assert_allclose(found.aligned, first.embedding_, atol=1e-9)
    other = geotherm.compare(first, geotherm.UMAP().fit(points))
    assert 0 < other.disparity <= 1 and "disparity" in repr(other)
    assert found.distance_correlation == pytest.approx(1) and other.distance_correlation < 1
    assert other.rms == pytest.approx(np.sqrt(np.mean(other.displacement**2)))
    with pytest.raises(ValueError, match="same points"):
        geotherm.compare(first, turned[:-1])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_methods_text_says_what_was_run(estimator, points):
    est = estimator(random_state=7).fit(points)
    text = est.methods_text()
    assert "250 observations" in text and "seed was 7" in text and geotherm.__version__ in text
    if hasattr(est, "time_"):
        assert f"{est.time_:.4g}" in text
    assert len(text.split("\n\n")) == 2 and "\n\n" not in est.methods_text(citations=False)


def test_scores_refuse_what_does_not_fit(points, roll):
    with pytest.raises(ValueError, match="nothing to compare"):
        geotherm.score(points)
    with pytest.raises(ValueError, match="same points"):
        geotherm.score(points, truth=roll.geodesic[:5, :5])
    with pytest.raises(ValueError, match="square"):
        geotherm.score(points, truth=points)
    words = geotherm.score(points, labels=["a"] * 125 + ["b"] * 125, points=points)
    assert words["trustworthiness"] == 1 and 0 <= words["ari"] <= 1


def test_the_reference_builds_without_a_warning(tmp_path):
    import pathlib
    import subprocess
    import sys

    docs = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python"
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "-q",
        "-b",
        "html",
        "-d",
        tmp_path / "trees",
        docs,
        tmp_path / "html",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "html" / "api.html").read_text()
    missing = [name for name in geotherm.__all__ if f"geotherm.{name}" not in written]
    assert missing == ["__version__"]


@pytest.mark.filterwarnings("ignore")
def test_the_readmes_python_runs(capsys):
    import pathlib
    import re

    readme = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", readme, flags=re.S)
    assert blocks
    for block in blocks:
        exec(block, {})
    assert "Heat Geodesic Embedding" in capsys.readouterr().out
