"""Labelled cells that packages carry -> small .npz files, for bench/noise/evidence.py and `geotherm reproduce`.

    python bench/fetch_cells.py out/cells

guo (Debian r-bioc-destiny), HSMM (Debian r-bioc-hsmmsinglecell) and krumsiek11 (PyPI scanpy). Needs
numpy and rdata; scanpy only as an installed package whose data file is read.
"""
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import rdata


def unpack(package: str, folder: Path) -> Path:
    subprocess.run(["apt-get", "download", package], cwd=folder, check=True, capture_output=True)
    for deb in folder.glob(f"{package}_*.deb"):
        subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
    return folder / "usr/lib/R/site-library"


def plain(parsed):
    """Objects of classes that are not known here as namespaces and dictionaries."""
    return rdata.conversion.convert(parsed, default_encoding="utf8", force_default_encoding=True)


def pca(values: np.ndarray, rank: int) -> np.ndarray:
    centred = values - values.mean(0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    return (u * s)[:, :rank]


def array(value) -> np.ndarray:
    return np.asarray(getattr(value, "values", value))


def guo(site: Path, out: Path):
    found = plain(rdata.parser.parse_file(site / "destiny/data/guo_norm.rda"))["guo_norm"]
    expression = array(found.assayData["exprs"]).astype(float)
    cells = found.phenoData.data["num_cells"]
    stage = array(cells).astype(float)
    x = expression.T if expression.shape[1] == len(stage) else expression
    np.savez(out / "guo.npz", X=x, label=np.array([f"{int(v)} cells" for v in stage]), time=np.log2(stage))


def hsmm(site: Path, out: Path):
    folder = site / "HSMMSingleCell/data"
    matrix = array(plain(rdata.parser.parse_file(folder / "HSMM_expr_matrix.rda"))["HSMM_expr_matrix"]).astype(float)
    sheet = plain(rdata.parser.parse_file(folder / "HSMM_sample_sheet.rda"))["HSMM_sample_sheet"]
    hours = np.array([float(v) for v in sheet["Hours"]])
    x = np.log1p(matrix).T if matrix.shape[1] == len(hours) else np.log1p(matrix)
    x = x[:, np.argsort(x.var(0))[-2000:]]
    np.savez(out / "hsmm.npz", X=pca(x, 20), label=np.array([f"{v:g} h" for v in hours]), time=hours)


def krumsiek11(out: Path):
    """Four simulated branches of 160 steps, as scanpy names them."""
    package = Path(importlib.util.find_spec("scanpy").origin).parent
    table = np.loadtxt(package / "datasets/krumsiek11.txt")
    names = ["Mo", "Ery", "Mk", "Neu"]
    x = table[:640]
    label = np.repeat(names, 160)
    time = np.tile(np.arange(160.0), 4)
    label = np.where(time < 50, "progenitor", label)
    np.savez(out / "krumsiek11.npz", X=x[:, -11:], label=label, time=time)


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        unpack("r-bioc-destiny", Path(folder))
        site = unpack("r-bioc-hsmmsinglecell", Path(folder))
        guo(site, out)
        hsmm(site, out)
    krumsiek11(out)
    for path in sorted(out.glob("*.npz")):
        with np.load(path) as z:
            print(path, {k: z[k].shape for k in z.files})


if __name__ == "__main__":
    main()
