"""The first hour with the program: what someone new tries, in order, and what they must get.

Each test is a numbered step; a step says what was typed and what is expected. What the steps are about is in STEPS; those that
need the package are in tests/python/test_first_hour.py, under the same numbers, and the controls of the page (search with suggestions,
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
from test_page import head_of


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
    here = pathlib.Path(__file__)
    both = here.read_text() + (ROOT / "tests/python/test_first_hour.py").read_text()
    assert {int(number) for number in re.findall(r"^def test_(\d+)", both, re.M)} == set(STEPS)


def write_csv(path, table, names, ids=None, separator=",", more=()):
    """A text table as people have them; `more` are further columns (name, values)."""
    head = ([] if ids is None else ["id"]) + list(names) + [name for name, _ in more]
    lines = [separator.join(head)]
    for i, row in enumerate(table):
        cells = ([] if ids is None else [ids[i]]) + [repr(float(x)) for x in row] + [str(v[i]) for _, v in more]
        lines.append(separator.join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def cells():
    """Three hundred points on a bent sheet, five columns of one scale."""
    rng = np.random.default_rng(12)
    t, h = rng.uniform(0, 3, 300), rng.uniform(0, 2, 300)
    return np.c_[np.cos(t), np.sin(t), h, 0.3 * t, 0.3 * h] + rng.normal(0, 0.01, (300, 5))


NAMES = ["CD3", "CD4", "CD8", "CD19", "CD45"]


# -- 1: columns and genes are matched by name --------------------------------------------------------


@pytest.fixture
def kept(geotherm, cells):
    write_csv(geotherm.dir / "old.csv", cells[:200], NAMES)
    write_csv(geotherm.dir / "new.csv", cells[200:], NAMES)
    geotherm("embed", "old.csv", "-o", "map.csv", "--model", "map.gtm", "--quiet")
    geotherm("transform", "map.gtm", "new.csv", "-o", "places.csv", "--quiet")
    return geotherm


def test_1a_columns_in_another_order_give_the_same_places(kept, cells):
    order = [3, 0, 4, 1, 2]
    write_csv(kept.dir / "turned.csv", cells[200:][:, order], [NAMES[j] for j in order])
    done = kept("transform", "map.gtm", "turned.csv", "-o", "turned_places.csv")
    assert "matched by name" in done.stderr
    assert (kept.dir / "turned_places.csv").read_bytes() == (kept.dir / "places.csv").read_bytes()


def test_1b_a_renamed_column_is_refused_by_name(kept, cells):
    write_csv(kept.dir / "renamed.csv", cells[200:], ["CD3", "CD4", "CD8a", "CD19", "CD45"])
    done = kept("transform", "map.gtm", "renamed.csv", "-o", "out.csv", code=1)
    assert "lacks 1 of the model's 5 columns: CD8 " in done.stderr and "--absent zero" in done.stderr
    assert not (kept.dir / "out.csv").exists()


def test_1c_further_columns_are_left_out_and_said(kept, cells):
    wide = np.c_[np.full(100, 7.5), cells[200:], np.arange(100) / 3]
    write_csv(kept.dir / "wide.csv", wide, ["batch", *NAMES, "time"])
    done = kept("transform", "map.gtm", "wide.csv", "-o", "wide_places.csv")
    assert "2 columns that the model does not know" in done.stderr
    assert (kept.dir / "wide_places.csv").read_bytes() == (kept.dir / "places.csv").read_bytes()


def test_1d_without_names_the_number_counts(kept, cells):
    np.save(kept.dir / "new.npy", cells[200:])
    done = kept("transform", "map.gtm", "new.npy", "-o", "plain.npy")
    assert "have no names" in done.stderr
    places = np.loadtxt(kept.dir / "places.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    assert np.array_equal(np.load(kept.dir / "plain.npy"), places)
    np.save(kept.dir / "four.npy", cells[200:, :4])
    assert "4 columns" in kept("transform", "map.gtm", "four.npy", "-o", "out.npy", code=1).stderr


def test_1e_points_far_from_the_reference_are_warned_of(kept, cells):
    """Columns without names in another order, or another unit: nothing fits, and one warning says so."""
    assert "warning" not in kept("transform", "map.gtm", "new.csv", "-o", "out.csv").stderr
    np.save(kept.dir / "turned.npy", cells[200:, ::-1].copy())
    np.save(kept.dir / "unit.npy", 100 * cells[200:])
    for name in ("turned", "unit"):
        done = kept("transform", "map.gtm", f"{name}.npy", "-o", "out.npy")
        assert done.stderr.count("warning") == 1 and "far from every point of the model" in done.stderr


def test_1f_an_older_model_without_names_still_loads(kept):
    arrays = dict(np.load(kept.dir / "map.gtm"))
    assert list(arrays["column_names"]) == NAMES
    # As earlier versions wrote it: kept in the tree.
    old = ROOT / "tests/reference/models/without_names.gtm"
    np.save(kept.dir / "three.npy", np.zeros((2, 3)))
    kept("transform", old, "three.npy", "-o", "out.npy")
    assert np.isfinite(np.load(kept.dir / "out.npy")).all()


@pytest.fixture
def tenx(geotherm):
    """Counts of 400 cells in three kinds as a folder of 10x, and the same with the genes in another order."""
    rng = np.random.default_rng(3)
    kind = np.repeat([0, 1, 2], 134)[:400]
    rates = rng.gamma(0.5, 2.0, size=(3, 600))
    counts = rng.poisson(rates[kind])
    genes = [f"GENE{g}" for g in range(597)] + ["MT-CO1", "MT-ND1", "TWIN"]
    genes[0] = "TWIN"  # two genes share a symbol
    write_tenx(geotherm.dir / "counts", counts, genes)
    return geotherm, counts, genes, kind


def write_tenx(folder, counts, genes, order=None, barcodes=None):
    order = np.arange(len(genes)) if order is None else order
    folder.mkdir()
    at = [(g, c) for g in range(len(order)) for c in np.flatnonzero(counts[:, order[g]])]
    lines = [f"{g + 1} {c + 1} {counts[c, order[g]]}" for g, c in at]
    head = f"%%MatrixMarket matrix coordinate integer general\n{len(order)} {len(counts)} {len(lines)}"
    (folder / "matrix.mtx").write_text("\n".join([head, *lines]) + "\n")
    barcodes = [f"CELL{i}-1" for i in range(len(counts))] if barcodes is None else barcodes
    (folder / "barcodes.tsv").write_text("".join(f"{b}\n" for b in barcodes))
    (folder / "genes.tsv").write_text("".join(f"E{g}\t{genes[g]}\n" for g in order))


CELLS = ("--preprocess", "single-cell", "--min-genes", "50", "--pcs", "20")


def without_novelty(path):
    """What transform wrote, less its last column; rows of the training data have novelty 0."""
    lines = [line.rsplit(",", 1) for line in path.read_text().splitlines()]
    assert lines[0][1] == "novelty" and {novelty for _, novelty in lines[1:]} == {"0"}
    return "".join(f"{line}\n" for line, _ in lines)


def test_1g_genes_in_another_order_give_the_same_places(tenx):
    geotherm, counts, genes, _ = tenx
    geotherm("embed", "counts", "-o", "map.csv", "--model", "map.gtm", *CELLS)
    # Of two genes of one name the first stays the first.
    order = np.r_[0, np.random.default_rng(0).permutation(np.arange(1, 600))]
    write_tenx(geotherm.dir / "turned", counts, genes, order)
    done = geotherm("transform", "map.gtm", "turned", "-o", "again.csv")
    assert "matched by name" in done.stderr
    assert without_novelty(geotherm.dir / "again.csv") == (geotherm.dir / "map.csv").read_text()
    write_tenx(geotherm.dir / "fewer", counts, genes, np.arange(300))
    assert "lacks" in geotherm("transform", "map.gtm", "fewer", "-o", "out.csv", code=1).stderr
    done = geotherm("transform", "map.gtm", "fewer", "-o", "out.csv", "--absent", "zero")
    assert "taken as 0" in done.stderr


# -- 2: columns that number the rows, and columns of other scales -------------------------------------


def places(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2))


def test_2a_an_id_column_is_no_feature(geotherm, cells):
    ids = [("cell_id", np.arange(1000, 1300))]
    write_csv(geotherm.dir / "plain.csv", cells, NAMES)
    geotherm("embed", "plain.csv", "-o", "plain_map.csv", "--quiet")
    # First: it names the rows.
    lines = (geotherm.dir / "plain.csv").read_text().splitlines()
    numbered = ["cell_id," + lines[0]] + [f"{1000 + i},{line}" for i, line in enumerate(lines[1:])]
    (geotherm.dir / "first.csv").write_text("\n".join(numbered) + "\n")
    done = geotherm("embed", "first.csv", "-o", "first_map.csv")
    assert "first column taken as row names" in done.stderr and "columns CD3, CD4, CD8, CD19, ... (5)" in done.stderr
    assert (geotherm.dir / "first_map.csv").read_text().splitlines()[1].startswith("1000,")
    # Among others: left out and said.
    for name in ("cell_id", "Unnamed: 0", "barcode", "index"):
        columns = np.insert(cells, 2, np.arange(1000, 1300), axis=1)
        write_csv(geotherm.dir / "middle.csv", columns, NAMES[:2] + [name] + NAMES[2:])
        text = (geotherm.dir / "middle.csv").read_text().replace(".0,", ",")
        (geotherm.dir / "middle.csv").write_text(text)
        done = geotherm("embed", "middle.csv", "-o", "middle_map.csv")
        assert f"row numbers not used: {name}" in done.stderr
        assert np.array_equal(places(geotherm.dir / "first_map.csv"), places(geotherm.dir / "middle_map.csv"))
    assert np.array_equal(places(geotherm.dir / "first_map.csv"), places(geotherm.dir / "plain_map.csv"))
    # The last column may be what was measured; whoever names it gets it.
    write_csv(geotherm.dir / "last.csv", cells, NAMES, more=ids)
    assert "(6)" in geotherm("embed", "last.csv", "-o", "m.csv").stderr
    done = geotherm("embed", "middle.csv", "-o", "m.csv", "--columns", "CD3,CD4,index")
    assert "columns CD3, CD4, index" in done.stderr


def test_2b_drop_leaves_columns_out(geotherm, cells):
    write_csv(geotherm.dir / "all.csv", cells, NAMES)
    write_csv(geotherm.dir / "some.csv", cells[:, [0, 2, 4]], ["CD3", "CD8", "CD45"])
    geotherm("embed", "all.csv", "-o", "a.csv", "--drop", "CD4,CD19")
    geotherm("embed", "some.csv", "-o", "b.csv")
    assert (geotherm.dir / "a.csv").read_bytes() == (geotherm.dir / "b.csv").read_bytes()
    assert "CD3, CD4" in geotherm("embed", "all.csv", "-o", "a.csv", "--drop", "CD5", code=1).stderr


def test_2c_columns_of_other_scales_are_named_and_scaled(geotherm, cells):
    income = np.c_[cells, 50_000 * np.random.default_rng(0).uniform(size=300)]
    write_csv(geotherm.dir / "income.csv", income, [*NAMES, "income"])
    done = geotherm("embed", "income.csv", "-o", "m.csv")
    warning = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warning) == 1 and "'income'" in warning[0] and "--scale standardise" in warning[0]
    assert "CD3" not in warning[0].split("hardly see")[0]
    for how in ("standardise", "robust"):
        done = geotherm("embed", "income.csv", "-o", f"{how}.csv", "--scale", how, "--model", f"{how}.gtm")
        assert "warning" not in done.stderr and "scaled by" in done.stderr
        geotherm("transform", f"{how}.gtm", "income.csv", "-o", "again.csv")
        assert without_novelty(geotherm.dir / "again.csv") == (geotherm.dir / f"{how}.csv").read_text()
        # Units no longer matter: cents give the map of dollars (powers of two, to the bit).
        write_csv(geotherm.dir / "cents.csv", income * [1, 1, 1, 1, 1, 64], [*NAMES, "income"])
        geotherm("embed", "cents.csv", "-o", "cents_map.csv", "--scale", how)
        assert (geotherm.dir / "cents_map.csv").read_bytes() == (geotherm.dir / f"{how}.csv").read_bytes()


# -- 4: tables as they are ----------------------------------------------------------------------------


def test_4a_decimal_commas_semicolons_and_thousands(geotherm, cells):
    big = np.round(1000 * cells, 3)
    write_csv(geotherm.dir / "plain.csv", big, NAMES)
    geotherm("embed", "plain.csv", "-o", "plain_map.csv", "--quiet")
    point = [[f"{x:,.3f}" for x in row] for row in big]
    comma = [[x.replace(",", " ").replace(".", ",").replace(" ", ".") for x in row] for row in point]
    rows = {
        "german.csv": ([";".join(row) for row in comma], ";".join(NAMES), ("--decimal", ",", "--thousands", ".")),
        "quoted.csv": (['"' + '","'.join(row) + '"' for row in point], ",".join(NAMES), ("--thousands", ",")),
        "tabs.tsv": (["\t".join(row) for row in point], "\t".join(NAMES), ("--thousands", ",")),
    }
    for name, (lines, head, options) in rows.items():
        # As Excel writes it: a byte-order mark and carriage returns.
        (geotherm.dir / name).write_bytes(b"\xef\xbb\xbf" + "\r\n".join([head, *lines, ""]).encode())
        done = geotherm("embed", name, "-o", "m.csv", code=1)
        assert "--thousands" in done.stderr or "--decimal" in done.stderr
        done = geotherm("embed", name, "-o", "m.csv", *options)
        assert "columns CD3, CD4" in done.stderr
        assert (geotherm.dir / "m.csv").read_bytes() == (geotherm.dir / "plain_map.csv").read_bytes(), name


def with_gaps(geotherm, cells, word):
    write_csv(geotherm.dir / "gaps.csv", cells, NAMES)
    lines = (geotherm.dir / "gaps.csv").read_text().splitlines()
    for at, column in ((3, 1), (40, 4), (41, 0)):
        row = lines[at].split(",")
        row[column] = word
        lines[at] = ",".join(row)
    (geotherm.dir / "gaps.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("word", ["", "NA", "nan", "#N/A"])
def test_4b_missing_values_are_refused_with_their_share_or_filled_in(geotherm, cells, word):
    with_gaps(geotherm, cells, word)
    done = geotherm("embed", "gaps.csv", "-o", "m.csv", code=1)
    assert "line 4, column 2" in done.stderr and "3 of 1500 values are missing, 0.2 %" in done.stderr
    assert "--missing mean or knn" in done.stderr
    for how in ("mean", "knn"):
        done = geotherm("embed", "gaps.csv", "-o", f"{how}.csv", "--missing", how)
        assert "3 missing values (0.2 %) filled in" in done.stderr
    # By its nearest rows a point on a sheet comes back to where it was, by the column's mean it does not.
    write_csv(geotherm.dir / "whole.csv", cells, NAMES)
    geotherm("embed", "whole.csv", "-o", "whole_map.csv", "--quiet")
    off = {
        h: np.abs(places(geotherm.dir / f"{h}.csv") - places(geotherm.dir / "whole_map.csv"))[2].max()
        for h in ("mean", "knn")
    }
    assert off["knn"] < off["mean"]


def test_4c_gaps_in_arrays_too(geotherm, cells):
    gaps = cells.copy()
    gaps[7, 2] = np.nan
    np.save(geotherm.dir / "gaps.npy", gaps)
    done = geotherm("embed", "gaps.npy", "-o", "m.csv", code=1)
    assert "row 7, column 2" in done.stderr and "1 of 1500 values are missing" in done.stderr
    geotherm("embed", "gaps.npy", "-o", "m.csv", "--missing", "knn")


def test_4d_text_is_a_label_and_half_numbers_are_refused(geotherm, cells):
    kinds = np.where(cells[:, 0] > 0, "left", "right")
    write_csv(geotherm.dir / "kinds.csv", cells, NAMES, more=[("kind", kinds)])
    assert "coloured by 'kind'" in geotherm("embed", "kinds.csv", "-o", "m.csv").stderr
    mixed = ["low"] * 30 + [str(x) for x in range(270)]
    write_csv(geotherm.dir / "mixed.csv", cells, NAMES, more=[("dose", mixed)])
    done = geotherm("embed", "mixed.csv", "-o", "m.csv", code=1)
    assert "line 32, column 'dose': '0' is a number" in done.stderr and "--label-column dose" in done.stderr
    geotherm("embed", "mixed.csv", "-o", "m.csv", "--drop", "dose")
    geotherm("embed", "mixed.csv", "-o", "m.csv", "--label-column", "dose")


def test_4e_parquet_is_read_through_python(geotherm):
    (geotherm.dir / "a.parquet").write_bytes(b"PAR1")
    said = geotherm("embed", "a.parquet", "-o", "m.csv", code=1).stderr
    assert "geotherm.HeatGeo().fit('a.parquet')" in said and "pandas.read_parquet('a.parquet')" in said


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


# -- 5: near misses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, near",
    [
        (("emebd", "a.csv"), "there is no command 'emebd'; did you mean 'embed'?"),
        (("embed", "a.csv", "--n-neighbors", "15"), "there is no option --n-neighbors; did you mean '--knn'?"),
        (("embed", "a.csv", "--random-state", "1"), "did you mean '--seed'?"),
        (("embed", "a.csv", "--n_components=3"), "did you mean '--n-components'?"),
        (("embed", "a.csv", "--elephant"), "there is no option --elephant"),
        (("embed", "a.csv", "--perplexity", "30"), "--perplexity is not used by heatgeo (it is an option of tsne)"),
    ],
)
def test_5_near_misses_are_met(geotherm, words, near):
    assert near in geotherm(*words, code=2).stderr


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
