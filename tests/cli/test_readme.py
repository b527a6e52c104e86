"""Every snippet of the README runs as it stands."""

import os
import pathlib
import re
import subprocess
import sys

from conftest import PROGRAM, ROOT

README = (ROOT / "README.md").read_text()


def snippets(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.S)


def test_the_commands_of_the_program_run(tmp_path):
    shell = [s for s in snippets("sh") if s.startswith("geotherm ")]
    assert shell, "the README shows no command"
    path = f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"
    for text in shell:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "map.svg").exists() and (tmp_path / "run.json").exists()


def test_the_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(?:`|^)make ([\w-]+)", README, re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_the_program_shown_is_the_example_that_is_built_and_run():
    shown = re.findall(r"<!-- (examples/\S+) -->\n```cpp\n(.*?)```", README, re.S)
    assert shown
    for name, text in shown:
        assert text == (ROOT / name).read_text(), name


def test_every_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target


def test_the_table_is_that_of_the_results():
    subprocess.run([sys.executable, ROOT / "scripts/readme_table.py", "--check"], check=True)
