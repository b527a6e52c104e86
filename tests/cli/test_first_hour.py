"""The first hour with the program: what someone new tries, in order, and what they must get.

Each test is a numbered step; a step says what was typed and what is expected.
"""

import json

import numpy as np
import pytest

from conftest import PROGRAM, ROOT


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


def test_1g_genes_in_another_order_give_the_same_places(tenx):
    geotherm, counts, genes, _ = tenx
    geotherm("embed", "counts", "-o", "map.csv", "--model", "map.gtm", *CELLS)
    # Of two genes of one name the first stays the first.
    order = np.r_[0, np.random.default_rng(0).permutation(np.arange(1, 600))]
    write_tenx(geotherm.dir / "turned", counts, genes, order)
    done = geotherm("transform", "map.gtm", "turned", "-o", "again.csv")
    assert "matched by name" in done.stderr
    assert (geotherm.dir / "again.csv").read_bytes() == (geotherm.dir / "map.csv").read_bytes()
    write_tenx(geotherm.dir / "fewer", counts, genes, np.arange(300))
    assert "lacks" in geotherm("transform", "map.gtm", "fewer", "-o", "out.csv", code=1).stderr
    done = geotherm("transform", "map.gtm", "fewer", "-o", "out.csv", "--absent", "zero")
    assert "taken as 0" in done.stderr
