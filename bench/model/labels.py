"""Labels for new cells: geotherm transform --transfer beside scanpy's ingest and scikit-learn's kNN.

Each real set is cut in two halves: one is the reference, the other the query. Accuracy, log loss, expected
calibration error (ten bins of the probability given) and, with one group kept out of the reference, how well novelty
tells its cells from the others (area under the curve). Writes labels.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/labels.py --program build/geotherm
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared import SETS, ask_peer, made_by, rows_of, run_ours, write  # noqa: E402


NOTES = ["", "Log loss is of being right, at the probability that the method gives its own answer; ingest gives none. Novelty: one group (the",
         "median in size) is left out of the reference; how well novelty tells its cells from all others, and in scikit-learn's row the mean",
         "distance to the 15 nearest. Seconds: whole process for geotherm (reading the model, placing, writing), the call alone for the",
         "others, once compiled. Peak memory of the others is that of fitting and asking in one process.", "",
         "## Reliability of the probabilities", "",
         "| set | method | probability | cells | mean probability | share right |", "|---|---|---|---|---|---|"]


def ours(program, folder, old, new, labels, threads):
    """What the query cost; label, probability and novelty."""
    import numpy as np

    paths = {name: folder / name for name in ("old.npz", "new.npy", "map.npy", "m.gtm", "placed.npz")}
    np.savez(paths["old.npz"], X=old, label=labels)
    np.save(paths["new.npy"], new)
    run_ours(program, ["embed", f"{paths['old.npz']}:X", "-o", paths["map.npy"], "--model", paths["m.gtm"], "--keep", "label"],
             threads)
    cost = run_ours(program, ["transform", paths["m.gtm"], paths["new.npy"], "-o", paths["placed.npz"], "--transfer", "label"],
                    threads)
    with np.load(paths["placed.npz"]) as found:
        return cost, dict(found)


def calibration_error(right, probability, bins=10):
    """Mean gap between probability and share right, and the bins: low, high, cells, mean probability, share right."""
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
    """Of being right, at the probability given: what every method here says of its own answer."""
    import numpy as np

    p = np.clip(probability, 1e-3, 1 - 1e-3)
    return -np.mean(np.where(right, np.log(p), np.log(1 - p)))


def auc(scores, is_novel):
    import numpy as np

    ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") + 1
    n = is_novel.sum()
    return (ranks[is_novel].sum() - n * (n + 1) / 2) / (n * (~is_novel).sum())


def shown(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--most", type=int, default=20000, help="rows of each set")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="without ingest, which compiles for a minute in each set")
    args = parser.parse_args()
    import numpy as np

    program, lines, reliability = os.path.abspath(args.program), [], []

    def add(name, method, cost, found, truth, novelty_auc):
        right = found["label"] == truth
        has_probability = "probability" in found
        error, bins = calibration_error(right, found["probability"]) if has_probability else (None, [])
        loss = log_loss(right, found["probability"]) if has_probability else None
        lines.append(f"| {name} | {method} | {right.mean():.3f} | {shown(loss)} | {shown(error)} | {shown(novelty_auc)} | "
                     f"{cost['seconds']:.2f} | {cost['peak_mib']:.0f} |")
        reliability.extend((name, method, *row) for row in bins)
        print(lines[-1], flush=True)

    head = ["# Labels for new cells", "",
            f"{made_by('labels.py', args.threads)} Halves of each set (at most {args.most:,} rows), one the reference.", "",
            "| set | method | accuracy | log loss | calibration error | novelty AUC | query, s | peak MiB |", "|---|---|---|---|---|---|---|---|"]
    for name, *_ in SETS:
        rows, labels = rows_of(name, args.most)
        half = len(rows) // 2
        old, new, known, truth = rows[:half], rows[half:], labels[:half], labels[half:]
        names, counts = np.unique(known, return_counts=True)
        hidden = names[np.argsort(counts)[len(names) // 2]]
        kept = known != hidden
        with tempfile.TemporaryDirectory() as path:
            folder = Path(path)
            _, without = ours(program, folder, old[kept], new, known[kept], args.threads)
            cost, found = ours(program, folder, old, new, known, args.threads)
            add(name, "geotherm", cost, found, truth, auc(without["novelty"], truth == hidden))
            _, apart = ask_peer("mean distance", folder, args.threads, old=old[kept], new=new)
            for peer in ("scikit-learn kNN", *(() if args.quick else ("scanpy ingest",))):
                cost, found = ask_peer(peer, folder, args.threads, old=old, new=new, label=known)
                add(name, peer, cost, found, truth, auc(apart["novelty"], truth == hidden) if peer.startswith("scikit") else None)
        rows = [f"| {n} | {m} | {a:.1f} - {b:.1f} | {c} | {p:.3f} | {r:.3f} |" for n, m, a, b, c, p, r in reliability]
        write("labels.md", head + lines + NOTES + rows)


if __name__ == "__main__":
    main()
