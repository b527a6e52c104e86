"""Every command in the pages for the first hour runs, in their order, on files of the names they use."""

import os
import pathlib
import re
import subprocess

import numpy as np
import pytest
from conftest import LIMIT_S, PROGRAM, ROOT
from test_first_hour import write_tenx

PAGES = ["tenx_to_figure", "pseudotime", "is_my_map_good", "coming_from", "choosing_options"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Counts of 300 cells on a path with two ends, a query, a table of labels, and a plain table."""
    here = tmp_path_factory.mktemp("first-hour")
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 1, 300)
    loads = rng.gamma(0.5, 1.0, size=(2, 700))
    counts = rng.poisson(2 * (np.outer(1 - t, loads[0]) + np.outer(t, loads[1])))
    genes = [f"GENE{g}" for g in range(698)] + ["MT-CO1", "MT-ND1"]
    write_tenx(here / "filtered_feature_bc_matrix", counts, genes)
    write_tenx(
        here / "query", counts[:20], genes, order=rng.permutation(700), barcodes=[f"NEW{i}-1" for i in range(20)]
    )
    kinds = ["early" if x < 0.5 else "late" for x in t]
    (here / "types.csv").write_text("barcode,cell_type\n" + "".join(f"CELL{i}-1,{k}\n" for i, k in enumerate(kinds)))
    rows = "".join(f"{np.cos(3 * x)},{np.sin(3 * x)},{x}\n" for x in t)
    (here / "cells.csv").write_text("a,b,c\n" + rows)
    return here


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(folder, page):
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.S)
    assert blocks
    path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
    for block in blocks:
        # The counts are made up and small: cells have about a hundred genes.
        text = block.replace("--preprocess single-cell --cluster", "--preprocess single-cell --min-genes 100 --cluster")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=LIMIT_S,
        )  # fmt: skip
        assert done.returncode == 0, block + done.stderr


def test_pseudotime_follows_the_path(folder):
    """The whole way of a second reader: counts, map, labels, query, pseudotime."""
    table = [line.split(",") for line in (folder / "pseudotime.csv").read_text().splitlines()[1:]]
    distance = {name: float(value) for name, value in table}
    assert distance["CELL0-1"] == 0 and all(value >= 0 for value in distance.values())
    assert len((folder / "query_places.csv").read_text().splitlines()) == 21
    for name in ("cells.png", "labelled.png", "by_time.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
