"""Time and memory of `geotherm pseudotime` on TrajAtlas (272,369 cells), alone on the machine. Writes scale.md.

    python bench/trajectories/scale.py --program build/geotherm

Needs the folder GEOTHERM_DATA. Roots: ten cells of Early.MSC. Reading and writing are included; no bootstrap.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

FILE = "trajatlas_osteo_272369_scanvi15.npz"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=Path("build/geotherm"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).with_name("scale.md"))
    arguments = parser.parse_args()
    path = Path(os.environ["GEOTHERM_DATA"]) / FILE
    with np.load(path) as arrays, tempfile.TemporaryDirectory() as folder:
        stage = arrays["level3_anno_names"][arrays["level3_anno"]]
        points = Path(folder) / "points.npy"
        np.save(points, arrays["X"].astype(np.float32))
        groups = Path(folder) / "groups.csv"
        groups.write_text("\n".join(["stage", *stage]) + "\n")
        order, manifest = Path(folder) / "order.npy", Path(folder) / "manifest.json"
        start = time.perf_counter()
        subprocess.run(
            [arguments.program.resolve(), "pseudotime", points, "-o", order, "--root-group", "Early.MSC", "--groups", groups,
             "--tree", Path(folder) / "tree.json", "--manifest", manifest, "--threads", str(arguments.threads), "--quiet"],
            check=True,
        )  # fmt: skip
        wall = time.perf_counter() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = json.loads(manifest.read_text())
        values = np.load(order)[:, 0]
    stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in ran["timings_s"].items() if seconds >= 0.05)
    means = {name: float(np.nanmean(values[stage == name])) for name in ("Early.MSC", "Middle.MSC", "Late.MSC", "Pre-ob", "Ob")}
    resolved = ran["resolved"]
    row = (
        f"| TrajAtlas, from ten cells of Early.MSC | {len(values)} | {arguments.threads} | {wall:.1f} | "
        f"{used.ru_utime + used.ru_stime:.1f} | {used.ru_maxrss / 2**20:.2f} | "
        f"{resolved['n_ends']:.0f} / {resolved['n_branchings']:.0f} / {resolved['n_loops']:.0f} | {stages} |"
    )
    of_stages = ", ".join(f"{name} {mean:.2f}" for name, mean in means.items())
    lines = [
        "# Pseudotime of many cells",
        "",
        "Written by `bench/trajectories/scale.py`: one run without bootstrap, reading and writing included.",
        "",
        "| data | n | threads | wall s | CPU s | peak memory, GiB | ends / branchings / loops | seconds by stage |",
        "|---|---|---|---|---|---|---|---|",
        row,
        "",
        f"Cells without a path to the root: {resolved['n_unreached']:.0f}. Mean pseudotime of the stages: {of_stages}.",
        "",
    ]
    arguments.output.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
