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


def trajectory_data(here):
    """The sets of the page on trajectories, under the names it uses: the real ones where they are, else made cells on three branches."""
    data = pathlib.Path(os.environ.get("GEOTHERM_DATA", "nowhere"))
    real = {"paul15.npz": data / "paul15_2730_pca50.npz", HAEMATOPOIESIS: data / HAEMATOPOIESIS}
    if all(path.exists() for path in real.values()):
        for name, path in real.items():
            (here / name).symlink_to(path)
        return
    rng = np.random.default_rng(6)
    branch, along = np.arange(360) % 3, rng.uniform(0, 1, 360)
    loads = rng.gamma(0.5, 1.0, size=(4, 40))  # the common start, and each branch
    rows = loads[0] + along[:, None] * loads[1 + branch] * 3 + rng.normal(0, 0.05, (360, 40))
    centred = rows - rows.mean(0)
    scores = centred @ np.linalg.svd(centred, full_matrices=False)[2][:10].T
    kinds = np.where(along < 0.15, 0, 1 + branch)
    np.savez(here / "paul15.npz", X_pca=scores, paul15_clusters=np.array(["7MEP", "1Ery", "8Mk", "14Mo"])[kinds])
    write_h5ad(here / HAEMATOPOIESIS, rows, scores, kinds, ["undiff", "Meg", "Mast", "Neutrophil"])


HAEMATOPOIESIS = "cospar_weinreb_test_781.h5ad"


def write_h5ad(path, rows, scores, kinds, names):
    """As anndata writes it: X, obs.state_info, obsm.X_pca."""
    import h5py

    def is_of(element, kind, version="0.2.0", **more):
        element.attrs.update({"encoding-type": kind, "encoding-version": version, **more})
        return element

    with h5py.File(path, "w") as file:
        is_of(file, "anndata", "0.1.0")
        is_of(file.create_dataset("X", data=rows.astype("f4")), "array")
        for table, prefix, n in (("obs", "cell", len(rows)), ("var", "Gene", rows.shape[1])):
            columns = ["state_info"] if table == "obs" else []
            made = is_of(file.create_group(table), "dataframe", **{"_index": "_index", "column-order": np.array(columns, dtype=h5py.string_dtype())})
            is_of(made.create_dataset("_index", data=[f"{prefix}{i}" for i in range(n)], dtype=h5py.string_dtype()), "string-array")
        column = is_of(file.create_group("obs/state_info"), "categorical", ordered=False)
        is_of(column.create_dataset("codes", data=kinds.astype("i1")), "array")
        is_of(column.create_dataset("categories", data=names, dtype=h5py.string_dtype()), "string-array")
        is_of(is_of(file.create_group("obsm"), "dict", "0.1.0").create_dataset("X_pca", data=scores), "array")
