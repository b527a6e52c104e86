"""Completion scripts and the man page are whole, and know every command and option."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from conftest import ROOT

FOREIGN = ROOT / "tests/reference/io"

def options_in_help(geotherm, command):
    return set(re.findall(r"(?<![\w-])(--[a-z][\w-]*)", geotherm(command, "--help-all" if command in ("embed", "distances", "view") else "--help").stdout.split("Examples:")[0]))


def commands(geotherm):
    text = geotherm("--help").stdout.split("Subcommands:")[1].split("Start here")[0]
    return re.findall(r"^  (\w+) ", text, re.M)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_is_in_the_script(geotherm, shell):
    script = geotherm("completion", shell).stdout
    for command in commands(geotherm):
        assert command in script
    for option in ("--preprocess", "--method", "--label-column"):
        assert (option if shell != "fish" else f"-l {option[2:]}") in script
    # zsh and fish are not everywhere; what is there must take the script.
    if shutil.which(shell):
        check = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True)
        assert check.returncode == 0, check.stderr


def test_bash_completes_commands_options_and_their_words(geotherm):
    script = geotherm("completion", "bash").stdout

    def completed(*words):
        line = " ".join(f"'{word}'" for word in words)
        ask = f"{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _geotherm; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=geotherm.dir)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert completed("geotherm", "emb") == ["embed"]
    assert completed("geotherm", "embed", "--prep") == ["--preprocess"]
    assert completed("geotherm", "embed", "--preprocess", "s") == ["single-cell"]
    assert "phate" in completed("geotherm", "embed", "--method", "p")
    assert completed("geotherm", "embed", "--graph", "al") == ["alpha-decay"]
    assert completed("geotherm", "embed", "--landmarks", "") == ["auto", "none"]
    assert completed("geotherm", "completion", "--x") == []


def test_every_option_of_the_help_is_in_the_manual(geotherm):
    manual = geotherm("manual").stdout.replace("\\-", "-")
    assert manual.startswith(".TH GEOTHERM 1")
    for command in commands(geotherm):
        assert f"geotherm {command}" in manual
        for option in options_in_help(geotherm, command):
            assert option in manual, (command, option)
    if shutil.which("man"):
        done = subprocess.run(["man", "--warnings", "-l", "-"], input=geotherm("manual").stdout, capture_output=True, text=True)
        assert "warning" not in done.stderr


@pytest.mark.parametrize("picture", ["map.svg", "map.png"])
def test_pictures_in_both_forms(geotherm, points, picture):
    np.save(geotherm.dir / "in.npy", points)
    geotherm("embed", "in.npy", "--method", "pca", "-o", "map.csv", "--plot", picture)
    start = (geotherm.dir / picture).read_bytes()[:8]
    assert start.startswith(b"<svg") or start == b"\x89PNG\r\n\x1a\n"
    refused = geotherm("embed", "in.npy", "--method", "pca", "-o", "map.csv", "--plot", "map.jpg", code=2)
    assert ".svg or .png" in refused.stderr


def test_a_map_is_shown_in_the_terminal_without_colours_in_a_pipe(geotherm, points):
    np.save(geotherm.dir / "in.npy", points)
    done = geotherm("embed", "in.npy", "--method", "pca", "--show")
    assert any("\u2801" <= letter <= "\u28ff" for letter in done.stdout)
    assert "n = 60" in done.stdout and "\x1b" not in done.stdout
    silent = geotherm("embed", "in.npy", "--method", "pca", "--json")
    json.loads(silent.stdout)


def test_view_without_an_output_draws_in_the_terminal(geotherm, points):
    rows = "".join(f"{x},{y},{'up' if y > 0 else 'down'}\n" for x, y in points[:, :2])
    (geotherm.dir / "map.csv").write_text("x1,x2,side\n" + rows)
    done = geotherm("view", "map.csv")
    assert "n = 60" in done.stdout and any("\u2801" <= letter <= "\u28ff" for letter in done.stdout)
    assert list(geotherm.dir.iterdir()) == [geotherm.dir / "map.csv"]
    cells = FOREIGN / "whole.h5ad"
    assert "cell_type" in geotherm("view", cells).stdout
    assert "day" in geotherm("view", f"{cells}:X_scVI", "--color", "day").stdout
    assert "'cell_type'" in geotherm("view", cells, "--color", "typo", code=2).stderr
