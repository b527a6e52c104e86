"""Writes the tables of docs/gpu.md from tests.log and results.md: python3 bench/gpu/summary.py [--check]"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
PAGE = HERE.parent.parent / "docs/gpu.md"
BEGIN, END = "<!-- bench/gpu/summary.py writes this -->", "<!-- to here -->"

# Pattern of the work's name in results.md, what is wanted, and in which words it stands there.
WORKS = [
    ("roll of 20000, all pairs", "all pairs, 20,000 points, points to map", "1.5 s"),
    ("roll of 100000, all pairs", "all pairs, 100,000 points", "50 s; 30 s with entries in 32 bits"),
    (r"MNIST, \d+ digits in 50 components, seed", "MNIST 70,000, defaults", ".5 s"),
    (r"MNIST, .*, UMAP", "MNIST 70,000, UMAP", "-"),
    (r"MNIST, .*, t-SNE", "MNIST 70,000, t-SNE", "-"),
    ("roll of 1000000 ", "1,000,000 x 50, defaults", "3 s"),
    ("tree of 1000000 ", "1,000,000 x 50, a tree: approximate neighbours", "3 s"),
    ("roll of 10000000 ", "10,000,000 x 50, defaults", "45 s"),
]
KERNELS = [
    ("series, a term of 1024 columns", "series, rows in double", "75 % of the bandwidth"),
    ("all columns, a term of 1024", "series, all columns in 32 bits", "75 % of what bounds it"),
    ("SMACOF pass and stress, 2 components", "SMACOF pass with the way there and back", "12 ms"),
]


def tests_table(log):
    lines = log.read_text().splitlines()
    rows, name = [], ""
    for line in lines[1:-1]:
        if re.fullmatch(r"  \w+", line):
            name = line.strip()
        elif end := re.fullmatch(r"    (passed|failed), ([\d.]+) s", line):
            rows.append(f"| {name} | {'' if end[1] == 'passed' else 'failed, '}{end[2]} |")
    return [f"Tests (`make test-gpu`, [log](../bench/gpu/tests.log)): {lines[0]}: {lines[-1]}.", "",
            "| test | seconds |", "|---|---|", *rows]


def cells_of(results):
    for line in results.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def work_rows(results):
    """Of each work: seconds of every run on either device, and the three longest stages of the last on the GPU."""
    for pattern, words, wanted in WORKS:
        times, stages = {"GPU": [], "CPU": []}, ""
        for cells in cells_of(results):
            if not re.match(pattern, cells[0]) or len(cells) != 6 or cells[1] not in times:
                continue
            times[cells[1]].append(cells[2])
            if cells[1] == "GPU":
                stages = cells[5].split(";")[-1]
        found = sorted(re.findall(r"(\w+) ([\d.]+)", stages), key=lambda stage: -float(stage[1]))[:4]
        if not times["GPU"]:
            measured = "not measured"
        else:
            measured = ", ".join(times["GPU"]) + " s"
            if times["CPU"]:
                measured += f" (CPU, 16 threads: {', '.join(times['CPU'])} s)"
            measured += ": " + ", ".join(f"{stage} {seconds}" for stage, seconds in found)
        yield f"| {words} | {wanted} | {measured} |"


def digits_rows(results):
    """With exact neighbours on both: means over seeds, and what rounding alone does."""
    for cells in cells_of(results):
        if len(cells) == 4 and cells[0].startswith("digits, exact neighbours"):
            yield f"| {cells[1]} | {cells[2]} | {cells[3]} |"


def there_rows(results):
    for cells in cells_of(results):
        if len(cells) == 7 and cells[1] in ("host", "GPU"):
            yield f"| {' | '.join(cells)} |"


def kernel_rows(results):
    for start, words, wanted in KERNELS:
        for cells in cells_of(results):
            if cells[0].startswith(start) and len(cells) == 6 and cells[1] == "100000":
                measured = f"{cells[2]} ms, {cells[4]} of the copy bandwidth"
                if gathers := re.search(r"([\d.]+ TB/s): (\d+ %) of ([\d.]+ TB/s)", cells[5]):
                    measured += f"; {gathers[1]} to and from the multiprocessors, {gathers[2]} of the {gathers[3]} of such gathers alone"
                yield f"| {words}, 100,000 points | {wanted} | {measured} |"


def section():
    results = (HERE / "results.md").read_text()
    head = next(line for line in results.splitlines() if line.startswith("Written by"))
    return "\n".join([BEGIN, "", *tests_table(HERE / "tests.log"), "",
                      f"Times ([results.md](../bench/gpu/results.md)). {head}", "",
                      "| work | wanted | measured |", "|---|---|---|", *work_rows(results), *kernel_rows(results), "",
                      "Trustworthiness of the maps of MNIST 70,000 with exact neighbours on both: mean and standard deviation over seeds, and "
                      "that of one seed under rounding alone.", "",
                      "| where | mean | standard deviation |", "|---|---|---|", *digits_rows(results), "",
                      "A table in the GPU's memory and the same on the host.", "",
                      "| work | where it lies | MB of the table | MB copied to the host before neighbours are measured | s, of that | s, points to map "
                      "| Procrustes to the map of the host's |", "|---|---|---|---|---|---|---|", *there_rows(results), "", END])


def main():
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    written = before + section() + rest.split(END)[1]
    if "--check" in sys.argv:
        return 0 if written == page else "docs/gpu.md is not what bench/gpu/summary.py writes: run it"
    PAGE.write_text(written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
