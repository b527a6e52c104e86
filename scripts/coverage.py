#!/usr/bin/env python3
"""What the tests reach of the library: gcov's counts of BUILD, module by module.

coverage.py [BUILD] [OUT]: writes OUT/coverage.md (a table) and OUT/coverage.json (every file, with the lines
that were never reached). Exit code 1 where less than 90 % of the lines of the numerical core were reached.
"""

import collections
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ("core", "dissimilarity", "embedding", "graph", "heat", "landmarks", "laplacian", "linalg", "metrics",
        "model", "neighbors", "points", "methods", "io", "viewer")  # fmt: skip
LEAST = 0.90


def counts_in(build: Path) -> dict[str, dict]:
    """Of each file of src/: line -> runs, and (line, branch) -> runs. Branches for exceptions are left out."""
    files = collections.defaultdict(lambda: {"lines": collections.Counter(), "branches": collections.Counter()})
    for data in sorted(build.rglob("*.gcda")):
        done = subprocess.run(
            ["gcov", "--json-format", "--stdout", "--branch-probabilities", data.name],
            check=True, cwd=data.parent, capture_output=True, text=True,
        )  # fmt: skip
        for report in map(json.loads, done.stdout.splitlines()):
            for entry in report["files"]:
                path = (Path(report["current_working_directory"]) / entry["file"]).resolve()
                if not path.is_relative_to(ROOT / "src"):
                    continue
                counts = files[str(path.relative_to(ROOT))]
                for line in entry["lines"]:
                    counts["lines"][line["line_number"]] += line["count"]
                    taken = [branch for branch in line["branches"] if not branch["throw"]]
                    for i, branch in enumerate(taken):
                        counts["branches"][line["line_number"], i] += branch["count"]
    return files


def share(counts: list[dict], kind: str) -> tuple[int, int]:
    hit = sum(1 for c in counts for n in c[kind].values() if n > 0)
    return hit, sum(len(c[kind]) for c in counts)


def percent(hit: int, total: int) -> str:
    return f"{100 * hit / total:.1f} %" if total else "-"


def main() -> int:
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build-coverage"
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "out"
    files = counts_in(build)
    if not files:
        raise SystemExit(f"{build} holds no counts: build the preset 'coverage' and run its tests first")
    lines = ["| module | lines | reached | branches | reached |", "|---|---|---|---|---|"]
    for module in (*CORE, "all"):
        counts = [c for name, c in files.items() if module in ("all", name.split("/")[1])]
        (hit, total), (hit_b, total_b) = share(counts, "lines"), share(counts, "branches")
        lines.append(f"| {module} | {total:,} | {percent(hit, total)} | {total_b:,} | {percent(hit_b, total_b)} |")
    out.mkdir(parents=True, exist_ok=True)
    (out / "coverage.md").write_text("\n".join(lines) + "\n")
    missed = {name: sorted(line for line, n in c["lines"].items() if n == 0) for name, c in sorted(files.items())}
    (out / "coverage.json").write_text(json.dumps(missed, indent=None, separators=(",\n", ": ")) + "\n")
    print("\n".join(lines))
    hit, total = share(list(files.values()), "lines")
    return 0 if hit >= LEAST * total else 1


if __name__ == "__main__":
    sys.exit(main())
