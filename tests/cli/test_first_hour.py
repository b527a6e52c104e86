"""The first hour with the program: what someone new tries, in order, and what they must get.

Each test is a numbered step; a step says what was typed and what is expected. What the steps are about is in STEPS; those about
tables (1, 2, 4) are in tests/cli/test_first_hour_tables.py, those that need the package are in tests/python/test_first_hour.py, under the same numbers, and the controls of the page (search with suggestions,
CSV of a selection with the distance from the clicked point) in viewer/test/browser.test.ts.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import PROGRAM, ROOT
from first_hour import CELLS, NAMES, cells, places, tenx, write_csv  # noqa: F401
from test_page import block_of, head_of


STEPS = {
    1: "new rows are matched to the model by the names of columns and genes",
    2: "columns of row numbers, columns to use, columns of other scales",
    3: "every output is looked at before the work starts",
    4: "tables as they are: decimal commas, gaps, text, Parquet",
    5: "near misses: commands, options, genes, keys",
    6: "the demo",
    7: "distances after a fit reuse it",
    8: ".h5ad in, .h5ad out",
    9: "rows by name, arrays as colours, pictures, no file that was not asked for",
    10: "quality of cells, clusters and their markers",
    11: "the Methods paragraph says what was done",
    12: "the page: first colour, groups, many points",
    13: "one progress bar from 0 to 100 %, an estimate that does not jump",
    14: "Ctrl-C and SIGTERM end a run within a second",
    15: "no warning on standard data, one for each matter otherwise, with an action",
    16: "the commands of the pages for the first hour",
}


def test_every_step_is_here():
    files = ["cli/test_first_hour.py", "cli/test_first_hour_tables.py", "python/test_first_hour.py"]
    steps = "".join((ROOT / "tests" / name).read_text() for name in files)
    assert {int(number) for number in re.findall(r"^def test_(\d+)", steps, re.M)} == set(STEPS)


# -- 3: outputs are looked at before the work starts -----------------------------------------------------


@pytest.mark.parametrize(
    "option, path, words",
    [
        ("-o", "map.xyz", ".csv"),
        ("-o", "nowhere/map.csv", "mkdir -p nowhere"),
        ("-o", ".", ".csv"),
        ("--model", ".", "it is a folder"),
        ("--plot", "map.pgn", "did you mean '.png'"),
        ("--plot", "nowhere/map.png", "no folder"),
        ("--html", "map.htm", ".html"),
        ("--model", "nowhere/map.gtm", "no folder"),
        ("--manifest", "nowhere/run.json", "no folder"),
        ("--checkpoint", "input.csv", "it is a file"),
        ("--checkpoint", "input.csv/deep/er", "is a file, not a folder"),
        ("--model", "map.h5ad", "a model is written as .gtm"),
        ("--manifest", "run.html", "the manifest is written as .json"),
    ],
)
def test_3_a_wrong_output_is_refused_before_the_input_is_read(geotherm, option, path, words):
    # The input is no table: whoever reads it first complains of that instead.
    (geotherm.dir / "input.csv").write_text("no numbers here\n")
    given = () if option == "-o" else ("-o", "map.csv")
    # A wrong name is a misuse, a folder that is not there a failure.
    code = 1 if "folder" in words or "nowhere" in words or "file" in words else 2
    done = geotherm("embed", "input.csv", *given, option, path, code=code)
    assert f"{option} is '{path}'" in done.stderr and words in done.stderr
    assert [file.name for file in geotherm.dir.iterdir()] == ["input.csv"]


def test_3_two_outputs_of_one_name_and_a_folder_without_rights(geotherm):
    (geotherm.dir / "input.csv").write_text("no numbers here\n")
    done = geotherm("embed", "input.csv", "-o", "a.csv", "--manifest", "a.csv", code=2)
    assert "same file" in done.stderr
    for command, extra in (("distances", ()), ("transform", ("input.csv",))):
        done = geotherm(command, *extra, "input.csv", "-o", "nowhere/a.csv", code=1)
        assert "no folder" in done.stderr


RUNS_AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.mark.parametrize(
    "option, name",
    [("-o", "m.csv"), ("--model", "m.gtm"), ("--html", "m.html"), ("--plot", "m.png"), ("--manifest", "m.json"), ("--checkpoint", "kept"), ("--checkpoint", "kept/deeper")],
)
def test_3_a_folder_that_may_not_be_written_to(geotherm, option, name):
    """Whoever may write everywhere becomes nobody for the run."""
    (geotherm.dir / "input.csv").write_text("no numbers here\n")
    (geotherm.dir / "locked").mkdir()
    (geotherm.dir / "locked").chmod(0o555)
    given = [] if option == "-o" else ["-o", "map.csv"]
    as_nobody = {"user": 65534, "group": 65534, "extra_groups": []} if RUNS_AS_ROOT else {}
    folder = geotherm.dir
    while RUNS_AS_ROOT and folder != folder.parent and folder.stat().st_uid == 0 and not folder.stat().st_mode & 0o1:
        folder.chmod(folder.stat().st_mode | 0o5)
        folder = folder.parent
    geotherm.dir.chmod(0o777)
    done = subprocess.run(
        [PROGRAM, "embed", "input.csv", *given, option, f"locked/{name}"],
        cwd=geotherm.dir, capture_output=True, text=True, **as_nobody,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert f"{option} is 'locked/{name}': the folder locked may not be written to (choose another)" in done.stderr


# -- 5: near misses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, near",
    [
        (("emebd", "a.csv"), "there is no command 'emebd'; did you mean 'embed'?"),
        (("embed", "a.csv", "--n-neighbors", "15"), "there is no option --n-neighbors; did you mean '--knn'?"),
        (("embed", "a.csv", "--random-state", "1"), "did you mean '--seed'?"),
        (("embed", "a.csv", "--n_components=3"), "did you mean '--n-components'?"),
        (("embed", "a.csv", "--elephant"), "there is no option --elephant"),
        (("embed", "a.csv", "--method", "heatgoe"), "did you mean 'heatgeo'?"),
        (("embed", "a.csv", "--metric", "euclidian"), "did you mean 'euclidean'?"),
        (("embed", "a.csv", "--perplexity", "30"), "--perplexity is not used by heatgeo (it is an option of tsne)"),
        (("embed", "a.csv", "-k", "15"), "there is no option -k; did you mean '--knn'?"),
        (("embed", "a.csv", "--leiden"), "did you mean '--cluster'?"),
        (("embed", "a.csv", "--method", "isomap"), "did you mean 'shortest-path'?"),
        (("embed", "a.csv", "--preprocess", "singlecell"), "did you mean 'single-cell'?"),
        (("embed", "a.csv", "--scale", "zscore"), "did you mean 'standardise'?"),
        (("embed", "a.csv", "--missing", "zero"), "--missing is 'zero': give refuse, mean or knn"),
        (("embed", "a.csv", "--seed", "x"), "--seed is 'x': give a number"),
        (("embed", "a.csv", "b.csv"), "'b.csv' is not expected here"),
        (("score", "a.csv"), "'a.csv' is not expected here: this command takes its files by options"),
        (("pseudotime", "a.csv", "--start", "3"), "did you mean '--root'?"),
        (("umap", "a.csv"), "'umap' is a method: geotherm embed FILE --method umap"),
        (("cluster", "a.csv"), "geotherm embed FILE --cluster"),
        (("help",), "did you mean 'geotherm --help'?"),
        (("embed", "help", "help"), "did you mean 'geotherm embed --help'?"),
        (("--verison",), "did you mean '--version'?"),
        ((), "name a command; to look around first: geotherm demo"),
    ],
)
def test_5_near_misses_are_met(geotherm, words, near):
    assert near in geotherm(*words, code=2).stderr


@pytest.mark.parametrize("option", ["--threads", "--bootstrap", "--seed"])
def test_5_a_count_below_0_is_refused(geotherm, option):
    """Read as an unsigned number, -2 threads are more than a machine has."""
    assert f"{option} is '-2': give a whole number from 0" in geotherm("embed", "a.csv", option, "-2", code=2).stderr


@pytest.mark.parametrize(
    "words, says",
    [
        (("--color", "CD3"), "--color is given, but no --plot or --html"),
        (("--title", "Mine"), "--title is given, but no --plot or --html"),
        (("--resolution", "2"), "--resolution requires --cluster"),
    ],
)
def test_5_an_option_that_nothing_reads_is_refused(geotherm, words, says):
    assert says in geotherm("embed", "a.csv", "-o", "m.csv", *words, code=2).stderr


def test_5_an_unknown_gene_brings_the_nearest(tenx):
    geotherm, *_ = tenx
    done = geotherm("embed", "counts", *CELLS, "-o", "m.csv", "--html", "m.html", "--features", "mt-co2", code=2)
    assert "did you mean 'MT-CO1'?" in done.stderr


# -- 6: the demo ----------------------------------------------------------------------------------------


def test_6_the_demo_makes_data_map_and_page(geotherm):
    started = time.monotonic()
    done = geotherm("demo")
    assert time.monotonic() - started < 60  # 10 s on a quiet machine
    folder = geotherm.dir / "geotherm-demo"
    made = {file.name for file in folder.iterdir()}
    assert {"tree.npz", "map.csv", "map.png", "run.json"} <= made
    for name in made:
        assert f"geotherm-demo/{name}" in done.stdout
    assert len(places(folder / "map.csv")) == 800
    # The commands that it shows are those that it ran, and its advice can be followed.
    advice = [
        line.split("geotherm ", 1)[1].split("   ")[0]
        for line in done.stdout.splitlines()
        if "geotherm score" in line or "geotherm methods" in line
    ]
    assert len(advice) == 2
    for line in advice:
        geotherm(*line.split())
    assert geotherm("demo", "-o", "second").returncode == 0


# -- 8: .h5ad in, .h5ad out -----------------------------------------------------------------------------


def test_8_compared_maps_go_into_an_npz_too(geotherm, points):
    np.save(geotherm.dir / "a.npy", points)
    geotherm("embed", "a.npy", "-o", "maps.npz", "--compare", "phate")
    assert {"embedding", "embedding_phate"} <= set(np.load(geotherm.dir / "maps.npz"))


# -- 9: rows by name, colours, pictures ------------------------------------------------------------------


def test_9a_rows_by_name(geotherm, cells):
    write_csv(geotherm.dir / "a.csv", cells, NAMES, ids=[f"AAAC{i}-1" for i in range(300)])
    geotherm("distances", "a.csv", "-o", "named.csv", "--from", "AAAC5-1,AAAC9-1")
    geotherm("distances", "a.csv", "-o", "numbered.csv", "--from", "5,9")
    assert (geotherm.dir / "named.csv").read_bytes() == (geotherm.dir / "numbered.csv").read_bytes()
    done = geotherm("distances", "a.csv", "-o", "d.csv", "--from", "AAAC5", code=2)
    assert "no row has that name; did you mean 'AAAC5-1'?" in done.stderr
    done = geotherm("pseudotime", "a.csv", "-o", "t.csv", "--root", "aaac5-1", code=2)
    assert "--root has 'aaac5-1': no row has that name; did you mean 'AAAC5-1'?" in done.stderr
    geotherm("pseudotime", "a.csv", "-o", "t.csv", "--root", "AAAC5-1")
    by_name = (geotherm.dir / "t.csv").read_bytes()
    geotherm("pseudotime", "a.csv", "-o", "t.csv", "--root", "5")
    assert (geotherm.dir / "t.csv").read_bytes() == by_name


def test_9b_arrays_of_an_npz_are_labels_and_colours(geotherm, cells):
    kinds = np.where(cells[:, 0] > 0, "left", "right")
    np.savez(geotherm.dir / "a.npz", X=cells, kinds=kinds, height=cells[:, 2])
    done = geotherm("embed", "a.npz:X", "-o", "m.csv", "--label-column", "kinds", "--plot", "kinds.svg")
    assert "coloured by 'kinds'" in done.stderr
    picture = (geotherm.dir / "kinds.svg").read_text()
    assert "left" in picture and "right" in picture and ">a.npz<" in picture
    assert (
        "did you mean 'kinds'" in geotherm("embed", "a.npz:X", "-o", "m.csv", "--label-column", "kind", code=2).stderr
    )
    # --color reaches the picture.
    geotherm("embed", "a.npz:X", "-o", "m.csv", "--color", "height", "--plot", "height.svg")
    assert "height" in (geotherm.dir / "height.svg").read_text()


def test_9b_the_colour_that_is_announced_is_the_one_that_is_shown(geotherm, cells):
    kinds = np.where(cells[:, 0] > 0, "left", "right")
    np.savez(geotherm.dir / "a.npz", X=cells, y=np.arange(300) % 4, kinds=kinds, height=cells[:, 2])
    for options, shown in (((), "y"), (("--color", "kinds"), "kinds"), (("--cluster",), "cluster")):
        done = geotherm("embed", "a.npz:X", "-o", "m.csv", "--html", "m.html", "--plot", "m.svg", *options)
        assert re.findall("coloured by '(.*?)'", done.stderr) == [shown]
        assert head_of(geotherm.dir / "m.html")["color"] == shown
        assert f">{shown}<" in (geotherm.dir / "m.svg").read_text()
    # Distances have no colour.
    assert "coloured" not in geotherm("distances", "a.npz:X", "-o", "d.csv", "--from", "5").stderr


def test_9b_labels_are_matched_by_name_and_may_be_incomplete(geotherm, cells):
    names = [f"AAAC{i}-1" for i in range(300)]
    write_csv(geotherm.dir / "a.csv", cells, NAMES, ids=names)
    order = np.random.default_rng(0).permutation(300)[:250]
    lines = [f"{names[i]},{'left' if cells[i, 0] > 0 else 'right'},{i}.5\n" for i in order]
    (geotherm.dir / "types.csv").write_text("barcode,side,number\n" + "".join(lines) + "OTHER-1,left,1.5\n")
    geotherm("embed", "a.csv", "-o", "m.csv", "--html", "m.html", "--annotations", "types.csv", "--color", "side")
    head = head_of(geotherm.dir / "m.html")
    side = next(column for column in head["columns"] if column["name"] == "side")
    kinds = np.array(side["labels"], dtype=object)[block_of(geotherm.dir / "m.html", side["codes"])]
    expected = np.full(300, "(missing)", dtype=object)
    expected[order] = np.where(cells[order, 0] > 0, "left", "right")
    assert list(kinds) == list(expected)
    (geotherm.dir / "other.csv").write_text("barcode,side\nB1,left\nB2,right\n")
    done = geotherm("embed", "a.csv", "-o", "m.csv", "--html", "m.html", "--annotations", "other.csv", code=1)
    assert "it has 'B1', points are named as 'AAAC0-1'" in done.stderr


def test_9b_a_column_of_the_data_is_a_colour(geotherm, cells, tenx):
    """--color CD4, or a gene: in the picture and on the page, also with decimal commas."""
    lines = [";".join(NAMES)] + [";".join(f"{x:.4f}".replace(".", ",") for x in row) for row in cells]
    (geotherm.dir / "a.csv").write_text("\n".join(lines) + "\n")
    asked = ("--color", "CD4", "--plot", "m.svg", "--html", "m.html")
    geotherm("embed", "a.csv", "-o", "m.csv", "--decimal", ",", *asked)
    assert ">CD4<" in (geotherm.dir / "m.svg").read_text() and head_of(geotherm.dir / "m.html")["color"] == "CD4"
    done = geotherm("embed", "a.csv", "-o", "m.csv", "--decimal", ",", "--color", "CD5", "--plot", "m.svg", code=2)
    assert "--color is 'CD5'" in done.stderr and "did you mean 'CD" in done.stderr
    geotherm("embed", "counts", *CELLS, "-o", "m.csv", "--color", "MT-CO1", "--plot", "gene.svg")
    assert ">MT-CO1<" in (geotherm.dir / "gene.svg").read_text()


def test_9c_no_file_that_was_not_asked_for(geotherm):
    geotherm("synth", "swiss-roll", "--n", "500", "--noise", "1.0", "--seed", "1", "-o", "roll.npz")
    done = geotherm("embed", "roll.npz:X", "-o", "m.csv")
    assert "--removed writes" in done.stderr
    assert {file.name for file in geotherm.dir.iterdir()} == {"roll.npz", "m.csv"}
    geotherm("embed", "roll.npz:X", "-o", "m.csv", "--removed")
    assert (geotherm.dir / "m_removed.csv").exists()


# -- 10: clusters and quality of cells ---------------------------------------------------------------------


def ari(a, b):
    """The adjusted Rand index of two labellings."""
    a, b = np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1]
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    pairs = lambda x: (x * (x - 1) / 2).sum()
    both, one, other, all_pairs = pairs(table), pairs(table.sum(1)), pairs(table.sum(0)), pairs(np.array([len(a)]))
    expected = one * other / all_pairs
    return (both - expected) / ((one + other) / 2 - expected)


def test_10a_kinds_of_cells_are_found_and_marked(tenx):
    geotherm, counts, genes, kind = tenx
    options = ("--cluster", "--resolution", "0.3")
    done = geotherm("embed", "counts", *CELLS, "-o", "m.npz", *options, "--manifest", "run.json", "--plot", "m.svg")
    assert "3 clusters (resolution 0.3" in done.stderr
    found = np.load(geotherm.dir / "m.npz")["cluster"]
    assert ari(found, kind) > 0.95
    manifest = json.loads((geotherm.dir / "run.json").read_text())["clusters"]
    assert sum(manifest["sizes"]) == 400
    # A marker of a cluster has more counts there than elsewhere.
    for entry in manifest["markers"]:
        inside = found == entry["cluster"]
        for gene in entry["genes"]:
            column = counts[:, genes.index(gene)]
            assert column[inside].mean() > column[~inside].mean()
    # The same seed gives the same clusters, whatever the threads; the picture is coloured by them.
    geotherm("embed", "counts", *CELLS, "-o", "again.npz", *options, "--threads", 1)
    assert np.array_equal(np.load(geotherm.dir / "again.npz")["cluster"], found)
    assert "cluster" in (geotherm.dir / "m.svg").read_text()
    geotherm("embed", "counts", *CELLS, "-o", "m.csv", "--cluster", "--resolution", "0.5", "--quiet")
    lines = (geotherm.dir / "m_clusters.csv").read_text().splitlines()
    assert lines[0] == "id,cluster" and len(lines) == 401


def test_10b_the_page_has_quality_clusters_and_markers(tenx):
    geotherm, *_ = tenx
    geotherm("embed", "counts", *CELLS, "-o", "m.csv", "--cluster", "--html", "m.html", "--manifest", "run.json")
    text = (geotherm.dir / "m.html").read_text()
    for name in ("total_counts", "n_genes_by_counts", "pct_counts_mt", "cluster"):
        assert f'"{name}"' in text
    markers = json.loads((geotherm.dir / "run.json").read_text())["clusters"]["markers"]
    assert all(f'"{gene}"' in text for entry in markers for gene in entry["genes"])
    assert head_of(geotherm.dir / "m.html")["title"] == "counts"


def test_10b_clusters_are_named_by_a_table(tenx):
    """The program prints the markers; a table of a line for each cluster gives names, also to new cells."""
    geotherm, *_ = tenx
    done = geotherm("embed", "counts", *CELLS, "-o", "m.h5ad", "--cluster", "--resolution", "0.3", "--keep", "cluster", "--model", "m.gtm")
    printed = dict(re.findall(r"^ +(\d): (\d+) cells, [A-Z]", done.stderr, re.M))
    assert set(printed) == set("012") and sum(map(int, printed.values())) == 400
    (geotherm.dir / "names.csv").write_text("cluster,kind\n1,Beta\n0,Alpha\n")
    geotherm("embed", "m.h5ad", "-o", "m.csv", "--annotations", "names.csv", "--color", "kind", "--html", "m.html")
    kind = next(column for column in head_of(geotherm.dir / "m.html")["columns"] if column["name"] == "kind")
    names = np.array(kind["labels"], dtype=object)[block_of(geotherm.dir / "m.html", kind["codes"])]
    wanted = {"Alpha": printed["0"], "Beta": printed["1"], "(missing)": printed["2"]}
    assert {name: str((names == name).sum()) for name in wanted} == wanted
    geotherm("transform", "m.gtm", "counts", "-o", "q.csv", "--transfer", "cluster")
    rows = [line.split(",") for line in (geotherm.dir / "q.csv").read_text().splitlines()]
    labels = [row[rows[0].index("label")] for row in rows[1:]]
    assert {c: str(labels.count(c)) for c in "012"} == printed


def test_10c_clusters_of_pbmc_agree_with_scanpys(geotherm):
    folder = os.environ.get("GEOTHERM_DATA")
    if not folder:
        pytest.skip("SKIPPED: no real data sets (set GEOTHERM_DATA)")
    path = pathlib.Path(folder) / "pbmc3k_processed_pca50_small.npz"
    geotherm("embed", f"{path}:X_pca", "-o", "m.npz", "--cluster", "--method", "pca", "--resolution", "0.8")
    found = np.load(geotherm.dir / "m.npz")["cluster"]
    # scanpy's own Louvain and Leiden differ by about 0.9 on these cells.
    assert ari(found, np.load(path)["louvain"]) > 0.7


# -- 11: the Methods paragraph says what was done -------------------------------------------------------------


def test_11_the_methods_paragraph_says_what_was_done_and_nothing_else(tenx):
    geotherm, counts, *_ = tenx
    geotherm("embed", "counts", *CELLS, "-o", "m.csv", "--manifest", "run.json", "--max-mito", "90")
    text = geotherm("methods", "run.json").stdout
    for words in (
        "fewer than 50 genes",
        "90 % mitochondrial",
        "genes found in fewer than",
        "log-transformed",
        "20 principal components of them",
        "scanpy",
        "observations was computed",
        "chosen automatically (",
    ):
        assert words in text, (words, text)
    # The components of the preprocessing are not cut a second time, and the text does not say so.
    assert text.count("principal components of them") == 1 and "reduced to" not in text
    np.save(geotherm.dir / "a.npy", np.random.default_rng(0).normal(size=(150, 4)))
    geotherm(
        "embed", "a.npy", "-o", "m.csv", "--manifest", "run.json", "--time", "5", "--shortcuts", "off", "--pca", "none"
    )
    text = geotherm("methods", "run.json").stdout
    assert "t = 5" in text and "as set by hand" in text and "150 observations" in text
    for words in ("chosen", "principal components", "left out", "hortcut edges"):
        assert words not in text, (words, text)
    geotherm("embed", "a.npy", "-o", "m.csv", "--manifest", "run.json", "--pca", "2", "--scale", "robust")
    text = geotherm("methods", "run.json").stdout
    assert "reduced to 2 principal components." in text and "median deviation" in text


# -- 13: one bar from 0 to 100 % ------------------------------------------------------------------------------


def test_13_one_bar_that_never_goes_back(geotherm):
    pty = pytest.importorskip("pty")
    geotherm("synth", "swiss-roll", "--n", "6000", "-o", "roll.npz")
    ours, its = pty.openpty()
    command = [
        PROGRAM,
        "embed",
        "roll.npz:X",
        "-o",
        "m.csv",
        "--compare",
        "phate",
        "--html",
        "m.html",
        "--threads",
        "1",
    ]
    process = subprocess.Popen(command, cwd=geotherm.dir, stderr=its, stdout=subprocess.DEVNULL)
    os.close(its)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    assert process.wait() == 0
    shares = [int(share) for share in re.findall(rb"\] +(\d+) %", text)]
    assert len(shares) > 3 and shares == sorted(shares) and shares[0] < 50 and shares[-1] == 100
    # The end that is expected moves slowly: from one picture of the bar to the next by a fifth of what is left at most.
    left = [float(seconds) for seconds in re.findall(rb"(\d+) s left", text)]
    for before, after in zip(left, left[1:]):
        assert abs(after - before) <= 2 + 0.2 * before, left


def test_13_every_stage_is_weighed():
    """A stage that the bar does not know would let it stand still."""
    table = (ROOT / "apps/cli/whole_progress.cpp").read_text()
    known = set(re.findall(r'\{"([^"]+)", \d+\}', table))
    reported = set()
    for source in (ROOT / "src").glob("**/*.cpp"):
        if not source.stem.endswith("_test"):
            text = source.read_text()
            reported |= set(re.findall(r'(?:report|report_or_throw)\(\s*\{(?:\.stage = )?"([^"]+)"', text))
            reported |= set(re.findall(r'constexpr [\w:* ]+ stage = "([^"]+)"', text))
    parts_of_others = {"orthogonal rows"}  # inside of pca
    assert len(reported) > 20 and reported - parts_of_others == known


# -- 14: Ctrl-C ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_14_a_signal_ends_the_run_within_a_second(geotherm, name):
    """tests/cli/test_stop.py has every stage."""
    np.save(geotherm.dir / "a.npy", np.random.default_rng(0).normal(size=(6000, 20)))
    run = subprocess.Popen([PROGRAM, "embed", "a.npy", "-o", "m.npy", "--landmarks", "none"], cwd=geotherm.dir)
    time.sleep(2)
    run.send_signal(name)
    began = time.monotonic()
    assert run.wait(timeout=60) == 130
    assert time.monotonic() - began < 2.0  # a second, and what a busy machine adds
    assert [file.name for file in geotherm.dir.iterdir()] == ["a.npy"]


# -- 15: warnings ----------------------------------------------------------------------------------------------


def test_15_clean_data_gives_no_warning_and_every_warning_an_action(geotherm, cells):
    """tests/cli/test_warnings.py has the real sets."""
    write_csv(geotherm.dir / "a.csv", cells, NAMES)
    assert "warning" not in geotherm("embed", "a.csv", "-o", "m.csv").stderr
    apart = np.r_[cells, cells + 1000]
    write_csv(geotherm.dir / "apart.csv", apart, NAMES)
    warnings = [line for line in geotherm("embed", "apart.csv", "-o", "m.csv").stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1 and "--knn" in warnings[0]
    assert re.search(r"2 components|two components", warnings[0])  # whole numbers for counts


# -- 16: the pages ---------------------------------------------------------------------------------------------


def test_16_the_pages_for_the_first_hour_are_there():
    """tests/cli/test_first_hour_docs.py runs their commands."""
    pages = ["tenx_to_figure", "coming_from", "choosing_options", "reading_a_map", "is_my_map_good", "pseudotime", "comparison"]
    index = (ROOT / "docs/index.md").read_text() + (ROOT / "README.md").read_text()
    for page in pages:
        assert (ROOT / f"docs/{page}.md").exists() and f"{page}.md" in index, page


# -- 12: the page of many points ---------------------------------------------------------------------------------


def test_12_heat_and_true_neighbours_of_many_points(geotherm):
    rng = np.random.default_rng(0)
    t, h = rng.uniform(4.7, 14, 51_000), rng.uniform(0, 20, 51_000)
    np.save(geotherm.dir / "roll.npy", np.c_[t * np.cos(t), h, t * np.sin(t)].astype(np.float32))
    geotherm("embed", "roll.npy", "-o", "m.npy", "--html", "m.html", "--refine", "off", "--quiet")
    head = head_of(geotherm.dir / "m.html")
    assert head["n"] == 51_000 and head["graph"]["landmarks"] is True and head["graph"]["places"] == 10_000
    assert head["graph"]["placeOf"]["length"] == 51_000 and head["graph"]["time"] > 0
    assert head["neighbors"]["rows"]["length"] * head["neighbors"]["k"] == head["neighbors"]["indices"]["length"]
    assert any(column["name"] == "distortion" for column in head["columns"])
