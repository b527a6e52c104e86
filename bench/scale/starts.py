"""Stress of maps by pivots (2,000 to 10,000 points), from one start and from the default's several, beside the
map laid out from all pairs: several seeds each.

    .deps/python/bin/python bench/scale/starts.py [--sizes 5000,10000] [--seeds 10,11,12,13,14]

GEOTHERM_DATA: the folder with mnist_70k_pca50.npz and levine32_H2_31721x32_asinh.npz. A data set of 10,000 points
takes three minutes of processor time, most of it for all pairs, and 2 GB of disk.
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import ROOT, last_json, measured  # noqa: E402
from small import STRESS  # noqa: E402

SETS = {"digits": ("mnist_70k_pca50.npz", "X_pca"), "blood cells": ("levine32_H2_31721x32_asinh.npz", None)}
WAYS = {"one start": ["--n-shakes", "0"], "default": []}


def numbers(text):
    return [int(word) for word in text.split(",")]


def points(name, n):
    archive, key = SETS[name]
    with np.load(Path(os.environ["GEOTHERM_DATA"]) / archive, allow_pickle=True) as data:
        table = data[key or next(k for k in data.files if data[k].ndim == 2)]
    return table[np.random.RandomState(0).permutation(len(table))[:n]].astype(np.float32)


def rows_of(name, n, args, folder):
    def path(what):
        return str(folder / f"{what}.npy")

    def run(command, *more):
        return measured([args.geotherm, command, path("points"), "--threads", str(args.threads), "--quiet", *more],
                        args.threads)["cpu_s"]  # fmt: skip

    np.save(path("points"), points(name, n))
    run("distances", "-o", path("distances"), "--landmarks", "none")
    run("embed", "-o", path("all"), "--refine", "off", "--landmarks", "none")
    maps, seconds = {"all": path("all")}, {way: [] for way in WAYS}
    for way, more in WAYS.items():
        for seed in args.seeds:
            maps[f"{way} {seed}"] = path(f"{way} {seed}")
            seconds[way].append(run("embed", "-o", maps[f"{way} {seed}"], "--refine", "off", "--seed", str(seed), *more))
    found = last_json(measured([sys.executable, "-c", STRESS, path("distances"), *sum(map(list, maps.items()), [])],
                               args.threads)["stdout"])  # fmt: skip
    for way in WAYS:
        ratios = [found[f"{way} {seed}"] / found["all"] for seed in args.seeds]
        yield (f"| {name} | {n:,} | {way} | {found['all']:.5f} | {np.mean(ratios):.4f} | {np.max(ratios):.4f} "
               f"| {np.median(seconds[way]):.2f} |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=numbers, default=[5000, 10000])
    parser.add_argument("--seeds", type=numbers, default=[10, 11, 12, 13, 14])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--geotherm", default=os.environ.get("GEOTHERM_PROGRAM", str(ROOT / "build/geotherm")))
    parser.add_argument("-o", "--output", default=str(HERE / "starts.md"))
    args = parser.parse_args()
    lines = ["# Starts of maps by pivots", "",
             f"Written by `bench/scale/starts.py`. Stress over all pairs of the map without refinement, over that of the map laid out from all "
             f"pairs (`--landmarks none`): mean and largest of seeds {', '.join(map(str, args.seeds))}. Processor seconds: median of the whole "
             "program.", "",
             "| data | points | starts | stress, all pairs | ratio, mean | ratio, largest | CPU s |", "|---" * 7 + "|"]  # fmt: skip
    for n in args.sizes:
        for name in SETS:
            with tempfile.TemporaryDirectory(prefix="geotherm-bench-") as folder:
                lines += rows_of(name, n, args, Path(folder))
            Path(args.output).write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
