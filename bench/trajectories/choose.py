"""How the numbers of slow modes and the share of even ends behind `geotherm pseudotime` were chosen. Writes choices.md.

    PEERS bench/trajectories/run_peers.py --further
    PEERS bench/trajectories/choose.py --program build/geotherm

PEERS is a Python with requirements.txt. Looks at the sets marked * of results.md and at further draws of the simulated shapes, never
at the sets that are only reported.
"""
import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import compare
import numpy as np
import sets
from branches import branch_f1

CANDIDATES = [("5", 0.0), ("3,5,7,10", 0.4), *(("3,4,5,7", share) for share in (0.0, 0.25, 0.33, 0.4, 0.5))]


def measured(program, cells, resolutions, even_ends):
    """Spearman correlation with known time; F1 of branches from the first root, NaN where branches are not known."""
    with tempfile.TemporaryDirectory() as folder:
        points, order, tree = (Path(folder) / name for name in ("points.npy", "order.npy", "tree.json"))
        np.save(points, cells.points)
        orders = []
        for root in cells.roots:
            subprocess.run(
                [program, "pseudotime", points, "-o", order, "--root", str(root), "--resolutions", resolutions, "--even-ends", str(even_ends),
                 "--tree", tree, "--min-explained", "0", "--threads", "1", "--quiet"],
                check=True, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            orders.append(np.load(order)[:, 0])
            if cells.truth is None or len(orders) > 1:
                continue
            network = compare.our_network(json.loads(tree.read_text()), len(cells.time))
            f1 = branch_f1(compare.truth_network(cells.truth), network)
    return compare.scores(orders, cells)[0], np.nan if cells.truth is None else f1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/geotherm"))
    parser.add_argument("--cells", type=Path, default=Path("out/cells"))
    parser.add_argument("--peers", type=Path, default=Path("out/trajectories/peers"))
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("choices.md"))
    arguments = parser.parse_args()
    chosen_on = [*(cells for cells in sets.all_sets(arguments.cells) if cells.tuned), *sets.further_sets()]
    is_further = np.array([cells.name.startswith("further") for cells in chosen_on])
    peers = []
    for cells in chosen_on:
        found = np.load(arguments.peers / f"{cells.key}.npz")
        peers.append([compare.scores(found[key], cells)[0] for _, key in compare.PEERS])
    peers = np.array(peers)
    lines = []
    for resolutions, even_ends in CANDIDATES:
        found = np.array([measured(arguments.program.resolve(), cells, resolutions, even_ends) for cells in chosen_on])
        ours, f1 = found[:, 0], found[:, 1]
        less = ours - peers.max(1)
        lines.append(
            f"| {resolutions} | {even_ends:g} | {ours.mean():.4f} | {ours[~is_further].mean():.4f} | {ours[is_further].mean():.4f} | "
            f"{np.sum(ours > peers[:, 0])} | {np.sum(ours > peers[:, 1])} | {less.min():+.3f} | {np.sum(less < -0.03)} | {np.nanmean(f1):.4f} |"
        )
        print(lines[-1], flush=True)
    arguments.output.write_text(
        "\n".join(
            [
                "# Numbers of slow modes and even ends behind the order",
                "",
                "Written by `bench/trajectories/choose.py`: mean Spearman correlation with known time over the sets that options were fixed on",
                f"({np.sum(~is_further)} sets marked * in results.md, {np.sum(is_further)} further draws of the simulated shapes). Of the others,",
                f"diffusion pseudotime has {peers[:, 0].mean():.4f} there, Palantir {peers[:, 1].mean():.4f}. Far behind: rows more than .03 behind the",
                f"better of both. Last column: mean F1 of branches by dynverse's definition over the {np.sum(np.isfinite(f1))} simulated ones.",
                "",
                "| modes | even ends | mean of all | sets marked * | further draws | rows ahead of DPT | rows ahead of Palantir | worst row, less the better of both | far behind | F1 of branches |",
                "|---|---|---|---|---|---|---|---|---|---|",
                *lines,
                "",
            ]
        )
    )


if __name__ == "__main__":
    main()
