"""umap-learn places new points: train.npy, new.npy -> train_map.npy, new_map.npy; one line of JSON.

Seconds are those of transform alone, once compiled: some points are placed before the clock starts.
"""
import argparse
import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import hold_threads  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("train", "new", "train_map", "new_map"):
        parser.add_argument(name)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    hold_threads(args.threads)
    import numpy as np
    import umap

    train, new = np.load(args.train), np.load(args.new)
    mapper = umap.UMAP(n_neighbors=15, min_dist=0.1, n_jobs=args.threads).fit(train)
    mapper.transform(new[:200])
    wall, cpu = time.perf_counter(), time.process_time()
    places = mapper.transform(new)
    print(json.dumps({"seconds": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu,
                      "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
    np.save(args.train_map, mapper.embedding_)
    np.save(args.new_map, places)


if __name__ == "__main__":
    main()
