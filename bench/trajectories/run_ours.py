"""geotherm pseudotime on the sets of the comparison, with the program's defaults.

    PYTHON bench/trajectories/run_ours.py --program build/geotherm --cells out/cells -o out/trajectories/ours

One run a root; writes <set>.npz (pseudotimes, roots x cells) and <set>.json (the network from the first root).
"""
import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import sets


def run(program, cells, folder, output):
    points = folder / "points.npy"
    np.save(points, cells.points)
    orders, took = [], []
    for k, root in enumerate(cells.roots):
        order, tree = folder / "order.npy", folder / "tree.json"
        start = time.perf_counter()
        # The benchmark judges the order of sets whether or not branches explain them.
        subprocess.run(
            [program, "pseudotime", points, "-o", order, "--root", str(root), "--tree", tree, "--min-explained", "0",
             "--threads", "1", "--quiet"],
            check=True, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        took.append(time.perf_counter() - start)
        table = np.load(order)
        orders.append(table[:, 0])
        if k == 0:
            (output / f"{cells.key}.json").write_text(tree.read_text())
            fates = table[:, 1:]
    np.savez(output / f"{cells.key}.npz", order=np.array(orders), fates=fates, seconds=np.mean(took))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/geotherm"))
    parser.add_argument("--cells", type=Path, default=Path("out/cells"))
    parser.add_argument("-o", "--output", type=Path, default=Path("out/trajectories/ours"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for cells in sets.all_sets(arguments.cells):
        with tempfile.TemporaryDirectory() as folder:
            run(arguments.program.resolve(), cells, Path(folder), arguments.output)


if __name__ == "__main__":
    main()
