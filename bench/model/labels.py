"""Labels for new cells: geotherm transform --transfer beside scanpy's ingest and scikit-learn's kNN.

Each real set is cut in two halves: one is the reference, the other the query. Accuracy, log loss, expected
calibration error (ten bins of the probability given) and, with one group kept out of the reference, how well novelty
tells its cells from the others (area under the curve). Writes labels.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/labels.py --program build/geotherm
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import hold_threads  # noqa: E402


def sets(folder, most):
    import numpy as np

    for name, file, X, y in (
        ("PBMC 3k", "pbmc3k_processed_pca50_small.npz", "X_pca", "louvain"),
        ("Paul15", "paul15_2730_pca50.npz", "X_pca", "paul15_clusters"),
        ("Levine32", "levine32_H2_31721x32_asinh.npz", "X", "label"),
        ("MNIST", "mnist_70k_pca50.npz", "X_pca", "y"),
    ):
        arrays = np.load(folder / file, allow_pickle=False)
        rows, labels = arrays[X].astype(np.float32), arrays[y].astype(str)
        chosen = np.random.default_rng(0).permutation(len(rows))[:most]
        yield name, rows[chosen], labels[chosen]


def ours(program, old, new, labels):
    """label, probability, novelty, seconds of the query"""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.savez(folder / "old.npz", X=old, label=labels)
        np.save(folder / "new.npy", new)
        made = [program, "embed", "old.npz:X", "-o", "map.npy", "--model", "m.gtm", "--keep", "label", "--quiet"]
        subprocess.run([*made, "--threads", "2"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        start = time.perf_counter()
        asked = [program, "transform", "m.gtm", "new.npy", "-o", "placed.npz", "--transfer", "label", "--quiet"]
        subprocess.run([*asked, "--threads", "2"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        found = np.load(folder / "placed.npz")
        return found["label"], found["probability"], found["novelty"], seconds


def by_sklearn(old, new, labels):
    from sklearn.neighbors import KNeighborsClassifier

    start = time.perf_counter()
    model = KNeighborsClassifier(n_neighbors=15).fit(old, labels)
    shares = model.predict_proba(new)
    return model.classes_[shares.argmax(1)], shares.max(1), time.perf_counter() - start


def by_ingest(old, new, labels):
    """Votes of ingest's neighbours, which it does not give as probabilities: the label alone."""
    import anndata
    import numpy as np
    import scanpy as sc

    names = [f"c{i}" for i in range(old.shape[1])]
    ref = anndata.AnnData(old.copy(), var={"n": names})
    query = anndata.AnnData(new.copy(), var={"n": names})
    ref.obs["label"] = labels
    ref.obs["label"] = ref.obs["label"].astype("category")
    sc.pp.pca(ref, n_comps=min(30, old.shape[1] - 1))
    sc.pp.neighbors(ref)
    sc.tl.umap(ref)
    start = time.perf_counter()
    sc.tl.ingest(query, ref, obs="label")
    return np.asarray(query.obs["label"].astype(str)), time.perf_counter() - start


def calibration_error(right, probability, bins=10):
    import numpy as np

    error, rows = 0.0, []
    for low in np.linspace(0, 1, bins, endpoint=False):
        inside = (probability > low) & (probability <= low + 1 / bins)
        if not inside.any():
            continue
        gap = abs(right[inside].mean() - probability[inside].mean())
        error += inside.mean() * gap
        rows.append((low, low + 1 / bins, int(inside.sum()), probability[inside].mean(), right[inside].mean()))
    return error, rows


def log_loss(right, probability):
    """Of being right, the probability given: what every method here says of its own answer."""
    import numpy as np

    p = np.clip(probability, 1e-3, 1 - 1e-3)
    return -np.mean(np.where(right, np.log(p), np.log(1 - p)))


def auc(scores, is_novel):
    import numpy as np

    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1
    n = is_novel.sum()
    return (ranks[is_novel].sum() - n * (n + 1) / 2) / (n * (~is_novel).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--most", type=int, default=6000, help="rows of each set")
    args = parser.parse_args()
    hold_threads(2)
    import numpy as np

    program, table, reliability = os.path.abspath(args.program), [], []
    for name, rows, labels in sets(Path(os.environ["GEOTHERM_DATA"]), args.most):
        half = len(rows) // 2
        old, new, known, truth = rows[:half], rows[half:], labels[:half], labels[half:]
        label, probability, _, seconds = ours(program, old, new, known)
        right = label == truth
        error, bins = calibration_error(right, probability)
        reliability += [(name, *row) for row in bins]
        names, counts = np.unique(known, return_counts=True)
        hidden = names[np.argsort(counts)[len(names) // 2]]
        _, _, novelty, _ = ours(program, old[known != hidden], new, known[known != hidden])
        found = auc(novelty, truth == hidden)
        table.append((name, "geotherm", right.mean(), log_loss(right, probability), error, found, seconds))
        label, probability, seconds = by_sklearn(old, new, known)
        right = label == truth
        error, _ = calibration_error(right, probability)
        table.append((name, "scikit-learn kNN (15)", right.mean(), log_loss(right, probability), error, None, seconds))
        try:
            label, seconds = by_ingest(old, new, known)
            table.append((name, "scanpy ingest", (label == truth).mean(), None, None, None, seconds))
        except Exception as error:  # the row says that there is none
            table.append((name, f"scanpy ingest ({type(error).__name__})", None, None, None, None, None))
        print(*table[-3:], sep="\n", flush=True)

    def shown(value, digits=3):
        return "-" if value is None else f"{value:.{digits}f}"

    lines = ["# Labels for new cells", "", "Made by `bench/model/labels.py`: halves of each set, one the reference.", ""]
    lines += ["| set | method | accuracy | log loss | calibration error | novelty AUC | query, s |", "|---|---|---|---|---|---|---|"]
    for name, method, *values, seconds in table:
        lines.append(f"| {name} | {method} | " + " | ".join(map(shown, values)) + f" | {shown(seconds, 2)} |")
    lines += ["", "Log loss is of being right, at the probability that the method gives its own answer. Novelty: one group (the median in size)",
              "is left out of the reference; how well novelty tells its cells from all others. Seconds: whole process for geotherm (reading the",
              "model and writing the answer), the call alone for the others, on a shared machine.", "",
              "## Reliability of geotherm's probabilities", "", "| set | probability | cells | mean probability | share right |", "|---|---|---|---|---|"]
    lines += [f"| {n} | {a:.1f} - {b:.1f} | {c} | {p:.3f} | {r:.3f} |" for n, a, b, c, p, r in reliability]
    (Path(__file__).parent / "labels.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
