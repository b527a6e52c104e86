"""Options by the library's table: what a method does not read is refused, what does nothing warns, each gets its own."""

import json
import re

import numpy as np
import pytest


@pytest.fixture
def table(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    return geotherm


def test_an_option_that_the_method_does_not_read_is_an_error(table):
    done = table("embed", "in.npy", "-o", "m.npy", "--method", "umap", "--harnack", 2, code=2)
    assert "--harnack is not used by umap" in done.stderr and "heatgeo" in done.stderr
    assert not (table.dir / "m.npy").exists()


def test_an_option_that_does_nothing_through_another_warns(table):
    done = table("embed", "in.npy", "-o", "m.npy", "--order", 20, "--manifest", "run.json")
    assert "warning: --order is not used" in done.stderr and "--kernel" in done.stderr
    assert any("--order" in warning for warning in json.loads((table.dir / "run.json").read_text())["warnings"])
    quiet = table("embed", "in.npy", "-o", "m.npy", "--order", 20, "--kernel", "euler")
    assert "not used" not in quiet.stderr


def test_compared_methods_get_what_they_read(table):
    options = ("--knn", 7, "--perplexity", 5, "--max-iterations", 40)
    done = table("embed", "in.npy", "-o", "m.csv", "--html", "page.html", "--compare", "tsne,pca", *options, "--json")
    if "has no page" in done.stderr:
        pytest.skip("SKIPPED: built without the HTML page")
    table("embed", "in.npy", "-o", "alone.csv", "--knn", 7, "--max-iterations", 40)
    assert (table.dir / "m.csv").read_text() == (table.dir / "alone.csv").read_text()
    refused = table("embed", "in.npy", "-o", "n.csv", "--html", "p.html", "--compare", "tsne", "--min-dist", 0.2, code=2)
    assert "--min-dist is not used by heatgeo or tsne" in refused.stderr


def test_the_manifest_has_the_options_that_the_method_reads(table):
    table("embed", "in.npy", "-o", "m.npy", "--method", "umap", "--max-iterations", 3, "--manifest", "run.json")
    options = json.loads((table.dir / "run.json").read_text())["options"]
    assert options["n_epochs"] == 3 and options["knn"] == "auto" and options["min_dist"] == 0.1
    assert "harnack" not in options and "max_iterations" not in options


@pytest.mark.parametrize(
    "options", [("--threshold", 0.01), ("--tolerance", 0.1, "--n-shakes", 0), ("--n-shakes", 4)], ids=lambda o: o[0]
)
def test_options_that_only_python_had(table, options):
    table("embed", "in.npy", "-o", "a.npy", "--pca", "none", "--time", 3)
    table("embed", "in.npy", "-o", "b.npy", "--pca", "none", "--time", 3, *options)
    if options[0] != "--n-shakes":  # more starts may find the same map
        assert (np.load(table.dir / "a.npy") != np.load(table.dir / "b.npy")).any()


@pytest.mark.parametrize(
    "method,options",
    [
        ("tsne", ("--theta", 0)), ("tsne", ("--learning-rate", 50)), ("tsne", ("--early-exaggeration", 4)),
        ("tsne", ("--n-iterations", 40)), ("umap", ("--spread", 2)), ("umap", ("--n-epochs", 5)),
        ("umap", ("--negative-sample-rate", 1)),
    ],
)  # fmt: skip
def test_layout_options_that_only_python_had_move_the_map(table, method, options):
    table("embed", "in.npy", "-o", "a.npy", "--method", method)
    table("embed", "in.npy", "-o", "b.npy", "--method", method, *options)
    assert (np.load(table.dir / "a.npy") != np.load(table.dir / "b.npy")).any()


COMMANDS = ["demo", "synth", "embed", "distances", "pseudotime", "transform", "update", "align", "score", "methods", "view", "completion", "manual"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_help_all_and_shows_basic_groups_first(geotherm, command):
    shown = geotherm(command, "--help-all").stdout
    titles = [line[:-1] for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    for at, title in enumerate(titles):
        basic = title.removesuffix(", advanced")
        assert basic not in titles or titles.index(basic) <= at, titles
    brief = geotherm(command, "--help").stdout
    assert ("--help-all" in brief) == (brief != shown) and ", advanced:" not in brief


def test_align_offers_the_methods_and_options_it_can_use(table):
    shown = table("align", "--help-all").stdout
    listed = set(re.findall(r"^ {30}([\w-]+) ", shown, re.M))
    assert {"heatgeo", "phate", "laplacian-eigenmaps"} <= listed and not {"tsne", "umap", "pca", "mds"} & listed
    assert "--knn" in shown and "--min-dist" not in shown and "--perplexity" not in shown
    refused = table("align", "in.npy", "in.npy", "-o", "out", "--method", "umap", code=2)
    assert "--method" in refused.stderr and "heatgeo" in refused.stderr


def test_an_estimate_follows_the_row_of_the_method(table):
    """Both reduce the table by themselves; a comparison of names once missed the second."""
    np.save(table.dir / "wide.npy", np.random.default_rng(0).normal(size=(300, 400)))
    runs = [table("embed", "wide.npy", "--estimate", "--method", name) for name in ("heatgeo", "heatgeo-weighted")]
    said = [re.search("about .*", run.stdout + run.stderr)[0] for run in runs]
    assert said[0] == said[1]


def test_errors_of_the_library_name_flags(table):
    done = table("embed", "in.npy", "-o", "m.npy", "--landmarks", "some", code=2)
    assert "--landmarks is 'some': give auto, none or a number of landmarks from 2" in done.stderr
    done = table("embed", "in.npy", "-o", "m.npy", "--knn", 60, code=2)
    assert "geotherm: --knn = 60: there are only 60 points" in done.stderr
