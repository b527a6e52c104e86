#!/usr/bin/env python3
"""Takes the tables that the long checks left in out/ into docs/reliability_figures.md.

Sections of checks that were not run since stay as they are. Each table is what its program wrote.
"""

import datetime
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reliability_figures.md"
SECTIONS = {
    "Fuzzing": ("out/fuzz/summary.md", "make fuzz", "Inputs tried by each fuzz target, branches of the code it reached, and defects of ours it found. What broke inside the HDF5 library itself is counted apart."),
    "Allocation": ("out/allocation.md", "make allocation", "Every allocation of a small run (30 points) made to fail, once alone and once with all that follow: `std::bad_alloc` reached the caller, or the run did without and gave the same bits. Nothing was leaked, no file half-written."),
    "Compilers": ("out/compilers.md", "make compilers", "Small runs by the program as two compilers make it, beside results stored with the sources: the largest difference as a share of the map's extent, or of each distance. 1e-9 is promised; 0 is the same bits."),
    "Coverage": ("out/coverage.md", "make coverage", "Lines and branches of the library that the unit tests and the suites across modules reach; branches for exceptions are left out."),
    "Mutation": ("out/mutation.md", "make mutation", "Small defects put into the numerical core, drawn with a seed, and who noticed them. \"Equal in effect\": `tests/mutation/explained.json` says why no test can."),
}  # fmt: skip
HEAD = """# Figures of the last full run

Written by `scripts/figures.py` from what each command below measured (`make nightly` runs them all).
What each promise is and which test keeps it: [reliability.md](reliability.md).
"""


def main():
    old = PAGE.read_text() if PAGE.exists() else ""
    kept = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", old, re.MULTILINE | re.DOTALL))
    text = HEAD
    for name, (source, command, words) in SECTIONS.items():
        path = ROOT / source
        if path.exists():
            day = datetime.date.fromtimestamp(path.stat().st_mtime).isoformat()
            kept[name] = f"\n{words} `{command}`, {day}.\n\n{path.read_text().strip()}\n\n"
        if name in kept:
            text += f"\n## {name}\n" + kept[name].rstrip("\n") + "\n"
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
