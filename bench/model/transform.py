"""New points in old maps: geotherm transform beside umap-learn, openTSNE and scanpy's ingest.

MNIST digits and Levine32 cells: accuracy of ten neighbours in the map, of training points and of new ones among them;
seconds of placing; peak memory. Finished cells are kept in out/bench-model/transform.jsonl. Writes transform.md; with --cuts,
accuracy alone on several draws of the digits: transform_cuts.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/transform.py --program build/geotherm
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared import (COST_NOTE, accuracy_in_map, ask_peer, fit_and_ask, kept_cells, made_by, mark_of, rows_of,  # noqa: E402
                    shown_cost, write)

FEW = ("heatgeo", "heatgeo --balance 0.5", "heatgeo --refine off", "phate", "umap", "tsne", "umap-learn", "scanpy ingest", "openTSNE")
MANY = ("heatgeo", "umap", "umap-learn", "scanpy ingest")
OF_CUTS = ("heatgeo", "umap", "tsne", "umap-learn", "openTSNE")
PEERS = ("umap-learn", "scanpy ingest", "openTSNE")
#: Set, training rows, rows to place, methods.
ROWS = (("MNIST", 10000, 2000, FEW), ("Levine32", 10000, 2000, FEW), ("MNIST", 60000, 10000, MANY))


def ours(program, method, folder, old, new, threads):
    import numpy as np

    paths = {name: folder / name for name in ("old.npy", "new.npy", "map.npy", "m.gtm", "placed.npy")}
    np.save(paths["old.npy"], old)
    np.save(paths["new.npy"], new)
    fit = ["embed", paths["old.npy"], "-o", paths["map.npy"], "--model", paths["m.gtm"], "--method", *method.split()]
    ask = ["transform", paths["m.gtm"], paths["new.npy"], "-o", paths["placed.npy"]]
    return fit_and_ask(program, fit, ask, threads), np.load(paths["map.npy"]), np.load(paths["placed.npy"])


def write_cuts(n_cuts, cell):
    """Accuracy of new digits in each draw: what one table owes to its draw."""
    import numpy as np

    head = ["# New points in old maps: other draws of the digits", "",
            f"Made by `bench/model/transform.py --cuts {n_cuts}`: 10,000 MNIST digits, 2,000 new ones, drawn anew each time; accuracy of new digits by ten",
            "neighbours in the map. The last column: heatgeo's advantage, mean and standard error over the draws.", "",
            "| method | " + " | ".join(f"draw {cut + 1}" for cut in range(n_cuts)) + " | mean | heatgeo ahead by |", "|---" * (n_cuts + 3) + "|"]
    lines, ours_of = [], None
    for method in OF_CUTS:
        values = np.array([cell(method, cut)["new"] for cut in range(n_cuts)])
        ours_of = values if ours_of is None else ours_of
        ahead = ours_of - values
        shown = method if method in PEERS else f"geotherm {method}"
        gap = f"{ahead.mean():+.4f} ± {ahead.std(ddof=1) / len(ahead) ** 0.5:.4f}" if method != "heatgeo" else "-"
        lines.append(f"| {shown} | " + " | ".join(f"{v:.4f}" for v in values) + f" | {values.mean():.4f} | {gap} |")
        print(lines[-1], flush=True)
        write("transform_cuts.md", head + lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--most", type=int, default=60000, help="leave out rows with more training points")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--methods", nargs="+", help="these alone, now; a later run without this finds their cells")
    parser.add_argument("--cuts", type=int, help="accuracy of so many draws of the digits, nothing else")
    parser.add_argument("--known", action="store_true", help="the table of the cells that are there, without measuring")
    args = parser.parse_args()
    program, cells = os.path.abspath(args.program), kept_cells(__file__)
    lines = ["# New points in old maps", "", made_by("transform.py", args.threads), "",
             "| set | trained | placed | method | accuracy, training | accuracy, new | placing, s | CPU s | peak MiB |",
             "|---|---|---|---|---|---|---|---|---|"]

    def cell(name, n, n_new, method, cut=0):
        def measure():
            X, y = rows_of(name, n + n_new, seed=cut)
            old, new, known, truth = X[:n], X[n:], y[:n], y[n:]
            with tempfile.TemporaryDirectory() as folder:
                if method in PEERS:
                    cost, maps = ask_peer(method, Path(folder), args.threads, old=old, new=new)
                    old_map, new_map = maps["old"], maps["new"]
                else:
                    cost, old_map, new_map = ours(program, method, Path(folder), old, new, args.threads)
            return cost | {"training": accuracy_in_map(old_map, known, old_map, known, True),
                           "new": accuracy_in_map(new_map, truth, old_map, known)}

        key = {"set": name, "trained": n, "placed": n_new, "method": method, "threads": args.threads}
        key |= mark_of(program, method not in PEERS) | ({"cut": cut} if cut else {})
        return None if args.known and not cells.has(key) else cells.get(key, measure)

    if args.cuts:
        return write_cuts(args.cuts, lambda method, cut: cell("MNIST", 10000, 2000, method, cut))
    for name, n, n_new, methods in ROWS:
        if n > args.most:
            continue
        for method in (m for m in methods if args.methods is None or m in args.methods):
            found = cell(name, n, n_new, method)
            if found is None:
                continue
            shown = method if method in PEERS else f"geotherm {method}"
            lines.append(f"| {name} | {n:,} | {n_new:,} | {shown} | {found['training']:.3f} | {found['new']:.3f} | {shown_cost(found)} |")
        write("transform.md", [*lines, "", "Accuracy: ten neighbours in the map vote.", *COST_NOTE,
                               "umap-learn, openTSNE and ingest draw from chance: other runs differ in the third digit."])


if __name__ == "__main__":
    main()
