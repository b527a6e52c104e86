"""Every command in the pages for the first hour runs, in their order, on files of the names they use."""

import os
import pathlib
import re
import subprocess

import pytest
from conftest import LIMIT_S, PROGRAM, ROOT
from first_hour import files_of_the_pages, link_trajectory_data

PAGES = ["tenx_to_figure", "pseudotime", "is_my_map_good", "coming_from", "choosing_options"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return files_of_the_pages(tmp_path_factory.mktemp("first-hour"))


def run_commands_of(page, folder):
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.S)
    assert blocks
    path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=LIMIT_S,
        )  # fmt: skip
        assert done.returncode == 0, block + done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(folder, page):
    run_commands_of(page, folder)


def test_the_commands_of_the_page_on_trajectories_run(tmp_path):
    link_trajectory_data(tmp_path)
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
