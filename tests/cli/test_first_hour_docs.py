"""Every command in the pages for the first hour runs, in their order, on files of the names they use."""

import csv
import gzip
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest
from conftest import LIMIT_S, PROGRAM, ROOT
from first_hour import files_of_the_pages, trajectory_data

PAGES = ["tenx_to_figure", "pseudotime", "is_my_map_good", "coming_from", "choosing_options"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return files_of_the_pages(tmp_path_factory.mktemp("first-hour"))


def run_commands_of(page, folder, **in_place_of):
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.S)
    assert blocks
    said = ""
    path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
    for block in blocks:
        for word, other in in_place_of.items():
            block = block.replace(word, other)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=LIMIT_S,
        )  # fmt: skip
        assert done.returncode == 0, block + done.stderr
        said += done.stderr
    return said


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(folder, page):
    run_commands_of(page, folder)


def test_the_commands_of_the_page_on_trajectories_run(tmp_path):
    trajectory_data(tmp_path)
    run_commands_of("trajectories", tmp_path)
    assert (tmp_path / "order.html").exists() and "gene" in (tmp_path / "genes.csv").read_text().splitlines()[0]


def test_pseudotime_follows_the_path(folder):
    """The whole way of a second reader: counts, map, labels, query, pseudotime."""
    table = [line.split(",") for line in (folder / "pseudotime.csv").read_text().splitlines()[1:]]
    distance = {name: float(value) for name, value in table}
    assert distance["CELL0-1"] == 0 and all(value >= 0 for value in distance.values())
    assert len((folder / "query_places.csv").read_text().splitlines()) == 21
    for name in ("cells.png", "labelled.png", "by_time.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


# -- The whole way of a second reader, on real cells: from PBMC 3k as 10x wrote it ------------------------

CD14_MONOCYTES, B_CELLS = {"LYZ", "S100A9", "S100A8", "CST3"}, {"CD79A", "MS4A1", "CD79B"}


@pytest.fixture(scope="module")
def real_folder(tmp_path_factory):
    """PBMC 3k under the name that the pages use; a third of its cells as a query, genes in another order."""
    source = pathlib.Path(os.environ.get("GEOTHERM_DATA", "nowhere")) / "pbmc3k_10x"
    if not source.exists():
        pytest.skip("pbmc3k_10x is not in GEOTHERM_DATA")
    here = tmp_path_factory.mktemp("real")
    (here / "filtered_feature_bc_matrix").symlink_to(source)
    read_lines = lambda name: gzip.open(source / name, "rt").read().splitlines()
    barcodes, genes = read_lines("barcodes.tsv.gz"), read_lines("genes.tsv.gz")
    entries = np.loadtxt(source / "matrix.mtx.gz", comments="%", skiprows=3, dtype=int)
    rng = np.random.default_rng(4)
    place = rng.permutation(len(genes))  # of each gene in the query
    cells = np.arange(0, len(barcodes), 3)
    new_of = np.full(len(barcodes), -1)
    new_of[cells] = np.arange(len(cells))
    kept = entries[new_of[entries[:, 1] - 1] >= 0]
    query = here / "query"
    query.mkdir()
    with gzip.open(query / "matrix.mtx.gz", "wt", compresslevel=1) as file:
        file.write(f"%%MatrixMarket matrix coordinate integer general\n{len(genes)} {len(cells)} {len(kept)}\n")
        np.savetxt(file, np.c_[place[kept[:, 0] - 1] + 1, new_of[kept[:, 1] - 1] + 1, kept[:, 2]], fmt="%d")
    with gzip.open(query / "genes.tsv.gz", "wt") as file:
        file.write("".join(genes[g] + "\n" for g in np.argsort(place)))
    with gzip.open(query / "barcodes.tsv.gz", "wt") as file:
        file.write("".join(barcodes[c] + "\n" for c in cells))
    # Labels that somebody else gave: by a marker gene, in another order, not for every cell.
    gene = next(i for i, line in enumerate(genes) if line.split("\t")[1] == "LYZ")
    counts = np.zeros(len(barcodes))
    of_gene = entries[entries[:, 0] == gene + 1]
    counts[of_gene[:, 1] - 1] = of_gene[:, 2]
    lines = [f"{barcodes[i]},{'LYZ' if counts[i] > 5 else 'other'}\n" for i in rng.permutation(len(barcodes))[:2600]]
    (here / "types.csv").write_text("barcode,cell_type\n" + "".join(lines))
    return here, barcodes


def test_a_second_reader_gets_from_10x_to_figure_query_and_pseudotime(real_folder):
    here, barcodes = real_folder
    said = run_commands_of("tenx_to_figure", here)
    assert "warning" not in said
    # The program names the genes by which clusters are known.
    markers = [set(genes.split(", ")) for genes in re.findall(r"^ +\d+: \d+ cells, (.*)$", said, re.M)]
    assert any(CD14_MONOCYTES & genes for genes in markers) and any(B_CELLS & genes for genes in markers)
    # What the page shows of its output is what the program prints.
    shown = re.search(r"```\n(.*?)```", re.sub(r"```(sh|python)\n.*?```", "", (ROOT / "docs/tenx_to_figure.md").read_text(), flags=re.S), re.S).group(1)
    assert shown.count("cells") == 4 and shown in said
    for name in ("cells.png", "named.png", "labelled.png"):
        assert (here / name).read_bytes().startswith(b"\x89PNG")
    assert all(word in (here / "named.html").read_text() for word in ("Monocytes", "(missing)"))
    table = lambda name: {row[0]: row[1:] for row in (line.split(",") for line in (here / name).read_text().splitlines()[1:])}
    # The map that is drawn with labels is the map of the first command; cells of the query are found where they are in it.
    cells, query = table("labelled.csv"), table("query_places.csv")
    both = [name for name in query if name in cells]  # the map is without two cells of many mitochondrial counts
    assert len(query) == 900 and len(cells) == 2698 and len(both) >= 898
    old = np.array([cells[name][:2] for name in both], dtype=float)
    new = np.array([query[name][:2] for name in both], dtype=float)
    extent = np.ptp(np.array([row[:2] for row in cells.values()], dtype=float), axis=0).max()
    assert np.median(np.abs(old - new)) < 1e-3 * extent
    # Labels went over: cells of the map keep theirs.
    given = dict(line.split(",") for line in (here / "types.csv").read_text().splitlines()[1:])
    with open(here / "query_types.csv") as file:
        found = {row["id"]: row["label"] for row in csv.DictReader(file)}
    pairs = [(given[name], label) for name, label in found.items() if name in given]
    assert len(pairs) > 800 and np.mean([a == b for a, b in pairs]) > 0.95
    # Pseudotime from a root: 0 there, and a column of its own.
    root = barcodes[0]
    assert "warning" not in run_commands_of("pseudotime", here, **{"CELL0-1": root, "CELL5-1": barcodes[5]})
    order = {name: float(row[0]) for name, row in table("pseudotime.csv").items()}
    assert order[root] == 0 and len(order) == 2698 and min(order.values()) == 0
    assert (here / "by_time.png").read_bytes().startswith(b"\x89PNG")
