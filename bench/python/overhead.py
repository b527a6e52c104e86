"""What the Python package adds to a run: everything around the library's public function, as a share of the fit.

    PYTHONPATH=build/python .deps/python-tests/bin/python bench/python/overhead.py [--write bench/python/results.md]

The public function's own time is taken inside the extension; checks, translation, the model for `transform` and the report are
the rest. Processor time of the whole fit is shown beside it.
"""

import argparse
import statistics
import time

import geotherm


def measure(estimator, X, repeats):
    shares, walls, cpus = [], [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        fitted = estimator.fit(X)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
        shares.append(1 - fitted.report_["seconds"] / walls[-1])
    return statistics.median(shares), statistics.median(walls), statistics.median(cpus)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=float, help="exit with 1 where HeatGeo's share is above this")
    parser.add_argument("--write", help="also write the table here")
    args = parser.parse_args()
    X = geotherm.datasets.swiss_roll(n=args.n).X
    lines = [
        f"Share of a fit of {args.n:,} points that is spent outside the library's public function: median of {args.repeats} runs",
        f"(geotherm {geotherm.__version__}; written by `bench/python/overhead.py`).",
        "",
        "| estimator | overhead | whole fit, s | processor, s |",
        "|---|---|---|---|",
    ]
    worst = None
    for cls in (geotherm.HeatGeo, geotherm.PHATE, geotherm.UMAP, geotherm.TSNE):
        share, wall, cpu = measure(cls(), X, args.repeats)
        worst = share if cls is geotherm.HeatGeo else worst
        lines.append(f"| {cls.__name__} | {100 * share:.2f} % | {wall:.2f} | {cpu:.2f} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if args.write:
        with open(args.write, "w") as file:
            file.write("# Overhead of the Python package\n\n" + text)
    return 1 if args.limit is not None and worst > args.limit else 0


if __name__ == "__main__":
    raise SystemExit(main())
