"""The program from points to picture: every subcommand, every format, as a user would."""

import json
import re

import numpy as np
import pytest


def test_synth_embed_score_go_end_to_end(geotherm):
    geotherm("synth", "swiss-roll", "--n", 400, "--noise", 0.05, "--seed", 3, "-o", "roll.npz")
    data = np.load(geotherm.dir / "roll.npz")
    assert data["X"].shape == (400, 3) and data["X"].dtype == np.float64
    assert data["geodesic"].shape == (400, 400)
    assert np.allclose(data["geodesic"], data["geodesic"].T)
    assert set(data["label"]) <= set(range(5)) and data["t"].shape == (400,)
    geotherm(
        "embed", "roll.npz:X", "-o", "map.npz", "--time", 10, "--manifest", "run.json", "--plot", "map.svg"
    )
    assert np.load(geotherm.dir / "map.npz")["embedding"].shape == (400, 2)
    assert (geotherm.dir / "map.svg").read_text().startswith("<")
    scores = json.loads(
        geotherm("score", "--truth", "roll.npz", "--estimate", "map.npz", "--json").stdout
    )
    assert set(scores) == {"pearson", "spearman", "frobenius", "max"}
    assert scores["pearson"] > 0.9
    manifest = json.loads((geotherm.dir / "run.json").read_text())
    assert {
        "version", "options", "resolved", "seed", "outcome", "warnings", "timings_s", "peak_memory_bytes",
    } <= set(manifest)
    assert manifest["resolved"]["time"] == 10
    assert manifest["options"]["knn"] == "auto" and manifest["resolved"]["knn"] == 10


@pytest.mark.parametrize("shape", ["swiss-roll", "tree", "blobs", "circle", "sphere", "torus", "path"])
def test_every_shape_has_points_and_true_distances(geotherm, shape):
    geotherm("synth", shape, "--n", 120, "-o", "data.npz")
    data = np.load(geotherm.dir / "data.npz")
    true = data["geodesic"]
    assert data["X"].shape[0] == 120 and true.shape == (120, 120)
    assert np.isfinite(true).all() and (np.diag(true) == 0).all() and (true >= 0).all()


def test_same_seed_same_bits_for_any_number_of_threads(geotherm):
    geotherm("synth", "tree", "--n", 300, "--noise", 1, "-o", "tree.npz")
    for method in ("classical", "smacof", "sgd"):
        for threads in (1, 2, 8):
            geotherm("embed", "tree.npz:X", "-o", f"{threads}.npy", "--mds", method, "--threads", threads)
        one, two, eight = ((geotherm.dir / f"{k}.npy").read_bytes() for k in (1, 2, 8))
        assert one == two == eight


def test_every_option_reaches_its_room(geotherm):
    """Each option away from its default changes the distances (or the map)."""
    geotherm("synth", "tree", "--n", 200, "--noise", 1, "-o", "tree.npz")

    def distances(*options):
        geotherm("distances", "tree.npz:X", "-o", "d.npy", "--time", 5, *options)
        return np.load(geotherm.dir / "d.npy")

    base = distances()
    for options in (
        ("--knn", 7), ("--graph", "knn"), ("--graph", "gaussian"), ("--graph", "umap"),
        ("--laplacian", "normalized"), ("--laplacian", "random-walk"), ("--kernel", "chebyshev", "--order", 8),
        ("--kernel", "euler", "--order", 3), ("--time", 1), ("--harnack", 0.5), ("--denoise", 0.5), ("--pca", 3),
        ("--metric", "cosine"), ("--metric", "correlation"), ("--metric", "manhattan"), ("--decay", 2),
        ("--anisotropy", 1), ("--kernel-floor", 1e-3), ("--max-distance", 3),
    ):  # fmt: skip
        if "--time" in options:
            geotherm("distances", "tree.npz:X", "-o", "d.npy", *options)
            other = np.load(geotherm.dir / "d.npy")
        else:
            other = distances(*options)
        assert np.abs(other - base).max() > 1e-3, options
    # Other routes to the same kernel give the same distances where heat is resolved.
    for kernel in ("uniformization", "exact", "chebyshev"):
        other = distances("--kernel", kernel)
        near = base < np.quantile(base, 0.2)
        assert np.abs(other - base)[near].max() < 1e-4, kernel


def test_layout_options_change_the_map(geotherm):
    geotherm("synth", "tree", "--n", 200, "--noise", 1, "-o", "tree.npz")
    maps = {}
    for options in (
        (), ("--mds", "classical"), ("--mds", "sgd"), ("--mds-weights", "heat"), ("--mds-weights", "inverse"),
        ("--mds-weights", "gaussian"), ("--max-iterations", 2),
    ):  # fmt: skip
        geotherm("embed", "tree.npz:X", "-o", "m.npy", "--time", 5, *options)
        maps[options] = np.load(geotherm.dir / "m.npy")
    for options, found in maps.items():
        assert found.shape == (200, 2) and np.isfinite(found).all()
        if options:
            assert np.abs(found - maps[()]).max() > 1e-6, options
    geotherm("embed", "tree.npz:X", "-o", "m.npy", "--time", 5, "--n-components", 3)
    assert np.load(geotherm.dir / "m.npy").shape == (200, 3)


def test_csv_keeps_row_names_and_writes_a_header(geotherm, points):
    rows = [f"cell{i}," + ",".join(map(repr, row.tolist())) for i, row in enumerate(points)]
    (geotherm.dir / "in.csv").write_text("name,a,b,c\n" + "\n".join(rows) + "\n")
    geotherm("embed", "in.csv", "-o", "out.csv")
    lines = (geotherm.dir / "out.csv").read_text().splitlines()
    assert lines[0] == "id,x1,x2"
    assert [line.split(",")[0] for line in lines[1:]] == [f"cell{i}" for i in range(60)]


@pytest.mark.parametrize("with_header", [False, True])
@pytest.mark.parametrize("ending,separator", [("csv", ","), ("tsv", "\t")])
def test_text_tables_give_the_same_map_as_npy(geotherm, points, ending, separator, with_header):
    text = (separator.join("abc") + "\n" if with_header else "") + "\n".join(
        separator.join(map(repr, row.tolist())) for row in points
    )
    (geotherm.dir / f"in.{ending}").write_text(text)
    np.save(geotherm.dir / "in.npy", points)
    geotherm("embed", f"in.{ending}", "-o", "a.npy")
    geotherm("embed", "in.npy", "-o", "b.npy")
    assert (geotherm.dir / "a.npy").read_bytes() == (geotherm.dir / "b.npy").read_bytes()


@pytest.mark.parametrize("dtype", ["float16", "float32", ">f8", "int16", "uint8", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy_arrays_of_many_kinds_are_read(geotherm, points, dtype, order):
    values = np.asarray(points * 20 > 0 if dtype == "bool" else np.abs(points) * 20).astype(dtype, order=order)
    if dtype == "bool":
        values = np.asarray(np.random.default_rng(1).random((60, 12)) > 0.5, order=order)
    np.savez_compressed(geotherm.dir / "in.npz", table=values)
    geotherm("embed", "in.npz", "-o", "a.npy")
    np.save(geotherm.dir / "in64.npy", np.ascontiguousarray(values.astype("float64")))
    geotherm("embed", "in64.npy", "-o", "b.npy")
    a, b = np.load(geotherm.dir / "a.npy"), np.load(geotherm.dir / "b.npy")
    # float32 stays float32 through the neighbour search: equal to its rounding.
    assert np.allclose(a, b, atol=1e-3 if dtype in ("float16", "float32") else 0)


def test_distances_from_chosen_rows_are_columns_of_all_distances(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    geotherm("distances", "in.npy", "-o", "all.npy", "--time", 5)
    geotherm("distances", "in.npy", "-o", "some.npz", "--time", 5, "--from", "3,17")
    every = np.load(geotherm.dir / "all.npy")
    some = np.load(geotherm.dir / "some.npz")["distances"]
    assert some.shape == (60, 2)
    assert np.allclose(some, every[:, [3, 17]], rtol=0, atol=1e-9)


def test_precomputed_distances_stand_in_for_points(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    np.save(geotherm.dir / "d.npy", np.linalg.norm(points[:, None] - points[None], axis=-1))
    geotherm("distances", "in.npy", "-o", "a.npy", "--time", 5)
    geotherm("distances", "d.npy", "--metric", "precomputed", "-o", "b.npy", "--time", 5)
    assert np.allclose(np.load(geotherm.dir / "a.npy"), np.load(geotherm.dir / "b.npy"), atol=1e-6)


def test_metric_mds_of_a_distance_matrix(geotherm):
    flat = np.random.default_rng(2).normal(size=(50, 2))
    distances = np.linalg.norm(flat[:, None] - flat[None], axis=-1)
    np.save(geotherm.dir / "d.npy", distances)
    geotherm("embed", "d.npy", "--method", "mds", "-o", "y.npy")
    y = np.load(geotherm.dir / "y.npy")
    assert np.allclose(np.linalg.norm(y[:, None] - y[None], axis=-1), distances, atol=1e-4)


def test_equal_rows_are_one_point(geotherm, points):
    twice = np.concatenate([points, points[:20], points[:20], points[:1].repeat(15, 0)])
    np.save(geotherm.dir / "in.npy", twice)
    done = geotherm("embed", "in.npy", "-o", "m.npy")
    found = np.load(geotherm.dir / "m.npy")
    assert np.isfinite(found).all()
    assert (found[60:80] == found[:20]).all() and (found[100:] == found[0]).all()
    assert "55 rows equal earlier ones" in done.stderr


def test_a_small_decay_has_the_whole_support_of_its_kernel(geotherm):
    np.save(geotherm.dir / "in.npy", np.random.default_rng(0).normal(size=(600, 5)))
    edges = {}
    for shortcuts in ("auto", "off"):
        geotherm("distances", "in.npy", "-o", "d.npy", "--decay", "2", "--shortcuts", shortcuts, "--manifest", "m.json")
        manifest = json.loads((geotherm.dir / "m.json").read_text())
        assert "truncated_share" not in manifest["resolved"]
        assert not any("neighbours" in w for w in manifest["warnings"])
        edges[shortcuts] = manifest["resolved"]["edges"]
    assert edges["auto"] >= 0.99 * edges["off"]  # but for edges that were removed as shortcuts


def test_a_graph_in_pieces_is_bridged_and_flagged(geotherm):
    rng = np.random.default_rng(0)
    far = np.concatenate([rng.normal(size=(40, 3)), rng.normal(size=(30, 3)) + 1000])
    np.save(geotherm.dir / "in.npy", far)
    for policy in ("bridge", "separate"):
        done = geotherm("distances", "in.npy", "-o", "d.npy", "--components", policy, "--manifest", "m.json")
        distances = np.load(geotherm.dir / "d.npy")
        assert np.isfinite(distances).all()
        assert distances[:40, 40:].min() > np.median(distances[:40, :40])
        manifest = json.loads((geotherm.dir / "m.json").read_text())
        assert manifest["resolved"]["components"] == 2
        assert 0.45 < manifest["resolved"]["unmeasured_share"] < 0.55
        [said] = [w for w in manifest["warnings"] if "components" in w]
        assert "the graph has 2 components of 40 and 30 points" in said and "--knn" in said
        assert ("straight bridges" if policy == "bridge" else "not measured") in said
        assert said in done.stderr
    done = geotherm("embed", "in.npy", "-o", "e.npy", "--components", "error", code=1)
    assert "40" in done.stderr and "30" in done.stderr and "raise knn" in done.stderr
    assert not (geotherm.dir / "e.npy").exists()


def test_two_and_three_points_have_maps(geotherm):
    for n in (2, 3):
        np.save(geotherm.dir / "in.npy", np.arange(n * 2.0).reshape(n, 2) ** 2)
        geotherm("embed", "in.npy", "-o", "m.npy")
        found = np.load(geotherm.dir / "m.npy")
        assert found.shape == (n, 2) and np.isfinite(found).all()
        assert np.linalg.norm(found[0] - found[1]) > 0


def test_help_names_every_option_of_the_contract(geotherm):
    top = geotherm("--help").stdout
    for word in ("synth", "embed", "distances", "score"):
        assert word in top
    embed = geotherm("embed", "--help-all").stdout
    for option in (
        "--method --n-components --knn --graph --laplacian --kernel --order --time --harnack --denoise --mds "
        "--mds-weights --pca --metric --threads --seed --manifest --plot"
    ).split():
        assert option in embed, option
    assert len(top.splitlines()) <= 30 and max(map(len, top.splitlines())) <= 100  # a screen
    basic = geotherm("embed", "--help").stdout
    groups = re.findall(r"^(\w+)(?: \(--html\))?:$", basic, re.M)
    assert groups == "Positionals Options Basic Method Graph Heat Layout Scale Input Output Clusters Page Run Examples".split()
    assert "--harnack" not in basic and "--help-all" in basic
    assert geotherm("--version").stdout.strip()
