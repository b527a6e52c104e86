"""What a larger table would take, by the formulas of docs/scaling.md, from a measured row: bench/distributed/on_paper.md.

    python bench/distributed/on_paper.py       after compare.py, whose cells it reads

Stages over rows cost what they cost a row in the measured cell; the coarse problem grows with the cube of the landmarks; bytes
and tasks follow from the sizes alone.
"""
import argparse
import json
import math
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COARSE = ("landmarks", "pca", "partitions", "frame")
# A scheduler's rate and a network's, as assumed here.
TASKS_A_SECOND, BYTES_A_SECOND = 1000, 1e9
CASES = [(1_000_000, 1, 2), (10_000_000, 2, 8), (100_000_000, 16, 8), (1_000_000_000, 64, 16)]


def sizes(n, columns=50, rank=3, knn_edges=15.0, halo=0.3, partition_rows=None):
    """The cut of a table, as geotherm.distributed makes it, and what follows from it."""
    least = -(-n // 1000)
    block = max(1024, min(250_000, (1 << 24) // columns), least)
    part = partition_rows or max(250_000, least)
    m = max(2, min(n // 4, max(2000, int(4 * math.sqrt(n))), 8_000))
    blocks, parts = -(-n // block), max(1, -(-n // part))
    return {
        "block": block, "partition": part, "landmarks": m, "blocks": blocks, "partitions": parts,
        "read": 3 * n * columns * 4, "routed": n * (1 + halo) * (4 * rank + 9),
        "tasks": 2 * blocks * parts + 6 * blocks + 12 * parts,
        "block_bytes": block * columns * 12, "coarse_bytes": 3 * 8 * m * m,
        "graph_bytes": part * (1 + halo) * (12 * knn_edges + 4 * rank + 40),
        "layout_bytes": part * (1 + halo) * (2 * 20 * knn_edges + 250),
    }  # fmt: skip


def seconds(n, workers, threads, cell):
    """Over rows, the coarse problem, the network, the scheduler."""
    base, now = cell["key"]["rows"], sizes(n, halo=cell["halo_share"])
    cores, base_cores = workers * threads, math.prod(map(int, cell["key"]["cell"].split("x")))
    rows = sum(s for stage, s in cell["stages_s"].items() if stage not in COARSE)
    coarse = sum(s for stage, s in cell["stages_s"].items() if stage in COARSE)
    return {
        "rows": rows * base_cores / base * n / cores,
        "coarse": coarse * (now["landmarks"] / cell["landmarks"]) ** 3 * base_cores / threads,
        "network": now["routed"] / (BYTES_A_SECOND * workers),
        "scheduler": now["tasks"] / TASKS_A_SECOND,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=Path, default=ROOT / "out" / "bench-distributed" / "cells.jsonl")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "on_paper.md")
    args = parser.parse_args()
    cells = [json.loads(line) for line in args.cells.read_text().splitlines()]
    mark = cells[-1]["key"]["program"]
    cells = [c for c in cells if "stages_s" in c and c["key"]["program"] == mark]
    base = min(cells, key=lambda c: c["load"])  # the machine had least other work
    lines = ["# Larger tables, on paper", "",
             f"Written by `bench/distributed/on_paper.py` from the row of {base['key']['rows']:,} rows on {base['key']['cell']} (workers x threads) "
             "in results.md and the formulas of docs/scaling.md. Network 1 GB/s a worker, 1,000 tasks a second: assumed. 50 columns of float32, "
             "rank 3, the halo of the measured row.", "",
             "## Against measured rows", "", "| rows | workers x threads | predicted s | measured s | largest task, GB | measured peak of a worker, GB |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for c in cells:
        workers, threads = map(int, c["key"]["cell"].split("x"))
        n = c["key"]["rows"]
        told, cut = seconds(n, workers, threads, base), sizes(n, halo=c["halo_share"], partition_rows=c["key"].get("partition_rows"))
        task = max(cut["graph_bytes"] + cut["layout_bytes"], cut["coarse_bytes"])
        lines.append(f"| {n:,} | {workers} x {threads} | {sum(told.values()):.0f} | {c['seconds']:.0f} | {task / 1e9:.2f} | {c['worker_peak'] / 1e9:.2f} |")
    lines += ["", "## Carried on", "",
              "| rows | workers x threads | blocks x partitions | landmarks | read, TB | routed, GB | tasks | memory a thread, GB | coarse, GB | over rows | coarse s | network s | scheduler s | total | bound by |",
              "|---" * 15 + "|"]  # fmt: skip
    for n, workers, threads in CASES:
        cut, told = sizes(n, halo=base["halo_share"]), seconds(n, workers, threads, base)
        memory = max(cut["graph_bytes"] + cut["layout_bytes"], cut["block_bytes"] * 2)
        total = sum(told.values())
        lines.append(
            f"| {n:,} | {workers} x {threads} | {cut['blocks']:,} x {cut['partitions']:,} | {cut['landmarks']:,} | {cut['read'] / 1e12:.3f} "
            f"| {cut['routed'] / 1e9:.1f} | {cut['tasks']:,} | {memory / 1e9:.1f} | {cut['coarse_bytes'] / 1e9:.1f} | {told['rows']:.0f} "
            f"| {told['coarse']:.0f} | {told['network']:.0f} | {told['scheduler']:.0f} | {total / 60:.0f} min | {max(told, key=told.get)} |")  # fmt: skip
    args.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
