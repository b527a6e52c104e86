"""Aligned maps: geotherm align beside AlignedUMAP, with the same links.

Overlapping windows of the small digits of scikit-learn (linked by their ids), and haematopoiesis at days 2, 4 and 6 (linked by mutual
nearest neighbours). Distance of linked rows over the extent of the map, accuracy of ten neighbours within a slice and in the next one,
seconds and memory of the whole process. Writes align.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/align.py --program build/geotherm
"""
import argparse
import itertools
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared import COST_NOTE, accuracy_in_map, ask_peer, data_folder, made_by, run_ours, shown_cost, write  # noqa: E402


def windows(draw, n_windows=4, size=600, step=300):
    """Tables, labels, and links: row of one table, row of the next. Rows in the file's order, or in an order that is drawn."""
    import numpy as np
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.arange(len(digits.data)) if draw == 0 else np.random.default_rng(draw).permutation(len(digits.data))
    X, y = digits.data[order], digits.target[order].astype(str)
    tables = [X[k * step : k * step + size] for k in range(n_windows)]
    labels = [y[k * step : k * step + size] for k in range(n_windows)]
    link = np.c_[np.arange(step, size), np.arange(size - step)]
    return tables, labels, [link] * (n_windows - 1)


def days(_draw=0):
    import numpy as np
    from sklearn.neighbors import NearestNeighbors

    # The states are stored as objects.
    with np.load(data_folder() / "weinreb_781_pca50.npz", allow_pickle=True) as file:
        X, day, state = file["X_pca"].astype(float), file["time"], file["state"].astype(str)
    tables = [X[day == t] for t in np.unique(day)]
    labels = [state[day == t] for t in np.unique(day)]
    links = []
    for a, b in itertools.pairwise(tables):
        # The nearest of those among each other's five.
        to_b = NearestNeighbors(n_neighbors=5).fit(b).kneighbors(a, return_distance=False)
        to_a = NearestNeighbors(n_neighbors=5).fit(a).kneighbors(b, return_distance=False)
        pairs = [(i, next((j for j in to_b[i] if i in to_a[j]), -1)) for i in range(len(a))]
        links.append(np.array([pair for pair in pairs if pair[1] >= 0]))
    return tables, labels, links


def judged(maps, labels, links):
    import numpy as np

    extent = np.ptp(np.vstack(maps), axis=0).max()
    apart = [np.linalg.norm(maps[k][link[:, 0]] - maps[k + 1][link[:, 1]], axis=1) for k, link in enumerate(links)]
    within = [accuracy_in_map(m, y, m, y, True) for m, y in zip(maps, labels, strict=True)]
    across = []
    for k, link in enumerate(links):
        # Of the next table the rows that are not linked: what a link brings is not asked.
        free = np.setdiff1d(np.arange(len(maps[k + 1])), link[:, 1])
        across.append(accuracy_in_map(maps[k + 1][free], labels[k + 1][free], maps[k], labels[k]))
    return np.median(np.concatenate(apart)) / extent, np.mean(within), np.mean(across)


def shown_scores(of_draws):
    """Means, with the standard deviation over the draws where there are several."""
    import numpy as np

    columns = []
    for values, digits in zip(zip(*of_draws, strict=True), (4, 3, 3), strict=True):
        spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 and digits == 3 else ""
        columns.append(f"{np.mean(values):.{digits}f}{spread}")
    return " | ".join(columns)


def ours(program, folder, tables, links, extra, threads):
    """A linked row has the name of its partner in the table before."""
    import numpy as np

    names = [f"t0r{i}" for i in range(len(tables[0]))]
    files = []
    for k, table in enumerate(tables):
        if k > 0:
            partner = {int(j): names[i] for i, j in reversed(links[k - 1].tolist())}
            names = [partner.get(j, f"t{k}r{j}") for j in range(len(table))]
        files.append(folder / f"t{k}.csv")
        lines = ["id," + ",".join(f"p{c}" for c in range(table.shape[1]))]
        lines += [f"{name}," + ",".join(repr(float(v)) for v in row) for name, row in zip(names, table, strict=True)]
        files[-1].write_text("\n".join(lines) + "\n")
    cost = run_ours(program, ["align", *files, "-o", folder / "out", "--links", "ids", *extra], threads)
    maps = [np.loadtxt(folder / "out" / f"t{k}.csv", delimiter=",", skiprows=1, usecols=(1, 2)) for k in range(len(tables))]
    return cost, maps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--draws", type=int, default=4, help="orders of the digits")
    parser.add_argument("--quick", action="store_true", help="without AlignedUMAP")
    args = parser.parse_args()
    program, lines, how = os.path.abspath(args.program), [], made_by("align.py", args.threads)
    runs = (("geotherm align", ()), ("geotherm align --refine off", ("--refine", "off")),
            ("AlignedUMAP", None))
    sets = (("digits, 4 windows", windows, args.draws), ("haematopoiesis, 3 days", days, 1))
    for title, make, n_draws in sets:
        for name, extra in runs[:-1] if args.quick else runs:
            scores, costs = [], []
            for draw in range(n_draws):
                tables, labels, links = make(draw)
                with tempfile.TemporaryDirectory() as path:
                    folder = Path(path)
                    if extra is None:
                        arrays = {f"t{k}": table for k, table in enumerate(tables)} | {f"links{k}": link for k, link in enumerate(links)}
                        cost, found = ask_peer(name, folder, args.threads, n=len(tables), **arrays)
                        maps = [found[f"map{k}"] for k in range(len(tables))]
                    else:
                        cost, maps = ours(program, folder, tables, links, extra, args.threads)
                scores.append(judged(maps, labels, links))
                costs.append(cost)
            lines.append(f"| {title} | {n_draws} | {name} | {shown_scores(scores)} | {shown_cost(costs[0], 1)} |")
            print(lines[-1], flush=True)
    write("align.md", [
        "# Aligned maps", "", how, "",
        "| tables | draws | method | linked rows apart | accuracy within a slice | accuracy in the next slice | s | CPU s | peak MiB |",
        "|---|---|---|---|---|---|---|---|---|", *lines, "",
        "Digits: windows of 600 rows, 300 in common with the next; in the file's order (writers by turns) and in orders that are drawn, means and",
        "standard deviations over them, cost of the first. Haematopoiesis: cells of days 2, 4 and 6, linked by mutual nearest",
        "neighbours. Linked rows apart: median, share of the map's larger side. Accuracy within a slice: ten neighbours vote; in the next slice:",
        "ten neighbours of the slice before vote for rows that are not linked to it. geotherm writes its pages in that time.", *COST_NOTE])


if __name__ == "__main__":
    main()
