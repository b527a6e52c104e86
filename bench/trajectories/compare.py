"""Order and branches: geotherm beside diffusion pseudotime, Palantir and PAGA. Writes results.md.

    python bench/fetch_cells.py out/cells
    PEERS bench/trajectories/run_peers.py ; PEERS bench/trajectories/run_ours.py
    PEERS bench/trajectories/compare.py networks out/trajectories/networks.json
    JUDGE bench/trajectories/judge.py out/trajectories/networks.json out/trajectories/judged.json
    PEERS bench/trajectories/compare.py report out/trajectories/judged.json

PEERS is a Python with requirements.txt, JUDGE one with pydyneval-bio (judge.py). The options of `geotherm pseudotime` were
fixed on the sets marked * before the others were looked at; the others are only reported.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import sets
from scipy.stats import kendalltau, spearmanr

KEPT = "The branches are of an earlier run of the judge; the order above is newer."
PEERS = [("diffusion pseudotime", "dpt"), ("Palantir", "palantir")]


def scores(orders, cells):
    """Mean over roots; cells that a method does not reach come last, together."""
    found = []
    for order in orders:
        reached = np.isfinite(order)
        order = np.where(reached, order, order[reached].max() + 1)[cells.judged]
        found.append((spearmanr(order, cells.time[cells.judged])[0], kendalltau(order, cells.time[cells.judged])[0]))
    return np.mean(found, axis=0)


def linear(order):
    return {
        "network": [["start", "end", 1.0]],
        "from": ["start"] * len(order),
        "to": ["end"] * len(order),
        "percentage": np.nan_to_num(order / np.nanmax(order)).tolist(),
    }


def palantir_network(peers):
    """One edge from the start to each end, a cell on that of its most probable end."""
    order, fate = peers["palantir"][0], peers["palantir_fate"]
    if fate.shape[1] < 2:
        return linear(order)
    best = fate.argmax(1)
    return {
        "network": [["start", f"end{k}", 1.0] for k in sorted(set(best.tolist()))],
        "from": ["start"] * len(order),
        "to": [f"end{k}" for k in best],
        "percentage": (order / order.max()).tolist(),
    }


def paga_network(peers):
    """The tree between groups, a cell at the milestone of its group."""
    group, tree = peers["paga_group"], peers["paga_tree"]
    pairs = np.argwhere(np.triu(tree) > 0)
    edge_at = {}
    for a, b in pairs:
        edge_at.setdefault(int(a), (a, b, 0.0))
        edge_at.setdefault(int(b), (a, b, 1.0))
    at = [edge_at.get(int(g), (pairs[0][0], pairs[0][1], 0.0)) for g in group]
    return {
        "network": [[f"g{a}", f"g{b}", 1.0] for a, b in pairs],
        "from": [f"g{a}" for a, _, _ in at],
        "to": [f"g{b}" for _, b, _ in at],
        "percentage": [p for _, _, p in at],
    }


def our_network(tree, n):
    place = {int(p["cell_id"]): p for p in tree["progressions"]}
    return {
        "network": [[e["from"], e["to"], e["length"]] for e in tree["milestone_network"]],
        "from": [place[i]["from"] for i in range(n)],
        "to": [place[i]["to"] for i in range(n)],
        "percentage": [place[i]["percentage"] for i in range(n)],
    }


def truth_network(truth):
    return {
        "network": [list(edge) for edge in truth.edges],
        "from": [truth.edges[e][0] for e in truth.edge],
        "to": [truth.edges[e][1] for e in truth.edge],
        "percentage": truth.fraction.tolist(),
    }


def write_networks(all_cells, folder, path):
    result = {}
    for cells in all_cells:
        if cells.truth is None:
            continue
        peers = np.load(folder / "peers" / f"{cells.key}.npz")
        tree = json.loads((folder / "ours" / f"{cells.key}.json").read_text())
        n = len(cells.time)
        methods = {
            "truth": truth_network(cells.truth),
            "geotherm": our_network(tree, n),
            "diffusion pseudotime": linear(peers["dpt"][0]),
            "Palantir": palantir_network(peers),
            "PAGA": paga_network(peers),
        }
        result[cells.name] = methods
    path.write_text(json.dumps(result))


def order_table(all_cells, folder):
    lines = ["| data | n | geotherm | diffusion pseudotime | Palantir | less the better of both | s |", "|---|---|---|---|---|---|---|"]
    rows = []
    for cells in all_cells:
        peers = np.load(folder / "peers" / f"{cells.key}.npz")
        ours = np.load(folder / "ours" / f"{cells.key}.npz")
        found = [scores(ours["order"], cells), *(scores(peers[key], cells) for _, key in PEERS)]
        rows.append(found)
        better = max(found[1][0], found[2][0])
        cell = " | ".join(f"{s:.3f} / {k:.3f}" for s, k in found)
        lines.append(
            f"| {cells.name}{'*' if cells.tuned else ''} | {len(cells.time)} | {cell} | {found[0][0] - better:+.3f} | {float(ours['seconds']):.2f} |"
        )
    spearman = np.array(rows)[:, :, 0]
    kendall = np.array(rows)[:, :, 1]
    mean = " | ".join(f"{s:.3f} / {k:.3f}" for s, k in zip(spearman.mean(0), kendall.mean(0), strict=True))
    lines.append(f"| **mean** | | {mean} | | |")
    tuned = np.array([cells.tuned for cells in all_cells])
    better = spearman[:, 1:].max(1)

    def counts(which):
        ours = spearman[which]
        return (
            f"{np.sum(ours[:, 0] > ours[:, 1])} of {len(ours)} rows ahead of diffusion pseudotime, "
            f"{np.sum(ours[:, 0] > ours[:, 2])} ahead of Palantir, {np.sum(ours[:, 0] > better[which])} ahead of both; "
            f"{np.sum(ours[:, 0] < better[which] - 0.03)} more than .03 behind the better of both; "
            f"means {ours[:, 0].mean():.3f}, {ours[:, 1].mean():.3f}, {ours[:, 2].mean():.3f}"
        )

    behind = [cells.name for cells, row in zip(all_cells, spearman, strict=True) if row[0] < row[1:].max() - 0.03]
    lines += ["", f"More than .03 behind the better of both: {', '.join(behind) or 'none'}."]
    return lines + ["", f"All rows: {counts(np.ones(len(tuned), bool))}.", "", f"Reported rows alone: {counts(~tuned)}."]


def branch_table(judged, n_sets):
    if not judged:
        return ["Not judged in this run."]
    metrics = ["correlation", "F1_branches", "him", "edge_flip"]
    methods = ["geotherm", "Palantir", "PAGA", "diffusion pseudotime"]
    lines = [f"| data | {' | '.join(methods)} |", "|---|" + "---|" * len(methods)]
    table = np.full((len(judged), len(methods), len(metrics)), np.nan)
    for row, (name, found) in zip(table, judged.items(), strict=True):
        words = []
        for k, method in enumerate(methods):
            if "error" in found[method]:
                words.append("not judged")
                continue
            row[k] = [found[method][m] for m in metrics]
            words.append(" / ".join(f"{v:.2f}" for v in row[k]))
        lines.append(f"| {name} | {' | '.join(words)} |")
    lines.append(f"| **mean** | {' | '.join(' / '.join(f'{v:.3f}' for v in means) for means in np.nanmean(table, axis=0))} |")
    mean = np.nanmean(table, axis=2)
    lines.append(f"| **mean of the four** | {' | '.join(f'{v:.3f}' for v in np.nanmean(mean, axis=0))} |")
    for k, method in enumerate(methods[1:], 1):
        lines += ["", f"Rows in which the mean of the four is above that of {method}: {np.sum(mean[:, 0] > mean[:, k])} of {len(mean)}."]
    return lines if len(judged) == n_sets else [*lines, "", f"{len(judged)} of {n_sets} sets were judged in this run."]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["networks", "report"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--cells", type=Path, default=Path("out/cells"))
    parser.add_argument("--folder", type=Path, default=Path("out/trajectories"))
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("results.md"))
    arguments = parser.parse_args()
    all_cells = sets.all_sets(arguments.cells)
    if arguments.step == "networks":
        write_networks(all_cells, arguments.folder, arguments.file)
        return
    judged = json.loads(arguments.file.read_text()) if arguments.file.exists() else {}
    text = [
        "# Trajectories: order and branches",
        "",
        "Written by `bench/trajectories/compare.py`. Every method has its own defaults and the same root. Sets marked * were named in",
        "advance to fix the options of `geotherm pseudotime` (with further draws of the simulated shapes, `choices.md`); the others are only",
        "reported.",
        "",
        "## Order: Spearman / Kendall correlation with known time",
        "",
        "Simulated sets: time is the distance from the root along the network. Paul15: erythroid stages, mean over five roots among the",
        "common progenitors. Last column: seconds of the program on one thread, reading and writing included, beside other work on the machine.",
        "",
        *order_table(all_cells, arguments.folder),
        "",
        "## Branches of simulated sets, by dynverse's definitions",
        "",
        "Correlation of geodesics / F1 of branches / HIM / edge flip, as pydyneval-bio computes them from simplified networks with matched",
        "milestones (`judge.py`); 1 is best. Diffusion pseudotime is taken as a line, Palantir as one edge to each of its ends, PAGA as the tree",
        "between its groups. Slingshot is not in Debian and was not run.",
        "",
        *branch_table(judged, sum(cells.truth is not None for cells in all_cells)),
        "",
    ]
    written = "\n".join(text)
    if not judged and arguments.output.exists():
        # The judge takes long: without it the branches that were judged before stay, and the page says so.
        title = "## Branches"
        before = arguments.output.read_text().partition(title)[2]
        written = written.partition(title)[0] + title + before.rstrip("\n") + "\n"
        if KEPT not in before:
            written += f"\n{KEPT}\n"
    arguments.output.write_text(written)


if __name__ == "__main__":
    main()
