"""The first hour with the package: what someone new tries, in order, and what they must get.

The steps have the numbers of tests/cli/test_first_hour.py.
"""

import json
import os
import re
import time
import warnings

import geotherm
import numpy as np
import pytest


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


def test_1_genes_of_a_query_are_matched_by_name(roll):
    anndata = pytest.importorskip("anndata")
    reference = anndata.AnnData(roll[:200])
    reference.var_names = ["CD3D", "LYZ", "MS4A1"]
    geotherm.tl.heatgeo(reference)
    query = anndata.AnnData(roll[200:])
    query.var_names = reference.var_names
    geotherm.tl.ingest(query, reference)
    wide = anndata.AnnData(np.c_[roll[200:, 2], np.zeros(len(roll) - 200), roll[200:, :2]])
    wide.var_names = ["MS4A1", "GNLY", "CD3D", "LYZ"]
    geotherm.tl.ingest(wide, reference)
    assert np.array_equal(wide.obsm["X_heatgeo"], query.obsm["X_heatgeo"])
    with pytest.raises(ValueError, match="lacks 1 of the reference's 3 genes: CD3D"):
        geotherm.tl.ingest(wide[:, ["MS4A1", "GNLY", "LYZ"]].copy(), reference)


def test_1_points_far_from_the_reference_are_warned_of(roll):
    fitted = geotherm.HeatGeo().fit(roll[:200])
    with pytest.warns(geotherm.GeothermWarning, match="far from every point of the model"):
        fitted.transform(100 * roll[200:])


# -- 4: tables as they are: Parquet and Arrow -----------------------------------------------------------


def test_4_parquet_feather_and_arrow_tables(roll, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pa.table({"a": roll[:, 0], "kind": ["x"] * len(roll), "b": roll[:, 1], "c": roll[:, 2]})
    parquet.write_table(table, tmp_path / "roll.parquet")
    feather.write_feather(table, str(tmp_path / "roll.feather"))
    expected = geotherm.HeatGeo().fit(roll).embedding_
    for given in (table, tmp_path / "roll.parquet", str(tmp_path / "roll.feather")):
        with pytest.warns(geotherm.GeothermWarning, match="left out: kind"):
            est = geotherm.HeatGeo().fit(given)
        assert np.array_equal(est.embedding_, expected)
        assert list(est.feature_names_in_) == ["a", "b", "c"]
    gaps = table.set_column(0, "a", pa.array([None, *roll[1:, 0]]))
    with pytest.raises(ValueError, match="NaN"):
        geotherm.HeatGeo().fit(gaps.drop_columns(["kind"]))
    with pytest.raises(ValueError, match=r"\.parquet"):
        geotherm.HeatGeo().fit("roll.csv")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match=r"broken\.parquet"):
        geotherm.HeatGeo().fit(tmp_path / "broken.parquet")


# -- 5: near misses -----------------------------------------------------------------------------------


def test_5_a_keyword_of_another_program_is_met_by_ours():
    with pytest.raises(TypeError, match="no parameter 'n_neighbors'; did you mean 'knn'"):
        geotherm.HeatGeo(n_neighbors=15)
    with pytest.raises(TypeError, match="did you mean 'random_state'"):
        geotherm.PHATE(seed=1)
    with pytest.raises(ValueError, match="did you mean 'euclidean'"):
        geotherm.HeatGeo(metric="euclidian").fit(np.eye(20))
    assert "knn" in geotherm.HeatGeo().get_params()


@pytest.fixture
def adata(roll):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(roll.astype(np.float32))
    data.obs_names = [f"CELL{i}-1" for i in range(len(roll))]
    data.var_names = ["CD3D", "LYZ", "MS4A1"]
    data.obs["cluster"] = np.arange(len(roll)) % 3
    return data


def test_5_key_added_is_taken_with_and_without_its_prefix(adata):
    geotherm.tl.heatgeo(adata, key_added="X_mine")
    geotherm.tl.umap(adata, key_added="other")
    assert set(adata.obsm) == {"X_mine", "X_other"} and "mine" in adata.uns


def test_5_unknown_genes_and_cells_bring_the_nearest(adata):
    geotherm.tl.heatgeo(adata)
    with pytest.raises(KeyError, match="did you mean 'CD3D'"):
        geotherm.pl.embedding(adata, color="cd3d")
    with pytest.raises(KeyError, match="did you mean 'CELL12-1'"):
        geotherm.tl.heat_distance(adata, "CELL12")


def test_5_a_page_of_an_anndata(adata, tmp_path):
    if not geotherm._native.has_page():
        pytest.skip("SKIPPED: this build has no page")
    geotherm.tl.heatgeo(adata)
    geotherm.tl.export_graph(adata)
    geotherm.pl.page(adata, color=["LYZ", "cluster"], path=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert '"LYZ"' in text and '"cluster"' in text
    assert "Page(" in repr(geotherm.pl.page(adata))
    with pytest.raises(KeyError, match="no map"):
        geotherm.pl.page(adata, basis="umap")


# -- 9, 12: rows by name, whole numbers are groups ------------------------------------------------------


def test_9_a_root_by_name(adata):
    geotherm.tl.heat_distance(adata, "CELL7-1")
    assert adata.obs["heat_distance"].iloc[7] == 0


def test_9_rows_of_a_data_frame_by_name(roll):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(roll, columns=list("abc"), index=[f"AAAC{i}-1" for i in range(len(roll))])
    est = geotherm.HeatGeo().fit(table)
    assert np.array_equal(est.distances_from("AAAC7-1"), est.distances_from(7))
    assert np.array_equal(est.distances_from(["AAAC7-1", "AAAC0-1"]), est.distances_from([7, 0]))
    with pytest.raises(KeyError, match="did you mean 'AAAC7-1'"):
        est.distances_from("AAAC7")
    with pytest.raises(TypeError, match="the rows have no names"):
        geotherm.HeatGeo().fit(roll).distances_from("AAAC7-1")


def test_4_text_in_a_data_frame_is_named(roll):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(roll, columns=list("abc")).assign(kind="x")
    with pytest.raises(ValueError, match=r"X has text in kind: leave such columns out, X.drop\(columns=\['kind'\]\)"):
        geotherm.HeatGeo().fit(table)


def test_12_whole_numbers_of_few_kinds_are_groups(adata):
    pytest.importorskip("matplotlib").use("Agg")
    geotherm.tl.heatgeo(adata)
    axes = geotherm.pl.embedding(adata, color="cluster")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0", "1", "2"]


# -- 8: .h5ad in, .h5ad out (the program) ---------------------------------------------------------------


@pytest.fixture
def h5ad(program):
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(1)
    t = np.sort(rng.uniform(0, 3, 120))
    data = anndata.AnnData(np.c_[np.cos(t), np.sin(t), t].astype(np.float32))
    data.obs_names = [f"AAAC{i}-1" for i in range(120)]
    data.var_names = ["CD3D", "LYZ", "MS4A1"]
    data.obs["cluster"] = np.arange(120) // 40
    data.obs["kind"] = np.where(t > 1.5, "late", "early")
    data.layers["counts"] = data.X
    data.write_h5ad(program.dir / "cells.h5ad")
    return program, anndata


def test_8_transform_and_distances_write_a_copy_of_the_input(h5ad):
    run, anndata = h5ad
    run("embed", "cells.h5ad", "-o", "map.h5ad", "--model", "map.gtm", "--compare", "pca,umap")
    made = anndata.read_h5ad(run.dir / "map.h5ad")
    assert {"X_heatgeo", "X_geotherm_pca", "X_geotherm_umap"} <= set(made.obsm)
    run("transform", "map.gtm", "cells.h5ad", "-o", "query.h5ad")
    query = anndata.read_h5ad(run.dir / "query.h5ad")
    assert np.array_equal(query.obsm["X_heatgeo"], made.obsm["X_heatgeo"])
    done = run("distances", "cells.h5ad", "-o", "d.h5ad", "--from", "AAAC7-1,0")
    assert "obs['heatgeo_distance_from_AAAC7-1']" in done.stderr
    far = anndata.read_h5ad(run.dir / "d.h5ad")
    assert far.obs["heatgeo_distance_from_AAAC7-1"].iloc[7] == 0
    assert far.obs["heatgeo_distance_from_AAAC0-1"].iloc[0] == 0
    run("distances", "cells.h5ad", "-o", "all.h5ad")
    pairs = anndata.read_h5ad(run.dir / "all.h5ad")
    assert np.allclose(pairs.obsm["heatgeo_distances"][7], far.obs["heatgeo_distance_from_AAAC7-1"])
    for data in (made, query, far, pairs):
        assert "kind" in data.obs and "counts" in data.layers and list(data.var_names) == ["CD3D", "LYZ", "MS4A1"]


# -- 12: the page ----------------------------------------------------------------------------------------


def test_12_the_page_opens_on_the_announced_colour(h5ad):
    run, _ = h5ad
    done = run("embed", "cells.h5ad", "-o", "m.csv", "--html", "m.html", "--label-column", "kind")
    assert "coloured by 'kind'" in done.stderr
    assert re.search(r'"color":\s*"kind"', (run.dir / "m.html").read_text())
    # Whole numbers of few kinds are groups.
    run("embed", "cells.h5ad", "-o", "m.csv", "--label-column", "cluster", "--plot", "m.svg")
    assert all(f">{name}<" in (run.dir / "m.svg").read_text() for name in "012")


# -- 11: one Methods paragraph --------------------------------------------------------------------------


def test_11_program_and_package_say_the_same(program, roll):
    np.save(program.dir / "a.npy", roll)
    program("embed", "a.npy", "-o", "m.csv", "--manifest", "run.json", "--knn", "12", "--seed", "3")
    by_program = program("methods", "run.json").stdout.strip()
    by_package = geotherm.HeatGeo(knn=12, random_state=3).fit(roll).methods_text().strip()
    assert by_package == by_program


# -- 7: questions after the fit use what the fit made -----------------------------------------------------


def seconds_of(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


@pytest.mark.parametrize("n", [1500, 4000, 12_000], ids=["all pairs", "pivots", "landmarks"])
def test_7_distances_after_a_fit_cost_little_beside_it(n):
    rng = np.random.default_rng(0)
    t, h = rng.uniform(4.7, 14, n), rng.uniform(0, 20, n)
    points = np.c_[t * np.cos(t), h, t * np.sin(t)] + rng.normal(0, 0.1, (n, 3))
    fit, est = seconds_of(lambda: geotherm.HeatGeo(refine="off").fit(points))
    took, rows = seconds_of(lambda: est.distances_from([0, 7]))
    assert rows.shape == (2, n) and rows[0, 0] == 0 and np.isfinite(rows).all()
    # Without reuse it is as long as the fit. Measured: a tenth and less.
    assert took < fit / 3, (took, fit)


def test_7_distances_after_a_fit_are_those_of_the_fit(roll):
    for options in ({}, {"time": 5.0}, {"knn": 6}):
        kept = geotherm.HeatGeo(keep_dissimilarity=True, **options).fit(roll)
        plain = geotherm.HeatGeo(**options).fit(roll)
        # Rows and square sum the same series in another order.
        np.testing.assert_allclose(plain.distances_from([3, 5]), kept.dissimilarity_[[3, 5]], rtol=1e-6, atol=1e-6)


def test_7_heat_distance_reuses_the_map_of_the_same_cells(adata, monkeypatch):
    geotherm.tl.heatgeo(adata, knn=12)
    native = geotherm.tl._native
    asked = []
    real = native.heat_distances_from
    monkeypatch.setattr(native, "heat_distances_from", lambda *a: asked.append(1) or real(*a))
    geotherm.tl.heat_distance(adata, "CELL7-1")
    reused = adata.obs["heat_distance"].to_numpy()
    assert not asked and reused[7] == 0
    # The same numbers as a fit with these options; other options, and changed cells, are computed afresh.
    fresh = geotherm.HeatGeo(knn=12, keep_dissimilarity=True).fit(adata.X).dissimilarity_[7]
    np.testing.assert_allclose(reused, fresh, rtol=1e-5, atol=1e-5)
    geotherm.tl.heat_distance(adata, "CELL7-1", knn=9)
    assert len(asked) == 1
    adata.X[3] += 0.5
    geotherm.tl.heat_distance(adata, "CELL7-1")
    assert len(asked) == 2


def test_7_distances_of_a_kept_fit_are_its_own_rows(roll):
    kept = geotherm.HeatGeo(time=5.0, keep_dissimilarity=True).fit(roll)
    plain = geotherm.HeatGeo(time=5.0).fit(roll)
    rows = kept.distances_from([3, 5])
    assert np.array_equal(rows, kept.dissimilarity_[[3, 5]])
    # Two ways to the same numbers: all pairs at once, or heat from two points.
    assert np.allclose(rows, plain.distances_from([3, 5]), rtol=1e-6, atol=1e-8)
    assert kept.distances_from(3).shape == (len(roll),)


# -- 15: no warning on standard data ----------------------------------------------------------------------

ORDINARY = {
    "PBMC 3k": ("pbmc3k_processed_pca50_small.npz", "X_pca"),
    "Paul15": ("paul15_2730_pca50.npz", "X_pca"),
    "Levine": ("levine32_H2_31721x32_asinh.npz", "X"),
    "MNIST": ("mnist_70k_pca50.npz", "X_pca"),
}


@pytest.mark.parametrize("name", [*ORDINARY, "PBMC 68k"])
def test_15_standard_data_gives_no_warning(data_dir, name):
    """Samples of 3,000 rows; with GEOTHERM_SLOW_TESTS=1 the whole sets."""
    file, key = ORDINARY.get(name, ("pbmc68k_reduced.h5ad", "X_pca"))
    if not (data_dir / file).exists():
        pytest.skip(f"{file} is not in GEOTHERM_DATA")
    if file.endswith(".h5ad"):
        table = pytest.importorskip("anndata").read_h5ad(data_dir / file).obsm[key]
    else:
        with np.load(data_dir / file, allow_pickle=True) as archive:
            table = archive[key]
    if os.environ.get("GEOTHERM_SLOW_TESTS") != "1" and len(table) > 3000:
        table = table[np.sort(np.random.default_rng(1).permutation(len(table))[:3000])]
    with warnings.catch_warnings():
        warnings.simplefilter("error", geotherm.GeothermWarning)
        est = geotherm.HeatGeo().fit(table)
        assert est.embedding_.shape == (len(table), 2)


def head_of(text):
    return json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', text, re.S).group(1))


def test_12_the_page_has_heat_trust_and_true_neighbours(roll, adata):
    if not geotherm._native.has_page():
        pytest.skip("SKIPPED: this build has no page")
    twice = np.r_[roll, roll[:5]]  # rows that are equal are one point of the graph
    est = geotherm.HeatGeo().fit(twice)
    geotherm.tl.heatgeo(adata)
    geotherm.tl.export_graph(adata)
    for shown, n in ((est, len(twice)), (adata, len(roll))):
        head = head_of(geotherm.pl.page(shown).text)
        assert head["n"] == n and head["graph"]["places"] == len(roll) and head["graph"]["time"] > 0
        assert head["neighbors"]["k"] == 12 and head["neighbors"]["indices"]["length"] == 12 * n
        assert any(column["name"] == "distortion" for column in head["columns"])


# -- 12: the page of many points ----------------------------------------------------------------------------


def test_12_the_page_of_more_than_50000_points_has_heat_trust_and_true_neighbours(tmp_path):
    if not geotherm._native.has_page():
        pytest.skip("SKIPPED: this build has no page")
    rng = np.random.default_rng(0)
    t, h = rng.uniform(4.7, 14, 51_000), rng.uniform(0, 20, 51_000)
    points = np.c_[t * np.cos(t), h, t * np.sin(t)].astype(np.float32)
    est = geotherm.HeatGeo(refine="off").fit(points)
    geotherm.pl.page(est, path=tmp_path / "many.html")
    head = head_of((tmp_path / "many.html").read_text())
    assert head["n"] == 51_000 and head["graph"]["landmarks"] is True and head["graph"]["places"] == 10_000
    assert head["graph"]["placeOf"]["length"] == 51_000 and head["graph"]["time"] > 0
    assert head["neighbors"]["rows"]["length"] * head["neighbors"]["k"] == head["neighbors"]["indices"]["length"]
    assert any(column["name"] == "distortion" for column in head["columns"])
