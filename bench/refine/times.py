"""Seconds and memory with refinement, unrefined, and of umap-learn, on a quiet machine -> times.md

    times.py [--sets MNIST,TrajAtlas] [--threads 2] [--only umap-learn]

Ours: the whole program, from file to file. umap-learn: without imports, compilation and files; compare.py judges the
same map. Finished cells are kept in out/bench-refine/times.jsonl, so that parts can be measured one after another.
"""
import argparse
import json
import shutil
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
        found = last_json(measured([args.judge, str(ROOT / "bench/methods/run_peer.py"), "umap-learn", str(folder / "points.npy"),
                                    str(folder / "timed-umap.npy"), "--threads", str(args.threads)], args.threads)["stdout"])
        if not (folder / "umap-learn.npy").exists():
            shutil.copy(found["maps"][0], folder / "umap-learn.npy")
            (folder / "umap-learn.json").write_text(json.dumps({"seconds": found["seconds"], "note": found["note"]}))
        return {key: found[key] for key in ("seconds", "peak_mib", "note")}

    return measure


def shown(cell, key, digits):
    return f"{cell[key]:.{digits}f}" if cell and key in cell else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="PBMC 3k,Levine,MNIST,TrajAtlas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", choices=("ours", "umap-learn"), help="measure these cells alone")
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

        def cell(key, measure):
            is_known = json.dumps(key, sort_keys=True) in cells.known
            is_left_out = args.only and args.only != key.get("peer", "ours")
            return None if is_left_out and not is_known else cells.get(key, measure)

        plain = cell({**by, "refine": "off", "program": mark}, ours(folder, ("--refine", "off"), args))
        refined = cell({**by, "refine": "auto", "program": mark}, ours(folder, (), args))
        theirs = cell({**by, "peer": "umap-learn"}, umap(folder, args))
        ratio = f"{refined['seconds'] / theirs['seconds']:.2f}" if "-" not in (shown(refined, "seconds", 1), shown(theirs, "seconds", 1)) else "-"
        text.append(f"| {name} | {shown(refined, 'epochs', 0)} | {shown(refined, 'seconds', 1)} | {shown(plain, 'seconds', 1)} | "
                    f"{shown(theirs, 'seconds', 1)} | {ratio} | {shown(refined, 'peak_mib', 0)} | "
                    f"{shown(plain, 'peak_mib', 0)} | {shown(refined, 'load', 1)} |")
    (HERE / "times.md").write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
