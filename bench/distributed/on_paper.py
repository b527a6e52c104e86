"""What a larger table would take, by the formulas of docs/scaling.md, from one measured row: bench/distributed/on_paper.md.

    python bench/distributed/on_paper.py       after compare.py, whose cells it reads

Constants come from one cell alone, the one named by --base (rows, workers x threads); every other cell of the same program is
predicted from it and set beside what was measured. Stages over rows cost what they cost a row in the base; the plan (k-means of
a sample) grows with the sample times the logarithm of the centres, the coarse problem with the cube of the landmarks, past 4,000 with
their fourth power; bytes and
tasks follow from the sizes alone.
"""
import argparse
import json
import math
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROWWISE = ("statistics", "cells", "routing", "graph", "layout", "output")
# A scheduler's rate and a network's, as assumed here.
TASKS_A_SECOND, BYTES_A_SECOND = 1000, 1e9
CASES = [(10_000_000, 2, 8), (100_000_000, 16, 8), (1_000_000_000, 64, 16)]


def sizes(n, columns=50, rank=3, knn_edges=15.0, halo=0.3, partition_rows=None):
    """The cut of a table, as geotherm.distributed makes it, and what follows from it."""
    least = -(-n // 1000)
    block = max(1024, min(250_000, (1 << 24) // columns), least)
    part = partition_rows or max(250_000, least)
    m = max(2, min(n // 4, max(2000, int(4 * math.sqrt(n))), 8_000))
    sample = min(n, max(50_000, min(40 * m, (1 << 26) // columns), 2 * m))
    blocks, parts = -(-n // block), max(1, -(-n // part))
    return {
        "block": block, "partition": part, "landmarks": m, "sample": sample, "blocks": blocks, "partitions": parts,
        "read": 3 * n * columns * 4, "routed": n * (1 + halo) * (4 * rank + 12),
        "tasks": 2 * blocks * parts + 10 * blocks + 12 * parts,
        "block_bytes": block * columns * 8, "coarse_bytes": 3 * 8 * m * m,
        "graph_bytes": part * (1 + halo) * (12 * knn_edges + 4 * rank + 40),
        "layout_bytes": part * (1 + halo) * (2 * 20 * knn_edges + 250),
    }  # fmt: skip


def who(cell):
    """Workers and threads of each."""
    return map(int, cell["key"]["cell"].partition("-")[0].split("x"))


def is_refined(cell):
    return "refinement" in cell["stages_s"]


def refinement(n, workers, threads, base):
    """Seconds of the epochs of `base`, by its seconds a row: over rows, the scheduler, the network. Every partition
    takes the places of six others, and one in `workers` of these is at hand."""
    epochs, at_once = base["refine_epochs"], cores_of(*who(base), base["cores"])
    cut = sizes(n)
    moved = n * (8 + 4 * 2) * 6 * (1 - 1 / workers)
    return {
        "rows": base["stages_s"]["refinement"] * n / base["key"]["rows"] * at_once / (workers * threads),
        "scheduler": 2 * epochs * cut["partitions"] / TASKS_A_SECOND,
        "network": epochs * moved / (BYTES_A_SECOND * workers),
    }  # fmt: skip


def heat_work(m):
    """Of the coarse problem: past 4,000 landmarks heat has more time as well."""
    return m**3 * max(1.0, m / 4000)


def cores_of(workers, threads, machine):
    return min(workers * threads, machine or workers * threads)


def seconds(n, workers, threads, base, machine=None):
    """Over rows, the plan, the coarse problem, the network, the scheduler. `machine`: cores that all workers share."""
    stages, rows = base["stages_s"], base["key"]["rows"]
    base_workers, base_threads = who(base)
    before = sizes(rows, halo=base["halo_share"], partition_rows=base["key"].get("partition_rows"))
    now = sizes(n, halo=base["halo_share"])
    share = cores_of(base_workers, base_threads, base["cores"]) / cores_of(workers, threads, machine)
    alone = min(base_threads, base["cores"]) / min(threads, machine or threads)
    others = sum(s for stage, s in stages.items() if stage not in ROWWISE and stage not in ("pca", "landmarks"))
    return {
        "rows": sum(stages.get(stage, 0) for stage in ROWWISE) * share * n / rows,
        "plan": stages["pca"] * alone * now["sample"] * math.log(now["landmarks"]) / (before["sample"] * math.log(before["landmarks"])),
        "coarse": stages["landmarks"] * alone * heat_work(now["landmarks"]) / heat_work(before["landmarks"]),
        "network": others + (0 if machine else now["routed"] / (BYTES_A_SECOND * workers)),
        # What a fit takes whatever its rows: versions, futures, the model of 50,000 rows.
        "fixed": max(0.0, base["seconds"] - sum(stages.values())),
        "scheduler": (now["tasks"] - before["tasks"]) / TASKS_A_SECOND if now["tasks"] > before["tasks"] else 0.0,
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=Path, default=ROOT / "out" / "bench-distributed" / "cells.jsonl")
    parser.add_argument("--base", nargs=2, default=["1000000", "1x2"], metavar=("ROWS", "CELL"))
    parser.add_argument("-o", "--output", type=Path, default=HERE / "on_paper.md")
    args = parser.parse_args()
    cells = [json.loads(line) for line in args.cells.read_text().splitlines()]
    mark = cells[-1]["key"]["program"]
    cells = [c for c in cells if "stages_s" in c and c["key"]["program"] == mark]
    refined_ones = [c for c in cells if is_refined(c)]
    cells = [c for c in cells if not is_refined(c)]
    base = next(c for c in cells if c["key"]["rows"] == int(args.base[0]) and c["key"]["cell"] == args.base[1])
    lines = ["# Larger tables, on paper", "",
             f"Written by `bench/distributed/on_paper.py`. All constants are those of one measured row, {base['key']['rows']:,} rows on {base['key']['cell']} (workers x threads), "
             "chosen before any was measured; formulas are those of docs/scaling.md. The fixed part was added after the rows of 100,000 had been seen, which were predicted at .4 of what they took. Network 1 GB/s a worker and 1,000 tasks a second are assumed, not measured. "
             "50 columns of float32, rank 3, the halo of the measured row.", "",
             "## Against the other measured rows", "",
             "| rows | workers x threads, cores | predicted s | measured s | predicted / measured | of it over rows, plan, coarse | measured | largest task, GB | peak of a worker, GB |",
             "|---" * 9 + "|"]  # fmt: skip
    ratios, over_rows, coarse = [], [], []
    for c in cells:
        workers, threads = who(c)
        n, s = c["key"]["rows"], c["stages_s"]
        told, cut = seconds(n, workers, threads, base, c["cores"]), sizes(n, halo=c["halo_share"], partition_rows=c["key"].get("partition_rows"))
        task = max(cut["graph_bytes"] + cut["layout_bytes"], cut["coarse_bytes"])
        total = sum(told.values())
        if c is not base:
            ratios.append((total / c["seconds"], n))
            over_rows.append(told["rows"] / sum(s.get(k, 0) for k in ROWWISE))
            coarse.append(told["coarse"] / s["landmarks"])
        lines.append(
            f"| {n:,}{' (the base)' if c is base else ''} | {workers} x {threads}, {c['cores']} | {total:.0f} | {c['seconds']:.0f} | {total / c['seconds']:.2f} "
            f"| {told['rows']:.1f}, {told['plan']:.1f}, {told['coarse']:.1f} | {sum(s.get(k, 0) for k in ROWWISE):.1f}, {s['pca']:.1f}, {s['landmarks']:.1f} "
            f"| {task / 1e9:.2f} | {c['worker_peak'] / 1e9:.2f} |")  # fmt: skip
    most = max(c["key"]["rows"] for c in cells)
    if ratios:
        lines += ["", f"The {len(ratios)} rows beside the base are predicted within {min(r for r, _ in ratios):.2f} to {max(r for r, _ in ratios):.2f} of what was measured, "
                  f"stages over rows within {min(over_rows):.2f} to {max(over_rows):.2f}, the coarse problem within {min(coarse):.2f} to {max(coarse):.2f}. "
                  f"The largest has {most:,} rows, all on one machine: what follows is {CASES[-1][0] // most:,} times as large at its end, over a network and a scheduler "
                  "whose rates are assumed. It is an extrapolation, no measurement."]  # fmt: skip
    lines += ["", "## Carried on", "",
              "| rows | workers x threads | blocks x partitions | landmarks | read, TB | routed, GB | tasks | memory a thread, GB | coarse, GB | over rows s | plan s | coarse s | network s | fixed s | scheduler s | total | bound by |",
              "|---" * 17 + "|"]  # fmt: skip
    for n, workers, threads in CASES:
        cut, told = sizes(n, halo=base["halo_share"]), seconds(n, workers, threads, base)
        memory = max(cut["graph_bytes"] + cut["layout_bytes"], cut["block_bytes"] * 2)
        lines.append(
            f"| {n:,} | {workers} x {threads} | {cut['blocks']:,} x {cut['partitions']:,} | {cut['landmarks']:,} | {cut['read'] / 1e12:.3f} "
            f"| {cut['routed'] / 1e9:.1f} | {cut['tasks']:,} | {memory / 1e9:.1f} | {cut['coarse_bytes'] / 1e9:.1f} | {told['rows']:.0f} "
            f"| {told['plan']:.0f} | {told['coarse']:.0f} | {told['network']:.0f} | {told['fixed']:.0f} | {told['scheduler']:.0f} | {sum(told.values()) / 60:.0f} min | {max(told, key=told.get)} |")  # fmt: skip
    if refined_ones:
        largest = max(refined_ones, key=lambda c: c["key"]["rows"])
        lines += ["", "## Refinement", "",
                  f"{largest['refine_epochs']:.0f} epochs (`--balance 0.5`), by the seconds a row of the measured {largest['key']['rows']:,} rows on {largest['key']['cell'].partition('-')[0]} "
                  f"({largest['stages_s']['refinement']:.0f} s); two tasks a partition and epoch, the places of six partitions nearby for each.", "",
                  "| rows | workers x threads | over rows s | scheduler s | network s | total |", "|---|---|---|---|---|---|"]  # fmt: skip
        for n, workers, threads in CASES:
            told = refinement(n, workers, threads, largest)
            lines.append(f"| {n:,} | {workers} x {threads} | {told['rows']:.0f} | {told['scheduler']:.0f} | {told['network']:.0f} | {sum(told.values()) / 60:.0f} min |")
    args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
