"""One peer on many data sets in one process, so that imports and compilation come once:

    run_peers.py METHOD [--threads 1] FOLDER...       FOLDER/points.npy -> FOLDER/METHOD.npy, FOLDER/METHOD.json

The peers and their settings are those of bench/methods/run_peer.py. A set that has both files is left alone.
"""
import argparse
import contextlib
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "methods")]
from common import hold_threads  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("method")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    hold_threads(args.threads)

    import numpy as np
    from run_peer import METHODS

    run, warm_up, note, *_ = METHODS[args.method](args)
    is_warm = False
    for folder in args.folders:
        layout, said = folder / f"{args.method}.npy", folder / f"{args.method}.json"
        if layout.exists() and said.exists():
            continue
        points = np.load(folder / "points.npy")
        with contextlib.redirect_stdout(sys.stderr):
            if not is_warm:
                small = np.random.default_rng(1).standard_normal((300, points.shape[1])).astype(points.dtype)
                for step in warm_up:
                    step(small)
                is_warm = True
            start = time.perf_counter()
            found = np.asarray(run(points), dtype=np.float64)
        np.save(layout, found)
        said.write_text(json.dumps({"seconds": time.perf_counter() - start, "note": note}))
        print(folder.name, args.method, flush=True)


if __name__ == "__main__":
    main()
