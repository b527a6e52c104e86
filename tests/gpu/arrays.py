"""CuPy's and torch's arrays through the Python package: read where they lie, maps given back there.

PYTHONPATH=build-cuda/python python tests/gpu/arrays.py, with a package that was built with CUDA, and CuPy or torch.
"""

import sys

import geotherm
import numpy as np


class Foreign:
    """An array that is known by DLPack alone."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def roll(n=20000, dim=60):
    rng = np.random.default_rng(1)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    table = rng.normal(scale=0.1, size=(n, dim))
    table[:, 0] += t * np.cos(t)
    table[:, 1] += 20 * rng.random(n)
    table[:, 2] += t * np.sin(t)
    return table


def disparity(a, b):
    a, b = (x - x.mean(0) for x in (a, b))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    return 1 - np.linalg.svd(a.T @ b, compute_uv=False).sum() ** 2


def libraries():
    for name in ("cupy", "torch"):
        try:
            library = __import__(name)
        except ImportError:
            print(f"SKIPPED: no {name}")
            continue
        if name == "cupy":
            yield name, library.asarray, library.asnumpy
        else:
            yield name, lambda x, torch=library: torch.from_numpy(x).cuda(), lambda x: x.cpu().numpy()


def main():
    n_run = 0
    table = roll()
    options = {"device": "cuda", "random_state": 1, "refine": 0}
    for kind in (np.float64, np.float32):
        points = table.astype(kind)
        expected = geotherm.HeatGeo(**options).fit(points).embedding_
        for name, there, back in libraries():
            for way, form in (("as it is", lambda x: x), ("by DLPack alone", Foreign)):
                estimator = geotherm.HeatGeo(**options)
                given = there(points)
                estimator.fit(form(given))
                copied = estimator.report_["resolved"]["input_bytes_copied"]
                print(f"{name}, {np.dtype(kind)}, {way}: {copied / points.nbytes:.3f} of the table copied, "
                      f"disparity {disparity(expected, estimator.embedding_):.2g}")
                assert copied < 0.35 * points.nbytes
                assert disparity(expected, estimator.embedding_) < 1e-6
                placed = estimator.transform(given[:50])
                assert type(placed) is type(given)
                assert (back(placed) == estimator.embedding_[:50]).all()
            turned = there(np.ascontiguousarray(points.T)).T  # in the order of columns: copied whole
            assert disparity(expected, geotherm.HeatGeo(**options).fit(turned).embedding_) < 1e-6
            found = geotherm.HeatGeo(**options).fit_transform(given)
            assert type(found) is type(given)
            n_run += 1
    return 0 if n_run else 77


if __name__ == "__main__":
    sys.exit(main())
