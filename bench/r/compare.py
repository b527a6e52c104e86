"""The R package beside uwot and beside PHATE through reticulate, which is how phateR works -> results.md

    compare.py [--sets "PBMC 3k,MNIST"] [--tools geotherm,uwot] [--threads 2] [--limit 280] [--library build-r/library] [--measure | --judge | --table]

Runs in a Python that has phate and scikit-learn (bench/peers.sh r: with NumPy 1, as reticulate 1.28 takes no later one). Every map is made by a process of R of its own: time of the call,
time and peak memory of the process, and what that very map keeps (bench/refine/judge.py). Finished cells are kept in out/bench-r; another build of the package is measured anew.
"""

import argparse
import datetime
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "refine")]
from common import ROOT, Cells, TookTooLong, cpu_name, hold_threads, measured, program_mark  # noqa: E402

hold_threads(2)
import numpy as np  # noqa: E402
from judge import judge, truth_of  # noqa: E402
from sets import SETS  # noqa: E402

OUT = ROOT / "out/bench-r"
TOOLS = ("geotherm", "geotherm, umap", "uwot", "uwot, n_sgd_threads auto", "phate by reticulate")
MEASURES = ("geodesics", "trustworthiness", "kept", "accuracy", "ami")


def data(name):
    folder = OUT / name.replace(" ", "-").lower()
    folder.mkdir(parents=True, exist_ok=True)
    points, labels = SETS[name]()
    points.astype("<f8").tofile(folder / "points.bin")
    return folder, points, labels


def map_file(folder, tool):
    return folder / f"{tool}.bin".replace(" ", "-").replace(",", "")


def measure(tool, name, args):
    folder, points, _ = data(name)
    words = [tool, folder / "points.bin", *points.shape, args.threads, map_file(folder, tool)]
    try:
        ran = measured(["Rscript", "--vanilla", str(HERE / "one_map.R"), *map(str, words)], args.threads, args.limit)
    except TookTooLong as late:
        return {"failed": str(late)}
    digest = program_mark(map_file(folder, tool))
    call_s, cpu_s = map(float, ran["stdout"].split()[-2:])
    return {"call_s": call_s, "cpu_s": cpu_s, "process_s": ran["wall_s"], "peak_mib": ran["peak_mib"], "map": digest}


def scores(tool, name, digest):
    folder, points, labels = data(name)
    assert program_mark(map_file(folder, tool)) == digest, f"{map_file(folder, tool)} is not the map that was timed"
    layout = np.fromfile(map_file(folder, tool)).reshape(len(points), -1)
    found = judge(points, labels, truth_of(folder / "truth.npz", points), layout)
    return {measure: found[measure] for measure in MEASURES}


def row(tool, found, uwot):
    if "failed" in found:
        return f"| {tool} | {found['failed']} |" + " - |" * (5 + len(MEASURES))
    shares = {part: f"{found[part] / uwot[part]:.2f}" if part in uwot else "-" for part in ("call_s", "cpu_s")}
    return (f"| {tool} | {found['call_s']:.2f} | {shares['call_s']} | {found['cpu_s']:.2f} | {shares['cpu_s']} | "
            f"{found['process_s']:.2f} | {found['peak_mib']:.0f} | "
            + " | ".join(f"{found[measure]:.3f}" if measure in found else "not judged" for measure in MEASURES) + " |")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="PBMC 3k,MNIST")
    parser.add_argument("--tools", default=";".join(TOOLS), help="separated by ;")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=280, help="seconds after which a process is ended")
    parser.add_argument("--measure", action="store_true", help="time and memory alone, on a quiet machine: maps are judged later")
    parser.add_argument("--judge", action="store_true", help="the maps that were measured alone")
    parser.add_argument("--table", action="store_true", help="write the table of what was measured and judged so far, compute nothing")
    parser.add_argument("--library", type=Path, default=ROOT / "build-r/library")
    args = parser.parse_args()
    os.environ.update(R_LIBS=str(args.library.resolve()), RETICULATE_PYTHON=sys.executable)
    mark = program_mark(args.library / "geotherm/libs/geotherm.so")
    cells, judged = Cells(OUT / "cells.jsonl"), Cells(OUT / "scores.jsonl")
    lines = []
    for name in args.sets.split(","):
        found = {}
        for tool in args.tools.split(";"):
            key = {"set": name, "tool": tool, "threads": args.threads, "build": mark if tool.startswith("geotherm") else ""}
            if (args.judge or args.table) and not cells.has(key):
                found[tool] = {"failed": "not measured"}
                continue
            found[tool] = cells.get(key, lambda tool=tool, name=name: measure(tool, name, args))
            if not args.measure and "map" in found[tool]:
                key = {"set": name, "map": found[tool]["map"]}
                if args.table and not judged.has(key):
                    continue
                found[tool] |= judged.get(key, lambda tool=tool, name=name: scores(tool, name, found[tool]["map"]))
        if args.measure:
            continue
        points = SETS[name]()[0]
        lines += [f"\n## {name}, {len(points):,} points in {points.shape[1]} dimensions\n",
                  "| package | call, s | of uwot's | processor, s | of uwot's | process, s | peak, MiB | geodesics | trustworthiness | neighbours kept "
                  "| accuracy | AMI |", "|" + "---|" * 12]  # fmt: skip
        lines += [row(tool, value, found.get("uwot", {})) for tool, value in found.items()]
    if args.measure:
        return
    said = subprocess.run(["Rscript", "--vanilla", str(HERE / "one_map.R"), "versions"], check=True,
                          capture_output=True, text=True).stdout.strip()  # fmt: skip
    head = f"""# The R package beside uwot and phateR's way

Written by `bench/r/compare.py`; do not edit. {cpu_name()}, {args.threads} threads, {datetime.date.today().isoformat()}. {said}.
Every package with its defaults and the threads above; a process of R each. *call*: the function alone; *processor*: what all its
threads used in it; *process*: with the start of R, packages and data. Measures as in [refine/judge.py](../refine/judge.py): Spearman correlation with graph geodesics, trustworthiness and share
of the 10 nearest neighbours kept, vote of the map's 10 neighbours for the label, adjusted mutual information of k-means with the labels. The R package
has no BLAS. A process was ended after {args.limit:.0f} s.
"""
    (HERE / "results.md").write_text(head + "\n".join(lines) + "\n")
    print(head + "\n".join(lines))


if __name__ == "__main__":
    main()
