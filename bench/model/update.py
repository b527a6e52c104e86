"""Maps that grow: geotherm update beside a whole run of all rows.

A tenth of new rows on a map of MNIST digits. Seconds and memory of update and of a whole run with refinement (300 epochs, as the default takes where it refines), stress of
both maps against heat-geodesic distances between sampled rows and all others, movement of old points, accuracy of the new ones.
Writes update.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/update.py --program build/geotherm
"""
import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared import accuracy_in_map, made_by, rows_of, run_ours, write  # noqa: E402


def stress(truth, places, rows):
    """With the scale that fits best: maps may be in other units."""
    import numpy as np

    between = np.linalg.norm(places[rows][:, None] - places[None], axis=2)
    scale = (truth * between).sum() / (between**2).sum()
    return float(((truth - scale * between) ** 2).sum() / (truth**2).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--n", type=int, default=70000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--holds", nargs="*", type=float, default=[1, 0.8, 0.5, 0.2, 0])
    args = parser.parse_args()
    import numpy as np

    how = made_by("update.py", args.threads)
    X, y = rows_of("MNIST", args.n)
    n_old = len(X) * 10 // 11
    rows = np.random.default_rng(2).permutation(len(X))[:200]
    program = os.path.abspath(args.program)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def ours(*words):
            return run_ours(program, [folder / w[1:] if str(w).startswith("@") else w for w in words], args.threads)

        np.save(folder / "all.npy", X)
        np.save(folder / "old.npy", X[:n_old])
        np.save(folder / "new.npy", X[n_old:])
        ours("embed", "@old.npy", "-o", "@old_map.npy", "--model", "@m.gtm", "--refine", "300")
        whole = ours("embed", "@all.npy", "-o", "@whole.npy", "--model", "@w.gtm", "--refine", "300")
        ours("distances", "@all.npy", "-o", "@d.npy", "--from", ",".join(map(str, rows)))
        truth = np.load(folder / "d.npy").T

        def judged(places):
            return stress(truth, places, rows), accuracy_in_map(places[n_old:], y[n_old:], places[:n_old], y[:n_old])

        of_whole, right = judged(np.load(folder / "whole.npy"))
        lines = [f"| whole run of all rows, refined | {whole['seconds']:.1f} | 1 | {whole['cpu_s']:.1f} | 1 | {whole['peak_mib']:.0f} | {of_whole:.4f} | 1 | "
                 f"{right:.3f} | - | - |"]
        print(lines[-1], flush=True)
        for hold in args.holds:
            cost = ours("update", "@m.gtm", "@new.npy", "-o", "@grown.npy", "--model", "@n.gtm", "--manifest", "@u.json", "--hold", hold)
            moved = json.loads((folder / "u.json").read_text())["updates"][-1]["movement"]
            found, right = judged(np.load(folder / "grown.npy"))
            lines.append(f"| update, --hold {hold:g} | {cost['seconds']:.1f} | {cost['seconds'] / whole['seconds']:.2f} | "
                         f"{cost['cpu_s']:.1f} | {cost['cpu_s'] / whole['cpu_s']:.2f} | "
                         f"{cost['peak_mib']:.0f} | {found:.4f} | {found / of_whole:.3f} | {right:.3f} | "
                         f"{100 * moved['median']:.2g} % | {100 * moved['largest']:.2g} % |")
            print(lines[-1], flush=True)
    write("update.md", [
        "# Maps that grow", "",
        f"{how} {n_old:,} MNIST digits, and {len(X) - n_old:,} new ones. Both with a model of all rows.", "",
        "| what | s | of the whole run | CPU s | of the whole run | peak MiB | stress | of the whole run's | accuracy, new rows | median movement | largest |",
        "|---|---|---|---|---|---|---|---|---|---|---|", *lines, "",
        "Seconds of the whole process. Stress: of heat-geodesic distances from 200 rows to all, at the scale that fits best. Accuracy: ten old",
        "neighbours in the map vote for a new row's digit. Movement of old rows: share of the map's larger side."])


if __name__ == "__main__":
    main()
