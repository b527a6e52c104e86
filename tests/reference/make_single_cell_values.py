#!/usr/bin/env python3
"""Makes single_cell_values.npz: what scanpy's standard steps give for the raw counts of PBMC 3k (10x),
at a sample of cells. Read by src/points/single_cell_test.cpp.

Needs scanpy and the folder of real data:
    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install scanpy
    GEOTHERM_DATA=<folder> /tmp/reference/bin/python tests/reference/make_single_cell_values.py
"""

import os
import pathlib
import warnings

import numpy as np
import scanpy as sc
import scipy.io
from anndata import AnnData

warnings.filterwarnings("ignore")


def counts_of(folder):
    """The 10x folder as float32, as scanpy.read_10x_mtx gives it (its genes.tsv is packed here, which that refuses)."""
    counts = scipy.io.mmread(folder / "matrix.mtx.gz").T.tocsr().astype(np.float32)
    cells = AnnData(counts)
    cells.obs["row"] = np.arange(cells.n_obs)
    cells.var["column"] = np.arange(cells.n_vars)
    return cells


def standard_steps(cells):
    """As in scanpy's tutorial on these very cells; gives the cells with every gene, and the scaled ones."""
    sc.pp.filter_cells(cells, min_genes=200)
    sc.pp.filter_genes(cells, min_cells=3)
    sc.pp.normalize_total(cells, target_sum=1e4)
    sc.pp.log1p(cells)
    sc.pp.highly_variable_genes(cells, min_mean=0.0125, max_mean=3, min_disp=0.5)
    variable = cells[:, cells.var["highly_variable"]].copy()
    sc.pp.scale(variable, max_value=10)
    sc.pp.pca(variable, n_comps=50, svd_solver="arpack")
    return cells, variable


if __name__ == "__main__":
    cells, variable = standard_steps(counts_of(pathlib.Path(os.environ["GEOTHERM_DATA"]) / "pbmc3k_10x"))
    sample = np.arange(0, cells.n_obs, 60)
    rows = cells.X[sample].tocsr()
    rows.sort_indices()
    np.savez_compressed(
        pathlib.Path(__file__).with_name("single_cell_values.npz"),
        made_with=np.array([f"scanpy {sc.__version__}"]),
        n_cells=np.array([cells.n_obs]),
        genes=cells.var["column"].to_numpy(np.int32),
        variable=variable.var["column"].to_numpy(np.int32),
        means=cells.var["means"].to_numpy(np.float32)[::10],
        dispersions_norm=cells.var["dispersions_norm"].to_numpy(np.float32)[::10],
        sample=sample.astype(np.int32),
        normalized_offsets=rows.indptr.astype(np.int32),
        normalized_indices=rows.indices.astype(np.int32),
        normalized_values=rows.data.astype(np.float32),
        pcs=variable.obsm["X_pca"][sample].astype(np.float32),
        variance=variable.uns["pca"]["variance"].astype(np.float32),
    )
