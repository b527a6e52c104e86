"""Refined maps beside the maps they start from and beside umap-learn, PaCMAP, openTSNE and phate -> results.md

    compare.py [--sets "PBMC 3k,MNIST"] [--quick] [--threads 1] [--peers umap-learn,PaCMAP] [--limit 900]

The program does the work (`geotherm embed --balance X`), judge.py says what the maps keep. Finished cells are kept
in out/bench-refine/cells.jsonl; another build of the program is measured anew. --quick: sets up to 5,000 points.
"""
import argparse
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import (ROOT, Cells, cpu_name, hold_threads, measured, peer_python,  # noqa: E402
                    program_mark, version_of)

hold_threads(1)
import numpy as np  # noqa: E402

from frontier import frontier_svg  # noqa: E402
from judge import judge, truth_of  # noqa: E402
from sets import SETS, WITHOUT_TYPES  # noqa: E402
from verdict import DEFAULT, verdict  # noqa: E402

HERE = Path(__file__).resolve().parent
OUT = ROOT / "out" / "bench-refine"
BALANCES = (0, 0.25, 0.5, 1)
#: Of sets that take long.
MANY, BALANCES_OF_MANY = 100000, (0, 1)
PEERS = ("umap-learn", "PaCMAP", "openTSNE", "phate")
MEASURES = (("geodesics", "geodesics"), ("trustworthiness", "trust"), ("kept", "kept"), ("accuracy", "accuracy"),
            ("ami", "AMI"), ("radius", "radius"), ("long", "long"))


def folder_of(name):
    folder = OUT / re.sub(r"\W+", "-", name).lower()
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "labels.npy").exists():
        points, labels = SETS[name]()
        np.save(folder / "points.npy", points)
        np.save(folder / "labels.npy", labels)
    return folder


def judged(folder, layout):
    points = np.load(folder / "points.npy").astype(np.float32)
    return judge(points, np.load(folder / "labels.npy"), truth_of(folder / "truth.npz", points),
                 np.load(layout).astype(np.float64))


def our_cell(folder, words, args):
    layout, manifest = (folder / f"ours{''.join(words)}.{ending}" for ending in ("npy", "json"))

    def measure():
        command = [args.geotherm, "embed", str(folder / "points.npy"), "-o", str(layout), *words, "--manifest", str(manifest),
                   "--threads", str(args.threads), "--quiet"]
        ran = measured(command, args.threads, args.limit)
        resolved = json.loads(manifest.read_text())["resolved"]
        return {"seconds": ran["wall_s"], "peak_mib": ran["peak_mib"], "epochs": resolved["refine_epochs"],
                **judged(folder, layout)}

    return measure


def peer_cell(folder, peer, args):
    def measure():
        command = [args.judge, str(HERE / "run_peers.py"), peer, str(folder), "--threads", str(args.threads)]
        measured(command, args.threads, args.limit)
        seconds = json.loads((folder / f"{peer}.json").read_text())["seconds"]
        return {"seconds": seconds, **judged(folder, folder / f"{peer}.npy")}

    return measure


def run_peers(names, args):
    """Peers on all sets that have no map yet, one process a peer."""
    for peer in filter(None, args.peers.split(",")):
        folders = [str(folder_of(name)) for name in names if not (folder_of(name) / f"{peer}.npy").exists()]
        if folders:
            measured([args.judge, str(HERE / "run_peers.py"), peer, *folders, "--threads", str(args.threads)], args.threads)


def row(name, cell, has_types):
    if "failed" in cell:
        return f"| {name} | {cell['failed']} |" + " |" * len(MEASURES)
    values = [f"{cell[key]:.3f}" if key != "long" else f"{100 * cell[key]:.1f} %" for key, _ in MEASURES]
    if not has_types:
        values[4] = f"({values[4]})"
    return f"| {name} | " + " | ".join(values) + f" | {cell['seconds']:.3g} |"


def frontier_of(to):
    """The plot of a table: frontier.svg of results.md, large_frontier.svg of large.md."""
    to = Path(to)
    return to.with_name("frontier.svg" if to.stem == "results" else f"{to.stem}_frontier.svg")


def report(rows, args):
    head = " | ".join(title for _, title in MEASURES)
    text = ["# Refinement: what maps keep, with peers beside", "", f"![frontier]({frontier_of(args.to).name})", "",
            "Written by `bench/refine/compare.py`; columns are explained in `bench/refine/judge.py`. Balance 0 is the map",
            "without refinement, lengths is `--rates lengths`.",
            f"{version_of(args.geotherm)}, {args.threads} thread(s), {cpu_name()}; seconds of the whole",
            "program for ours, without imports and compilation for peers; times.md has those of a quiet machine. AMI stands in brackets where labels are bins of a",
            "parameter rather than types.", ""] + verdict(rows, WITHOUT_TYPES)
    for name, (n, cells) in rows.items():
        text += [f"## {name} ({n:,} points)", "", f"| map | {head} | seconds |", "|---" * (len(MEASURES) + 2) + "|"]
        text += [row(label, cell, name not in WITHOUT_TYPES) for label, cell in cells.items()]
        text.append("")
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", help="names, by comma; all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", default=",".join(PEERS), help="names, by comma")
    parser.add_argument("--peers-only", action="store_true", help="make the maps of peers, judge nothing")
    parser.add_argument("--made-only", action="store_true", help="leave out maps of peers that were not made before")
    parser.add_argument("--limit", type=float, default=1800, help="seconds for one map")
    parser.add_argument("--geotherm", default=str(ROOT / "build/geotherm"))
    parser.add_argument("--judge", default=peer_python("refine"), help="Python of the peers")
    parser.add_argument("--to", default=str(HERE / "results.md"))
    args = parser.parse_args()
    names = args.sets.split(",") if args.sets else list(SETS)
    if args.peers_only:
        return run_peers(names, args)
    cells, mark, rows = Cells(OUT / "cells.jsonl"), program_mark(args.geotherm), {}
    for name in names:
        folder = folder_of(name)
        n = len(np.load(folder / "labels.npy"))
        if args.quick and n > 5000:
            continue
        found = {}
        for balance in BALANCES if n <= MANY else BALANCES_OF_MANY:
            key = {"set": name, "balance": balance, "program": mark, "threads": args.threads}
            found[f"geotherm, balance {balance:g}"] = cells.get(key, our_cell(folder, ("--balance", str(balance)), args))
        if n <= MANY:
            key = {"set": name, "balance": 0.25, "rates": "lengths", "program": mark, "threads": args.threads}
            words = ("--rates", "lengths", "--balance", "0.25")
            found["geotherm, lengths, balance 0.25"] = cells.get(key, our_cell(folder, words, args))
        key = {"set": name, "balance": "auto", "program": mark, "threads": args.threads}
        found[DEFAULT] = cells.get(key, our_cell(folder, ("--refine", "auto"), args))
        for peer in filter(None, args.peers.split(",")):
            if args.made_only and not (folder / f"{peer}.npy").exists():
                continue
            found[peer] = cells.get({"set": name, "peer": peer, "threads": args.threads}, peer_cell(folder, peer, args))
        rows[name] = (n, found)
        Path(args.to).write_text(report(rows, args))
        frontier_of(args.to).write_text(frontier_svg(rows))


if __name__ == "__main__":
    main()
