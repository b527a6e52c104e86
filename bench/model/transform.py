"""New points in old maps: geotherm beside umap-learn's and openTSNE's transform, and maps that grow.

MNIST digits, trained on some, placed others: accuracy of ten nearest training points in the map for training and for
new digits, seconds of placing, peak memory. Then `geotherm update` with a tenth more digits beside a whole run.
Writes transform.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/transform.py --program build/geotherm
"""
import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import hold_threads, measured  # noqa: E402


def accuracy(places, labels, others, other_labels, skip_self=False):
    import numpy as np
    from sklearn.neighbors import NearestNeighbors

    k = 11 if skip_self else 10
    near = NearestNeighbors(n_neighbors=k).fit(others).kneighbors(places, return_distance=False)
    if skip_self:
        near = near[:, 1:]
    votes = np.array([np.bincount(row, minlength=10).argmax() for row in other_labels[near]])
    return float((votes == labels).mean())


def peer(name, folder, threads):
    """In a process of its own: one line of JSON."""
    hold_threads(threads)
    import numpy as np

    train, new = np.load(folder / "train.npy"), np.load(folder / "new.npy")
    if name == "umap-learn":
        import umap

        mapper = umap.UMAP(n_neighbors=15, n_jobs=threads).fit(train)
        mapper.transform(new[:100])
        start = time.perf_counter()
        places = mapper.transform(new)
        old = mapper.embedding_
    else:
        import openTSNE

        mapper = openTSNE.TSNE(n_jobs=threads).fit(train)
        start = time.perf_counter()
        places = mapper.transform(new)
        old = np.asarray(mapper)
    seconds = time.perf_counter() - start
    np.savez(folder / f"{name}.npz", old=np.asarray(old), new=np.asarray(places))
    print(json.dumps({"seconds": seconds, "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--n", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        return peer(args.peer[0], Path(args.peer[1]), args.threads)
    import numpy as np

    digits = np.load(Path(os.environ["GEOTHERM_DATA"]) / "mnist_70k_pca50.npz")
    chosen = np.random.default_rng(1).permutation(70000)[: args.n + args.n // 5]
    X, y = digits["X_pca"][chosen].astype(np.float32), digits["y"][chosen].astype(int)
    n, program = args.n, os.path.abspath(args.program)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "train.npy", X[:n])
        np.save(folder / "new.npy", X[n:])
        for method in ("heatgeo", "phate", "umap", "tsne"):
            threads = ["--threads", str(args.threads), "--quiet"]
            paths = {k: str(folder / k) for k in ("train.npy", "new.npy", "map.npy", "m.gtm", "placed.npy")}
            measured([program, "embed", paths["train.npy"], "-o", paths["map.npy"], "--model", paths["m.gtm"],
                      "--method", method, *threads], args.threads)
            cell = measured([program, "transform", paths["m.gtm"], paths["new.npy"], "-o", paths["placed.npy"],
                             *threads], args.threads)
            old, new = np.load(paths["map.npy"]), np.load(paths["placed.npy"])
            rows.append((f"geotherm {method}", accuracy(old, y[:n], old, y[:n], True),
                         accuracy(new, y[n:], old, y[:n]), cell["wall_s"], cell["peak_mib"]))
            print(rows[-1], flush=True)
        for name in ("umap-learn", "openTSNE"):
            cell = measured([sys.executable, __file__, "--peer", name, str(folder), "--threads", str(args.threads)],
                            args.threads)
            told = json.loads(cell["stdout"].strip().splitlines()[-1])
            maps = np.load(folder / f"{name}.npz")
            rows.append((name, accuracy(maps["old"], y[:n], maps["old"], y[:n], True),
                         accuracy(maps["new"], y[n:], maps["old"], y[:n]), told["seconds"], told["peak_mib"]))
            print(rows[-1], flush=True)
    lines = ["# New points in old maps", "",
             f"Made by `bench/model/transform.py`: {n:,} MNIST digits trained, {len(X) - n:,} placed, {args.threads} threads.", "",
             "| method | accuracy, training | accuracy, new | placing, s | peak MiB |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {a:.3f} | {b:.3f} | {s:.2f} | {m:.0f} |" for name, a, b, s, m in rows]
    lines += ["", "Seconds of geotherm are of the whole process `geotherm transform`, with reading model and points; those of the others of",
              "`transform` alone, once compiled. Peak memory of the others is that of fitting and placing in one process."]
    (Path(__file__).parent / "transform.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
