"""The default refinement on other draws than those of results.md -> draws.md

    draws.py [--draws 6] [--first 100] [--geotherm build/geotherm]

Made shapes anew with each seed; of real sets 4,000 rows, or four fifths of those there are. Each map is judged beside
the unrefined one by judge.py. Finished draws are kept in out/bench-refine/draws.jsonl. Needs numpy, scikit-learn.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import ROOT, Cells, hold_threads, program_mark, version_of  # noqa: E402

hold_threads(1)
import numpy as np  # noqa: E402

from judge import judge, make_truth  # noqa: E402
from sets import SETS, WITHOUT_TYPES, blobs, circle, roll, s_curve, tree  # noqa: E402

HERE = Path(__file__).resolve().parent
MADE = {"tree": tree, "S-curve": s_curve, "blobs": blobs, "circle": circle, "roll": roll}


def drawn(name, seed):
    if name in MADE:
        return MADE[name](seed=seed)
    points, labels = SETS[name]()
    rows = np.sort(np.random.RandomState(seed).permutation(len(points))[:min(4000, len(points) * 4 // 5)])
    return points[rows], np.unique(labels[rows], return_inverse=True)[1]


def compared(name, seed, program):
    points, labels = drawn(name, seed)
    truth, found = make_truth(points), {}
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "points.npy", points)
        for kind, words in (("default", ()), ("unrefined", ("--refine", "off"))):
            subprocess.run([program, "embed", "points.npy", "-o", "map.npy", "--manifest", "map.json", "--quiet", *words],
                           cwd=folder, check=True)
            layout = np.load(Path(folder) / "map.npy").astype(np.float64)
            found[kind] = judge(points, labels, truth, layout)
            found[kind]["epochs"] = json.loads((Path(folder) / "map.json").read_text())["resolved"]["refine_epochs"]
    return found


def span(values, digits=3):
    return f"{np.mean(values):+.{digits}f} ({min(values):+.{digits}f} to {max(values):+.{digits}f})"


def row(name, cells):
    def less(key):
        return [cell["default"][key] - cell["unrefined"][key] for cell in cells]

    share = [cell["default"]["geodesics"] / cell["unrefined"]["geodesics"] for cell in cells]
    refined = sum(cell["default"]["epochs"] > 0 for cell in cells)
    types = "-" if name in WITHOUT_TYPES else span(less("ami"))
    return (f"| {name} | {refined} of {len(cells)} | {np.mean(share):.3f} ({min(share):.3f} to {max(share):.3f}) | "
            f"{span(less('trustworthiness'))} | {span(less('kept'))} | {span(less('accuracy'))} | {types} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--first", type=int, default=100, help="seed of the first draw")
    parser.add_argument("--geotherm", default=str(ROOT / "build/geotherm"))
    args = parser.parse_args()
    cells, mark, rows = Cells(ROOT / "out/bench-refine/draws.jsonl"), program_mark(args.geotherm), {}
    for seed in range(args.first, args.first + args.draws):
        for name in SETS:
            key = {"set": name, "seed": seed, "program": mark}
            found = cells.get(key, lambda name=name, seed=seed: compared(name, seed, args.geotherm))
            rows.setdefault(name, []).append(found)
    lines = ["# The default refinement on other draws", "",
             f"Written by `bench/refine/draws.py --draws {args.draws} --first {args.first}`; {version_of(args.geotherm)}. "
             "Made shapes anew with each seed; of real sets 4,000 rows,",
             "or four fifths of those there are. Default less unrefined map: mean (lowest to highest) over draws. Columns are explained in `bench/refine/judge.py`;",
             "geodesics as a share of those of the unrefined map. A set is listed as refined where the default did refine.", "",
             "| data | refined | geodesics | trust | kept | accuracy | AMI |", "|---|---|---|---|---|---|---|",
             *[row(name, found) for name, found in rows.items()], ""]
    (HERE / "draws.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
