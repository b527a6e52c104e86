"""How far a map can be trusted: the bootstrap, two runs compared, and the run in words."""

import json

import numpy as np
import pytest


@pytest.fixture
def data(geotherm):
    geotherm("synth", "swiss-roll", "--n", 200, "--clustered", "--seed", 3, "-o", "roll.npz")
    return geotherm


def test_the_bootstrap_gives_a_spread_for_each_row_and_intervals_between_groups(data):
    args = ("embed", "roll.npz:X", "-o", "map.csv", "--bootstrap", 5, "--manifest", "run.json")
    done = data(*args)
    assert "5 subsamples" in done.stderr
    lines = (data.dir / "map_spread.csv").read_text().splitlines()
    spread = np.array([float(line.split(",")[1]) for line in lines[1:]])
    assert lines[0] == "id,spread" and len(spread) == 200 and (spread > 0).sum() > 190
    found = json.loads((data.dir / "run.json").read_text())["stability"]
    assert found["n_samples"] == 5 and len(found["disparity"]) == 5
    assert 0 < found["median_spread"] < found["extent"]
    assert found["group_distances"]
    for pair in found["group_distances"]:
        assert pair["low"] <= pair["median"] <= pair["high"]
    before = (data.dir / "map_spread.csv").read_bytes()
    data(*args, "--threads", 1)
    assert (data.dir / "map_spread.csv").read_bytes() == before


def test_a_bootstrap_of_one_is_refused(data):
    done = data("embed", "roll.npz:X", "-o", "map.csv", "--bootstrap", 1, code=2)
    assert "2 subsamples" in done.stderr


@pytest.mark.parametrize(
    "method, words",
    [
        ("heatgeo", ("Heat Geodesic Embedding", "Huguet", "Heat diffused for t =", "de Leeuw")),
        ("phate", ("PHATE", "Moon", "The random walk took t =")),
        ("umap", ("UMAP", "McInnes")),
        ("tsne", ("t-SNE", "van der Maaten")),
        ("shortest-path", ("shortest paths", "Tenenbaum")),
        ("pca", ("principal component analysis",)),
    ],
)
def test_the_methods_text_names_what_was_run_and_cites_it(data, method, words):
    data("embed", "roll.npz:X", "-o", "map.csv", "--manifest", "run.json", "--method", method, "--seed", 17)
    text = data("methods", "run.json").stdout
    for word in (*words, "seed was 17", "geotherm 0."):
        assert word in text, text
    # Every reference is used, every use has its reference.
    body, references = text.split("References\n")
    for number in range(1, references.count("[") + 1):
        assert f"[{number}]" in body


def test_the_methods_text_tells_of_the_bootstrap_and_of_distances(data):
    data("embed", "roll.npz:X", "-o", "map.csv", "--manifest", "run.json", "--bootstrap", 2, "--pca", 2)
    text = data("methods", "run.json").stdout
    assert "2 subsamples" in text and "2 principal components" in text
    data("distances", "roll.npz:X", "-o", "d.npy", "--manifest", "run.json", "--time", 5)
    text = data("methods", "run.json", "-o", "methods.txt").stdout
    assert text == ""
    written = (data.dir / "methods.txt").read_text()
    assert written.startswith("Distances between points") and "t = 5" in written


def test_what_is_no_manifest_is_refused(data):
    for name, content in (("a.json", "{}"), ("b.json", "not json"), ("c.json", "[1]")):
        (data.dir / name).write_text(content)
        assert name in data("methods", name, code=1).stderr
    assert "absent.json" in data("methods", "absent.json", code=1).stderr
