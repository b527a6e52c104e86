"""Rows of the noise table, with the steps against noise switched on and off, over several seeds.

    cmake --build build --target bench_noise_rows
    .deps/python/bin/python bench/noise/compare.py --seeds 47-51 -o bench/noise/results.md

Pearson and Spearman (means over rows) of distances and of 2-D maps with the true geodesics; the share of
edges that was removed. One setting for all rows. Each row is a process of its own, one thread each.
"""
import argparse
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "bench_noise_rows"
ROWS = (
    [(f"roll {d}-d, noise {s}", f"shape=swiss-roll dim={d} noise={s}") for d in (3, 10, 50) for s in (0.1, 0.5, 1)]
    + [(f"tree {d}-d, noise {s}", f"shape=tree dim={d} noise={s}") for d in (10, 30) for s in (1, 5, 10)]
    + [("sphere, noise .05", "shape=sphere noise=.05"), ("torus, noise .1", "shape=torus noise=.1")]
)
SETTINGS = [
    ("plain", "share=0 lengths=0 pca=0"),
    ("short circuits out, lengths, pca auto", ""),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="42-46")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--extra", default="t=5 knn=10", help="further settings for every row")
    parser.add_argument("-o", "--output", default=str(ROOT / "bench" / "noise" / "results.md"))
    options = parser.parse_args()
    first, last = options.seeds.split("-")

    def measure(job):
        row, setting = job
        words = [*row[1].split(), *setting[1].split(), *options.extra.split(), f"from={first}", f"to={last}", "threads=1"]
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True)
        print(row[0], "|", setting[0], "|", done.stdout.strip(), flush=True)
        return done.stdout.split()

    jobs = [(row, setting) for row in ROWS for setting in SETTINGS]
    with ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip(((r[0], s[0]) for r, s in jobs), pool.map(measure, jobs)))
    lines = [
        "# Geodesics under noise\n",
        f"Written by `bench/noise/compare.py`; do not edit. Seeds {options.seeds}, {options.extra}; means.",
        "Pearson / Spearman with the true geodesics.\n",
        "| data | " + " | ".join(f"{s[0]}: distances | 2-D map | edges removed" for s in SETTINGS) + " |",
        "|---|" + "---|---|---|" * len(SETTINGS),
    ]
    for row in ROWS:
        cells = []
        for setting in SETTINGS:
            p, s, mp, ms, _, removed, *_ = found[row[0], setting[0]]
            cells += [f"{p} / {s}", f"{mp} / {ms}", f"{100 * float(removed):.2f} %"]
        lines.append(f"| {row[0]} | " + " | ".join(cells) + " |")
    Path(options.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
