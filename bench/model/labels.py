"""Labels for new cells: geotherm transform --transfer beside scanpy's ingest and scikit-learn's kNN.

Each real set is cut in two halves: one is the reference, the other the query. Accuracy, log loss, expected
calibration error (ten bins of the probability given) and, with groups in turn kept out of the reference, how well novelty
tells its cells from the others (area under the curve). Small sets are cut several times. Finished cells are kept in
out/bench-model/labels.jsonl. Writes labels.md.

  GEOTHERM_DATA=... PEERS/bin/python bench/model/labels.py --program build/geotherm
"""
import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from shared import (COST_NOTE, SETS, ask_peer, fit_and_ask, kept_cells, made_by, mark_of, rows_of, shown_cost,  # noqa: E402
                    write)

SMALL = 5000
METHODS = ("geotherm", "scikit-learn kNN", "scanpy ingest")
NOTES = ["", "Mean over the cuts, with the standard deviation over them where there are several. Log loss is of being right, at the",
         "probability that the method gives its own answer; ingest gives none. Novelty: all groups with ten cells in the query are left",
         "out of the reference in turn (first cut); how well novelty tells their cells from all others, mean over the groups; in",
         "scikit-learn's row by the mean distance to the 15 nearest.", *COST_NOTE, "",
         "## Reliability of the probabilities (all cuts)", "",
         "| set | method | probability | cells | mean probability | share right |", "|---|---|---|---|---|---|"]


def ours(program, folder, old, new, labels, threads):
    """What the query cost; label, probability and novelty."""
    import numpy as np

    paths = {name: folder / name for name in ("old.npz", "new.npy", "map.npy", "m.gtm", "placed.npz")}
    np.savez(paths["old.npz"], X=old, label=labels)
    np.save(paths["new.npy"], new)
    fit = ["embed", f"{paths['old.npz']}:X", "-o", paths["map.npy"], "--model", paths["m.gtm"], "--keep", "label"]
    ask = ["transform", paths["m.gtm"], paths["new.npy"], "-o", paths["placed.npz"], "--transfer", "label"]
    cost = fit_and_ask(program, fit, ask, threads)
    with np.load(paths["placed.npz"]) as found:
        return cost, dict(found)


def mean_distance(old, new):
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=15).fit(old).kneighbors(new)[0].mean(1)


def novelty_score(of_query, old, new, known, truth, most):
    """Mean over the groups of the area under the curve, with the group left out of the reference."""
    import numpy as np

    names, counts = np.unique(truth, return_counts=True)
    groups = [g for g in names[np.argsort(counts)] if g in known and (truth == g).sum() >= 10]
    if len(groups) > most:
        groups = [groups[k] for k in np.linspace(0, len(groups) - 1, most).round().astype(int)]
    return float(np.mean([auc(of_query(old[known != g], known[known != g]), truth == g) for g in groups]))


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


def spread(values, digits=3):
    """Mean, and the standard deviation where there are several."""
    import numpy as np

    if any(v is None for v in values):
        return "-"
    return f"{np.mean(values):.{digits}f}" + (f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else "")


def judged(found, truth):
    right = found["label"] == truth
    cell = {"accuracy": float(right.mean()), "right": None, "log_loss": None, "calibration": None}
    if "probability" in found:
        p = found["probability"].astype(float)
        cell |= {"log_loss": float(log_loss(right, p)), "calibration": float(calibration_error(right, p)[0]),
                 "right": right.tolist(), "probability": p.tolist()}
    return cell


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/geotherm")
    parser.add_argument("--most", type=int, default=20000, help="rows of each set")
    parser.add_argument("--cuts", type=int, default=5, help=f"of sets up to {SMALL:,} rows; larger ones are cut once")
    parser.add_argument("--groups", type=int, default=99, help="left out in turn, at most, from the smallest to the largest")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="without ingest, which compiles for a minute in each set")
    parser.add_argument("--methods", nargs="+", default=METHODS, help="these alone, now; a later run without this finds their cells")
    args = parser.parse_args()
    import numpy as np

    program, lines, reliability, cells = os.path.abspath(args.program), [], [], kept_cells(__file__)

    def halves(name, cut):
        rows, labels = rows_of(name, args.most, seed=cut)
        half = len(rows) // 2
        return rows[:half], rows[half:], labels[:half], labels[half:]

    def transferred(name, method, cut):
        def measure():
            old, new, known, truth = halves(name, cut)
            with tempfile.TemporaryDirectory() as path:
                cost, found = (ours(program, Path(path), old, new, known, args.threads) if method == "geotherm" else
                               ask_peer(method, Path(path), args.threads, old=old, new=new, label=known))
            return cost | judged(found, truth)

        return measure

    def novelty(name, method):
        def measure():
            old, new, known, truth = halves(name, 0)
            with tempfile.TemporaryDirectory() as path:
                of_query = ((lambda rows, labels: ours(program, Path(path), rows, new, labels, args.threads)[1]["novelty"])
                            if method == "geotherm" else lambda rows, labels: mean_distance(rows, new))
                return {"auc": novelty_score(of_query, old, new, known, truth, args.groups)}

        return measure

    head = ["# Labels for new cells", "",
            f"{made_by('labels.py', args.threads)} Halves of each set (at most {args.most:,} rows), one the reference.", "",
            "| set | cuts | method | accuracy | log loss | calibration error | novelty AUC | query, s | CPU s | peak MiB |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    for name, *_ in SETS:
        n = len(rows_of(name, args.most)[0])
        cuts = args.cuts if n <= SMALL else 1
        for method in METHODS[:2] if args.quick else [m for m in METHODS if m in args.methods]:
            key = {"set": name, "rows": n, "method": method, "threads": args.threads} | mark_of(program, method == "geotherm")
            # Ingest compiles for a minute each time.
            n_cuts = 1 if method == "scanpy ingest" else cuts
            found = [cells.get(key | {"cut": cut}, transferred(name, method, cut)) for cut in range(n_cuts)]
            score = cells.get(key | {"groups": args.groups}, novelty(name, method))["auc"] if method != "scanpy ingest" else None
            values = " | ".join(spread([cell[k] for cell in found]) for k in ("accuracy", "log_loss", "calibration"))
            lines.append(f"| {name} | {n_cuts} | {method} | {values} | {'-' if score is None else f'{score:.3f}'} | {shown_cost(found[0])} |")
            if found[0]["right"]:
                right, p = (np.concatenate([cell[k] for cell in found]) for k in ("right", "probability"))
                reliability.extend((name, method, *row) for row in calibration_error(right.astype(bool), p)[1])
        rows = [f"| {n} | {m} | {a:.1f} - {b:.1f} | {c} | {p:.3f} | {r:.3f} |" for n, m, a, b, c, p, r in reliability]
        write("labels.md", head + lines + NOTES + rows)


if __name__ == "__main__":
    main()
