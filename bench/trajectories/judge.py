"""Networks against the simulated truth by dynverse's definitions, as PyPI's pydyneval-bio computes them.

    JUDGE bench/trajectories/judge.py out/trajectories/networks.json out/trajectories/judged.json

JUDGE is a Python with pydyneval-bio, numpy < 2 and pandas < 3. Networks are of compare.py. Finished sets are kept where
the networks are not newer.
"""
import json
import sys
import warnings
from pathlib import Path

import pandas as pd
import pydyneval
import pydynwrap as dw

warnings.filterwarnings("ignore")
METRICS = ["correlation", "him", "edge_flip", "F1_branches"]


def wrapped(network):
    cells = [str(c) for c in network["cells"]]
    table = pd.DataFrame(network["network"], columns=["from", "to", "length"])
    progressions = pd.DataFrame(
        {"cell_id": cells, "from": network["from"], "to": network["to"], "percentage": network["percentage"]}
    )
    milestones = sorted(set(table["from"]) | set(table["to"]))
    return dw.simplify_trajectory(
        dw.add_trajectory(dw.wrap_data(cells), milestones, table, progressions=progressions)
    )


def main():
    networks = json.load(open(sys.argv[1]))
    done = Path(sys.argv[2])
    is_current = done.exists() and done.stat().st_mtime >= Path(sys.argv[1]).stat().st_mtime
    result = json.loads(done.read_text()) if is_current else {}
    for name, methods in networks.items():
        if name in result:
            continue
        truth = methods.pop("truth")
        found = {}
        for method, network in methods.items():
            try:
                row = pydyneval.calculate_metrics(wrapped(truth), wrapped(network), METRICS).iloc[0]
                found[method] = {m: float(row[m]) for m in METRICS}
            except Exception as error:  # what the judge cannot read is said in the table
                found[method] = {"error": f"{type(error).__name__}: {error}"}
        result[name] = found
        done.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
