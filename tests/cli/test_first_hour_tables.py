"""The first hour with the program, steps 1, 2 and 4: tables as people have them, and new rows on an old map.

The numbers are those of STEPS in tests/cli/test_first_hour.py.
"""

import numpy as np
import pytest
from conftest import ROOT
from first_hour import CELLS, NAMES, cells, places, tenx, without_novelty, write_csv, write_tenx  # noqa: F401


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
    assert "lacks 1 of the model's 5 columns: CD8; is its 'CD8a' the model's 'CD8'?" in done.stderr
    assert "--absent zero" in done.stderr
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
    assert "taken as 0" in done.stderr and "check that columns have the model's names" in done.stderr
    # A few genes that were not seen are what the option is for: no warning.
    write_tenx(geotherm.dir / "most", counts, genes, np.arange(580))
    done = geotherm("transform", "map.gtm", "most", "-o", "out.csv", "--absent", "zero")
    assert "taken as 0" in done.stderr and "warning" not in done.stderr


# -- 2: columns that number the rows, and columns of other scales -------------------------------------


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
    ascending = ("cell_id", "Unnamed: 0", "barcode", "index"), np.arange(1000, 1300)
    # In any order, where the name leaves no doubt.
    shuffled = ("Cell ID", "Event #", "rownames"), np.random.default_rng(1).permutation(300)
    for names, numbers in (shuffled, ascending):  # the last file is read again below
        columns = np.insert(cells, 2, numbers, axis=1)
        for name in names:
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
    done = geotherm("embed", "all.csv", "-o", "a.csv", "--drop", "CD5", code=1)
    assert "CD3, CD4" in done.stderr and "did you mean 'CD" in done.stderr


def test_2c_columns_of_other_scales_are_named_and_scaled(geotherm, cells):
    income = np.c_[cells, 50_000 * np.random.default_rng(0).uniform(size=300)]
    write_csv(geotherm.dir / "income.csv", income, [*NAMES, "income"])
    done = geotherm("embed", "income.csv", "-o", "m.csv")
    warning = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warning) == 1 and "'income'" in warning[0] and "--scale standardise" in warning[0]
    assert "CD3" not in warning[0].split(", while")[0]
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


def test_4a_thousands_as_spreadsheets_write_them(geotherm, cells):
    """French and Swiss spreadsheets put blanks that do not break, and apostrophes, between thousands."""
    big = np.round(100_000 * cells, 1)
    write_csv(geotherm.dir / "plain.csv", big, NAMES)
    geotherm("embed", "plain.csv", "-o", "plain_map.csv", "--quiet")
    for mark, option in ((" ", "space"), ("\u00a0", "space"), ("\u202f", "space"), ("'", "'"), ("\u2019", "'")):
        rows = [";".join(f"{x:,.1f}".replace(",", mark).replace(".", ",") for x in row) for row in big]
        (geotherm.dir / "a.csv").write_text("\n".join([";".join(NAMES), *rows]) + "\n")
        said = geotherm("embed", "a.csv", "-o", "m.csv", code=1).stderr
        assert ("--thousands space" if option == "space" else "--thousands \"'\"") in said and "--decimal ," in said
        geotherm("embed", "a.csv", "-o", "m.csv", "--decimal", ",", "--thousands", option)
        assert (geotherm.dir / "m.csv").read_bytes() == (geotherm.dir / "plain_map.csv").read_bytes(), repr(mark)


def with_gaps(geotherm, cells, word):
    write_csv(geotherm.dir / "gaps.csv", cells, NAMES)
    lines = (geotherm.dir / "gaps.csv").read_text().splitlines()
    for at, column in ((3, 1), (40, 4), (41, 0)):
        row = lines[at].split(",")
        row[column] = word
        lines[at] = ",".join(row)
    (geotherm.dir / "gaps.csv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("word", ["", "NA", "nan", "#N/A", "#DIV/0!"])
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


def test_4b_a_column_without_any_value_is_named(geotherm, cells):
    write_csv(geotherm.dir / "a.csv", cells, NAMES, more=[("empty", [""] * 300)])
    assert "--drop empty" in geotherm("embed", "a.csv", "-o", "m.csv", "--missing", "mean", code=1).stderr
    geotherm("embed", "a.csv", "-o", "m.csv", "--drop", "empty")


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
    # Numbers first: the cell of text is refused, with both ways out.
    late = [str(x) for x in range(270)] + ["low"] * 30
    write_csv(geotherm.dir / "late.csv", cells, NAMES, more=[("dose", late)])
    done = geotherm("embed", "late.csv", "-o", "m.csv", code=1)
    assert "line 272, column 6: 'low' is not a number" in done.stderr
    assert "--drop dose" in done.stderr and "--label-column dose" in done.stderr
    geotherm("embed", "late.csv", "-o", "m.csv", "--drop", "dose")
    geotherm("embed", "mixed.csv", "-o", "m.csv", "--drop", "dose")
    geotherm("embed", "mixed.csv", "-o", "m.csv", "--label-column", "dose")


def test_4d_numbered_groups_are_labels(geotherm, cells):
    write_csv(geotherm.dir / "plain.csv", cells, NAMES)
    geotherm("embed", "plain.csv", "-o", "plain_map.csv", "--quiet")
    groups = np.arange(300) % 3
    write_csv(geotherm.dir / "a.csv", cells, NAMES, more=[("leiden", groups)])
    done = geotherm("embed", "a.csv", "-o", "m.csv", "--plot", "m.svg")
    assert "coloured by 'leiden'" in done.stderr and all(f">{g}<" in (geotherm.dir / "m.svg").read_text() for g in "012")
    assert (geotherm.dir / "m.csv").read_bytes() == (geotherm.dir / "plain_map.csv").read_bytes()
    # Under another name they are measurements; --columns has the last word.
    write_csv(geotherm.dir / "a.csv", cells, NAMES, more=[("dose", groups)])
    assert "(6)" in geotherm("embed", "a.csv", "-o", "m.csv").stderr
    write_csv(geotherm.dir / "a.csv", cells, NAMES, more=[("leiden", groups)])
    done = geotherm("embed", "a.csv", "-o", "m.csv", "--columns", "CD3,CD4,leiden")
    assert "columns CD3, CD4, leiden" in done.stderr


def test_4e_parquet_is_read_through_python(geotherm):
    (geotherm.dir / "a.parquet").write_bytes(b"PAR1")
    said = geotherm("embed", "a.parquet", "-o", "m.csv", code=1).stderr
    assert "geotherm.HeatGeo().fit('a.parquet')" in said and "pandas.read_parquet('a.parquet')" in said
