"""Networks against the simulated truth by dynverse's definitions, as PyPI's pydyneval-bio computes them.

    JUDGE bench/trajectories/judge.py out/trajectories/networks.json out/trajectories/judged.json

JUDGE is a Python with pydyneval-bio, numpy < 2 and pandas < 3. Networks are of compare.py. What was judged is kept while
the network is the same.

Two steps of dynverse are missing in pydyneval-bio 0.1.0 and are done here, alike for every method: milestones that only join
two edges are contracted (`simplify_trajectory` returns its argument there), and the milestones of a network are named after
those of the truth by the correspondence under which most edges agree (its HIM and edge flip compare milestones by name).
Geodesics are compared on an even sample of the cells, because the judge needs minutes for a thousand.
"""
import hashlib
import itertools
import json
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pydyneval
import pydynwrap as dw
from branches import on_branches
from scipy.optimize import quadratic_assignment

warnings.filterwarnings("ignore")
# Up to so many milestones every correspondence is tried.
FEW_MILESTONES = 8
# Cells whose geodesics are compared.
MOST_CELLS = 200


def simplified(network):
    """A network of branches with one edge between two milestones at most: a ring is cut into three equal edges, and branches
    between the same two milestones into two each, as dynverse does."""
    branches, cells = on_branches(network)
    count = Counter(frozenset((a, b)) for a, b, _ in branches)
    edges, names = [], []
    for k, (start, end, length) in enumerate(branches):
        n_parts = 3 if start == end else 2 if count[frozenset((start, end))] > 1 else 1
        names.append([start, *(f"{start} {end} {k} {part}" for part in range(1, n_parts)), end])
        edges += [(a, b, length / n_parts) for a, b in itertools.pairwise(names[-1])]
    placed = []
    for branch, along in cells:
        n_parts = len(names[branch]) - 1
        part = min(int(along * n_parts), n_parts - 1)
        placed.append((names[branch][part], names[branch][part + 1], along * n_parts - part))
    return {"network": edges, **columns(placed)}


def columns(placed):
    return {key: [cell[k] for cell in placed] for k, key in enumerate(["from", "to", "percentage"])}


def adjacency(edges, names, n):
    """1 for an edge, and a little for its length, so that of equal correspondences the better one is taken."""
    result = np.zeros((n, n))
    longest = max(length for _, _, length in edges)
    for a, b, length in edges:
        i, j = names.index(a), names.index(b)
        result[i, j] = result[j, i] = 1 + 0.1 * length / longest
    return result


def named_after(truth, network):
    """The network with milestones named as the truth's, so that most edges agree."""
    gold = sorted({m for a, b, _ in truth["network"] for m in (a, b)})
    found = sorted({m for a, b, _ in network["network"] for m in (a, b)})
    n = max(len(gold), len(found))
    ours, theirs = adjacency(network["network"], found, n), adjacency(truth["network"], gold, n)
    if n <= FEW_MILESTONES:
        best = max(itertools.permutations(range(n)), key=lambda p: float((ours * theirs[np.ix_(p, p)]).sum()))
    else:
        tried = [
            quadratic_assignment(ours, theirs, method="2opt", options={"maximize": True, "rng": np.random.default_rng(seed)})
            for seed in range(50)
        ]
        best = max(tried, key=lambda result: result.fun).col_ind
    name = {m: gold[best[k]] if best[k] < len(gold) else f"further {k}" for k, m in enumerate(found)}
    return {
        **network,
        "network": [(name[a], name[b], length) for a, b, length in network["network"]],
        "from": [name[m] for m in network["from"]],
        "to": [name[m] for m in network["to"]],
    }


def wrapped(network, cells=None):
    cells = range(len(network["from"])) if cells is None else cells
    names = [str(c) for c in cells]
    table = pd.DataFrame(network["network"], columns=["from", "to", "length"])
    places = {key: [network[key][c] for c in cells] for key in ("from", "to", "percentage")}
    milestones = sorted(set(table["from"]) | set(table["to"]))
    return dw.add_trajectory(
        dw.wrap_data(names), milestones, table, progressions=pd.DataFrame({"cell_id": names, **places})
    )


def apart(network):
    """Branches as edges with milestones of their own, so that two between the same milestones stay two."""
    branches, cells = on_branches(network)
    edges = [(f"{k} begins", f"{k} ends", length) for k, (_, _, length) in enumerate(branches)]
    return {"network": edges, **columns([(*edges[branch][:2], along) for branch, along in cells])}


def judged(truth, network):
    of_branches = pydyneval.calculate_metrics(wrapped(apart(truth)), wrapped(apart(network)), ["F1_branches"]).iloc[0]
    truth = simplified(truth)
    network = named_after(truth, simplified(network))
    some = range(0, len(truth["from"]), -(-len(truth["from"]) // MOST_CELLS))
    row = pydyneval.calculate_metrics(wrapped(truth, some), wrapped(network, some), ["correlation", "him", "edge_flip"]).iloc[0]
    return {**{m: float(row[m]) for m in row.index}, "F1_branches": float(of_branches["F1_branches"])}


def digest(truth, network):
    return hashlib.sha256(json.dumps([truth, network], sort_keys=True).encode()).hexdigest()


def main():
    networks = json.loads(Path(sys.argv[1]).read_text())
    done = Path(sys.argv[2])
    result = json.loads(done.read_text()) if done.exists() else {}
    for name, methods in networks.items():
        truth = methods.pop("truth")
        for method, network in methods.items():
            known = digest(truth, network)
            if result.get(name, {}).get(method, {}).get("digest") == known:
                continue
            try:
                found = judged(truth, network)
            except Exception as error:  # what the judge cannot read is said in the table
                found = {"error": f"{type(error).__name__}: {error}"}
            result.setdefault(name, {})[method] = {**found, "digest": known}
            done.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
