#!/usr/bin/env python3
"""Makes the small files in tests/reference/io by the tools that own their formats: anndata, h5py (10x's
layout), scipy, pandas, flowio; and expected.npz with the values they hold, by numpy. Read by
src/io/observations_test.cpp and mat_test.cpp.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install anndata scipy pandas flowio
    /tmp/reference/bin/python tests/reference/make_io_files.py
"""

import gzip
import pathlib
import shutil
import warnings

import anndata as ad
import flowio
import h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

warnings.filterwarnings("ignore")
into = pathlib.Path(__file__).with_name("io")
shutil.rmtree(into, ignore_errors=True)
into.mkdir()
rng = np.random.default_rng(20240715)
n, d = 9, 6

dense = rng.normal(size=(n, d))
counts = sp.random(n, d, density=0.4, random_state=7, format="csr", data_rvs=lambda k: rng.integers(1, 9, k)).astype(np.float32)
kind = pd.Categorical(["T", "B", "T", "NK", None, "B", "T", "NK", "B"])
names = [f"cell-{i}" for i in range(n)]
genes = [f"gene µ{j}" for j in range(d)]

# AnnData: X dense, csr and csc; columns of every kind; a graph; layers and raw; packed and not.
obs = pd.DataFrame(
    {
        "cell_type": kind,
        "day": pd.Categorical(np.array([1, 2, 2, 1, 2, 1, 1, 2, 2])),
        "score": rng.normal(size=n),
        "count": np.arange(n, dtype=np.int64),
        "kept": np.arange(n) % 2 == 0,
        "maybe": pd.array([1, None, 3, 4, 5, 6, 7, 8, 9], dtype="Int64"),
        "note": pd.array([f"free text {i}" for i in range(n)], dtype=object),
    },
    index=names,
)
whole = ad.AnnData(counts.copy(), obs=obs, var=pd.DataFrame(index=genes))
whole.layers["double"] = dense
whole.layers["csc"] = counts.astype(np.float64).tocsc()
whole.obsm["X_pca"] = dense[:, :3].astype(np.float32)
whole.obsm["X_scVI"] = dense[:, 2:4]
near = sp.random(n, n, density=0.5, random_state=3, format="csr")
whole.obsp["connectivities"] = (near + near.T).tocsr()
whole.obsp["distances"] = (near + near.T).tocsr()
whole.raw = whole.copy()
whole.write_h5ad(into / "whole.h5ad", compression="gzip")
plain = ad.AnnData(dense.astype(np.float32), obs=pd.DataFrame(index=names), var=pd.DataFrame(index=genes))
plain.write_h5ad(into / "dense.h5ad")
wide = counts.copy()
wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
ad.AnnData(wide.tocsc()).write_h5ad(into / "csc.h5ad")
plain.write_h5ad(into / "lzf.h5ad", compression="lzf")

# 10x: .h5 of Cell Ranger 3 (with antibodies) and 2; folders of both.
kinds = ["Gene Expression"] * 4 + ["Antibody Capture"] * 2
with h5py.File(into / "tenx_v3.h5", "w") as file:
    group = file.create_group("matrix")
    group["barcodes"] = np.array(names, dtype="S18")
    group["data"], group["indices"] = counts.data.astype(np.int32), counts.indices.astype(np.int64)
    group["indptr"], group["shape"] = counts.indptr.astype(np.int64), np.array([d, n], dtype=np.int32)
    features = group.create_group("features")
    features["id"] = np.array([f"ENSG{j}" for j in range(d)], dtype="S")
    features["name"] = np.array([f"G{j}" for j in range(d)], dtype="S")
    features["feature_type"] = np.array(kinds, dtype="S")
with h5py.File(into / "tenx_v2.h5", "w") as file:
    group = file.create_group("hg19")
    group["barcodes"] = np.array(names, dtype="S18")
    group["data"], group["indices"] = counts.data.astype(np.int32), counts.indices.astype(np.int64)
    group["indptr"], group["shape"] = counts.indptr.astype(np.int64), np.array([d, n], dtype=np.int32)
    group["genes"] = np.array([f"ENSG{j}" for j in range(d)], dtype="S")
    group["gene_names"] = np.array([f"G{j}" for j in range(d)], dtype="S")
for folder, packed in (("tenx_v3", True), ("tenx_v2", False)):
    (into / folder).mkdir()
    scipy.io.mmwrite(into / folder / "matrix.mtx", counts.T.astype(np.int32).tocoo())
    (into / folder / "barcodes.tsv").write_text("\n".join(names) + "\n")
    rows = [f"ENSG{j}\tG{j}" + (f"\t{kinds[j]}" if packed else "") for j in range(d)]
    (into / folder / ("features.tsv" if packed else "genes.tsv")).write_text("\n".join(rows) + "\n")
    for path in list((into / folder).iterdir()) if packed else []:
        with gzip.GzipFile(f"{path}.gz", "wb", mtime=0) as out:
            out.write(path.read_bytes())
        path.unlink()

# MatrixMarket by scipy: every field and symmetry it writes.
half = np.tril(dense[:6, :6])
symmetric = half + np.tril(half, -1).T
scipy.io.mmwrite(into / "general.mtx", counts.astype(np.float64).tocoo())
scipy.io.mmwrite(into / "pattern.mtx", (counts != 0).tocoo(), field="pattern")
scipy.io.mmwrite(into / "symmetric.mtx", sp.coo_matrix(symmetric), symmetry="symmetric")
scipy.io.mmwrite(into / "skew.mtx", sp.coo_matrix(np.tril(half, -1) - np.tril(half, -1).T), symmetry="skew-symmetric")
scipy.io.mmwrite(into / "array.mtx", dense)

# Text by pandas: packed, with labels among the numbers.
frame = pd.DataFrame(dense, columns=[f"x{j}" for j in range(d)], index=names)
frame.insert(2, "species", ["setosa", "virginica, old", "setosa"] * 3)
frame.insert(5, "comment", [f"row {i}" for i in range(n)])
frame.to_csv(into / "labelled.csv.gz", index_label="id", compression={"method": "gzip", "mtime": 0})
frame.to_csv(into / "labelled.tsv", sep="\t", index=False)

# Flow cytometry by flowio, float32.
with open(into / "flow.fcs", "wb") as out:
    flowio.create_fcs(out, dense.astype(np.float32).ravel().tolist(), [f"Ch{j}" for j in range(d)], opt_channel_names=["CD3", "CD4", "CD8", "CD19", "CD45", "Time"])

# MATLAB's own kind, packed and not, in the layout of the IPSC data set; and text, which is no array.
variables = {
    "data": np.array([[1.5, -2], [3, 4.25], [5, 6]]),
    "data_time": np.array([[0, 1, 12]], dtype=np.uint8),
    "single": np.float32(0.5),
    "words": "text",
}
scipy.io.savemat(into / "plain.mat", variables)
scipy.io.savemat(into / "packed.mat", variables, do_compression=True)

# A file that points out of itself: links and values in its neighbours.
with h5py.File(into / "outward.h5ad", "w") as out:
    out.create_group("obs")["_index"] = np.array(names, dtype=object)
    out["X"] = h5py.ExternalLink("dense.h5ad", "/X")
    out["layers/soft"] = h5py.SoftLink("/X")
    out.create_dataset("layers/raw", (2, 2), "<f8", external=[("flow.fcs", 0, 32)])
    layout = h5py.VirtualLayout((n, d), "<f8")
    layout[:] = h5py.VirtualSource("dense.h5ad", "/X", (n, d))
    out.create_virtual_dataset("layers/virtual", layout)
    out["obsm"] = h5py.ExternalLink("dense.h5ad", "/obsm")

np.savez_compressed(
    into / "expected.npz",
    dense=dense,
    counts=counts.toarray().astype(np.float64),
    connectivities=whole.obsp["connectivities"].toarray(),
    symmetric=symmetric,
    skew=np.tril(half, -1) - np.tril(half, -1).T,
    score=obs["score"].to_numpy(),
)
