"""What the search for shortcut edges does to labelled cells, and to planted bridges and shortcut edges.

    cmake --build build --target bench_noise_cells bench_noise_bridges
    python bench/fetch_cells.py out/cells
    GEOTHERM_DATA=folder .deps/python/bin/python bench/noise/evidence.py -o bench/noise/evidence.md

On and off over 20 subsamples of 80 %. For each labelled group: the share of the 10 nearest in the space of
the data that are among the 10 nearest by heat distance, the share of those with the same label, and the
weighted degree that its cells lost. Where cells have a time (for made-up shapes: the true geodesic from one
point): Spearman of the heat distance from the earliest cell with it. Data sets that are not there are named.
"""
import argparse
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("GEOTHERM_DATA", "data"))
CELLS = [
    ("PBMC 3k", DATA / "pbmc3k_processed_pca50_small.npz", "X_pca", "louvain", ""),
    ("Paul15", DATA / "paul15_2730_pca50.npz", "X_pca", "paul15_clusters", ""),
    ("Levine (3,500)", DATA / "levine32_H2_31721x32_asinh.npz", "X", "label", ""),
    ("Morarach", DATA / "morarach20_pca.npz", "X_pca", "leiden", "latent_time"),
    ("EMT", DATA / "tigon_EMT_3133x3.npz", "X", "time", "time"),
    ("guo", "guo.npz", "X", "label", "time"),
    ("HSMM", "hsmm.npz", "X", "label", "time"),
    ("krumsiek11", "krumsiek11.npz", "X", "label", "time"),
]
SHAPES = [("sphere, noise .05", "sphere"), ("torus, noise .1", "torus"), ("clustered roll, noise .5", "clustered-roll")]
DETOURS = (2, 3, 4, 6, 8, 12)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def cell_lines(rows):
    """One line for the data set, from all subsamples, modes and groups."""
    groups = sorted({r[2] for r in rows})
    by_size = {g: mean(float(r[3]) for r in rows if r[2] == g) for g in groups}
    rarest = min(groups, key=by_size.get)

    def of(mode, group, column):
        return mean(float(r[column]) for r in rows if r[1] == mode and r[2] == group)

    worst_change = min(groups, key=lambda g: of("on", g, 4) - of("off", g, 4))
    most_lost = max(groups, key=lambda g: of("on", g, 6))
    order = [mean(float(r[8]) for r in rows if r[1] == mode) for mode in ("off", "on")]
    removed = mean(float(r[9]) for r in rows if r[1] == "on")
    worst_point = max(float(r[7]) for r in rows)
    return [
        f"{100 * removed:.3f} %",
        f"{most_lost} ({by_size[most_lost]:.0f}): {100 * of('on', most_lost, 6):.2f} %",
        f"{100 * worst_point:.0f} %",
        f"{rarest} ({by_size[rarest]:.0f}): {of('off', rarest, 4):.3f} -> {of('on', rarest, 4):.3f}",
        f"{of('off', rarest, 5):.3f} -> {of('on', rarest, 5):.3f}",
        f"{worst_change} ({by_size[worst_change]:.0f}): {of('off', worst_change, 4):.3f} -> {of('on', worst_change, 4):.3f}",
        f"{order[0]:.3f} -> {order[1]:.3f}" if order[0] or order[1] else "-",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=str(ROOT / "build"), help="folder with bench_noise_cells and _bridges")
    parser.add_argument("--cells", default=str(ROOT / "out" / "cells"), help="where fetch_cells.py wrote")
    parser.add_argument("--only", default="", help="names of sets, separated by commas; the others are named as not run")
    parser.add_argument("--subsamples", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=10, help="of planted bridges and shortcut edges")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", default=str(ROOT / "bench" / "noise" / "evidence.md"))
    options = parser.parse_args()
    programs = Path(options.programs)

    def run(words):
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    jobs, missing = [], []
    for name, path, key, labels, time in CELLS:
        path = Path(options.cells) / path if isinstance(path, str) else path
        if not path.exists() or (options.only and name not in options.only.split(",")):
            missing.append(name)
            continue
        for b in range(options.subsamples):
            words = [programs / "bench_noise_cells", f"data={path}", f"key={key}", f"labels={labels}", f"from={b}", f"to={b}"]
            jobs.append((name, words + ([f"time={time}"] if time else [])))
    for name, shape in SHAPES:
        for b in range(options.subsamples):
            jobs.append((name, [programs / "bench_noise_cells", f"shape={shape}", f"from={b}", f"to={b}"]))
    jobs += [(detour, [programs / "bench_noise_bridges", detour, options.seeds]) for detour in DETOURS]
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(zip((name for name, _ in jobs), pool.map(run, (words for _, words in jobs))))

    lines = [
        "# Shortcut edges in labelled cells, planted bridges and rolls\n",
        f"Written by `bench/noise/evidence.py`; do not edit. {options.subsamples} subsamples of 80 %, search off -> on,",
        "everything else at its defaults. Group sizes in brackets.\n",
        "| cells | edges removed | group that lost most of its weighted degree | worst cell | rarest group: neighbours kept | its purity "
        "| group with the worst change of neighbours kept | order of root distances |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, *_ in CELLS + SHAPES:
        rows = [row for key, rows in found if key == name for row in rows]
        if rows:
            lines.append(f"| {name} | " + " | ".join(cell_lines(rows)) + " |")
    if missing:
        lines.append(f"\nNot there or not run: {', '.join(missing)}.")
    lines += [
        "\n## Planted bridges of 5 to 50 points between two clouds, and shortcut edges of noisy rolls\n",
        f"Bridges over {options.seeds} seeds for each of four lengths: share whose way from cloud to cloud stays within 10 %. Rolls",
        f"(noise 1.0, {options.seeds // 2} seeds): share of the false edges (ends more than 20 apart along the sheet) and of the true",
        "ones that is removed, over the detour that an edge may save.\n",
        "| detour | bridges kept | false edges removed | true edges removed |",
        "|---|---|---|---|",
    ]
    for detour in DETOURS:
        rows = [row for key, rows in found if key == detour for row in rows]
        bridges = [float(r[3]) for r in rows if r[0] == "bridge"]
        rolls = [[float(v) for v in r[1:]] for r in rows if r[0] == "roll"]
        kept = mean(b <= 1.1 for b in bridges)
        false_share = sum(r[2] for r in rolls) / sum(r[0] for r in rolls)
        true_share = sum(r[4] for r in rolls) / sum(r[3] for r in rolls)
        lines.append(f"| {detour} | {100 * kept:.0f} % | {100 * false_share:.0f} % | {100 * true_share:.3f} % |")
    Path(options.output).write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
