"""New rows of every kind, labels and novelty; maps that grow; several views; aligned maps."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

import numpy as np
import pytest

from conftest import PROGRAM


def blobs(n, seed, centres=((0, 0, 0), (8, 0, 0), (0, 8, 0))):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, len(centres), n)
    return np.asarray(centres, float)[kind] + rng.normal(0, 1, (n, 3)), kind


def write_csv(path, rows, kinds=None, prefix="cell"):
    lines = ["id,a,b,c" + ("" if kinds is None else ",cell_type")]
    for i, row in enumerate(rows.tolist()):
        lines.append(f"{prefix}{i}," + ",".join(map(repr, row)) + ("" if kinds is None else f",type {kinds[i]}"))
    path.write_text("\n".join(lines) + "\n")


def read_csv(path):
    lines = [line.split(",") for line in path.read_text().splitlines()]
    return {name: [line[k] for line in lines[1:]] for k, name in enumerate(lines[0])}


def write_mtx(path, dense):
    rows, cols = np.nonzero(dense)
    lines = ["%%MatrixMarket matrix coordinate real general", f"{dense.shape[0]} {dense.shape[1]} {len(rows)}"]
    lines += [f"{i + 1} {j + 1} {dense[i, j]!r}" for i, j in zip(rows.tolist(), cols.tolist(), strict=True)]
    path.write_text("\n".join(line.replace("np.float64(", "").replace(")", "") for line in lines) + "\n")


@pytest.fixture
def atlas(geotherm):
    X, kind = blobs(240, 1)
    write_csv(geotherm.dir / "atlas.csv", X, kind)
    geotherm("embed", "atlas.csv", "-o", "map.csv", "--model", "atlas.gtm", "--keep", "cell_type", "--quiet")
    return geotherm


def test_labels_probability_and_novelty_go_to_csv_and_npz_and_not_to_npy(atlas):
    X, kind = blobs(90, 2)
    X[0] = [60, 60, 60]
    write_csv(atlas.dir / "new.csv", X)
    atlas("transform", "atlas.gtm", "new.csv", "-o", "new_map.csv", "--transfer", "cell_type")
    table = read_csv(atlas.dir / "new_map.csv")
    assert list(table) == ["id", "x1", "x2", "label", "probability", "novelty"]
    right = [label == f"type {k}" for label, k in zip(table["label"][1:], kind[1:], strict=True)]
    assert np.mean(right) > 0.97
    probability, novelty = (np.array(table[name], float) for name in ("probability", "novelty"))
    assert (probability > 0).all() and (probability <= 1).all()
    assert novelty[0] > 10 and np.median(novelty) < 2
    atlas("transform", "atlas.gtm", "new.csv", "-o", "new_map.npz", "--transfer", "cell_type")
    arrays = np.load(atlas.dir / "new_map.npz")
    assert sorted(arrays) == ["embedding", "label", "novelty", "probability"]
    assert arrays["label"].tolist() == table["label"]
    atlas("transform", "atlas.gtm", "new.csv", "-o", "new_map.npy", "--transfer", "cell_type")
    assert np.array_equal(np.load(atlas.dir / "new_map.npy"), arrays["embedding"])


def test_a_row_gets_the_same_answer_alone_and_in_a_batch(atlas):
    X, _ = blobs(40, 3)
    write_csv(atlas.dir / "all.csv", X)
    write_csv(atlas.dir / "one.csv", X[7:8])
    for name in ("all", "one"):
        atlas("transform", "atlas.gtm", f"{name}.csv", "-o", f"{name}_map.csv", "--transfer", "cell_type")
    together, alone = read_csv(atlas.dir / "all_map.csv"), read_csv(atlas.dir / "one_map.csv")
    assert all(together[column][7] == alone[column][0] for column in together if column != "id")


def test_rows_that_are_too_novel_get_no_place_where_that_is_asked_for(atlas):
    X, _ = blobs(20, 4)
    X[3] = 500
    write_csv(atlas.dir / "new.csv", X)
    atlas("transform", "atlas.gtm", "new.csv", "-o", "new.npy", "--max-novelty", 8)
    places = np.load(atlas.dir / "new.npy")
    assert np.isnan(places[3]).all() and np.isfinite(np.delete(places, 3, axis=0)).all()


def test_labels_may_come_with_the_query(atlas):
    X, kind = blobs(240, 1)
    (atlas.dir / "labels.csv").write_text("\n".join(f"kind {k}" for k in kind) + "\n")
    write_csv(atlas.dir / "new.csv", X[:10] + 0.01)
    atlas("transform", "atlas.gtm", "new.csv", "-o", "new_map.csv", "--labels", "labels.csv")
    table = read_csv(atlas.dir / "new_map.csv")
    assert table["label"] == [f"kind {k}" for k in kind[:10]]


def test_labels_with_names_are_matched_by_name_and_rows_without_one_do_not_vote(atlas):
    X, kind = blobs(240, 1)
    order = np.random.default_rng(3).permutation(240)[:200]
    known = set(order.tolist())
    (atlas.dir / "types.csv").write_text("id,label\n" + "".join(f"cell{i},kind {kind[i]}\n" for i in order))
    (atlas.dir / "two.csv").write_text("id,kind,batch\n" + "".join(f"cell{i},kind {kind[i]},b\n" for i in order))
    write_csv(atlas.dir / "new.csv", X[:20] + 0.01)
    atlas("transform", "atlas.gtm", "new.csv", "-o", "a.csv", "--labels", "types.csv")
    atlas("transform", "atlas.gtm", "new.csv", "-o", "b.csv", "--labels", "two.csv", "--transfer", "kind")
    assert known != set(range(240))
    for name in ("a.csv", "b.csv"):
        assert read_csv(atlas.dir / name)["label"] == [f"kind {k}" for k in kind[:20]]


def test_labels_that_are_not_there_are_refused_with_what_to_do(atlas):
    write_csv(atlas.dir / "new.csv", blobs(5, 5)[0])
    done = atlas("transform", "atlas.gtm", "new.csv", "-o", "out.csv", "--transfer", "celltype", code=2)
    assert "cell_type" in done.stderr and "--keep celltype" in done.stderr and "--labels" in done.stderr
    (atlas.dir / "few.csv").write_text("a\nb\n")
    done = atlas("transform", "atlas.gtm", "new.csv", "-o", "out.csv", "--labels", "few.csv", code=1)
    assert "240" in done.stderr
    done = atlas("embed", "atlas.csv", "-o", "m.csv", "--keep", "cell_type", code=2)
    assert "--model" in done.stderr
    done = atlas("embed", "atlas.csv", "-o", "m.csv", "--model", "m.gtm", "--keep", "tissue", code=1)
    assert "tissue" in done.stderr
    assert not (atlas.dir / "out.csv").exists() and not (atlas.dir / "m.gtm").exists()


@pytest.mark.parametrize("method", ["heatgeo", "phate", "shortest-path", "umap", "tsne", "diffusion-map"])
def test_every_method_places_rows_by_their_distances(geotherm, points, method):
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.save(geotherm.dir / "d.npy", between[::2, ::2])
    np.save(geotherm.dir / "new.npy", between[1::2, ::2])
    geotherm("embed", "d.npy", "--metric", "precomputed", "-o", "m.npy", "--model", "m.gtm", "--method", method)
    geotherm("transform", "m.gtm", "new.npy", "-o", "placed.csv")
    table = read_csv(geotherm.dir / "placed.csv")
    placed = np.c_[np.array(table["x1"], float), np.array(table["x2"], float)]
    old = np.load(geotherm.dir / "m.npy")
    between = (old[:-1] + old[1:]) / 2
    spacing = np.median(np.linalg.norm(old[1:] - old[:-1], axis=1))
    assert np.median(np.linalg.norm(placed[:-1] - between, axis=1)) < 3 * spacing
    assert np.median(np.array(table["novelty"], float)) < 3
    geotherm("transform", "m.gtm", "d.npy", "-o", "again.npy")
    assert np.array_equal(np.load(geotherm.dir / "again.npy"), old)


def test_sparse_rows_place_like_whole_ones_and_must_name_training_rows(geotherm, points):
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.save(geotherm.dir / "d.npy", between[::2, ::2])
    to_old = between[1::2, ::2]
    nearest = np.zeros_like(to_old)
    for i, row in enumerate(to_old):
        near = np.argsort(row)[:20]
        nearest[i, near] = row[near]
    np.save(geotherm.dir / "new.npy", to_old)
    np.save(geotherm.dir / "X.npy", points[::2])
    write_mtx(geotherm.dir / "near.mtx", nearest)
    write_mtx(geotherm.dir / "wide.mtx", np.c_[nearest, np.ones(30)])
    geotherm("embed", "d.npy", "--metric", "precomputed", "-o", "m.npy", "--model", "m.gtm")
    geotherm("transform", "m.gtm", "new.npy", "-o", "a.npy")
    geotherm("transform", "m.gtm", "near.mtx", "-o", "b.npy")
    assert np.array_equal(np.load(geotherm.dir / "a.npy"), np.load(geotherm.dir / "b.npy"))
    geotherm("embed", "X.npy", "-o", "p.npy", "--model", "p.gtm")
    done = geotherm("transform", "p.gtm", "new.npy", "-o", "c.npy", code=1)
    assert "30 columns" in done.stderr and "--as distances" in done.stderr
    geotherm("transform", "p.gtm", "new.npy", "-o", "p_new.npy", "--as", "distances")
    done = geotherm("transform", "m.gtm", "wide.mtx", "-o", "c.npy", code=1)
    assert "31" in done.stderr and "30" in done.stderr and "wide.mtx" in done.stderr
    done = geotherm("transform", "m.gtm", "near.mtx", "-o", "c.npy", "--as", "affinities", code=2)
    assert "distances" in done.stderr and not (geotherm.dir / "c.npy").exists()


def test_a_map_grows_while_old_points_stay(atlas):
    X, _ = blobs(60, 6)
    write_csv(atlas.dir / "new.csv", X, prefix="fresh")
    done = atlas("update", "atlas.gtm", "new.csv", "-o", "all.csv", "--model", "all.gtm")
    assert "moved by 0 %" in done.stderr
    before, after = read_csv(atlas.dir / "map.csv"), read_csv(atlas.dir / "all.csv")
    assert list(after) == ["id", "x1", "x2", "is_new", "novelty"]
    assert len(after["id"]) == 300 and after["id"][239:241] == ["cell239", "fresh0"]
    assert before["x1"] == after["x1"][:240] and before["x2"] == after["x2"][:240]
    atlas("transform", "all.gtm", "new.csv", "-o", "again.csv")
    assert read_csv(atlas.dir / "again.csv")["x1"] == after["x1"][240:]
    atlas("transform", "all.gtm", "new.csv", "-o", "labels.csv", "--transfer", "cell_type")


def test_less_hold_moves_old_points_and_says_how_far(atlas):
    X, _ = blobs(60, 7)
    write_csv(atlas.dir / "new.csv", X)
    moved = {}
    for hold in (0, 0.5, 1):
        atlas("update", "atlas.gtm", "new.csv", "-o", "all.csv", "--hold", hold, "--manifest", "run.json")
        moved[hold] = json.loads((atlas.dir / "run.json").read_text())["updates"][-1]["movement"]
    assert moved[1]["largest"] == 0 < moved[0.5]["mean"] < moved[0]["mean"] < 0.2
    # Half of what points nearby have in common; what each does for itself is left out.
    assert 0.2 * moved[0]["mean"] < moved[0.5]["mean"] < 0.52 * moved[0]["mean"]
    (atlas.dir / "all.csv").unlink()
    for hold in (2, -1, "nan"):
        done = atlas("update", "atlas.gtm", "new.csv", "-o", "all.csv", "--hold", hold, code=2)
        assert "--hold" in done.stderr
    done = atlas("transform", "atlas.gtm", "new.csv", "-o", "all.csv", "--max-novelty", "nan", code=2)
    assert "--max-novelty" in done.stderr and not (atlas.dir / "all.csv").exists()


def test_updated_neighbours_are_those_of_a_search_of_all_rows(atlas):
    X, _ = blobs(50, 8)
    write_csv(atlas.dir / "new.csv", X)
    atlas("update", "atlas.gtm", "new.csv", "-o", "all.csv", "--model", "all.gtm")
    model = np.load(atlas.dir / "all.gtm")
    rows = np.r_[np.load(atlas.dir / "atlas.gtm")["points"], X]
    between = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    np.fill_diagonal(between, np.inf)
    k = int(model["neighbors_knn"])
    assert np.allclose(np.sort(between, axis=1)[:, :k], model["neighbors_distances"].reshape(-1, k))


@pytest.mark.parametrize("method", ["heatgeo", "umap", "tsne", "phate"])
def test_layouts_start_from_what_is_asked(geotherm, points, method):
    np.savez(geotherm.dir / "d.npz", X=points)
    geotherm("embed", "d.npz:X", "-o", "a.npy", "--method", method)
    turned = np.load(geotherm.dir / "a.npy") @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    np.save(geotherm.dir / "start.npy", turned)
    for init in ("pca", "spectral", "start.npy"):
        geotherm("embed", "d.npz:X", "-o", "b.npy", "--method", method, "--init", init, "--manifest", "run.json")
        run = json.loads((geotherm.dir / "run.json").read_text())
        assert run["resolved"]["start"] == (init if init != "start.npy" else "given map")
    again = np.load(geotherm.dir / "b.npy")
    # Turned as the start is: no rotation brings it nearer.
    u, _, vt = np.linalg.svd((again - again.mean(0)).T @ (turned - turned.mean(0)))
    assert np.allclose(u @ vt, np.eye(2), atol=1e-6)


def test_a_start_of_another_shape_is_refused(geotherm, points):
    np.save(geotherm.dir / "X.npy", points)
    np.save(geotherm.dir / "few.npy", points[:9, :2])
    done = geotherm("embed", "X.npy", "-o", "m.npy", "--init", "few.npy", code=2)
    assert "9 rows" in done.stderr and "60" in done.stderr
    done = geotherm("embed", "X.npy", "-o", "m.npy", "--init", "obsm:X_umap", code=2)
    assert ".h5ad" in done.stderr
    geotherm("embed", "X.npy", "-o", "m.npy", "--init", "absent.npy", code=1)
    assert not (geotherm.dir / "m.npy").exists()


def test_views_together_tell_groups_apart_that_each_takes_for_one(geotherm):
    rng = np.random.default_rng(2)
    group = np.arange(400) % 4
    first = rng.normal(0, 1, (400, 4))
    second = rng.normal(0, 1, (400, 4))
    first[:, 0] += np.array([0, 14, 40, 40])[group]
    second[:, 0] += np.array([40, 40, 0, 14])[group]
    np.save(geotherm.dir / "rna.npy", first)
    np.save(geotherm.dir / "protein.npy", second)

    def accuracy(*args):
        geotherm("embed", *args, "-o", "m.npy", "--manifest", "run.json")
        places = np.load(geotherm.dir / "m.npy")
        between = np.linalg.norm(places[:, None] - places[None], axis=2)
        np.fill_diagonal(between, np.inf)
        return (group[np.argsort(between, axis=1)[:, :5]] == group[:, None]).mean()

    both = accuracy("rna.npy", "--view", "protein.npy")
    views = json.loads((geotherm.dir / "run.json").read_text())["views"]
    assert [view["view"] for view in views] == ["rna.npy", "protein.npy"]
    assert sum(view["mean_weight"] for view in views) == pytest.approx(1)
    assert both > 0.97 and accuracy("rna.npy") < 0.85 and accuracy("protein.npy") < 0.85
    assert accuracy("--view", "rna.npy", "--view", "protein.npy") == both
    np.save(geotherm.dir / "short.npy", second[:-1])
    done = geotherm("embed", "rna.npy", "--view", "short.npy", "-o", "m2.npy", code=1)
    assert "399" in done.stderr and not (geotherm.dir / "m2.npy").exists()


def test_aligned_maps_of_the_same_rows_lie_on_each_other(geotherm):
    rng = np.random.default_rng(3)
    t = np.sort(rng.uniform(0, 6, 150))
    for k, bend in enumerate((0.0, 0.3, 0.6)):
        rows = np.c_[np.cos(t) * (1 + bend), np.sin(t), t] + rng.normal(0, 0.02, (150, 3))
        write_csv(geotherm.dir / f"day{k}.csv", rows)
    done = geotherm("align", "day0.csv", "day1.csv", "day2.csv", "-o", "days")
    assert "150 links by the same ids" in done.stderr
    manifest = json.loads((geotherm.dir / "days" / "manifest.json").read_text())
    assert manifest["link_length"] < 0.03
    maps = []
    for k in range(3):
        table = read_csv(geotherm.dir / "days" / f"day{k}.csv")
        maps.append(np.c_[np.array(table["x1"], float), np.array(table["x2"], float)])
    assert np.corrcoef(maps[0][:, 0], maps[2][:, 0])[0, 1] > 0.99
    # Each page leads to the others.
    if (geotherm.dir / "days" / "all.html").exists():
        page = (geotherm.dir / "days" / "day0.html").read_text()
        assert all(f"{name}.html" in page for name in ("day1", "day2", "all")) and ".geotherm-" not in done.stderr
    geotherm("align", "day0.csv", "day2.csv", "-o", "by_neighbours/", "--links", "neighbors")
    assert (geotherm.dir / "by_neighbours" / "day2.csv").exists()


def test_tables_that_cannot_be_aligned_are_refused(geotherm, points):
    write_csv(geotherm.dir / "a.csv", points)
    np.save(geotherm.dir / "b.npy", np.c_[points, points])
    done = geotherm("align", "a.csv", "b.npy", "-o", "out", code=1)
    assert "3 columns" in done.stderr and "6" in done.stderr
    geotherm("align", "a.csv", "-o", "out", code=2)
    done = geotherm("align", "a.csv", "a.csv", "-o", "out", "--method", "tsne", code=2)
    assert "tsne" in done.stderr and "heatgeo" in done.stderr
    assert not (geotherm.dir / "out").exists()


METRICS = ("hamming", "jaccard", "hellinger", "jensenshannon", "braycurtis", "canberra")


@pytest.mark.parametrize("metric", METRICS)
def test_counts_are_mapped_and_placed_in_every_metric(geotherm, metric):
    rng = np.random.default_rng(4)
    kinds = rng.gamma(0.3, 4, size=(3, 30))
    group = rng.integers(0, 3, 150)
    counts = rng.poisson(kinds[group]).astype(float)
    np.savez(geotherm.dir / "c.npz", old=counts[:120], new=counts[120:])
    geotherm("embed", "c.npz:old", "-o", "m.npy", "--model", "m.gtm", "--metric", metric, "--knn", 8)
    geotherm("transform", "m.gtm", "c.npz:new", "-o", "n.npy")
    old, new = np.load(geotherm.dir / "m.npy"), np.load(geotherm.dir / "n.npy")
    between = np.linalg.norm(new[:, None] - old[None], axis=2)
    votes = group[:120][np.argsort(between, axis=1)[:, :5]]
    assert (votes == group[120:, None]).mean() > 0.8


def test_places_on_the_globe_are_measured_along_it_and_degrees_are_refused(geotherm):
    rng = np.random.default_rng(5)
    towns = np.c_[rng.uniform(-0.3, 0.3, 80), rng.uniform(-3.1, 3.1, 80)]
    np.save(geotherm.dir / "towns.npy", towns)
    np.save(geotherm.dir / "degrees.npy", np.degrees(towns) + 90)
    geotherm("embed", "towns.npy", "-o", "m.npy", "--metric", "haversine")
    done = geotherm("embed", "degrees.npy", "-o", "n.npy", "--metric", "haversine", code=1)
    assert "radians" in done.stderr and not (geotherm.dir / "n.npy").exists()


def test_words_are_compared_by_gower(geotherm):
    rng = np.random.default_rng(6)
    group = np.arange(120) % 2
    colour = np.where(group == 0, rng.choice(["red", "pink"], 120), rng.choice(["blue", "green"], 120))
    size = rng.uniform(10, 20, 120)
    lines = ["id,colour,size,serial"]
    lines += [f"r{i},{colour[i]},{size[i]!r},s{i}".replace("np.float64(", "").replace(")", "") for i in range(120)]
    (geotherm.dir / "t.csv").write_text("\n".join(lines) + "\n")
    done = geotherm("embed", "t.csv", "-o", "m.npy", "--categorical", "auto", "--model", "m.gtm", "--method", "umap")
    assert "Gower distance over 2 columns" in done.stderr and "serial" in done.stderr
    model = np.load(geotherm.dir / "m.gtm")
    assert model["column_names"].tolist() == ["colour=blue", "colour=green", "colour=pink", "colour=red", "size"]
    rows = model["points"]
    found = np.abs(rows[3] - rows[8]).sum()
    wanted = ((colour[3] != colour[8]) + abs(size[3] - size[8]) / np.ptp(size)) / 2
    assert found == pytest.approx(wanted)
    geotherm("transform", "m.gtm", "t.csv", "-o", "again.npy")
    assert np.array_equal(np.load(geotherm.dir / "again.npy"), np.load(geotherm.dir / "m.npy"))
    (geotherm.dir / "new.csv").write_text("id,colour,size,serial\na,blue,12,x\nb,violet,12,y\n")
    done = geotherm("transform", "m.gtm", "new.csv", "-o", "new.npy")
    assert "1 of 2 rows have a word in column 'colour'" in done.stderr and "'violet'" in done.stderr
    done = geotherm("embed", "t.csv", "-o", "x.npy", "--categorical", "color", code=2)
    assert "colour" in done.stderr and not (geotherm.dir / "x.npy").exists()


@pytest.mark.parametrize("metric", ["jaccard", "cosine"])
def test_sparse_rows_stay_sparse_and_give_the_map_of_dense_ones(geotherm, metric):
    rng = np.random.default_rng(7)
    # A window of ones that moves along the columns, so that the graph is in one piece.
    window = np.abs(np.arange(60)[None] - np.arange(120)[:, None] / 2.2 - 3) < 7
    rows = (window ^ (rng.uniform(size=(120, 60)) < 0.02)).astype(float)
    write_mtx(geotherm.dir / "s.mtx", rows)
    np.save(geotherm.dir / "d.npy", rows)
    same = ("--metric", metric, "--pca", "none", "--shortcuts", "off", "--method", "heatgeo")
    done = geotherm("embed", "s.mtx", "-o", "a.npy", *same)
    assert "kept sparse" in done.stderr
    geotherm("embed", "d.npy", "-o", "b.npy", *same)
    a, b = np.load(geotherm.dir / "a.npy"), np.load(geotherm.dir / "b.npy")
    d_a, d_b = (np.linalg.norm(m[:, None] - m[None], axis=2)[np.triu_indices(120, 1)] for m in (a, b))
    assert np.corrcoef(d_a, d_b)[0, 1] > 0.99


# What must not go wrong: the same bits for any number of threads, ended runs, input that does not fit.


def copies_of(folder):
    """Contents of the files of a folder, without the pages, which say when they were made."""
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.suffix in (".csv", ".npy", ".npz", ".gtm")
    }


def days(folder, n=150, n_days=3):
    rng = np.random.default_rng(3)
    t = np.sort(rng.uniform(0, 6, n))
    for k in range(n_days):
        rows = np.c_[np.cos(t) * (1 + 0.3 * k), np.sin(t), t] + rng.normal(0, 0.02, (n, 3))
        write_csv(folder / f"day{k}.csv", rows)
    return [f"day{k}.csv" for k in range(n_days)]


def test_threads_change_no_bit_of_queries_updates_views_and_aligned_maps(atlas):
    X, _ = blobs(80, 21)
    write_csv(atlas.dir / "new.csv", X)
    np.save(atlas.dir / "first.npy", X)
    np.save(atlas.dir / "second.npy", np.sin(X))
    files = days(atlas.dir, 80, 2)
    for threads in (1, 2, 8):
        out = atlas.dir / f"with{threads}"
        out.mkdir()
        at = ("--threads", threads)
        atlas("transform", "atlas.gtm", "new.csv", "-o", out / "placed.csv", "--transfer", "cell_type", *at)
        for hold in (1, 0.4):
            atlas(
                "update",
                "atlas.gtm",
                "new.csv",
                "-o",
                out / f"grown{hold}.csv",
                "--model",
                out / f"grown{hold}.gtm",
                "--hold",
                hold,
                *at,
            )
        atlas("embed", "first.npy", "--view", "second.npy", "-o", out / "views.npy", *at)
        atlas("align", *files, "-o", out / "days", *at)
    first = copies_of(atlas.dir / "with1"), copies_of(atlas.dir / "with1" / "days")
    assert len(first[0]) == 6 and len(first[1]) == 2
    for threads in (2, 8):
        assert (copies_of(atlas.dir / f"with{threads}"), copies_of(atlas.dir / f"with{threads}" / "days")) == first


def killed_and_gone_on_with(geotherm, command, result):
    """The bytes of a run, and of one that was killed again and again and went on by --checkpoint."""
    geotherm(*command)
    whole = result()
    kept = (*command, "--checkpoint", "kept", "--checkpoint-every", 0)
    n_resumed, n_kills = 0, 0
    for moment in (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.9, None):
        run = subprocess.Popen([PROGRAM, *map(str, kept)], cwd=geotherm.dir, stderr=subprocess.PIPE, text=True)
        try:
            _, message = run.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            run.kill()
            _, message = run.communicate()
            n_kills += 1
        assert run.returncode in (0, -signal.SIGKILL), message
        n_resumed += "resuming an earlier run" in message
        if run.returncode == 0:
            break
    assert run.returncode == 0 and n_kills > 0
    assert not (geotherm.dir / "kept").exists()
    assert result() == whole
    return n_resumed


def test_an_alignment_that_is_killed_goes_on_to_the_same_bytes(geotherm):
    files = days(geotherm.dir, 400)
    command = ("align", *files, "-o", "out", "--mds", "sgd", "--max-iterations", 200)
    assert killed_and_gone_on_with(geotherm, command, lambda: copies_of(geotherm.dir / "out")) > 0


def test_an_update_that_is_killed_goes_on_to_the_same_bytes(geotherm):
    rng = np.random.default_rng(2)
    np.savez(geotherm.dir / "d.npz", old=rng.normal(size=(900, 6)), new=rng.normal(size=(90, 6)))
    geotherm("embed", "d.npz:old", "-o", "m.npy", "--model", "m.gtm", "--method", "tsne", "--max-iterations", 300)
    command = ("update", "m.gtm", "d.npz:new", "-o", "all.npy", "--hold", 0.5)
    assert killed_and_gone_on_with(geotherm, command, lambda: (geotherm.dir / "all.npy").read_bytes()) > 0


def test_a_killed_alignment_leaves_the_folder_as_it_was(geotherm):
    files = days(geotherm.dir, 300)
    geotherm("align", *files, "-o", "out")
    before = {path.name: path.read_bytes() for path in (geotherm.dir / "out").iterdir()}
    for moment in (0.05, 0.2, 0.4):
        run = subprocess.Popen([PROGRAM, "align", *files[:2], "-o", "new"], cwd=geotherm.dir, stderr=subprocess.DEVNULL)
        try:
            run.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            # All or nothing: a folder that is there has its last file.
            assert not (geotherm.dir / "new").exists() or (geotherm.dir / "new" / "manifest.json").exists()
        shutil.rmtree(geotherm.dir / "new", ignore_errors=True)
    # A folder that is there keeps what is not replaced, and is not touched where a table cannot be read.
    (geotherm.dir / "bad.csv").write_text("id,a\nx,oops\n")
    geotherm("align", files[0], "bad.csv", "-o", "out", code=1)
    assert {path.name: path.read_bytes() for path in (geotherm.dir / "out").iterdir()} == before
    assert not [path for path in geotherm.dir.iterdir() if path.name.startswith(".geotherm-out")]


@pytest.mark.parametrize("command", [("transform",), ("update", "--model", "all.gtm")])
def test_rows_of_other_columns_are_refused_and_nothing_is_written(atlas, command):
    verb, *more = command
    lines = (atlas.dir / "atlas.csv").read_text().splitlines()
    (atlas.dir / "renamed.csv").write_text(
        "\n".join(["id,a,b,z", *(line.rsplit(",", 1)[0] for line in lines[1:9])]) + "\n"
    )
    done = atlas(verb, "atlas.gtm", "renamed.csv", "-o", "out.csv", *more, code=1)
    assert "renamed.csv" in done.stderr and "lacks 1" in done.stderr and "c" in done.stderr
    np.save(atlas.dir / "wide.npy", np.ones((4, 5)))
    done = atlas(verb, "atlas.gtm", "wide.npy", "-o", "out.csv", *more, code=1)
    assert "5 columns" in done.stderr and "3" in done.stderr
    np.save(atlas.dir / "odd.npy", np.array([[1.0, np.nan, 2.0]]))
    done = atlas(verb, "atlas.gtm", "odd.npy", "-o", "out.csv", *more, code=1)
    assert "odd.npy" in done.stderr and "row 0" in done.stderr
    (atlas.dir / "gaps.csv").write_text("id,a,b,c\nx,1,2,3\ny,1,,3\n")
    done = atlas(verb, "atlas.gtm", "gaps.csv", "-o", "out.csv", *more, code=1)
    # The options of embed are not those of this command.
    assert "1 of 6 values are missing" in done.stderr and "row 1, column b" in done.stderr
    assert "--missing" not in done.stderr
    done = atlas(verb, "atlas.csv", "gaps.csv", "-o", "out.csv", *more, code=1)
    assert "atlas.csv: is not a geotherm model" in done.stderr
    assert not (atlas.dir / "out.csv").exists() and not (atlas.dir / "all.gtm").exists()


def test_a_model_has_its_own_metric_and_rows_that_do_not_fit_it_are_refused(geotherm):
    rng = np.random.default_rng(8)
    counts = rng.poisson(3, (80, 6)).astype(float)
    np.save(geotherm.dir / "c.npy", counts)
    geotherm("embed", "c.npy", "-o", "m.npy", "--model", "m.gtm", "--metric", "hellinger")
    np.save(geotherm.dir / "new.npy", counts[:5] - 9)
    for verb in ("transform", "update"):
        done = geotherm(verb, "m.gtm", "c.npy", "-o", "out.npy", "--metric", "cosine", code=2)
        assert "--metric" in done.stderr
        done = geotherm(verb, "m.gtm", "new.npy", "-o", "out.npy", code=1)
        assert "hellinger" in done.stderr and "negative" in done.stderr
    assert not (geotherm.dir / "out.npy").exists()


def test_affinities_to_rows_that_do_not_exist_are_refused(geotherm, points):
    np.save(geotherm.dir / "X.npy", points)
    geotherm("embed", "X.npy", "-o", "m.npy", "--model", "m.gtm", "--method", "diffusion-map")
    head = "%%MatrixMarket matrix coordinate real general\n"
    cases = {
        "many.mtx": (f"{head}1 61 1\n1 61 0.5\n", ("61", "60")),
        "beyond.mtx": (f"{head}1 60 1\n1 61 0.5\n", ("beyond.mtx", "61")),
        "none.mtx": (f"{head}2 60 1\n1 3 0.5\n", ("row 1", "at least one")),
        "negative.mtx": (f"{head}1 60 2\n1 3 0.5\n1 4 -1\n", ("row 0, column 3", "not negative")),
    }
    for name, (text, words) in cases.items():
        (geotherm.dir / name).write_text(text)
        done = geotherm("transform", "m.gtm", name, "-o", "out.npy", "--as", "affinities", code=1)
        assert name in done.stderr and all(word in done.stderr for word in words), done.stderr
    done = geotherm("update", "m.gtm", "none.mtx", "-o", "out.npy", "--as", "affinities", code=2)
    assert "points" in done.stderr
    assert not (geotherm.dir / "out.npy").exists()


def test_views_of_other_rows_and_one_view_alone_are_refused(geotherm, points):
    write_csv(geotherm.dir / "a.csv", points)
    write_csv(geotherm.dir / "b.csv", points, prefix="other")
    np.save(geotherm.dir / "odd.npy", np.full((60, 2), np.nan))
    done = geotherm("embed", "a.csv", "--view", "b.csv", "-o", "m.npy", code=1)
    assert "b.csv" in done.stderr and "cell0" in done.stderr
    done = geotherm("embed", "--view", "a.csv", "-o", "m.npy", code=2)
    assert "several views" in done.stderr
    geotherm("embed", "a.csv", "--view", "odd.npy", "-o", "m.npy", code=1)
    geotherm("embed", "a.csv", "--view", "absent.npy", "-o", "m.npy", code=1)
    assert not (geotherm.dir / "m.npy").exists()


def share_of_own_kind(geotherm, kinds, *views):
    """Of the ten nearest rows in the map, how many are of the own kind."""
    geotherm("embed", *views, "-o", "m.npy")
    places = np.load(geotherm.dir / "m.npy")
    rows = np.arange(0, len(places), 5)
    between = np.linalg.norm(places[rows][:, None] - places[None], axis=2)
    between[np.arange(len(rows)), rows] = np.inf
    return (kinds[np.argsort(between, axis=1)[:, :10]] == kinds[rows][:, None]).mean()


def test_views_in_other_units_tell_groups_apart_that_their_columns_side_by_side_do_not(geotherm):
    rng = np.random.default_rng(4)
    group = np.arange(480) % 8
    centres = rng.normal(0, 4, (2, 4, 8))
    views = [
        np.where((group // 4 == m)[:, None], centres[m][group % 4], 4) + rng.normal(0, 1, (480, 8)) for m in range(2)
    ]
    np.save(geotherm.dir / "a.npy", views[0])
    np.save(geotherm.dir / "b.npy", views[1] * 50)
    np.save(geotherm.dir / "both.npy", np.c_[views[0], views[1] * 50])
    together = share_of_own_kind(geotherm, group, "a.npy", "--view", "b.npy")
    assert together > 0.95
    assert all(share_of_own_kind(geotherm, group, f"{name}.npy") < 0.8 for name in ("a", "b", "both"))


def test_a_real_table_cut_into_two_views_keeps_its_cell_types(geotherm):
    folder = os.environ.get("GEOTHERM_DATA")
    if not folder:
        pytest.skip("SKIPPED: GEOTHERM_DATA is not set")
    with np.load(pathlib.Path(folder) / "cbmc_citeseq_8617x500.npz") as file:
        counts, kinds = file["counts"][::6].astype(float), file["names"][::6]
    rows = np.log1p(counts / np.maximum(counts.sum(1, keepdims=True), 1) * 1000)
    np.save(geotherm.dir / "a.npy", rows[:, :250])
    np.save(geotherm.dir / "b.npy", rows[:, 250:])
    quick = ("--method", "umap", "--pca", 20)
    together = share_of_own_kind(geotherm, kinds, "a.npy", "--view", "b.npy", *quick)
    assert together > max(share_of_own_kind(geotherm, kinds, f"{name}.npy", *quick) for name in "ab")
