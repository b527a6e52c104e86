"""Seconds and memory with refinement, unrefined, and of umap-learn, on a quiet machine -> times.md

    times.py [--sets MNIST,TrajAtlas] [--threads 2]

Ours: the whole program, from file to file. umap-learn: without imports, compilation and files.
"""
import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import ROOT, Cells, cpu_name, last_json, measured, peer_python, program_mark, version_of  # noqa: E402

from compare import OUT, folder_of  # noqa: E402

HERE = Path(__file__).resolve().parent


def ours(folder, words, args):
    def measure():
        ran = measured([args.geotherm, "embed", str(folder / "points.npy"), "-o", str(folder / "timed.npy"), "--manifest",
                        str(folder / "timed.json"), "--threads", str(args.threads), "--quiet", *words], args.threads)
        epochs = json.loads((folder / "timed.json").read_text())["resolved"]["refine_epochs"]
        return {"seconds": ran["wall_s"], "peak_mib": ran["peak_mib"], "epochs": epochs}

    return measure


def umap(folder, args):
    def measure():
        return last_json(measured([args.judge, str(ROOT / "bench/methods/run_peer.py"), "umap-learn", str(folder / "points.npy"),
                                   str(folder / "timed-umap.npy"), "--threads", str(args.threads)], args.threads)["stdout"])

    return measure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="PBMC 3k,Levine,MNIST,TrajAtlas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--geotherm", default=str(ROOT / "build/geotherm"))
    parser.add_argument("--judge", default=peer_python("refine"), help="Python of umap-learn")
    args = parser.parse_args()
    cells, mark = Cells(OUT / "times.jsonl"), program_mark(args.geotherm)
    text = ["# Time with refinement", "",
            f"Written by `bench/refine/times.py`: {version_of(args.geotherm)}, {args.threads} threads, {cpu_name()}. Load is that of "
            "the machine just before our refined run.", "",
            "| data | epochs | seconds | unrefined | umap-learn | ratio to umap-learn | MiB | unrefined MiB | load |",
            "|---|---|---|---|---|---|---|---|---|"]
    for name in args.sets.split(","):
        folder = folder_of(name)
        by = {"set": name, "threads": args.threads}
        load = os.getloadavg()[0]
        plain = cells.get({**by, "refine": "off", "program": mark}, ours(folder, ("--refine", "off"), args))
        refined = cells.get({**by, "refine": "auto", "program": mark}, ours(folder, (), args))
        theirs = cells.get({**by, "peer": "umap-learn"}, umap(folder, args))
        text.append(f"| {name} | {refined['epochs']:.0f} | {refined['seconds']:.1f} | {plain['seconds']:.1f} | "
                    f"{theirs['seconds']:.1f} | {refined['seconds'] / theirs['seconds']:.2f} | {refined['peak_mib']:.0f} | "
                    f"{plain['peak_mib']:.0f} | {refined.get('load', load):.1f} |")
    (HERE / "times.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
