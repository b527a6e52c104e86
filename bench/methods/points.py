"""One array of an archive as .npy, for programs that want it plain: archive.npz key out.npy.

--first n [--skip m]: n rows, after m others, of a shuffle that is the same for every array of the archive. A
program of its own, so that the archive does not count in the memory of what the comparison starts next.
"""
import argparse

import numpy as np

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("archive")
parser.add_argument("key")
parser.add_argument("output")
parser.add_argument("--first", type=int)
parser.add_argument("--skip", type=int, default=0)
args = parser.parse_args()
values = np.load(args.archive)[args.key]
if args.first:
    if args.skip + args.first > len(values):
        raise SystemExit(f"{args.archive}: {len(values)} rows, {args.skip + args.first} wanted")
    values = values[np.random.default_rng(0).permutation(len(values))[args.skip : args.skip + args.first]]
np.save(args.output, values.astype(np.float64) if values.dtype.kind == "f" else values)
