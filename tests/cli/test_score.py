"""geotherm score: each measure against a short computation or a known truth, and its refusals."""

import json
import subprocess

import numpy as np
import pytest
from conftest import PROGRAM

DISTANCE_KEYS = {"pearson", "spearman", "frobenius", "max"}
CLUSTER_KEYS = {"homogeneity", "completeness", "v_measure", "ari", "ami"}


def pairwise(x):
    return np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))


def nearest(distances, k):
    """The k nearest others of each row, ties by index."""
    distances = distances + np.diag(np.full(len(distances), np.inf))
    return np.argsort(distances, axis=1, kind="stable")[:, :k]


@pytest.fixture
def scores(geotherm):
    def run(*args):
        return json.loads(geotherm("score", *args, "--json").stdout)

    return run


@pytest.fixture
def files(geotherm, points):
    """The points, their distances, and a poor map of them, on disk and as arrays."""
    truth = pairwise(points)
    poor = points[:, :2] + np.random.default_rng(1).normal(0, 0.2, (60, 2))
    np.save(geotherm.dir / "points.npy", points)
    np.save(geotherm.dir / "truth.npy", truth)
    np.save(geotherm.dir / "map.npy", poor)
    np.save(geotherm.dir / "far.npy", pairwise(poor))
    return points, truth, poor


@pytest.fixture
def groups(geotherm):
    """Three groups far apart, twenty points each, in an order that mixes them."""
    labels = np.random.default_rng(2).permutation(np.repeat([0, 1, 2], 20))
    centers = np.array([[0, 0], [50, 0], [0, 50]])
    np.save(geotherm.dir / "map.npy", centers[labels] + np.random.default_rng(3).normal(size=(60, 2)))
    return labels


@pytest.fixture
def needs_transport(geotherm):
    np.save(geotherm.dir / "two.npy", np.array([[0.0], [1.0]]))
    command = [PROGRAM, "score", "--estimate", "two.npy", "--emd", "two.npy"]
    done = subprocess.run(command, cwd=geotherm.dir, capture_output=True, text=True)
    if "LEMON" in done.stderr:
        pytest.skip("SKIPPED: built without LEMON")


# Against true distances.


def test_truth_alone_gives_the_four_distance_scores(scores, files):
    _, truth, poor = files
    found = scores("--truth", "truth.npy", "--estimate", "map.npy")
    assert set(found) == DISTANCE_KEYS
    difference = truth - pairwise(poor)
    # 1e-12: sums of 3600 terms of size 1 in double.
    assert found["frobenius"] == pytest.approx(np.linalg.norm(difference) / 3600, rel=1e-12)
    assert found["max"] == pytest.approx(np.abs(difference).max() / 3600, rel=1e-12)
    rows = [np.corrcoef(a, b)[0, 1] for a, b in zip(truth, pairwise(poor))]
    assert found["pearson"] == pytest.approx(np.mean(rows), rel=1e-12)


@pytest.mark.parametrize("estimate", ["map.npy", "far.npy"])
def test_precision_demap_and_stress_are_those_of_numpy(scores, files, estimate):
    _, truth, poor = files
    e = pairwise(poor)
    args = ("--precision", 7, "--demap", "--stress")
    found = scores("--truth", "truth.npy", "--estimate", estimate, *args)
    assert set(found) == DISTANCE_KEYS | {"precision", "demap", "stress", "stress_scaled"}
    shared = [len(set(a) & set(b)) / 7 for a, b in zip(nearest(truth, 7), nearest(e, 7))]
    assert found["precision"] == pytest.approx(np.mean(shared), rel=1e-12)
    a, b = truth[np.triu_indices(60, 1)], e[np.triu_indices(60, 1)]
    ranks = [np.argsort(np.argsort(v)) for v in (a, b)]  # no ties: the points are random
    assert found["demap"] == pytest.approx(np.corrcoef(*ranks)[0, 1], rel=1e-10)
    assert found["stress"] == pytest.approx(((a - b) ** 2).sum() / (a**2).sum(), rel=1e-10)
    factor = (a @ b) / (b @ b)
    assert found["stress_scaled"] == pytest.approx(((a - factor * b) ** 2).sum() / (a**2).sum(), rel=1e-10)


def test_a_perfect_map_has_perfect_scores_in_any_unit(geotherm, scores, files):
    points, _, _ = files
    np.save(geotherm.dir / "large.npy", 8 * points)
    args = ("--precision", 5, "--demap", "--stress", "--points", "points.npy")
    found = scores("--truth", "truth.npy", "--estimate", "large.npy", *args)
    for key in ("pearson", "spearman", "precision", "demap", "trustworthiness", "continuity"):
        assert found[key] == pytest.approx(1, abs=1e-12), key
    assert found["stress"] == pytest.approx(49, rel=1e-9)  # (8 - 1)^2
    assert found["stress_scaled"] == pytest.approx(0, abs=1e-12)


# Against groups.


def label_file(geotherm, kind, labels):
    """Writes the labels in one of the forms that are read; returns the name."""
    names = np.array(["B cell", "T, helper", "NK"])[labels]
    quoted = [f'"{name}"' for name in names]
    if kind == "npz":
        np.savez(geotherm.dir / "l.npz", X=np.zeros((60, 2)), label=labels)
        return "l.npz"
    if kind == "npz text":
        np.savez(geotherm.dir / "l.npz", X=np.zeros((60, 2)), kind=names)
        return "l.npz:kind"
    if kind == "npy":
        np.save(geotherm.dir / "l.npy", labels.astype("int16"))
        return "l.npy"
    if kind == "csv":
        text, name = "\n".join(quoted) + "\n", "l.csv"
    elif kind == "csv with header":
        text, name = "\n".join(["cell type", *quoted]), "l.csv"
    elif kind == "csv with names":
        text, name = "id,label\r\n" + "".join(f"c{i},{q}\r\n" for i, q in enumerate(quoted)), "l.csv"
    elif kind == "csv of pandas":
        text, name = ",0\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)), "l.csv"
    else:
        text, name = "label\n" + "".join(f"{n}\n" for n in names), "l.tsv"
    (geotherm.dir / name).write_bytes(text.encode())
    return name


@pytest.mark.parametrize(
    "kind",
    ["npz", "npz text", "npy", "csv", "csv with header", "csv with names", "csv of pandas", "tsv"],
)
def test_labels_of_separate_groups_are_found_whatever_the_file(geotherm, scores, groups, kind):
    found = scores("--estimate", "map.npy", "--labels", label_file(geotherm, kind, groups))
    assert set(found) == CLUSTER_KEYS | {"knn_accuracy"}
    for key, value in found.items():
        assert value == pytest.approx(1, abs=1e-12), key


def test_labels_that_mean_nothing_score_as_chance(geotherm, scores, groups):
    np.save(geotherm.dir / "l.npy", np.random.default_rng(4).permutation(groups))
    found = scores("--estimate", "map.npy", "--labels", "l.npy")
    # Chance is 0; 0.15 is three times the spread of both at 60 points in 3 groups.
    assert abs(found["ari"]) < 0.15 and abs(found["ami"]) < 0.15
    assert found["knn_accuracy"] < 0.6


@pytest.mark.parametrize("estimate", ["map.npy", "far.npy"])
def test_knn_accuracy_is_the_vote_of_the_nearest(geotherm, scores, files, estimate):
    _, _, poor = files
    labels = (np.arange(60) // 8) % 2
    np.save(geotherm.dir / "l.npy", labels)
    found = scores("--estimate", estimate, "--labels", "l.npy", "--knn", 5)
    votes = labels[nearest(pairwise(poor), 5)].mean(axis=1) > 0.5  # odd, two classes: no ties
    assert found["knn_accuracy"] == pytest.approx(np.mean(votes == labels), rel=1e-12)


def test_distances_with_labels_give_the_accuracy_alone_and_say_so(geotherm, files):
    np.save(geotherm.dir / "l.npy", np.arange(60) // 20)
    done = geotherm("score", "--estimate", "far.npy", "--labels", "l.npy", "--json")
    assert set(json.loads(done.stdout)) == {"knn_accuracy"}
    assert "k-means" in done.stderr


# Against the original points.


def test_trustworthiness_and_continuity_are_those_of_numpy(scores, files):
    points, _, poor = files
    n, k = 60, 6
    found = scores("--estimate", "map.npy", "--points", "points.npy", "--knn", k)
    assert set(found) == {"trustworthiness", "continuity"}

    def trust(x, y):
        places = np.argsort(np.argsort(pairwise(x), axis=1), axis=1)  # 0: the point itself
        intruders = np.take_along_axis(places, nearest(pairwise(y), k), axis=1) - k
        return 1 - 2 * np.maximum(intruders, 0).sum() / (n * k * (2 * n - 3 * k - 1))

    assert found["trustworthiness"] == pytest.approx(trust(points, poor), rel=1e-12)
    assert found["continuity"] == pytest.approx(trust(poor, points), rel=1e-12)
    assert found["trustworthiness"] < 1


# Transport.


def test_emd_of_a_set_to_itself_is_zero_and_of_a_shifted_one_the_shift(geotherm, scores, files, needs_transport):
    _, _, poor = files
    np.save(geotherm.dir / "shifted.npy", poor[::-1] + [3, 4])
    same = scores("--estimate", "map.npy", "--emd", "map.npy")
    assert same == {"w1": 0, "w2": 0}
    moved = scores("--estimate", "map.npy", "--emd", "shifted.npy")
    # A common shift is an optimal plan for both costs: |(3, 4)| = 5.
    assert moved["w1"] == pytest.approx(5, rel=1e-12)
    assert moved["w2"] == pytest.approx(5, rel=1e-12)


def test_emd_takes_sets_of_different_sizes(geotherm, scores, needs_transport):
    np.save(geotherm.dir / "a.npy", np.array([[0.0], [0.0], [0.0]]))
    np.save(geotherm.dir / "b.npy", np.array([[1.0], [3.0]]))
    found = scores("--estimate", "a.npy", "--emd", "b.npy")
    assert found["w1"] == pytest.approx(2) and found["w2"] == pytest.approx(np.sqrt(5))


@pytest.mark.parametrize("ending", ["npy", "csv", "npz"])
def test_interpolation_of_a_set_in_even_motion_is_exact(geotherm, scores, ending, needs_transport):
    shape = np.random.default_rng(6).normal(size=(12, 2))
    np.save(geotherm.dir / "map.npy", np.concatenate([shape + [20 * t, 0] for t in range(4)]))
    times = np.repeat([0.0, 0.5, 1.0, 1.5], 12)
    name = f"times.{ending}"
    if ending == "npy":
        np.save(geotherm.dir / name, times)
    elif ending == "npz":
        np.savez(geotherm.dir / name, t=times, label=times)
    else:
        (geotherm.dir / name).write_text("hour\n" + "".join(f"{t}\n" for t in times))
    found = scores("--estimate", "map.npy", "--times", name)
    assert set(found) == {"interpolation"}
    assert found["interpolation"] == pytest.approx(0, abs=1e-12)


def test_interpolation_sees_a_set_that_jumps(geotherm, scores, needs_transport):
    shape = np.random.default_rng(6).normal(size=(12, 2))
    x = np.concatenate([shape, shape + [0, 7], shape])
    np.save(geotherm.dir / "map.npy", x)
    np.save(geotherm.dir / "t.npy", np.repeat([0, 1, 2], 12))
    found = scores("--estimate", "map.npy", "--times", "t.npy")
    assert found["interpolation"] == pytest.approx(7 / x[:, 1].std(), rel=1e-10)  # z-scored


# What is printed.


def test_the_table_has_a_line_with_an_explanation_for_every_key(geotherm, scores, files):
    np.save(geotherm.dir / "l.npy", np.arange(60) // 20)
    args = ("--truth", "truth.npy", "--estimate", "map.npy", "--precision", 3, "--demap", "--stress")
    args += ("--labels", "l.npy", "--points", "points.npy")
    lines = [line for line in geotherm("score", *args).stdout.splitlines() if line.startswith("  ")]
    assert {line.split()[0] for line in lines} == set(scores(*args))
    for line in lines:
        float(line.split()[1])
        assert len(line.split()) > 3, line
    assert len({len(line) - len(line.split(maxsplit=2)[2]) for line in lines}) == 1  # in line


def test_the_number_of_threads_changes_no_bit(geotherm, files):
    np.save(geotherm.dir / "l.npy", np.arange(60) // 20)
    args = ("--truth", "truth.npy", "--estimate", "map.npy", "--demap", "--stress", "--precision", 4)
    args += ("--labels", "l.npy", "--points", "points.npy", "--json")
    one, two, eight = (geotherm("score", *args, "--threads", n).stdout for n in (1, 2, 8))
    assert one == two == eight


# Refusals.


def refused(geotherm, code, words, *args):
    done = geotherm("score", *args, code=code)
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr, done.stderr


def test_nothing_to_compare_with_lists_what_there_is(geotherm, files):
    words = ("--truth", "--labels", "--points", "--times", "--emd")
    refused(geotherm, 2, words, "--estimate", "map.npy")


@pytest.mark.parametrize("option", [("--precision", 3), ("--demap",), ("--stress",)])
def test_measures_of_the_truth_need_it(geotherm, files, option):
    refused(geotherm, 2, (option[0], "--truth"), "--estimate", "map.npy", "--points", "points.npy", *option)


def test_knn_without_use(geotherm, files):
    refused(geotherm, 2, ("--knn", "--precision"), "--estimate", "map.npy", "--truth", "truth.npy", "--knn", 3)


@pytest.mark.parametrize("k", [0, 60])
def test_impossible_numbers_of_neighbours_are_named_by_option(geotherm, files, k):
    args = ("--estimate", "map.npy", "--truth", "truth.npy", "--points", "points.npy")
    refused(geotherm, 2, ("--precision", str(k)), *args, "--precision", k)
    refused(geotherm, 2, ("--knn", str(k)), *args, "--knn", k)


def test_trustworthiness_needs_less_than_half_of_the_points(geotherm, files):
    args = ("--estimate", "map.npy", "--points", "points.npy", "--knn", 30)
    refused(geotherm, 2, ("--knn", "60", "half"), *args)


@pytest.mark.parametrize("option", ["--truth", "--points", "--labels", "--times"])
def test_other_numbers_of_rows_name_both_files(geotherm, files, option):
    values = np.zeros((50, 50)) if option == "--truth" else np.arange(50.0)
    np.save(geotherm.dir / "short.npy", values)
    refused(geotherm, 1, ("map.npy", "60", "short.npy", "50"), "--estimate", "map.npy", option, "short.npy")


@pytest.mark.parametrize(
    "text, words",
    [
        ("a\nb\n" * 25, ("50", "60")),
        ("a\nb\n" * 30 + "a\n", ("61", "60")),  # a label too many is no header
        ("1\n2\n" * 30 + "1\n", ("61", "60")),
        ("label\n" + "1\n" * 59, ("59", "60")),  # a header hides a missing label
        ("a\n" * 20 + "\n" + "b\n" * 39, ("line 21", "missing")),
        ("a,b,c\n" * 60, ("line 1", "3 columns")),
        ("a,b\n" * 30 + "a\n" * 30, ("line 31", "1 column", "2")),
        ('"a\n' * 60, ("line 1", "quoted")),
        ("", ("empty",)),
    ],
)
def test_label_files_that_do_not_fit(geotherm, files, text, words):
    (geotherm.dir / "l.csv").write_text(text)
    refused(geotherm, 1, ("l.csv", *words), "--estimate", "map.npy", "--labels", "l.csv")


def test_labels_that_are_measurements_or_missing(geotherm, files):
    for value in (0.5, np.nan, np.inf):
        labels = np.zeros(60)
        labels[7] = value
        np.save(geotherm.dir / "l.npy", labels)
        refused(geotherm, 1, ("l.npy", "row 7", "integers"), "--estimate", "map.npy", "--labels", "l.npy")


def test_an_npz_without_a_known_name_lists_its_arrays(geotherm, files):
    np.savez(geotherm.dir / "l.npz", kinds=np.zeros(60, int), other=np.zeros(60, int))
    refused(geotherm, 1, ("l.npz", "kinds", "other"), "--estimate", "map.npy", "--labels", "l.npz")


def test_files_that_are_not_there(geotherm, files):
    for option in ("--truth", "--labels", "--points", "--times", "--emd"):
        for ending in ("csv", "npy", "npz"):
            refused(geotherm, 1, (f"no.{ending}",), "--estimate", "map.npy", option, f"no.{ending}")


def test_times_must_be_numbers_and_three(geotherm, files):
    (geotherm.dir / "t.csv").write_text("monday\n" * 30 + "tuesday\n" * 30)
    refused(geotherm, 1, ("t.csv", "monday", "numbers"), "--estimate", "map.npy", "--times", "t.csv")
    np.save(geotherm.dir / "t.npy", np.arange(60) % 2)
    refused(geotherm, 1, ("t.npy", "2 distinct"), "--estimate", "map.npy", "--times", "t.npy")
    np.save(geotherm.dir / "t.npy", np.r_[np.arange(59.0), np.nan])
    refused(geotherm, 1, ("t.npy", "row 59", "finite"), "--estimate", "map.npy", "--times", "t.npy")


def test_transport_needs_a_map_in_the_same_space(geotherm, files):
    refused(geotherm, 1, ("map.npy", "2", "points.npy", "3"), "--estimate", "map.npy", "--emd", "points.npy")
    refused(geotherm, 1, ("far.npy", "60 x 60", "--emd"), "--estimate", "far.npy", "--emd", "map.npy")


# Two runs against each other.


@pytest.fixture
def two_runs(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    for name, knn in (("first", 5), ("second", 8)):
        geotherm("embed", "in.npy", "-o", f"{name}.csv", "--knn", knn, "--manifest", f"{name}.json")
    return geotherm


def test_two_runs_are_compared_by_their_manifests(two_runs, scores):
    found = scores("--compare", "first.json", "second.json")
    assert found["differing_options"] == {"knn": ["5", "8"]}
    maps = [np.loadtxt(two_runs.dir / f"{n}.csv", delimiter=",", skiprows=1)[:, 1:] for n in ("first", "second")]
    a, b = (pairwise(m)[np.triu_indices(60, 1)] for m in maps)
    # 1e-9: tables are written with 17 digits, sums of 1770 terms.
    assert found["distance_correlation"] == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-9)
    near = [nearest(pairwise(m), 10) for m in maps]
    kept = np.mean([len(set(p) & set(q)) / 10 for p, q in zip(*near)])
    assert found["kept_neighbors"] == pytest.approx(kept, abs=1e-12)
    first, second = (m - m.mean(0) for m in maps)
    residual = 1 - np.linalg.svd(first.T @ second)[1].sum() ** 2 / (first**2).sum() / (second**2).sum()
    assert found["disparity"] == pytest.approx(residual, abs=1e-9)
    assert found["rms"] == pytest.approx(np.sqrt(residual) * found["extent"], abs=1e-9)


def test_a_run_is_the_same_as_itself_and_so_are_its_options(two_runs, scores):
    same = scores("--compare", "first.json", "first.json")
    assert same["differing_options"] == {} and same["rms"] < 1e-9 and same["kept_neighbors"] == 1
    text = two_runs("score", "--compare", "first.csv", "second.csv").stdout
    assert "options: not known" in text and "kept_neighbors" in text
    assert "knn: 5 -> 8" in two_runs("score", "--compare", "first.json", "second.json").stdout


def test_groups_are_compared_one_by_one(two_runs, scores):
    (two_runs.dir / "kinds.csv").write_text("kind\n" + "left\n" * 30 + "right\n" * 30)
    found = scores("--compare", "first.json", "second.json", "--labels", "kinds.csv")
    assert [(g["name"], g["n_points"]) for g in found["groups"]] == [("left", 30), ("right", 30)]
    mean_square = np.mean([g["rms"] ** 2 for g in found["groups"]])
    assert found["rms"] == pytest.approx(np.sqrt(mean_square), rel=1e-9)
    assert "right" in two_runs("score", "--compare", "first.json", "second.json", "--labels", "kinds.csv").stdout


def test_rows_are_matched_by_name_and_other_rows_are_refused(two_runs, scores):
    lines = (two_runs.dir / "first.csv").read_text().splitlines()
    (two_runs.dir / "turned.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    assert scores("--compare", "first.csv", "turned.csv")["rms"] < 1e-9
    (two_runs.dir / "fewer.csv").write_text("\n".join(lines[:-1]) + "\n")
    done = two_runs("score", "--compare", "first.csv", "fewer.csv", code=1)
    assert "60 rows" in done.stderr and "59" in done.stderr and "'59' is only in the first" in done.stderr
    np.save(two_runs.dir / "small.npy", np.zeros((7, 2)))
    done = two_runs("score", "--compare", "first.csv", "small.npy", code=1)
    assert "60 rows" in done.stderr and "same points" in done.stderr


def test_compare_says_what_it_cannot_use(two_runs):
    done = two_runs("score", "--compare", "first.csv", "second.csv", "--estimate", "first.csv", code=2)
    assert "--estimate" in done.stderr
    (two_runs.dir / "first.csv").unlink()
    done = two_runs("score", "--compare", "first.json", "second.json", code=1)
    assert "'first.csv' is not there any more" in done.stderr
    (two_runs.dir / "no.json").write_text("{}")
    done = two_runs("score", "--compare", "no.json", "second.json", code=1)
    assert "not the manifest of a run" in done.stderr
    done = two_runs("score", code=2)
    assert "--compare RUN1 RUN2" in done.stderr
