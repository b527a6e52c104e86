"""The gallery's notebooks run from top to bottom, on small sizes; `make notebooks` runs them whole."""

import json
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pytest

NOTEBOOKS = sorted((pathlib.Path(__file__).resolve().parents[2] / "docs/python/notebooks").glob("*.ipynb"))


def test_there_are_five_notebooks_without_stored_outputs():
    assert len(NOTEBOOKS) == 5
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs"), path.name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_runs(path, monkeypatch):
    monkeypatch.setenv("GEOTHERM_QUICK", "1")
    space = {"__name__": "__main__"}
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), path.name, "exec"), space)
    plt.close("all")
