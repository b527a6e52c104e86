"""Queries by points, distances and affinities; updates; labels; ingest in scanpy's manner."""

import pathlib
import re
import shutil

import anndata
import geotherm
import numpy as np
import pytest
import scipy.sparse as sp


def blobs(n, seed):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    centres = np.array([[0, 0, 0, 0], [9, 0, 0, 0], [0, 9, 0, 0]], float)
    return centres[kind] + rng.normal(0, 1, (n, 4)), kind.astype(str)


def between(a, b):
    return np.linalg.norm(a[:, None] - b[None], axis=2)


def test_a_query_has_places_novelty_and_labels():
    X, kind = blobs(240, 1)
    new, truth = blobs(60, 2)
    new[0] = 200
    est = geotherm.HeatGeo().fit(X)
    found = est.query(new, labels=kind)
    assert np.array_equal(found["embedding"], est.transform(new))
    assert found["novelty"][0] > 10 and np.median(found["novelty"]) < 2
    assert np.mean(np.array(found["label"])[1:] == truth[1:]) > 0.95
    assert ((found["probability"] > 0) & (found["probability"] <= 1)).all()
    with pytest.raises(ValueError, match="240"):
        est.query(new, labels=kind[:5])


def test_rows_come_as_distances_and_as_affinities():
    X, _ = blobs(200, 3)
    new, _ = blobs(20, 4)
    est = geotherm.HeatGeo().fit(X)
    by_points = est.transform(new)
    assert np.allclose(est.transform(distances=between(new, X)), by_points, atol=1e-5)
    near = sp.csr_matrix(np.where(np.argsort(np.argsort(between(new, X), axis=1), axis=1) < 20, between(new, X), 0))
    assert np.allclose(est.transform(distances=near), by_points, atol=1e-5)
    of_distances = geotherm.HeatGeo(metric="precomputed").fit(between(X, X))
    assert np.array_equal(of_distances.transform(between(X, X)), of_distances.embedding_)
    weights = sp.csr_matrix(np.exp(-(between(X, X) ** 2)) * (between(X, X) > 0))
    of_graph = geotherm.DiffusionMap(metric="precomputed_affinity").fit(weights)
    placed = of_graph.transform(affinities=weights)
    assert np.allclose(placed, of_graph.embedding_, atol=1e-5 * np.abs(of_graph.embedding_).max())
    with pytest.raises(ValueError, match="200"):
        of_graph.transform(affinities=weights[:, :50])
    with pytest.raises(ValueError, match="one of them"):
        est.transform(new, distances=between(new, X))


def test_maps_grow_and_old_points_stay():
    X, _ = blobs(200, 5)
    new, _ = blobs(30, 6)
    est = geotherm.HeatGeo().partial_fit(X)
    before = est.embedding_.copy()
    placed = est.transform(new)
    est.partial_fit(new)
    assert np.array_equal(est.embedding_[:200], before) and np.array_equal(est.embedding_[200:], placed)
    assert est.movement_["largest"] == 0 and len(est.novelty_) == 30
    assert np.array_equal(est.transform(new), placed)
    est.update(blobs(20, 7)[0], hold=0.5)
    assert est.embedding_.shape == (250, 2) and est.movement_["mean"] > 0
    with pytest.raises(ValueError, match="0 to 1"):
        est.update(new, hold=3)


def test_a_held_map_is_that_of_the_program(program):
    X, _ = blobs(220, 15)
    new, _ = blobs(30, 16)
    np.savez(program.dir / "d.npz", old=X, new=new)
    program("embed", "d.npz:old", "-o", "m.npy", "--model", "m.gtm", "--method", "umap")
    program("update", "m.gtm", "d.npz:new", "-o", "all.npy", "--hold", 0.4)
    est = geotherm.UMAP().fit(X).update(new, hold=0.4)
    assert np.array_equal(est.embedding_, np.load(program.dir / "all.npy"))


def test_a_layout_starts_from_an_array():
    X, _ = blobs(150, 8)
    first = geotherm.HeatGeo().fit_transform(X)
    turned = first @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    again = geotherm.HeatGeo(init=turned).fit(X)
    assert again.report_["resolved"]["start"] == "given map"
    assert all(np.corrcoef(again.embedding_[:, c], turned[:, c])[0, 1] > 0.95 for c in range(2))


def test_ingest_follows_scanpy():
    X, kind = blobs(200, 9)
    new, truth = blobs(50, 10)
    ref, query = anndata.AnnData(X.astype(np.float32)), anndata.AnnData(new.astype(np.float32))
    ref.obs["cell_type"] = kind
    ref.obsm["X_pca"], query.obsm["X_pca"] = X, new
    geotherm.tl.heatgeo(ref)
    geotherm.tl.ingest(query, ref, obs="cell_type")
    assert query.obsm["X_heatgeo"].shape == (50, 2)
    assert np.mean(query.obs["cell_type"].astype(str) == truth) > 0.95
    assert {"novelty", "cell_type_probability"} <= set(query.obs)
    del query.obsm["X_pca"]
    with pytest.raises(KeyError, match="PCs"):
        geotherm.tl.ingest(query, ref)
    with pytest.raises(KeyError, match="tissue"):
        geotherm.tl.ingest(query, ref, obs="tissue")
    with pytest.raises(KeyError, match="make the map first"):
        geotherm.tl.ingest(query, anndata.AnnData(X))


def test_h5ad_gets_places_labels_and_novelty(program):
    X, kind = blobs(200, 11)
    new, _ = blobs(40, 12)
    ref, query = anndata.AnnData(X), anndata.AnnData(new)
    ref.obs["cell_type"] = kind
    ref.obs["cell_type"] = ref.obs["cell_type"].astype("category")
    ref.write_h5ad(program.dir / "ref.h5ad")
    query.write_h5ad(program.dir / "query.h5ad")
    program("embed", "ref.h5ad", "--use", "X", "-o", "m.h5ad", "--model", "m.gtm", "--keep", "cell_type")
    program("transform", "m.gtm", "query.h5ad", "--use", "X", "-o", "q.h5ad", "--transfer", "cell_type")
    read = anndata.read_h5ad(program.dir / "q.h5ad")
    assert read.obsm["X_heatgeo"].shape == (40, 2)
    assert {"label", "probability", "novelty"} <= set(read.obs)
    # Labels of another file are matched by the names of the cells; some are missing, the order is another.
    ref[np.random.default_rng(5).permutation(200)[:150]].write_h5ad(program.dir / "shuffled.h5ad")
    program("transform", "m.gtm", "query.h5ad", "--use", "X", "-o", "s.h5ad", "--labels", "shuffled.h5ad", "--transfer", "cell_type")
    again = anndata.read_h5ad(program.dir / "s.h5ad")
    assert (again.obs["label"].astype(str) == read.obs["label"].astype(str)).mean() > 0.97
    program("embed", "m.h5ad", "--use", "X", "-o", "n.npy", "--init", "obsm:X_heatgeo")


def test_the_documented_metric_of_ones_own_runs_and_places_rows_where_they_belong():
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "atlas_to_query.md").read_text()
    example = next(code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "my_distance" in code)
    X, kind = blobs(200, 13)
    X_new, truth = blobs(40, 14)
    names = {"X": X, "X_new": X_new, "geotherm": geotherm}
    exec(example, names)  # noqa: S102
    est, places = names["est"], names["coordinates"]
    nearest = np.argsort(between(places, est.embedding_), axis=1)[:, :5]
    assert (kind[nearest] == truth[:, None]).mean() > 0.9
    # A training row comes back to its own place.
    again = est.transform(distances=names["near"].kneighbors_graph(X[:7], mode="distance"))
    assert np.allclose(again, est.embedding_[:7])


@pytest.fixture
def mudata_file(program):
    """Written by the mudata package: RNA, and sparse protein in another order of cells, each resolving half of four groups."""
    mudata = pytest.importorskip("mudata")
    rng = np.random.default_rng(15)
    group = np.arange(320) % 4
    cells = [f"cell{i}" for i in range(320)]
    rna, protein = rng.normal(0, 1, (2, 320, 5))
    rna[:, 0] += np.array([0, 14, 40, 40])[group]
    protein[:, 0] += np.array([40, 40, 0, 14])[group]
    order = rng.permutation(320)
    first = anndata.AnnData(rna)
    first.obs_names = cells
    first.obs["group"] = group.astype(str)
    second = anndata.AnnData(sp.csr_matrix(protein[order]))
    second.obs_names = [cells[i] for i in order]
    mudata.MuData({"rna": first, "prot": second}).write_h5mu(program.dir / "both.h5mu")
    return program, {"rna": rna, "prot": protein}, group


def own_group(program, group, name="m.npy"):
    places = np.load(program.dir / name)
    far = between(places, places) + np.diag(np.full(len(places), np.inf))
    return (group[np.argsort(far, axis=1)[:, :5]] == group[:, None]).mean()


def test_a_file_of_mudata_is_read_as_views_of_the_same_cells(mudata_file):
    program, views, group = mudata_file
    done = program("embed", "both.h5mu", "-o", "m.npy", "--manifest", "run.json")
    assert own_group(program, group) > 0.97
    # The same map as from the tables by themselves, in the order of the first modality's cells.
    np.save(program.dir / "rna.npy", views["rna"])
    np.save(program.dir / "prot.npy", views["prot"])
    program("embed", "rna.npy", "--view", "prot.npy", "-o", "n.npy")
    assert np.array_equal(np.load(program.dir / "m.npy"), np.load(program.dir / "n.npy"))
    assert "rna" in (program.dir / "run.json").read_text() and "prot" in done.stderr
    program("embed", "both.h5mu:rna", "-o", "m.npy")
    assert own_group(program, group) < 0.85
    program("embed", "both.h5mu", "--view", "prot", "--view", "rna", "-o", "m.npy")


def test_a_file_of_mudata_that_lacks_what_is_asked_for_is_refused(mudata_file):
    program, _, _ = mudata_file
    with pytest.raises(AssertionError, match=r"no modality 'atac'.*rna, prot"):
        program("embed", "both.h5mu", "--view", "rna", "--view", "atac", "-o", "m.npy")
    geotherm.HeatGeo().fit(np.random.default_rng(0).normal(size=(50, 5))).save(program.dir / "m.gtm")
    with pytest.raises(AssertionError, match=r"several tables in one file.*rna, prot"):
        program("transform", "m.gtm", "both.h5mu", "-o", "m.npy")
    shutil.copy(program.dir / "both.h5mu", program.dir / "cut.h5mu")
    with open(program.dir / "cut.h5mu", "r+b") as file:
        file.truncate(2000)
    with pytest.raises(AssertionError, match=r"cut\.h5mu"):
        program("embed", "cut.h5mu", "-o", "m.npy")
    anndata.AnnData(np.ones((4, 2))).write_h5ad(program.dir / "plain.h5mu")
    with pytest.raises(AssertionError, match="not a MuData file"):
        program("embed", "plain.h5mu", "-o", "m.npy")
    assert not (program.dir / "m.npy").exists()
