"""Table of neighbour searches: time and recall at 15 on MNIST and TrajAtlas, 2 threads, ours by cells
beside brute force and (where their environments are there) hnswlib and pynndescent, which umap-learn uses.

    bench/peers.sh scale methods
    cmake --build build --target bench_neighbors
    GEOTHERM_DATA=... .deps/python/bin/python bench/scale/neighbors.py [--quick]

--quick: the first 25,000 digits alone, into out/bench-scale. Finished cells are kept in
out/bench-scale/neighbors.jsonl. Recall is measured on 1,000 points whose true neighbours are known. pynndescent's time is that of its second
call, when all is compiled. hnswlib: M 16, ef 100 at building, 50 at searching.
"""
import argparse
import datetime
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import ROOT, Cells, cpu_name, last_json, measured, peer_python, program_mark  # noqa: E402

TABLES = (("MNIST, 70,000 x 50", "mnist_70k_pca50.npz", "X_pca"),
          ("TrajAtlas, 272,369 x 15", "trajatlas_osteo_272369_scanvi15.npz", "X"))
PEER = """
import json, resource, sys, time
import numpy as np
threads = int(sys.argv[3])
X = np.load(sys.argv[1])[sys.argv[2]].astype(np.float32)[:int(sys.argv[4]) or None]
{body}
w, c = time.perf_counter(), time.process_time()
found = run()
w, c = time.perf_counter() - w, time.process_time() - c
rows = np.arange(1000) * len(X) // 1000
hits = 0
for r in rows:
    d = ((X - X[r]).astype(np.float64) ** 2).sum(1); d[r] = np.inf
    hits += len(set(np.argsort(d, kind="stable")[:15]) & set(found[r]))
print(json.dumps({{"seconds": w, "cpu_s": c, "recall": hits / 15000,
                  "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}}))
"""
PEERS = {"hnswlib": ("scale", """
import hnswlib
def run():
    index = hnswlib.Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), ef_construction=100, M=16, random_seed=0)
    index.add_items(X, num_threads=threads)
    index.set_ef(50)
    return index.knn_query(X, k=16, num_threads=threads)[0]
"""), "pynndescent": ("methods", """
import numba, pynndescent
numba.set_num_threads(threads)
def run(): return pynndescent.NNDescent(X, n_neighbors=16, n_jobs=threads, random_state=0).neighbor_graph[0]
run()
""")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--program", default=str(ROOT / "build" / "bench_neighbors"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cells", default=str(ROOT / "out/bench-scale/neighbors.jsonl"))
    parser.add_argument("-o", "--output")
    args = parser.parse_args()
    cells = Cells(Path(args.cells))
    args.output = args.output or str(Path(args.cells).with_name("neighbors-quick.md") if args.quick
                                     else HERE / "neighbors.md")
    folder = os.environ.get("GEOTHERM_DATA")
    if not folder:
        print("SKIPPED: neighbour searches: GEOTHERM_DATA does not name the folder with the two tables",
              file=sys.stderr)
        return
    lines = ["# Neighbour searches, 15 neighbours", "",
             f"Written by `bench/scale/neighbors.py` on {datetime.date.today().isoformat()}: {cpu_name()}, "
             f"{args.threads} threads. CPU seconds are those of all cores together: they say more where the "
             "machine had other work.", "",
             "| table | search | seconds | CPU seconds | peak MiB | recall at 15 |", "|---|---|---|---|---|---|"]
    threads = str(args.threads)
    first = 25000 if args.quick else 0
    for title, file, key in TABLES[:1] if args.quick else TABLES:
        path = Path(folder) / file
        if not path.exists():
            print(f"SKIPPED: {path} is not there", file=sys.stderr)
            continue
        title += f", the first {first:,}" if first else ""
        runs = [(f"ours, {search}", [args.program, f"{path}:{key}", search, "15", threads, str(first)])
                for search in ("approximate", "brute-force")]
        for name, (environment, body) in PEERS.items():
            python = peer_python(environment)
            if Path(python).exists():
                runs.append((name, [python, "-c", PEER.format(body=body), str(path), key, threads, str(first)]))
            else:
                print(f"SKIPPED: {name}: run bench/peers.sh {environment}", file=sys.stderr)
        for name, command in runs:
            cell = cells.get({"table": title, "search": name, "threads": args.threads,
                              "of": program_mark(args.program) if name.startswith("ours") else name},
                             lambda: last_json(measured(command, args.threads)["stdout"]))
            if "failed" in cell:
                continue
            lines.append(f"| {title} | {name} | {cell['seconds']:.1f} | {cell['cpu_s']:.1f} | "
                         f"{cell['peak_mib']:.0f} | {cell['recall']:.4f} |")
    Path(args.output).write_text("\n".join(lines) + "\n")
    print(f"written: {args.output}")


if __name__ == "__main__":
    main()
