"""The program of a build without HDF5: it says so and names the way around, and everything else works.

With GEOTHERM_SLOW_TESTS=1 also a build of its own, configured with -DGEOTHERM_WITH_HDF5=OFF.
"""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOREIGN = ROOT / "tests/reference/io"


def run(folder, *args, program=None):
    program = program or os.environ["GEOTHERM_PROGRAM"]
    return subprocess.run([program, *map(str, args)], cwd=folder, capture_output=True, text=True, timeout=300)


def check(folder, program=None):
    for name in ("whole.h5ad", "tenx_v3.h5"):
        done = run(folder, "embed", FOREIGN / name, "--method", "pca", "-o", "a.csv", program=program)
        assert done.returncode == 1 and "made without HDF5" in done.stderr and "numpy.save" in done.stderr, done.stderr
    done = run(folder, "embed", FOREIGN / "expected.npz:dense", "--method", "pca", "-o", "a.h5ad", program=program)
    assert done.returncode == 2 and "no HDF5" in done.stderr, done.stderr
    assert not list(folder.iterdir()), "nothing is left behind"
    cells = ("--preprocess", "single-cell", "--min-genes", "1", "--min-cells", "1", "--top-genes", "4", "--pcs", "2")
    done = run(folder, "embed", FOREIGN / "tenx_v3", *cells, "--method", "pca", "-o", "a.npy", "--counts", "kept", program=program)
    assert done.returncode == 0, done.stderr
    assert np.load(folder / "a.npy").shape == (9, 2) and (folder / "kept/matrix.mtx.gz").exists()


def test_hdf5_files_are_refused_with_the_way_around_and_others_read(tmp_path):
    check(tmp_path)


@pytest.mark.skipif(os.environ.get("GEOTHERM_SLOW_TESTS") != "1", reason="minutes: GEOTHERM_SLOW_TESTS=1")
def test_a_build_without_hdf5_configures_builds_and_says_so(tmp_path):
    build = tmp_path / "build"
    options = ["HDF5", "BLAS", "LEMON", "SPECTRA", "VIEWER"]
    configure = ["cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DGEOTHERM_WERROR=ON"]
    configure += [f"-DGEOTHERM_WITH_{name}=OFF" for name in options] + [f"-DGEOTHERM_BUILD_{p}=OFF" for p in ("TESTS", "PYTHON")]
    configure += ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build, "--target", "geotherm_cli"], check=True, capture_output=True)
    (tmp_path / "work").mkdir()
    check(tmp_path / "work", program=build / "geotherm")
