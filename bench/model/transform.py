"""New points in old maps: geotherm transform beside umap-learn, openTSNE and scanpy's ingest.

MNIST digits and Levine32 cells: accuracy of ten neighbours in the map, of training points and of new ones among them;
seconds of placing; peak memory. Writes transform.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/transform.py --program build/geotherm
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared import accuracy_in_map, ask_peer, made_by, rows_of, run_ours, write  # noqa: E402

METHODS = ("heatgeo", "heatgeo --refine off", "phate", "umap", "tsne")
PEERS = ("umap-learn", "scanpy ingest", "openTSNE")
NOTES = ["", "Accuracy: ten neighbours in the map vote. Seconds of geotherm are of the whole process `geotherm transform`, with reading",
         "the model and the points and writing the places; those of the others of the call alone, once compiled. Peak memory of the",
         "others is that of fitting and placing in one process. umap-learn, openTSNE and ingest draw from chance: other runs differ",
         "in the third digit."]


def ours(program, method, folder, old, new, threads):
    import numpy as np

    paths = {name: folder / name for name in ("old.npy", "new.npy", "map.npy", "m.gtm", "placed.npy")}
    np.save(paths["old.npy"], old)
    np.save(paths["new.npy"], new)
    run_ours(program, ["embed", paths["old.npy"], "-o", paths["map.npy"], "--model", paths["m.gtm"], "--method",
                       *method.split()], threads)
    asked = ["transform", paths["m.gtm"], paths["new.npy"], "-o", paths["placed.npy"]]
    return run_ours(program, asked, threads), np.load(paths["map.npy"]), np.load(paths["placed.npy"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--n", type=int, default=10000, help="training points of each set")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    lines = ["# New points in old maps", "",
             f"{made_by('transform.py', args.threads)} {args.n:,} rows of each set trained, a fifth as many placed.", "",
             "| set | method | accuracy, training | accuracy, new | placing, s | peak MiB |", "|---|---|---|---|---|---|"]
    for name in ("MNIST", "Levine32"):
        X, y = rows_of(name, args.n + args.n // 5)
        old, new, known, truth = X[: args.n], X[args.n :], y[: args.n], y[args.n :]
        for method in (*METHODS, *PEERS):
            with tempfile.TemporaryDirectory() as folder:
                if method in PEERS:
                    cost, maps = ask_peer(method, Path(folder), args.threads, old=old, new=new)
                    old_map, new_map = maps["old"], maps["new"]
                else:
                    cost, old_map, new_map = ours(program, method, Path(folder), old, new, args.threads)
            shown = method if method in PEERS else f"geotherm {method}"
            lines.append(f"| {name} | {shown} | {accuracy_in_map(old_map, known, old_map, known, True):.3f} | "
                         f"{accuracy_in_map(new_map, truth, old_map, known):.3f} | {cost['seconds']:.2f} | {cost['peak_mib']:.0f} |")
            print(lines[-1], flush=True)
        write("transform.md", lines + NOTES)


if __name__ == "__main__":
    main()
