"""Rows of the noise table, with the method as published and with its defaults, over several seeds.

    cmake --build build --target bench_noise_rows
    .deps/python/bin/python bench/noise/compare.py --seeds 47-51 -o bench/noise/results.md

Pearson / Spearman (means over rows) of distances and of 2-D maps with the true geodesics; the share of
edges that was removed; the jumps of the chosen time. One setting for all rows. Each cell is a process of
its own, and with --keep FOLDER one that was measured is not measured again.

    .deps/python/bin/python bench/noise/compare.py --many-points --seeds 47-51 --threads 2 --jobs 1 \\
        --keep /tmp/noise_cells -o bench/noise/many_points.md

How much of the data heat should cover, on the seeds that choices are made on:

    .deps/python/bin/python bench/noise/compare.py --shares --seeds 42-46 -o bench/noise/shares.md
"""
import argparse
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = (
    [(f"roll {d}-d, noise {s}", f"shape=swiss-roll dim={d} noise={s}") for d in (3, 10, 50) for s in (0.1, 0.5, 1)]
    + [(f"tree {d}-d, noise {s}", f"shape=tree dim={d} noise={s}") for d in (10, 30) for s in (1, 5, 10)]
    + [("sphere, noise .05", "shape=sphere noise=.05"), ("torus, noise .1", "shape=torus noise=.1")]
)
MANY_POINTS = [("roll 50-d, noise 1, 10,000 points", "shape=swiss-roll dim=50 noise=1 n=10000")]
SETTINGS = [
    ("as published", "steps=published"),
    ("defaults", ""),
    ("defaults, `--smooth auto`", "smooth=auto"),
    ("MDS of the true distances", "steps=oracle"),
]
# Of the points, that heat covers at the automatic time.
SHARES = [
    ("a fifth", "share=.2"),
    ("defaults", ""),
    ("35 %", "share=.35"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="42-46")
    parser.add_argument("--many-points", action="store_true", help="the row of 10,000 points instead, minutes a cell")
    parser.add_argument("--shares", action="store_true", help="compare shares of the points that heat covers instead")
    parser.add_argument("--threads", type=int, default=1, help="of each cell")
    parser.add_argument("--keep", help="folder of measured cells, one file each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--program", default=str(ROOT / "build" / "bench_noise_rows"))
    parser.add_argument("-o", "--output", default=str(ROOT / "bench" / "noise" / "results.md"))
    options = parser.parse_args()
    first, last = (int(s) for s in options.seeds.split("-"))
    seeds = range(first, last + 1)

    def measure(job):
        row, setting, seed = job
        words = [*row[1].split(), *setting[1].split(), f"from={seed}", f"to={seed}"]
        kept = Path(options.keep) / ("_".join(words) + ".txt") if options.keep else None
        if kept and kept.exists():
            return [float(v) for v in kept.read_text().split()]
        command = [options.program, *words, f"threads={options.threads}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        print(row[0], "|", setting[0], "|", seed, "|", done.stdout.strip(), flush=True)
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(done.stdout)
        return [float(v) for v in done.stdout.split()]

    rows = MANY_POINTS if options.many_points else ROWS
    # The published steps and the map of the true distances are there for the rows of the paper's size.
    settings = SHARES if options.shares else SETTINGS
    settings = [s for s in settings if not (options.many_points and s[1].startswith("steps="))]
    jobs = [(row, setting, seed) for row in rows for setting in settings for seed in seeds]
    with ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip(((r[0], s[0], seed) for r, s, seed in jobs), pool.map(measure, jobs)))
    shown = [s for s in settings if s[1] != "steps=oracle"]
    has_oracle = len(shown) < len(settings)
    lines = [
        "# How much of the points heat covers at the automatic time\n" if options.shares else "# Geodesics under noise\n",
        f"Written by `bench/noise/compare.py`; do not edit. Seeds {options.seeds}, means, and the worst seed's",
        "distances in brackets. Pearson / Spearman with the true geodesics; 2,000 points (trees 2,500) where nothing is said, knn 10.\n",
        "| data | "
        + " | ".join(f"{s[0]}: distances | 2-D map" for s in shown)
        + (" | MDS of the truth" if has_oracle else "")
        + " | removed | jumps |",
        "|---|" + "---|" * (2 * len(shown) + has_oracle + 2),
    ]
    for row in rows:
        cells = []
        for setting in settings:
            of_seeds = [found[row[0], setting[0], seed] for seed in seeds]
            p, s, mp, ms, removed, jumps = (sum(column) / len(of_seeds) for column in zip(*of_seeds))
            if setting[1] == "steps=oracle":
                cells.append(f"{mp:.3f}")
                continue
            worst = min(v[0] for v in of_seeds)
            cells += [f"{p:.3f} / {s:.3f} ({worst:.2f})", f"{mp:.3f} / {ms:.3f}"]
            if setting[0] == "defaults":
                tail = [f"{100 * removed:.2f} %", f"{jumps:.0f}"]
        lines.append(f"| {row[0]} | " + " | ".join(cells + tail) + " |")
    Path(options.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
