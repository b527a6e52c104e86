"""Tables and counts as a new user has them, for the tests of the first hour."""

import os
import pathlib

import numpy as np
import pytest


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


def places(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2))


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


def files_of_the_pages(here):
    """What the pages for the first hour start from, under the names they use: counts of 300 cells on a path with two ends, a
    query, a table of labels, and a plain table."""
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 1, 300)
    loads = rng.gamma(0.5, 1.0, size=(2, 700))
    counts = rng.poisson(12 * (np.outer(1 - t, loads[0]) + np.outer(t, loads[1])))
    genes = [f"GENE{g}" for g in range(698)] + ["MT-CO1", "MT-ND1"]
    write_tenx(here / "filtered_feature_bc_matrix", counts, genes)
    write_tenx(
        here / "query", counts[:20], genes, order=rng.permutation(700), barcodes=[f"NEW{i}-1" for i in range(20)]
    )
    kinds = ["early" if x < 0.5 else "late" for x in t]
    # As labels come: in another order, not for every cell, and for cells that were filtered away.
    lines = [f"CELL{i}-1,{kinds[i]}\n" for i in rng.permutation(300)[:280]] + ["GONE-1,late\n"]
    (here / "types.csv").write_text("barcode,cell_type\n" + "".join(lines))
    rows = "".join(f"{np.cos(3 * x)},{np.sin(3 * x)},{x}\n" for x in t)
    (here / "cells.csv").write_text("a,b,c\n" + rows)
    return here


def link_trajectory_data(here):
    """The real sets of the page on trajectories, under the names it uses."""
    data = pathlib.Path(os.environ.get("GEOTHERM_DATA", "nowhere"))
    for name, file in (("paul15.npz", "paul15_2730_pca50.npz"), ("cospar_weinreb_test_781.h5ad",) * 2):
        if not (data / file).exists():
            pytest.skip(f"{file} is not in GEOTHERM_DATA")
        (here / name).symlink_to(data / file)
