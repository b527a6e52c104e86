"""Several views of the same rows: geotherm embed --view beside each view alone and the columns side by side.

Made rows whose views each resolve half of the groups, in the same units and in others; CBMC's genes and Levine32's markers, each cut in
two by two rules that look at no value: first and second half of the file's columns, even and odd columns. Both are reported. Share of rows whose ten nearest in the map vote for their own
group, adjusted mutual information of as many k-means clusters as groups, seconds. Writes views.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/views.py --program build/geotherm
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared import accuracy_in_map, data_folder, made_by, run_ours, shown_cost, write  # noqa: E402


def halves(unit, n=1600, dims=10, seed=3):
    """Eight groups: the first view tells 0 to 3 apart and takes the others for one, the second the other way round."""
    import numpy as np

    rng = np.random.default_rng(seed)
    group = np.arange(n) % 8
    centres = rng.normal(0, 4, (2, 4, dims))
    views = []
    for m in range(2):
        own = group // 4 == m
        places = np.where(own[:, None], centres[m][group % 4], 12 / np.sqrt(dims))
        views.append((places + rng.normal(0, 1, (n, dims))) * (unit if m else 1))
    return views[0], views[1], group.astype(str)


def cbmc(step):
    """Counts per cell scaled to 1,000 and put through log(1 + x)."""
    import numpy as np

    with np.load(data_folder() / "cbmc_citeseq_8617x500.npz") as file:
        counts, names = file["counts"][::step].astype(float), file["names"][::step]
    return np.log1p(counts / np.maximum(counts.sum(1, keepdims=True), 1) * 1000), names


def levine(step):
    import numpy as np

    with np.load(data_folder() / "levine32_H2_31721x32_asinh.npz") as file:
        return file["X"][::step].astype(float), file["label"][::step].astype(str)


def cuts(name, table):
    """A table as two views, by each rule."""
    rows, group = table
    half = rows.shape[1] // 2
    yield f"{name}, halves", (rows[:, :half], rows[:, half:], group)
    yield f"{name}, even and odd", (rows[:, ::2], rows[:, 1::2], group)


def clusters_score(places, labels):
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_mutual_info_score

    found = [KMeans(len(np.unique(labels)), n_init=10, random_state=s).fit_predict(places) for s in range(3)]
    return float(np.mean([adjusted_mutual_info_score(labels, f) for f in found]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--step", type=int, default=3, help="every so many-th cell of CBMC, half as many of Levine32")
    args = parser.parse_args()
    import numpy as np

    program, lines, how = os.path.abspath(args.program), [], made_by("views.py", args.threads)
    sets = (("made, same units", halves(1)), ("made, second view x 20", halves(20)), *cuts("CBMC genes", cbmc(args.step)),
            *cuts("Levine32 markers", levine(2 * args.step)))
    for title, (first, second, group) in sets:
        with tempfile.TemporaryDirectory() as path:
            folder = Path(path)
            np.save(folder / "first.npy", first)
            np.save(folder / "second.npy", second)
            np.save(folder / "both.npy", np.c_[first, second])
            runs = (("first view alone", ["first.npy"]), ("second view alone", ["second.npy"]),
                    ("columns side by side", ["both.npy"]), ("both, --view", ["first.npy", "--view", "second.npy"]))
            for name, words in runs:
                words = [folder / w if w.endswith(".npy") else w for w in words]
                cost = run_ours(program, ["embed", *words, "-o", folder / "map.npy"], args.threads)
                places = np.load(folder / "map.npy")
                lines.append(f"| {title} | {name} | {accuracy_in_map(places, group, places, group, True):.3f} | "
                             f"{clusters_score(places, group):.3f} | {shown_cost(cost, 1)} |")
                print(lines[-1], flush=True)
    write("views.md", [
        "# Several views of the same rows", "", how, "",
        "| rows | map of | accuracy of 10 neighbours | AMI of clusters | s | CPU s | peak MiB |", "|---|---|---|---|---|---|---|", *lines, "",
        "Made rows: eight groups, 1,600 rows; each view tells four of them apart and takes the other four for one. CBMC:",
        f"8,617 / {args.step} cells, 500 genes, 13 types; Levine32: 31,721 / {2 * args.step} cells, 32 markers, 14 populations. Cuts: first and",
        "second half of the file's columns; even and odd columns. Both rules were named before they were run. The columns of both views are in one",
        "unit, so that side by side they need no weights. Clusters: k-means in the map, as many as groups, mean of three starts."])


if __name__ == "__main__":
    main()
