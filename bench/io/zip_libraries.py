#!/usr/bin/env python3
"""Arrays of an .npz by our reader of zip archives, by libzip and by numpy. Writes bench/io/zip.md (docs/adr/0009-files.md).

    cmake --build build --target bench_io_read        # and Debian's libzip4
    python bench/io/zip_libraries.py [--megabytes 400] [--rounds 3]

libzip is called through ctypes in blocks of 1 MiB, as a reader in C would call it; CPU seconds, the best of the rounds, in turn.
"""

import argparse
import ctypes
import ctypes.util
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bench_io_read"


def libzip():
    name = ctypes.util.find_library("zip")
    if name is None:
        sys.exit("libzip is not installed (Debian: libzip4)")
    zip_ = ctypes.CDLL(name)
    zip_.zip_open.restype = zip_.zip_fopen.restype = ctypes.c_void_p
    zip_.zip_open.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
    zip_.zip_fopen.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32]
    zip_.zip_fread.restype = ctypes.c_int64
    zip_.zip_fread.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
    zip_.zip_fclose.argtypes = zip_.zip_close.argtypes = [ctypes.c_void_p]
    return zip_


def read_by_libzip(zip_, path, n_bytes):
    """The member X.npy into memory of its size: header and values."""
    archive = zip_.zip_open(str(path).encode(), 16, None)  # ZIP_RDONLY
    member = zip_.zip_fopen(archive, b"X.npy", 0)
    if not archive or not member:
        sys.exit(f"libzip does not open {path}")
    whole = np.empty(n_bytes + 4096, dtype=np.uint8)
    at = 0
    while True:
        got = zip_.zip_fread(member, whole.ctypes.data + at, 1 << 20)
        if got <= 0:
            break
        at += got
    zip_.zip_fclose(member)
    zip_.zip_close(archive)
    assert n_bytes < at < n_bytes + 4096
    return whole


def timed(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    zip_ = libzip()
    zip_.zip_libzip_version.restype = ctypes.c_char_p
    rng = np.random.default_rng(1)
    rows = int(asked.megabytes * 1e6 / 8 / 100)
    # Counts of single cells: many zeros and small numbers, which deflate packs.
    tables = {"stored": rng.normal(size=(rows, 100)), "deflated": rng.poisson(0.3, size=(rows, 100)).astype(float)}
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            path = pathlib.Path(folder) / f"{name}.npz"
            (np.savez if name == "stored" else np.savez_compressed)(path, X=table)
            ours = theirs = numpys = np.inf
            for _ in range(asked.rounds):
                done = subprocess.run([PROGRAM, "read", f"{path}:X", "1"], capture_output=True, text=True, check=True)
                ours = min(ours, json.loads(done.stdout)["cpu_s"])
                theirs = min(theirs, timed(lambda: read_by_libzip(zip_, path, table.nbytes)))
                numpys = min(numpys, timed(lambda: np.load(path)["X"]))
            speed = [f"{table.nbytes / 1e6 / s:,.0f}" for s in (ours, theirs, numpys)]
            lines.append(f"| {name} | {path.stat().st_size / 1e6:.0f} | {' | '.join(speed)} |")
    text = [
        "# Zip archives: our reader, libzip, numpy\n",
        f"Written by `bench/io/zip_libraries.py`; do not edit. MB of the array per second of CPU on one core, the best of {asked.rounds}"
        f" rounds in turn; {asked.megabytes:.0f} MB of float64. libzip {zip_.zip_libzip_version().decode()}, numpy {np.__version__}. Ours checks the sum of"
        " each member and the header of the array, as numpy does; libzip the sum.\n",
        "| members | file, MB | geotherm | libzip | numpy |",
        "|---|---|---|---|---|",
        *lines,
    ]
    (ROOT / "bench/io/zip.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()
