"""Why three baselines differ from the paper's tables: each variant on the same data, against the true geodesics.

    bench/peers.sh methods                                                  once
    .deps/peers/methods/bin/python bench/methods/paper_baselines.py         bench/methods/paper_baselines.md

Pearson / Spearman correlation of distances, mean over rows, as in the tables (n = 2,000 rolls, 2,500 points of trees). phate
is a black box: public arguments and attributes of the fitted object alone.
"""
import argparse
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist, squareform
from scipy.stats import rankdata

HERE = Path(__file__).resolve().parent
ROLL = ("Swiss roll, noise .1", ("swiss-roll", "--n", "2000", "--noise", "0.1"))
TREE = ("Tree, noise 1", ("tree", "--dim", "10", "--n", "2500", "--noise", "1"))
TREE5 = ("Tree, noise 5", ("tree", "--dim", "10", "--n", "2500", "--noise", "5"))
HIGH = ("Tree high, noise 1", ("tree", "--dim", "30", "--n", "2500", "--noise", "1"))


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, Path(folder)

    def program(self, *words):
        subprocess.run([self.args.geotherm, *map(str, words), "--quiet", "--threads", str(self.args.threads)], check=True)

    def data(self, words, seed):
        path = self.folder / f"{'-'.join(words)}-{seed}.npz"
        if not path.exists():
            subprocess.run([self.args.geotherm, "synth", *words, "--seed", str(seed), "-o", str(path), "--quiet"], check=True)
        return path

    def ours(self, what, more, path):
        out = self.folder / "out.npy"
        self.program(what, f"{path}:X", "-o", out, "--knn", 10, *more)
        found = np.load(out)
        return squareform(pdist(found)) if what == "embed" else found

    def potential(self, offset, time, path):
        """-log(H + offset) of the heat kernel, read off the plain heat-geodesic distance d^2 = -4 t log H."""
        d = self.ours("distances", ("--harnack", 0, "--units", "heat", "--rates", "hops", "--pca", "none", "--shortcuts", "off", "--time", time), path)
        return squareform(pdist(-np.log(np.exp(-(d.astype(float) ** 2) / (4 * time)) + offset)))

    def phate(self, landmarks, path):
        import phate

        with np.load(path) as z:
            points = z["X"]
        fitted = phate.PHATE(knn=10, decay=40, t=20, n_landmark=landmarks, n_jobs=self.args.threads, random_state=0, verbose=0).fit(points)
        potential = fitted.diff_potential
        return squareform(pdist(potential if len(potential) == len(points) else fitted.graph.interpolate(potential)))


def correlations(truth, found):
    some = range(0, len(truth), 4)
    pearson = np.mean([np.corrcoef(truth[i], found[i])[0, 1] for i in some])
    spearman = np.mean([np.corrcoef(rankdata(truth[i]), rankdata(found[i]))[0, 1] for i in some])
    return pearson, spearman


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--geotherm", default=os.environ.get("GEOTHERM_PROGRAM", str(HERE.parents[1] / "build/geotherm")))
    parser.add_argument("--seeds", default="47,48")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-o", "--output", default=str(HERE / "paper_baselines.md"))
    args = parser.parse_args()
    lines = ["# Baselines that differ from the paper's tables", "",
             f"Written by `bench/methods/paper_baselines.py --seeds {args.seeds}`. Pearson / Spearman correlation with the true geodesics, mean over rows and seeds.", "",
             "| data | variant | found | paper |", "|---|---|---|---|"]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder)
        one, two = ("--method", "diffusion-map", "--n-components", 1), ("--method", "diffusion-map", "--n-components", 2)
        rows = []
        for shape, paper in ((ROLL, ".974 / .983"), (TREE, ".748 / .733"), (TREE5, ".656 / .653"), (HIGH, ".754 / .741")):
            rows += [(shape, "diffusion map, one component beside the constant", lambda p: bench.ours("embed", one, p), paper),
                     (shape, "diffusion map, two components (ours)", lambda p: bench.ours("embed", two, p), paper)]
        for shape, paper in ((ROLL, ".990 / .997"), (TREE, ".918 / .885")):
            rows += [(shape, "Heat-PHATE, t = 50, -log(H + 1e-7)", lambda p: bench.potential(1e-7, 50, p), paper),
                     (shape, "Heat-PHATE, t = 50, -log(H + 1e-16)", lambda p: bench.potential(1e-16, 50, p), paper),
                     (shape, "Heat-PHATE, t = 50 (ours)", lambda p: bench.ours("distances", ("--method", "heat-phate", "--time", 50), p), paper)]
        for shape, paper in ((TREE, ".671 / .398"),):
            rows += [(shape, "phate, t = 20, its 2,000 landmarks", lambda p: bench.phate(2000, p), paper),
                     (shape, "phate, t = 20, no landmarks", lambda p: bench.phate(None, p), paper),
                     (shape, "PHATE, t = 20 (ours)", lambda p: bench.ours("distances", ("--method", "phate", "--time", 20), p), paper)]
        for (name, words), variant, measure, paper in rows:
            found = []
            for seed in args.seeds.split(","):
                path = bench.data(words, int(seed))
                with np.load(path) as z:
                    found.append(correlations(z["geodesic"], measure(path)))
            pearson, spearman = np.mean(found, axis=0)
            lines.append(f"| {name} | {variant} | {pearson:.3f} / {spearman:.3f} | {paper} |")
            print(lines[-1], flush=True)
    Path(args.output).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
