#!/usr/bin/env python3
"""Builds and runs the tests of what differs from main: a minute on a warm build.

check.py BUILD [MODULE...]   MODULE: a folder of src/, a suite of tests/ (golden, methods, properties), cli, python
                             or viewer; without one, whatever git says has changed since the branch left main
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUITES = ("golden", "methods", "properties")
# The quick files of the two large suites: they touch every command and every estimator once.
QUICK = {"cli": "program|options|help_examples", "python": "functions|quick"}


def git(*args: str) -> list[str]:
    done = subprocess.run(["git", *args], check=False, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed_files() -> list[str]:
    base = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main") or ["HEAD"]
    return git("diff", "--name-only", base[0]) + git("ls-files", "--others", "--exclude-standard")


def names_of(path: str) -> set[str]:
    """Which tests a changed file calls for: names of modules, or of single ctest entries."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        return {parts[1]}
    if parts[:2] == ["include", "geotherm"]:
        module = parts[2].removesuffix(".hpp")
        return {module if (ROOT / "src" / module).is_dir() else "core"}
    if parts[0] == "tests" and len(parts) > 2:
        if parts[1] in ("cli", "python") and parts[2].startswith("test_"):
            return {f"{parts[1]}.{parts[2].removeprefix('test_').removesuffix('.py')}"}
        return {parts[1]}
    if parts[:2] == ["apps", "cli"]:
        return {"cli"}
    if parts[0] in ("python", "viewer"):
        return {parts[0]}
    if parts[0] == "docs" or path.endswith(".md"):
        return {"cli.docs"}
    return set()


def main() -> int:
    build = Path(sys.argv[1])
    names = set(sys.argv[2:]) or {name for path in changed_files() for name in names_of(path)}
    patterns, targets = [], []
    for name in sorted(names):
        kind = name.partition(".")[0]
        if kind in ("cli", "python"):
            targets.append({"cli": "geotherm_cli", "python": "_native"}[kind])
            # (Short files of Python are one test, python.quick.)
            patterns.append(rf"{kind}\.({name.partition('.')[2]}|quick)$" if "." in name else rf"{name}\.({QUICK[kind]})$")
        elif kind == "viewer":
            targets.append("geotherm_cli")
            patterns.append("viewer_(types|units)")
        elif kind in SUITES and not (ROOT / "src" / kind).is_dir():
            targets.append(f"test_{kind}_suite")
            patterns.append(rf"{kind}\.")
        elif list((ROOT / "src" / kind).glob("*_test.cpp")):
            targets.append(f"test_{kind}")
            patterns.append(rf"{kind}\.")
    if not patterns:
        print("check: nothing that has tests of its own differs from main")
        return 0
    print("check:", ", ".join(sorted(names)), flush=True)
    if not re.search(r"GEOTHERM_BUILD_TESTS:BOOL=ON", (build / "CMakeCache.txt").read_text()):
        subprocess.run([ROOT / "scripts" / "setup.sh", "test"], check=True)
        subprocess.run(["cmake", build, "-DGEOTHERM_BUILD_TESTS=ON", "-DGEOTHERM_BUILD_PYTHON=ON"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", *sorted(set(targets))], check=True)
    return subprocess.run([sys.executable, ROOT / "scripts" / "run_tests.py", build,
                           "--only", "^(" + "|".join(patterns) + ")"], check=False).returncode  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
