"""Recall of the approximate search in every distance that is not a length or an angle, beside pynndescent.

Counts and presence of genes in CBMC cells, made counts, places on the globe; 15 neighbours. Recall is measured on 1,000 rows whose true
neighbours are known, by distance: of ties any will do. Finished cells are kept in out/bench-model/distances.jsonl. Writes distances.md.

  cmake --build build --target bench_neighbors
  GEOTHERM_DATA=... PEERS/bin/python bench/model/distances.py --program build/bench_neighbors
"""
import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from common import hold_threads, last_json  # noqa: E402
from shared import data_folder, kept_cells, made_by, mark_of, measured, shown_cost, write  # noqa: E402

K = 15
OF_COUNTS = ("hellinger", "jensenshannon", "braycurtis", "canberra")
OF_SETS = ("hamming", "jaccard")
SEARCHES = ("brute-force", "approximate", "pynndescent")


def made_counts(n):
    """Rows between two of 30 profiles: 100 columns, about 400 counts a row."""
    import numpy as np

    rng = np.random.default_rng(5)
    profiles = rng.gamma(0.3, 1, (30, 100))
    share = rng.uniform(0, 1, (n, 1))
    first, second = rng.integers(0, 30, (2, n))
    rates = share * profiles[first] + (1 - share) * profiles[second]
    return rng.poisson(400 * rates / rates.sum(1, keepdims=True)).astype(np.float32)


def globe(n):
    """Latitude and longitude of places about 300 towns."""
    import numpy as np

    rng = np.random.default_rng(5)
    towns = rng.normal(0, 1, (300, 3))
    near = towns[rng.integers(0, 300, n)] + rng.normal(0, 0.1, (n, 3))
    near /= np.linalg.norm(near, axis=1, keepdims=True)
    return np.c_[np.arcsin(near[:, 2]), np.arctan2(near[:, 1], near[:, 0])]


def tables():
    """title, rows, the metrics that mean something there"""
    import numpy as np

    with np.load(data_folder() / "cbmc_citeseq_8617x500.npz") as file:
        counts = file["counts"].astype(np.float32)
    for step in (6, 1):
        some = counts[::step]
        size = f"{len(some):,} x {some.shape[1]}"
        yield f"CBMC counts, {size}", some, OF_COUNTS
        yield f"CBMC, gene seen or not, {size}", (some > 0).astype(np.float32), OF_SETS
    for n in (2000, 20000):
        made = made_counts(n)
        yield f"made counts, {n:,} x 100", made, OF_COUNTS
        yield f"made, present or not, {n:,} x 100", (made > 0).astype(np.float32), OF_SETS
    for n in (6000, 60000):
        yield f"places on the globe, {n:,}", globe(n), ("haversine",)


def peer(path, metric, threads):
    """pynndescent, its second call, when all is compiled."""
    hold_threads(threads)
    import numpy as np
    import pynndescent
    from scipy.spatial.distance import cdist, jensenshannon

    X = np.load(path)

    def run():
        # Its Jensen-Shannon is the divergence, whose root has the same neighbours.
        name = "jensen-shannon" if metric == "jensenshannon" else metric
        return pynndescent.NNDescent(X, metric=name, n_neighbors=K + 1, n_jobs=threads, random_state=0).neighbor_graph[0]

    def exact(rows, others):
        if metric == "haversine":
            a, b = rows[:, None], others[None]
            s = np.sin((a[..., 0] - b[..., 0]) / 2) ** 2 + np.cos(a[..., 0]) * np.cos(b[..., 0]) * np.sin((a[..., 1] - b[..., 1]) / 2) ** 2
            return np.sqrt(s)
        if metric == "hellinger":
            a, b = (np.sqrt(x / x.sum(1, keepdims=True)) for x in (rows, others))
            return cdist(a, b)
        if metric == "jensenshannon":
            return jensenshannon(rows, others, axis=1)[None]
        return cdist(rows, others, "jaccard" if metric == "jaccard" else metric)

    run()
    start, start_cpu = time.perf_counter(), time.process_time()
    found = run()
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    chosen = np.arange(1000) * len(X) // 1000
    hits = 0
    wide = X.astype(bool) if metric == "jaccard" else X.astype(float)
    for i in chosen:
        d = exact(wide[i : i + 1], wide)[0]
        d[i] = np.inf
        last = np.partition(d, K - 1)[K - 1]
        own = found[i][found[i] != i][:K]
        hits += (d[own] <= last * (1 + 1e-6) + 1e-7).sum()
    print(json.dumps({"seconds": seconds, "cpu_s": cpu, "peak_mib": peak, "recall": hits / (1000 * K)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bench_neighbors")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--searches", nargs="+", choices=SEARCHES, default=SEARCHES,
                        help="these alone, now; a later run without this finds their cells")
    parser.add_argument("--peer", nargs=2, metavar=("FILE", "METRIC"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        return peer(*args.peer, args.threads)
    import numpy as np

    program, lines, how = os.path.abspath(args.program), [], made_by("distances.py", args.threads)
    threads, cells = str(args.threads), kept_cells(__file__)
    for title, rows, metrics in tables():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.npy")
            # Equal rows are collapsed before a map looks for neighbours.
            np.save(path, np.unique(rows, axis=0))
            for metric in metrics:
                runs = [(f"ours, {search}", [program, path, search, str(K), threads, "0", metric])
                        if search != "pynndescent" else
                        (search, [sys.executable, __file__, "--peer", path, metric, "--threads", threads])
                        for search in args.searches]
                for name, command in runs:
                    key = {"rows": title, "metric": metric, "search": name, "threads": args.threads}
                    cell = cells.get(key | mark_of(program, name != "pynndescent"),
                                     lambda command=command: last_json(measured(command, args.threads)["stdout"]))
                    lines.append(f"| {metric} | {title} | {name} | {cell['recall']:.4f} | {shown_cost(cell)} |")
                    print(lines[-1], flush=True)
    write("distances.md", [
        "# Distances that fit the data: exact and approximate search", "",
        f"{how} {K} neighbours; equal rows once.", "",
        "| distance | rows | search | recall | s | CPU s | peak MiB |", "|---|---|---|---|---|---|---|", *lines, "",
        "Recall on 1,000 rows, by distance: of ties any will do. pynndescent: default settings, its second call, when all is",
        "compiled (for a minute in each distance)."])


if __name__ == "__main__":
    main()
