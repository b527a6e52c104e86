"""Writes the README's table against other programs from the measured tables in bench/; --check only compares."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "bench/scale/results.md"
BEGIN, END = f"<!-- from {SOURCE} by scripts/readme_table.py -->", "<!-- end of the table -->"
PROGRAMS = {
    "geotherm": "geotherm (HeatGeo)", "geotherm --refine off": "geotherm, distances alone (`--refine off`)",
    "umap-learn": "umap-learn", "phate": "PHATE (phate)", "openTSNE": "t-SNE (openTSNE)",
}


def rows_of(section):
    """{row name: {column: cell}} of the first table under a heading of the results page."""
    text = (ROOT / SOURCE).read_text()
    body = text.split(f"## {section}\n")[1].split("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip("|\n ").split("|")] for line in body.splitlines() if line.startswith("|")]
    header = lines[0]
    if len(header) and header[0]:
        header = ["", *header]
    return {line[0]: dict(zip(header[1:], line[1:])) for line in lines[2:]}


def table():
    digits, roll = rows_of("MNIST, 70,000 x 50"), rows_of("Swiss roll of width 20, noise .5, 100,000 x 50")

    def cell(rows, name, column):
        return rows[name].get(column, "-") if name in rows else "not measured"

    lines = [
        "| | MNIST, 70,000 digits: seconds | memory, MiB | neighbours | distances | Swiss roll, 100,000 points: seconds | geodesics |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, shown in PROGRAMS.items():
        cells = [cell(digits, name, c) for c in ("seconds", "peak MiB", "trustworthiness", "rank correlation")]
        cells += [cell(roll, name, c) for c in ("seconds", "map to truth")]
        lines.append(f"| {shown} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    path = ROOT / "README.md"
    text = path.read_text()
    found = re.search(re.escape(BEGIN) + r"\n(.*?)\n" + re.escape(END), text, re.S)
    made = text[: found.start(1)] + table() + text[found.end(1) :]
    if "--check" in sys.argv[1:]:
        sys.exit("README.md: the table is not that of the results: run scripts/readme_table.py" if made != text else 0)
    path.write_text(made)


if __name__ == "__main__":
    main()
