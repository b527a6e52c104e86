"""What packagers rely on: one version, recipes that agree, a report that counts what was skipped."""

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys

import pytest
from conftest import PROGRAM, ROOT


def script(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = script(ROOT / "scripts" / "release.py")
run_tests = script(ROOT / "scripts" / "run_tests.py")
check = script(ROOT / "scripts" / "check.py")


def test_the_program_has_the_version_of_the_build_files():
    said = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
    assert release.version() in said


@pytest.mark.parametrize("path", sorted(release.COPIES))
def test_files_that_repeat_the_version_have_the_same(path):
    assert re.search(release.COPIES[path], (ROOT / path).read_text()).group(2) == release.version()


def test_another_version_is_written_wherever_the_version_stands(tmp_path, monkeypatch):
    now = release.version()
    for path in ("CMakeLists.txt", "include/geotherm/version.hpp", *release.COPIES):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((ROOT / path).read_text())
    monkeypatch.setattr(release, "ROOT", tmp_path)
    release.set_version("7.8.9")
    assert release.version() == "7.8.9"
    for path in release.COPIES:
        text = (tmp_path / path).read_text()
        assert {found.group(2) for found in re.finditer(release.COPIES[path], text)} == {"7.8.9"}, path
        if not path.endswith("-lock.json"):  # which has versions of others
            assert not re.search(rf"(?<![\d.]){re.escape(now)}(?!\.?\d)", text), path


def test_recipes_for_other_package_managers_have_no_complaint():
    done = subprocess.run([sys.executable, ROOT / "packaging" / "lint_recipes.py"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_address_of_the_project_is_a_placeholder_until_a_release_fills_it_in(tmp_path, monkeypatch):
    """In every file that needs it, and in no other; so that nobody is sent to a stranger."""
    home, mail = release.PLACEHOLDER
    tracked = subprocess.run(["git", "ls-files"], check=True, cwd=ROOT, capture_output=True, text=True).stdout.split()
    texts = {path: (ROOT / path).read_text(errors="ignore") for path in tracked if (ROOT / path).is_file()}
    standing = {path for path, text in texts.items() if home in text or mail in text}
    assert standing - {"docs/install.md", "scripts/release.py"} == set(release.ADDRESSED)
    for path in (*release.ADDRESSED, *release.HASHES):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(texts[path])
    (tmp_path / "dist").mkdir()
    (tmp_path / f"dist/geotherm-{release.version()}.tar.gz").write_bytes(b"source")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    release.set_address("https://somewhere.org/geotherm", "us@somewhere.org")
    release.set_hashes()
    for path in release.ADDRESSED:
        said = (tmp_path / path).read_text()
        assert ".invalid" not in said and "somewhere.org" in said, path
    for path, (pattern, algorithm) in release.HASHES.items():
        assert re.search(pattern, (tmp_path / path).read_text()).group(2) == hashlib.new(algorithm, b"source").hexdigest()


def test_a_version_that_is_no_version_is_refused():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "release.py", "--set", "1.2"], check=False, capture_output=True)
    assert done.returncode == 2


@pytest.fixture
def packages(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return script(ROOT / "scripts" / "packages.py")


def test_pythons_that_are_not_there_are_skipped_loudly(tmp_path, monkeypatch, capsys, packages):
    built, rows = [], {}
    monkeypatch.setattr(packages, "ROOT", tmp_path)
    monkeypatch.setattr(packages, "prefix", lambda: tmp_path)
    monkeypatch.setattr(packages, "interpreter", {"3.11": "python3.11", "3.12": "python3.12", "3.13": "python3.13"}.get)
    monkeypatch.setattr(packages, "build_wheel", lambda python, *_: built.append(python) or tmp_path / f"{python}.whl")
    monkeypatch.setattr(packages, "try_wheel", lambda python, wheel: f"tried with {wheel.name}")
    monkeypatch.setattr(packages, "store", lambda way, command, artefacts, seconds, tried: rows.update({way: tried}))
    packages.wheels()
    assert built == ["python3.11", "python3.12"]  # from 3.12 on one wheel serves
    assert "3.13: tried with python3.12.whl" in rows["wheels"] and "3.10 SKIPPED (not here)" in rows["wheels"]
    assert "SKIPPED: Python 3.10 is not here" in capsys.readouterr().err


def test_rows_of_the_table_stay_until_they_are_measured_again_and_say_what_ran_beside(tmp_path, monkeypatch):
    table = script(ROOT / "scripts" / "package_table.py")
    monkeypatch.setattr(table, "PAGE", tmp_path / "install.md")
    monkeypatch.setattr(table, "STORE", tmp_path / "packages.json")
    old = "| wheels | `pip install x` | 1.0 MB | 0:10 | tried | here |\n| deb | `apt install x` | 1.0 MB | 9:59 | old | here |"
    table.PAGE.write_text(f"before\n{table.BEGIN}\n{old}\n{table.END}\nafter\n")
    found = {"command": "apt install y", "bytes": 2_600_000, "seconds": 119.6, "tried": "new", "on": "Debian", "load": 1.9, "day": "2026-01-01"}
    table.STORE.write_text(json.dumps({"deb": found}))
    table.write_table()
    text = table.PAGE.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "| wheels | `pip install x` | 1.0 MB | 0:10 |" in text
    assert "| deb | `apt install y` | 2.6 MB | 2:00 | new | Debian, 2026-01-01" in text and "old" not in text
    assert ("beside other work (1.9 cores)" in text) == (0.25 * os.cpu_count() < 1.9)


JUNIT = """<testsuite><testcase name="passes" time="1.5"/>
<testcase name="waits" time="0"><skipped message="SKIPPED: no real data sets"/></testcase>
<testcase name="is slow" time="0"><skipped message="SKIPPED: minutes; GEOTHERM_SLOW_TESTS=1 runs it"/></testcase>
<testcase name="breaks" time="2"><failure message="x"/></testcase></testsuite>"""


def test_skips_are_counted_and_listed_with_their_reason(tmp_path, capsys):
    (tmp_path / "cli.x.xml").write_text(JUNIT)
    (tmp_path / "ctest.xml").write_text(
        '<testsuite><testcase name="cli.x" time="9"><failure/></testcase>'
        '<testcase name="heat.Law.Holds" time="0"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
        "<system-out>SKIPPED: no real data sets\n</system-out></testcase></testsuite>"
    )
    cases = run_tests.read(tmp_path)
    assert len(cases) == 5  # the suite's own cases stand for its line
    run_tests.summary(cases, {"lint-quick": 1}, 60)
    said = capsys.readouterr().out
    assert "2 skipped:" in said and "2 x no real data sets" in said
    assert "1 left to `make nightly`:" in said and "cli.x: is slow" in said
    assert "2 failed:" in said and "cli.x: breaks" in said and "make lint-quick" in said
    run_tests.slowest(cases, 1)
    assert "breaks" in capsys.readouterr().out


def test_checks_of_make_that_ran_among_the_tests_are_told_apart_and_what_they_left_out_is_listed(tmp_path):
    (tmp_path / "ctest.xml").write_text(
        '<testsuite><testcase name="make lint-quick" time="9"><failure/></testcase><testcase name="heat.Law.Holds" time="1"/>'
        '<testcase name="make r-quick" time="1"><system-out>SKIPPED: R is not installed\n</system-out></testcase></testsuite>'
    )
    failed, left_out = run_tests.checks_in(tmp_path / "ctest.xml")
    assert failed == {"lint-quick": True, "r-quick": False}
    assert [(case[1], case[3], case[4]) for case in left_out] == [("make r-quick", "skipped", "R is not installed")]


def test_a_suite_that_died_before_it_could_report_counts_as_failed(tmp_path):
    (tmp_path / "cli.x.xml").write_text("<testsuite><testcase")
    assert [case[3] for case in run_tests.read(tmp_path)] == ["failed"]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("src/heat/series.cpp", {"heat"}),
        ("include/geotherm/graph.hpp", {"graph"}),
        ("include/geotherm/shortcuts.hpp", {"core"}),
        ("tests/cli/test_docs.py", {"cli.docs"}),
        ("apps/cli/embed.cpp", {"cli"}),
        ("docs/files.md", {"cli.docs"}),
        ("LICENSE", set()),
    ],
)
def test_a_changed_file_calls_for_its_own_tests(path, names):
    assert check.names_of(path) == names


def test_setup_refuses_words_that_it_does_not_know():
    done = subprocess.run([ROOT / "scripts" / "setup.sh", "everything"], check=False, capture_output=True, text=True)
    assert done.returncode == 2 and "unknown word 'everything'" in done.stderr


def test_setup_asks_and_installs_nothing_where_everything_is_there(tmp_path):
    """On any system: the compiler finds each library, and programs are on the path, whatever put them there."""
    called = tmp_path / "called"
    asked = {name: f'echo "$0 $@" >> {called}' for name in ("apt-get", "sudo", "pip", "npm", "dnf", "brew")}
    there = {"c++": "case $1 in -print*) ;; *) grep -o '@[^@]*@' ;; esac", "cmake": "exit 0", "ninja": "exit 0", "node": "exit 0"}
    for name, lines in {**asked, **there}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / name).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "CXX"}
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    done = subprocess.run([ROOT / "scripts" / "setup.sh", "build"], check=False, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=environment)  # fmt: skip
    assert done.returncode == 0 and not called.exists() and done.stdout == "" and done.stderr == "", done.stdout + done.stderr


@pytest.mark.parametrize("allowed", [False, True])
def test_setup_uses_sudo_only_when_it_was_allowed_to(tmp_path, allowed):
    """On a machine where the compiler finds no library, by a user who is not root and cannot be asked."""
    called = tmp_path / "called"
    for name, lines in {"id": "echo 1000", "c++": "exit 0", "apt-get": "exit 0", "sudo": f'echo "$@" >> {called}'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / name).chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key not in ("CI", "SETUP_YES", "CXX")}
    environment["PATH"] = f"{tmp_path}:{environment['PATH']}"
    if allowed:
        environment["SETUP_YES"] = "1"
    done = subprocess.run([ROOT / "scripts" / "setup.sh", "build"], check=False, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=environment)  # fmt: skip
    assert called.exists() == allowed, done.stderr
    if allowed:
        assert "libfmt-dev" in called.read_text() and done.returncode == 0, done.stderr
        assert "chromium" not in called.read_text()  # no browser for a build
    else:
        assert done.returncode == 1 and "needed" in done.stderr and "libfmt-dev" in done.stderr
