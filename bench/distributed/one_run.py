"""One cell of the table in a process of its own; a line of JSON. Kinds: blocks (workers x threads), sample (fit on a sample,
transform the rest)."""
import argparse
import json
import resource
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def peak_bytes():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def by_blocks(args, truth):
    import distributed

    import geotherm.distributed as gd
    from rolls import quality

    estimator = gd.HeatGeo  # read here, as the program's own code is before its run
    with distributed.LocalCluster(
        n_workers=args.workers, threads_per_worker=args.threads, dashboard_address=":0", memory_limit=args.memory_limit
    ) as cluster, distributed.Client(cluster) as client:
        start = time.perf_counter()
        made = estimator(random_state=1, block_rows=args.block_rows, partition_rows=args.partition_rows, balance=args.balance).fit(args.folder / "shards", client=client)
        seconds = time.perf_counter() - start
        layout = made.embedding_.compute()
        peaks = client.run(peak_bytes)
    resolved = made.report_["resolved"]
    return {
        "seconds": seconds, "worker_peak": max(peaks.values()), "stages_s": made.report_["stages_s"],
        "recall": resolved["neighbor_recall"], "halo_share": resolved["halo_share"],
        "partitions": resolved["n_partitions"], "landmarks": resolved["landmarks"],
        "cells_around": resolved["cells_around"], "refine_epochs": resolved["refine_epochs"], **quality(layout, truth),
    }  # fmt: skip


def by_sample(args, truth):
    import numpy as np

    import geotherm
    from rolls import quality

    shards = [np.load(s, mmap_mode="r") for s in sorted((args.folder / "shards").glob("*.npy"))]
    n = sum(len(s) for s in shards)
    start = time.perf_counter()
    chosen = np.sort(np.random.default_rng(1).choice(n, args.sample, replace=False))
    starts = np.cumsum([0] + [len(s) for s in shards])
    sample = np.concatenate([s[chosen[(chosen >= a) & (chosen < b)] - a] for s, a, b in zip(shards, starts, starts[1:])])
    made = geotherm.HeatGeo(random_state=1, refine="off", n_jobs=args.threads).fit(sample)
    layout = np.concatenate([made.transform(np.ascontiguousarray(s)) for s in shards])
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "worker_peak": peak_bytes(), **quality(layout, truth)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["blocks", "sample"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sample", type=int, default=50_000)
    parser.add_argument("--partition-rows", type=int)
    parser.add_argument("--block-rows", type=int)
    parser.add_argument("--balance", type=float)
    parser.add_argument("--memory-limit", default=0)
    args = parser.parse_args()
    import numpy as np

    truth = np.load(args.folder / "coordinates.npy")
    print(json.dumps((by_blocks if args.kind == "blocks" else by_sample)(args, truth)))


if __name__ == "__main__":
    main()
