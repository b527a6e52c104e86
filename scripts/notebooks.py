"""Runs the gallery's notebooks whole and writes them with their pictures: notebooks.py OUTPUT_FOLDER."""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient

root = pathlib.Path(__file__).resolve().parents[1]
out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
for path in sorted((root / "docs/python/notebooks").glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=3600, kernel_name="python3").execute()
    nbformat.write(notebook, out / path.name)
    print(f"{path.name}: {len(notebook.cells)} cells")
