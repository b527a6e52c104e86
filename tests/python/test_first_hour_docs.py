"""The Python of the pages for the first hour runs as it stands, on files of the names they use."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import PROGRAM, ROOT

sys.path.insert(0, str(ROOT / "tests/cli"))
from first_hour import files_of_the_pages, trajectory_data  # noqa: E402


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    for module in ("scanpy", "anndata", "matplotlib"):
        pytest.importorskip(module)
    here = files_of_the_pages(tmp_path_factory.mktemp("first-hour"))
    # The pages in Python go on from the file that the program made.
    path = f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-euc", blocks("tenx_to_figure", "sh")[0]], cwd=here, env={**os.environ, "PATH": path},
                          capture_output=True, text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return here


@pytest.mark.parametrize("page", ["tenx_to_figure", "pseudotime"])
def test_16_the_python_of_a_page_runs(folder, page):
    run_python_of(page, folder)


def test_16_the_python_of_the_page_on_trajectories_runs(tmp_path):
    for module in ("anndata", "matplotlib"):
        pytest.importorskip(module)
    trajectory_data(tmp_path)
    run_python_of("trajectories", tmp_path)
    assert (tmp_path / "cells.html").exists()


def run_python_of(page, folder):
    texts = blocks(page, "python")
    assert texts
    for text in texts:
        done = subprocess.run([sys.executable, "-c", text],
                              cwd=folder, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True, timeout=300)  # fmt: skip
        assert done.returncode == 0, text + done.stderr


def test_16_what_the_python_of_the_pages_made(folder):
    """A labelled figure, a transferred query and a pseudotime, from a 10x folder."""
    import anndata

    for name in ("labelled.pdf", "by_time.pdf"):
        assert (folder / name).read_bytes().startswith(b"%PDF")
    assert "cell_type" in (folder / "labelled_page.html").read_text()
    cells = anndata.read_h5ad(folder / "from_python.h5ad")
    distance = cells.obs["heat_distance"].to_numpy()
    assert distance[0] == 0 and np.isfinite(distance).all() and (distance >= 0).all()
