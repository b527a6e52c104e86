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


def exact(metric, table):
    """Distances from one row of the table to all."""
    import numpy as np
    from scipy.spatial.distance import cdist

    if metric == "haversine":
        def of(i):
            a, b = table[i], table
            s = np.sin((a[0] - b[:, 0]) / 2) ** 2 + np.cos(a[0]) * np.cos(b[:, 0]) * np.sin((a[1] - b[:, 1]) / 2) ** 2
            return np.sqrt(s)
        return of
    if metric == "jensenshannon":
        shares = table / table.sum(1, keepdims=True)

        def entropies(p):
            return (p * np.log(np.maximum(p, 1e-300))).sum(1)

        own = entropies(shares)
        return lambda i: np.sqrt(np.maximum(0, (own[i] + own) / 2 - entropies((shares[i] + shares) / 2)))
    if metric == "hellinger":
        table, metric = np.sqrt(table / table.sum(1, keepdims=True)), "euclidean"
    return lambda i: cdist(table[i : i + 1], table, metric)[0]


def peer(metric, paths, threads):
    """pynndescent on each table, once all is compiled; a line of JSON each."""
    hold_threads(threads)
    import numpy as np
    import pynndescent

    # Its Jensen-Shannon is the divergence, whose root has the same neighbours.
    name = "jensen-shannon" if metric == "jensenshannon" else metric

    def run(X):
        return pynndescent.NNDescent(X, metric=name, n_neighbors=K + 1, n_jobs=threads, random_state=0).neighbor_graph[0]

    run(np.load(paths[0]))
    for path in paths:
        X = np.load(path)
        start, start_cpu = time.perf_counter(), time.process_time()
        found = run(X)
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        chosen, hits = np.arange(1000) * len(X) // 1000, 0
        distances_from = exact(metric, X.astype(bool) if metric == "jaccard" else X.astype(float))
        for i in chosen:
            d = distances_from(i)
            d[i] = np.inf
            last = np.partition(d, K - 1)[K - 1]
            own = found[i][found[i] != i][:K]
            hits += (d[own] <= last * (1 + 1e-6) + 1e-7).sum()
        print(json.dumps({"seconds": seconds, "cpu_s": cpu, "peak_mib": peak, "recall": hits / (1000 * K)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/bench_neighbors")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--searches", nargs="+", choices=SEARCHES, default=SEARCHES,
                        help="these alone, now; a later run without this finds their cells")
    parser.add_argument("--peer", nargs="+", metavar="METRIC FILE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        return peer(args.peer[0], args.peer[1:], args.threads)
    import numpy as np

    program, lines, how = os.path.abspath(args.program), [], made_by("distances.py", args.threads)
    threads, cells = str(args.threads), kept_cells(__file__)

    def key_of(title, metric, search):
        return {"rows": title, "metric": metric, "search": search, "threads": args.threads} | mark_of(program, search != "pynndescent")

    def ours(path, metric, search):
        return last_json(measured([program, path, search, str(K), threads, "0", metric], args.threads)["stdout"])

    def ask_peer(metric, rows):
        """For a metric once, since it compiles for a minute."""
        rows = sorted((path.stat().st_size, title, path) for title, path in rows if not cells.has(key_of(title, metric, "pynndescent")))
        if not rows:
            return
        said = measured([sys.executable, __file__, "--peer", metric, *(str(path) for *_, path in rows), "--threads", threads], args.threads)
        for (_, title, _), line in zip(rows, said["stdout"].splitlines(), strict=True):
            cells.get(key_of(title, metric, "pynndescent"), lambda line=line: json.loads(line))

    with tempfile.TemporaryDirectory() as folder:
        found = []
        for title, rows, metrics in tables():
            found.append((title, Path(folder) / f"{len(found)}.npy", metrics))
            # Equal rows are collapsed before a map looks for neighbours.
            np.save(found[-1][1], np.unique(rows, axis=0))
        if "pynndescent" in args.searches:
            for metric in (*OF_COUNTS, *OF_SETS, "haversine"):
                ask_peer(metric, [(title, path) for title, path, metrics in found if metric in metrics])
        for title, path, metrics in found:
            for metric, search in ((m, s) for m in metrics for s in args.searches):
                cell = cells.get(key_of(title, metric, search), lambda: ours(str(path), metric, search))  # noqa: B023
                name = search if search == "pynndescent" else f"ours, {search}"
                lines.append(f"| {metric} | {title} | {name} | {cell['recall']:.4f} | {shown_cost(cell)} |")
                print(lines[-1], flush=True)
    write("distances.md", [
        "# Distances that fit the data: exact and approximate search", "",
        f"{how} {K} neighbours; equal rows once.", "",
        "| distance | rows | search | recall | s | CPU s | peak MiB |", "|---|---|---|---|---|---|---|", *lines, "",
        "Recall on 1,000 rows, by distance: of ties any will do. pynndescent: default settings, when all is compiled (for a minute in",
        "each distance); one process for a distance, so that its peak is that of the table and the smaller ones."])


if __name__ == "__main__":
    main()
