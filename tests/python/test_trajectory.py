"""Trajectories of AnnData: what is written, trends, kernels and refusals; and the tutorial's claims."""

import os
import pathlib

import numpy as np
import pytest

import geotherm

anndata = pytest.importorskip("anndata")


def fork(n=600, noise=0.04, seed=3):
    rng = np.random.default_rng(seed)
    arm, along = rng.integers(0, 3, n), rng.random(n)
    arm[0], along[0] = 0, 0
    x = np.zeros((n, 5))
    x[:, 0] = np.where(arm == 0, along, 1)
    for k in (1, 2):
        x[arm == k, k] = along[arm == k]
    cells = anndata.AnnData((x + rng.normal(0, noise, x.shape)).astype(np.float32))
    cells.var_names = [f"gene{k}" for k in range(5)]
    cells.obs["arm"] = np.array(["trunk", "left", "right"])[arm]
    cells.obs["time"] = np.where(arm == 0, along, 1 + along)
    return cells


def ranks(values):
    return np.argsort(np.argsort(values))


@pytest.fixture
def cells():
    made = fork()
    geotherm.tl.pseudotime(made, root=0)
    return made


def test_order_fates_and_tree_are_written(cells):
    order = cells.obs["heatgeo_pseudotime"].to_numpy()
    assert order[0] == 0 and order.max() == 1
    assert np.corrcoef(ranks(order), ranks(cells.obs["time"]))[0, 1] > 0.97
    fate = cells.obsm["heatgeo_fate"]
    assert fate.shape == (600, 2)
    np.testing.assert_allclose(fate.sum(1), 1, atol=1e-6)
    tree = cells.uns["heatgeo_tree"]
    assert len(tree["ends"]) == 2 and len(tree["branchings"]) == 1 and tree["n_loops"] == 0
    assert set(cells.obs["heatgeo_branch"]) == {f"{a}-{b}" for a, b in zip(tree["from"], tree["to"], strict=True)}


def test_results_survive_a_file(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert list(again.uns["heatgeo_tree"]["ends"]) == list(cells.uns["heatgeo_tree"]["ends"])


def test_roots_of_a_group_and_intervals():
    made = fork()
    copy = geotherm.tl.pseudotime(made, root_group=("arm", "left"), bootstrap=4, copy=True)
    assert "heatgeo_pseudotime" not in made.obs
    mean = copy.obs.groupby("arm", observed=True)["heatgeo_pseudotime"].mean()
    assert mean["left"] == mean.min()
    assert (copy.obs["heatgeo_pseudotime_low"] <= copy.obs["heatgeo_pseudotime_high"]).all()


def test_roots_by_a_marker():
    made = fork()
    geotherm.tl.pseudotime(made, root_marker="gene1:high")
    assert made.obs.groupby("arm", observed=True)["heatgeo_pseudotime"].mean().idxmin() == "left"
    with pytest.raises(ValueError, match="GENE:high"):
        geotherm.tl.pseudotime(made, root_marker="gene1")
    with pytest.raises(ValueError, match="root_marker"):
        geotherm.tl.pseudotime(made, root=0, root_marker="gene1:high")


def test_the_page_has_the_tree(cells, tmp_path):
    if not geotherm._native.has_page():
        pytest.skip("this build has no page")
    geotherm.tl.heatgeo(cells)
    geotherm.pl.page(cells, path=tmp_path / "cells.html")
    text = (tmp_path / "cells.html").read_text()
    assert '"trajectory":{"pseudotime":"heatgeo_pseudotime"' in text and '"fate M' in text
    assert '"color":"heatgeo_pseudotime"' in text


def test_refusals_say_what_to_do():
    made = fork(200)
    with pytest.raises(ValueError, match="may begin: " + ", ".join(geotherm.tl.root_candidates(made))):
        geotherm.tl.pseudotime(made)
    with pytest.raises(ValueError, match="bootstrap has -3"):
        geotherm.tl.pseudotime(made, root=0, bootstrap=-3)
    with pytest.raises(ValueError, match="even_ends is 2"):
        geotherm.tl.pseudotime(made, root=0, even_ends=2)
    with pytest.raises(ValueError, match="resolutions has 0"):
        geotherm.tl.pseudotime(made, root=0, resolutions=[0])
    with pytest.raises(KeyError, match="no cell named"):
        geotherm.tl.pseudotime(made, root="nobody")
    with pytest.raises(KeyError, match="it has left, right, trunk"):
        geotherm.tl.pseudotime(made, root_group=("arm", "up"))
    with pytest.raises(KeyError, match="run geotherm.tl.pseudotime first"):
        geotherm.tl.trends(made)
    cloud = anndata.AnnData(np.random.default_rng(0).normal(size=(600, 6)))
    with pytest.warns(UserWarning, match="no trajectory is supported"):
        geotherm.tl.pseudotime(cloud, root=0)


def test_extremes_are_proposed_as_roots():
    made = fork()
    found = geotherm.tl.root_candidates(made, 3)
    assert set(made.obs.loc[found, "arm"]) == {"trunk", "left", "right"}


def test_trends_tell_the_arms_apart(cells):
    fitted = geotherm.tl.trends(cells)
    assert set(fitted) == set(cells.uns["heatgeo_tree"]["ends"])
    up = {end: set(curve["genes"].index[curve["genes"]["change"] > 0.6]) for end, curve in fitted.items()}
    assert sorted(map(sorted, up.values())) == [["gene0", "gene1"], ["gene0", "gene2"]]
    for curve in fitted.values():
        assert (curve["low"] <= curve["mean"]).all().all() and (curve["mean"] <= curve["high"]).all().all()
        assert set(curve["genes"].index[:2]) <= {"gene0", "gene1", "gene2"}  # the others are noise


def test_transition_kernel_is_sparse_and_goes_on(cells):
    geotherm.tl.transition_kernel(cells)
    walk = cells.obsp["heatgeo_transitions"].tocoo()
    np.testing.assert_allclose(np.asarray(walk.tocsr().sum(1)).ravel(), 1, atol=1e-9)
    assert walk.nnz < 40 * 600
    order = cells.obs["heatgeo_pseudotime"].to_numpy()
    assert walk.data[order[walk.col] < order[walk.row]].sum() < 0.35 * 600


def test_flow_between_groups(cells):
    flow = geotherm.tl.group_flow(cells, "arm")
    assert flow.loc["left", "trunk"] > 0 and flow.loc["left", "left"] == 0
    np.testing.assert_array_equal(flow.to_numpy(), flow.to_numpy().T)


def test_pictures_are_drawn(cells):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    geotherm.tl.heatgeo(cells)
    axes = geotherm.pl.trajectory(cells)
    assert len(axes.lines) >= 3
    axes = geotherm.pl.trends(geotherm.tl.trends(cells, ["gene1"]), "gene1")
    assert len(axes.lines) == 2


@pytest.mark.skipif("GEOTHERM_DATA" not in os.environ, reason="GEOTHERM_DATA is not set")
def test_fates_and_trends_in_haematopoiesis():
    """The tutorial: later days lie farther along, five lineages have an end each, and genes known of them lead their lists."""
    made = anndata.read_h5ad(pathlib.Path(os.environ["GEOTHERM_DATA"]) / "cospar_weinreb_test_781.h5ad")
    made.obs_names_make_unique()
    geotherm.tl.pseudotime(made, root_group=("state_info", "undiff"))
    order = made.obs["heatgeo_pseudotime"]
    day = made.obs["time_info"].astype(str)
    assert order[day == "2"].mean() < order[day == "4"].mean() < order[day == "6"].mean()
    state = made.obs["state_info"].astype(str).to_numpy()
    fate = {name: made.obsm["heatgeo_fate"][state == name].mean(0) for name in ("Baso", "Mast", "Meg", "Monocyte", "Neutrophil")}
    assert len({means.argmax() for means in fate.values()}) == 5
    assert min(means.max() for means in fate.values()) > 0.9
    fitted = geotherm.tl.trends(made)
    ends = list(made.uns["heatgeo_tree"]["ends"])
    for name, known in (("Meg", {"Pf4", "Itga2b"}), ("Mast", {"Cma1", "Tpsg1"}), ("Neutrophil", {"Lcn2", "Ngp"})):
        genes = fitted[ends[fate[name].argmax()]]["genes"]
        assert known <= set(genes.index[:12])
        assert (genes.loc[list(known), "change"] > 0).all()
