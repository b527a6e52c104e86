"""geotherm.tl and geotherm.pl on AnnData: made-up cells, and the real sets where they lie."""

import matplotlib

matplotlib.use("Agg")
import anndata
import geotherm
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scanpy as sc
import scipy.sparse as sp
from scipy.linalg import expm

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def cells():
    tree = geotherm.datasets.tree(n=150, noise=0.2, random_state=1)
    made = anndata.AnnData(
        X=sp.csr_matrix(np.abs(tree.X).astype(np.float32)),
        obs=pd.DataFrame(
            {"branch": pd.Categorical(tree.label.astype(str)), "batch": np.arange(150) % 2},
            index=[f"c{i}" for i in range(150)],
        ),
    )
    made.obsm["X_pca"] = tree.X
    made.obsm["X_scVI"] = tree.X[:, :4].copy()
    return made


def test_an_explicit_choice_wins_then_pca_then_x_and_never_silently_the_graph(cells):
    # Gaussian weights: scanpy's UMAP weights compile for minutes.
    sc.pp.neighbors(cells, use_rep="X_pca", n_neighbors=8, method="gauss")
    sc.pp.neighbors(cells, use_rep="X_scVI", n_neighbors=8, method="gauss", key_added="mine")
    expected = {
        "X_pca": geotherm.HeatGeo().fit_transform(cells.obsm["X_pca"]),
        "X_scVI": geotherm.HeatGeo().fit_transform(cells.obsm["X_scVI"]),
        "X": geotherm.HeatGeo().fit_transform(cells.X),
        "mine": geotherm.HeatGeo(metric="precomputed_affinity").fit_transform(cells.obsp["mine_connectivities"]),
    }
    geotherm.tl.heatgeo(cells)
    assert np.array_equal(cells.obsm["X_heatgeo"], expected["X_pca"])
    assert cells.uns["heatgeo"]["params"]["use"] == "obsm:X_pca"
    geotherm.tl.heatgeo(cells, use_rep="X_scVI")
    assert np.array_equal(cells.obsm["X_heatgeo"], expected["X_scVI"])
    geotherm.tl.heatgeo(cells, use_rep="X", key_added="plain")
    assert np.array_equal(cells.obsm["X_plain"], expected["X"])
    geotherm.tl.heatgeo(cells, neighbors_key="mine")
    assert np.array_equal(cells.obsm["X_heatgeo"], expected["mine"])
    assert cells.uns["heatgeo"]["params"]["use"] == "obsp:mine_connectivities"
    del cells.obsm["X_pca"]
    geotherm.tl.heatgeo(cells)
    assert np.array_equal(cells.obsm["X_heatgeo"], expected["X"])


@pytest.mark.parametrize(
    "name",
    [
        "heatgeo",
        "phate",
        "heat_phate",
        "rand_geo",
        "diffusion_map",
        "laplacian_eigenmaps",
        "shortest_path",
        "tsne",
        "umap",
    ],
)
def test_every_method_writes_its_map_and_what_was_run(cells, name, tmp_path):
    found = getattr(geotherm.tl, name)(cells, copy=True)
    assert f"X_{name}" not in cells.obsm
    assert found.obsm[f"X_{name}"].shape == (150, 2)
    found.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert (
        again.uns[name]["params"]["method"]
        == getattr(geotherm.tl, name)(again, copy=True).uns[name]["params"]["method"]
    )


def test_wrong_choices_are_refused_in_words(cells):
    with pytest.raises(KeyError, match="X_no"):
        geotherm.tl.heatgeo(cells, use_rep="X_no")
    with pytest.raises(KeyError, match="neighbors"):
        geotherm.tl.heatgeo(cells, neighbors_key="neighbors")
    with pytest.raises(ValueError, match="not both"):
        geotherm.tl.heatgeo(cells, use_rep="X_pca", neighbors_key="neighbors")
    with pytest.raises(TypeError):
        geotherm.tl.heatgeo(cells, no_such_option=1)
    with pytest.raises(KeyError, match="run geotherm"):
        geotherm.pl.embedding(cells)


def test_distance_from_a_root_is_a_column_and_needs_no_square(cells):
    geotherm.tl.heat_distance(cells, root="c7", time=4.0)
    whole = geotherm.HeatGeo(time=4.0, keep_dissimilarity=True).fit(cells.obsm["X_pca"])
    # 1e-9: rows and square sum the same series in another order.
    np.testing.assert_allclose(cells.obs["heat_distance"], whole.dissimilarity_[7], rtol=1e-9, atol=1e-6)
    geotherm.tl.heat_distance(cells, root=7, time=4.0, key_added="again")
    assert cells.obs["again"].equals(cells.obs["heat_distance"].rename("again"))
    for root, kind in (("nobody", KeyError), (150, IndexError), (1.5, TypeError)):
        with pytest.raises(kind):
            geotherm.tl.heat_distance(cells, root=root)


def test_the_graph_serves_scanpys_tools_and_the_kernel_is_a_walk(cells):
    geotherm.tl.export_graph(cells, kernel="dense", knn=8)
    weights = cells.obsp["heatgeo_connectivities"]
    assert weights.shape == (150, 150) and abs(weights - weights.T).max() < 1e-12
    kernel = cells.obsp["heatgeo_kernel"]
    np.testing.assert_allclose(kernel.sum(axis=1), 1, rtol=1e-10)
    sc.tl.diffmap(cells, n_comps=4, neighbors_key="heatgeo_neighbors")
    assert cells.obsm["X_diffmap"].shape == (150, 4)
    # It is the graph of tl.heatgeo, its shortcut edges removed, and the kernel that of its map.
    fitted = geotherm.HeatGeo(knn=8).fit(cells.obsm["X_pca"])
    assert (weights != fitted.connectivities()).nnz == 0
    np.testing.assert_array_equal(kernel, fitted.heat_kernel().dense())
    geotherm.tl.export_graph(cells, knn=8, shortcuts="off", key_added="whole")
    assert cells.obsp["whole_connectivities"].nnz >= weights.nnz
    with pytest.raises(TypeError, match="knm"):
        geotherm.tl.export_graph(cells, knm=8)


def test_the_sparse_kernel_is_the_heat_of_the_walk(cells):
    geotherm.tl.export_graph(cells, kernel=True, kernel_steps=1.5)
    kernel, weights = cells.obsp["heatgeo_kernel"], cells.obsp["heatgeo_connectivities"].toarray()
    assert sp.issparse(kernel) and kernel.nnz < 0.8 * 150**2
    np.testing.assert_allclose(np.asarray(kernel.sum(axis=1)).ravel(), 1, rtol=1e-12)
    walk = weights / weights.sum(axis=1, keepdims=True)
    exact = expm(-1.5 * (np.eye(150) - walk))
    # Entries below 1e-4 are left out, of the series and of the sum: less than .02 of a row.
    np.testing.assert_allclose(kernel.toarray(), exact, atol=2e-3)
    for wrong in ({"kernel": "thick"}, {"kernel": True, "kernel_steps": 0.0}, {"kernel": True, "time": 4.0}):
        with pytest.raises(ValueError):
            geotherm.tl.export_graph(cells, **wrong)


def test_cells_that_are_equal_share_a_place_in_every_export(cells):
    doubled = anndata.concat([cells, cells[:10]])
    doubled.obs_names_make_unique()
    geotherm.tl.export_graph(doubled, kernel=True)
    np.testing.assert_allclose(doubled.obsp["heatgeo_kernel"].sum(axis=1), 1, rtol=1e-10)
    geotherm.tl.heat_distance(doubled, root=0)
    assert doubled.obs["heat_distance"].iloc[150] == doubled.obs["heat_distance"].iloc[0]


def test_batches_that_are_mixed_score_near_one_and_separate_ones_near_zero(cells):
    geotherm.tl.batch_mixing(cells, "batch")
    assert cells.obs["batch_mixing"].mean() > 0.8
    cells.obs["half"] = np.where(cells.obsm["X_pca"][:, 0] > np.median(cells.obsm["X_pca"][:, 0]), "a", "b")
    geotherm.tl.batch_mixing(cells, "half", key_added="apart")
    assert cells.obs["apart"].mean() < 0.5 * cells.obs["batch_mixing"].mean()


def test_pictures_show_every_cell_with_legend_or_bar(cells, tmp_path):
    geotherm.tl.heatgeo(cells)
    axes = geotherm.pl.embedding(cells, color=["branch", "batch"], save=tmp_path / "map.png")
    assert len(axes) == 2 and (tmp_path / "map.png").stat().st_size > 5000
    assert [t.get_text() for t in axes[0].get_legend().get_texts()] == list(cells.obs["branch"].cat.categories)
    assert sum(len(c.get_offsets()) for c in axes[0].collections) == 150
    one = geotherm.HeatGeo().fit(cells.obsm["X_pca"]).plot(color=cells.obs["batch"])
    assert one.get_title() == "HeatGeo"
    plt.close("all")


def test_the_page_is_shown_inline_and_as_a_file(cells, tmp_path):
    from geotherm import _native

    est = geotherm.HeatGeo().fit(cells.obsm["X_pca"])
    if not _native.has_page():
        with pytest.raises(RuntimeError, match=r"Node\.js"):
            est.view()
        return
    page = est.view(color={"branch": cells.obs["branch"], "batch": cells.obs["batch"]}, names=cells.obs_names)
    assert page._repr_html_().startswith("<iframe srcdoc=") and "<!doctype html>" in page.text.lower()
    est.view(color=cells.obs["batch"], path=tmp_path / "map.html")
    assert (tmp_path / "map.html").stat().st_size > 10000


@pytest.mark.parametrize(("name", "label"), [("pbmc3k_processed", "louvain"), ("pbmc68k_reduced", "bulk_labels")])
def test_real_cells_keep_their_kinds_together(data_dir, name, label, tmp_path):
    path = data_dir / f"{name}.h5ad"
    if not path.exists():
        pytest.skip(f"no {path}")
    cells = anndata.read_h5ad(path)
    geotherm.tl.heatgeo(cells)
    geotherm.tl.phate(cells, knn=5, n_shakes=0)
    assert cells.uns["heatgeo"]["params"]["use"] == "obsm:X_pca"
    scores = {
        key: geotherm.score(cells.obsm[f"X_{key}"], labels=cells.obs[label])["knn_accuracy"]
        for key in ("heatgeo", "phate")
    }
    # What two dimensions keep of the kinds; far above the largest kind's share (.43 and .33).
    assert min(scores.values()) > 0.6, scores
    root = cells.obs_names[0]
    geotherm.tl.heat_distance(cells, root=root, time=cells.uns["heatgeo"]["resolved"]["time"])
    assert np.isfinite(cells.obs["heat_distance"]).all()
    own_kind = cells.obs[label] == cells.obs.loc[root, label]
    assert cells.obs["heat_distance"][own_kind].median() < cells.obs["heat_distance"][~own_kind].median()
    axes = geotherm.pl.embedding(cells, color=[label, "heat_distance"], save=tmp_path / "cells.png")
    assert len(axes) == 2
    plt.close("all")
