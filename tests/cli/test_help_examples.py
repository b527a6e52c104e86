"""Every example in a help text runs as it stands, on files of the names it uses."""

import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

from conftest import PROGRAM, ROOT

COMMANDS = ("demo", "synth", "embed", "distances", "pseudotime", "transform", "update", "align", "score", "methods", "view", "reproduce", "completion", "manual")


@pytest.fixture
def folder(tmp_path):
    """The files that examples speak of: a bent line of sixty points in every form."""
    rng = np.random.default_rng(8)
    t = np.sort(rng.uniform(0, 3, 60))
    points = np.c_[np.cos(t), np.sin(t), t]
    kinds = [("early", "late")[int(value > 1.5)] for value in t]
    rows = [f"{a},{b},{c},{kind}\n" for (a, b, c), kind in zip(points, kinds)]
    (tmp_path / "cells.csv").write_text("a,b,c,cell_type\n" + "".join(rows))
    (tmp_path / "kinds.csv").write_text("id,kind\n" + "".join(f"{i},{kind}\n" for i, kind in enumerate(kinds)))
    for name in ("old.csv", "new.csv"):
        (tmp_path / name).write_text("a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in points))
    for name in ("map.csv", "a.csv", "b.csv", "umap.csv"):
        (tmp_path / name).write_text("id,x1,x2\n" + "".join(f"{i},{a},{b}\n" for i, (a, b, _) in enumerate(points)))
    geodesic = np.abs(t[:, None] - t[None, :])
    for name in ("data.npz", "cells.npz", "roll.npz", "truth.npz"):
        np.savez(tmp_path / name, X=points, label=np.array(kinds), t=t, geodesic=geodesic)
    shutil.copy(ROOT / "tests/reference/io/whole.h5ad", tmp_path / "cells.h5ad")
    counts = rng.poisson(2, (60, 800)) * (np.arange(800) % 3 != (t[:, None] > 1.5))
    genes, cells = np.nonzero(counts.T)
    (tmp_path / "filtered_matrix").mkdir()
    lines = [f"{g + 1} {c + 1} {counts[c, g]}\n" for g, c in zip(genes, cells)]
    (tmp_path / "filtered_matrix/matrix.mtx").write_text(
        f"%%MatrixMarket matrix coordinate integer general\n800 60 {len(lines)}\n" + "".join(lines)
    )
    (tmp_path / "filtered_matrix/barcodes.tsv").write_text("".join(f"cell{i}\n" for i in range(60)))
    (tmp_path / "filtered_matrix/genes.tsv").write_text("".join(f"E{g}\tG{g}\n" for g in range(800)))
    for place in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (tmp_path / place).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_of_a_command_run(folder, command):
    text = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
    examples = re.findall(r"^  (geotherm .*)$", re.split(r"^Examples?:$", text, flags=re.M)[-1], re.M)
    examples = [example.split(" && man ")[0] for example in examples]
    if command != "score":
        assert examples, "the help shows no example"
    path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
    for example in examples:
        # A name that an example reads but none makes would be a typo in the help.
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", shortened(example)], cwd=folder,
            env={**os.environ, "PATH": path, "HOME": str(folder)}, capture_output=True, text=True,
        )  # fmt: skip
        if "has no page" in done.stderr:
            pytest.skip("SKIPPED: built without the HTML page")
        assert done.returncode == 0, f"{example}\n{done.stderr}"


def shortened(example):
    """The nine cells of cells.h5ad are too few for the default of ten neighbours; whole experiments take minutes."""
    example = example.replace("embed cells.h5ad", "embed cells.h5ad --knn 3").replace("--quick", "--quick --shrink 20")
    return example.replace("--compare phate,umap,tsne", "--compare phate")


def test_the_lines_of_the_page_on_files_run(folder):
    text = (ROOT / "docs/files.md").read_text()
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()]
    assert len(lines) > 5
    shutil.copy(ROOT / "tests/reference/io/flow.fcs", folder / "events.fcs")
    path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
    for line in lines:
        line = shortened(line).replace("events.fcs", "events.fcs --knn 3")
        done = subprocess.run(
            ["bash", "-c", line], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
