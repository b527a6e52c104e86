"""Runs PyPI's heatgeo once, as its users would: points.npy -> map.npy and distances.npy.

Prints one line of JSON: seconds from points to the 2-D map (imports and files not counted), peak
memory up to that moment, versions. heatgeo is a black box here: its public arguments and the
attributes of the fitted object are all that is used.
"""
import argparse
import contextlib
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from common import hold_threads  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("points", help="n x d array, .npy")
    parser.add_argument("--map", required=True, help="where the n x 2 map goes, .npy")
    parser.add_argument("--distances", help="where the n x n dissimilarity goes, .npy")
    parser.add_argument("--knn", type=int, default=10)
    parser.add_argument("--order", type=int, default=30)
    parser.add_argument("--time", type=float, default=10)
    parser.add_argument("--harnack", type=float, default=1)
    parser.add_argument("--laplacian", default="normalized")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main():
    args = arguments()
    hold_threads(args.threads)

    import resource
    from importlib.metadata import version

    import numpy as np
    from heatgeo.embedding import HeatGeo

    points = np.load(args.points)
    # "mar" is the package's default filter, a Chebyshev series; no PCA, as in our run.
    method = HeatGeo(
        knn=args.knn,
        tau=args.time,
        order=args.order,
        filter_method="mar",
        lap_type=args.laplacian,
        harnack_regul=args.harnack,
        n_pca=None,
        emb_dim=2,
    )
    with contextlib.redirect_stdout(sys.stderr):  # it prints which solver it uses
        start = time.perf_counter()
        layout = method.fit_transform(points)
        seconds = time.perf_counter() - start
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    np.save(args.map, np.asarray(layout, dtype=np.float64))
    if args.distances:
        np.save(args.distances, np.asarray(method.dist, dtype=np.float64))
    packages = ("heatgeo", "graphtools", "PyGSP", "s-gd2", "numpy", "scipy", "scikit-learn")
    print(
        json.dumps(
            {
                "n": len(points),
                "seconds": seconds,
                "peak_mib": peak_mib,
                "python": sys.version.split()[0],
                "versions": {name: version(name) for name in packages},
            }
        )
    )


if __name__ == "__main__":
    main()
