#!/usr/bin/env python3
"""Small runs of the program whose results are kept in stored_runs.json: any build, by any compiler, on any
machine, has to agree with them to 1e-9 (tests/cli/test_stored_runs.py; `make compilers`).

    .deps/python/bin/python tests/reference/make_stored_runs.py build/geotherm
    .deps/python/bin/python tests/reference/make_stored_runs.py --compare NAME=PROGRAM ...   prints how far each is from them

Renew them where a method was changed on purpose, and say so in the change. The table of points is kept
beside the results, so that every build starts from the same bits.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

STORE = pathlib.Path(__file__).with_name("stored_runs.json")
# Rows of a matrix of distances that are kept.
KEPT_ROWS = (0, 17, 40)
METHODS = ("heatgeo", "phate", "heat-phate", "rand-geo", "diffusion-map", "laplacian-eigenmaps", "shortest-path",
           "sne", "pca")  # fmt: skip
MEASURED = ("heatgeo", "phate", "heat-phate", "rand-geo", "diffusion-map", "shortest-path")

RUNS = {
    **{f"map, {method}": ("embed", "--method", method) for method in METHODS},
    **{f"distances, {method}": ("distances", "--method", method) for method in MEASURED},
    **{f"distances, {kernel}": ("distances", "--kernel", kernel, "--time", "5") for kernel in ("uniformization", "exact", "chebyshev", "euler")},
    **{f"distances, {kind}": ("distances", "--laplacian", kind) for kind in ("normalized", "random-walk")},
    **{f"map, {graph} graph": ("embed", "--graph", graph) for graph in ("knn", "gaussian", "umap")},
    **{f"map, {metric}": ("embed", "--metric", metric) for metric in ("cosine", "correlation", "manhattan")},
    **{f"map, {solver}": ("embed", "--mds", solver) for solver in ("classical", "sgd")},
    **{f"map, weights {name}": ("embed", "--mds-weights", name) for name in ("heat", "inverse", "gaussian")},
    # After smoothing distances are promised, maps are not (docs/reliability.md).
    "distances, smooth 2": ("distances", "--smooth", "2"),
    "map, three dimensions": ("embed", "--n-components", "3", "--mds", "classical"),
    "map, landmarks": ("embed", "--landmarks", "25"),
    "map, approximate search": ("embed", "--search", "approximate"),
    "map, two components": ("embed", "--pca", "2"),
    "map, as published": ("embed", "--pca", "none", "--shortcuts", "off", "--rates", "hops", "--time", "knee"),
    "map, tsne": ("embed", "--method", "tsne", "--perplexity", "10"),
    # UMAP's descent moves points that repel by single edges: a last bit is a thousand times as large an epoch later.
    "map, first epoch of umap": ("embed", "--method", "umap", "--max-iterations", "1"),
    **{f"table, {shape}": ("synth", shape, "--n", "40") for shape in ("swiss-roll", "tree", "torus", "blobs")},
}  # fmt: skip


def make_points() -> list[list[float]]:
    """Sixty points on a bent line with two arms, in four dimensions."""
    draw = random.Random(8)
    points = []
    for i in range(60):
        t = 3 * draw.random()
        arm = 0.8 * t if i % 3 == 0 else 0.0
        place = (t, t * t / 3, arm, 0.3 * t)
        points.append([round(x + draw.gauss(0, 0.03), 6) for x in place])
    return points


def result_of(program, name: str, points: list[list[float]]) -> np.ndarray:
    """What the program answers to one of the RUNS: coordinates, some rows of distances, or a table."""
    command, *options = RUNS[name]
    with tempfile.TemporaryDirectory() as folder:
        table, out = f"{folder}/points.csv", f"{folder}/out.{'npz' if command == 'synth' else 'npy'}"
        pathlib.Path(table).write_text("\n".join(",".join(map(repr, row)) for row in points) + "\n")
        source = [] if command == "synth" else [table]
        done = subprocess.run(
            [str(program), command, *source, *options, "-o", out, "--quiet"],
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"{name}: exit code {done.returncode}: {done.stderr}")
        found = np.load(out)
        if command == "synth":
            return found["X"]
        return found[list(KEPT_ROWS)] if command == "distances" else found


def disagreement(name: str, found: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference: of maps and tables as a share of their largest number, of distances as a share of each.

    A distance is the root of a difference of logarithms: where points all but coincide that difference is
    rounding, and its root far larger. So squares are compared, those below 1e-5 of the largest as if they
    were that.
    """
    if name.startswith("distances"):
        found, expected = found**2, expected**2
        return float(np.max(np.abs(found - expected) / np.maximum(expected, 1e-5 * expected.max())))
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def table_of(programs: dict[str, str]) -> str:
    store = json.loads(STORE.read_text())
    lines = ["| run | " + " | ".join(programs) + " |", "|---" * (1 + len(programs)) + "|"]
    for name in RUNS:
        expected = np.array(store["results"][name])
        shares = [disagreement(name, result_of(p, name, store["points"]), expected) for p in programs.values()]
        lines.append(f"| {name} | " + " | ".join(f"{share:.0e}" if share else "0" for share in shares) + " |")
    return "\n".join(lines)


def main():
    if sys.argv[1] == "--compare":
        print(table_of(dict(argument.split("=", 1) for argument in sys.argv[2:])))
        return
    points = make_points()
    lines = [f" {json.dumps(name)}: {json.dumps(result_of(sys.argv[1], name, points).tolist())}" for name in RUNS]
    STORE.write_text('{"points": ' + json.dumps(points) + ',\n"results": {\n' + ",\n".join(lines) + "\n}}\n")


if __name__ == "__main__":
    main()
