#!/usr/bin/env python3
"""Runs ctest, then says what passed, what failed and what was skipped, and why.

run_tests.py BUILD [--jobs N] [--checks]   every test of the build folder; with the checks of make among them
run_tests.py BUILD --slowest N             the slowest tests of the last run
"""

import argparse
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

CHECK = "make "  # the name of a test that is a target of make begins so


def reason_in(text: str) -> str:
    """The words behind SKIPPED: in what a test printed."""
    found = re.search(r"SKIPPED:\s*(.+)", text) or re.search(r"Skipped\n(.+)", text)
    return found.group(1).strip() if found else "no reason given"


def cases_of(path: Path):
    """(suite, name, seconds, state, reason) of every test case in a JUnit file."""
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError:
        yield path.stem, "the whole suite", 0.0, "failed", f"{path} was not written to its end"
        return
    for case in root.iter("testcase"):
        skipped, failed = case.find("skipped"), case.find("failure")
        failed = case.find("error") if failed is None else failed
        state = "skipped" if skipped is not None else "failed" if failed is not None else "passed"
        said = "".join(element.text or "" for element in case.iter("system-out"))
        if skipped is not None:
            said = (skipped.get("message") or "") + "\n" + said
        reason = ""
        if state == "skipped":
            message = (skipped.get("message") or "").removeprefix("SKIPPED:").strip()
            reason = message if message and "SKIP_" not in message else reason_in(said)
        yield path.stem, case.get("name", "?"), float(case.get("time") or 0), state, reason


def read(folder: Path):
    """Every case of a run. A pytest suite stands for its cases, not for the one line ctest has of it."""
    suites = {path.stem: list(cases_of(path)) for path in sorted(folder.glob("*.xml")) if path.stem != "ctest"}
    cases = [case for of_suite in suites.values() for case in of_suite]
    for case in cases_of(folder / "ctest.xml") if (folder / "ctest.xml").exists() else ():
        has_failed_alone = case[3] == "failed" and not any(c[3] == "failed" for c in suites.get(case[1], ()))
        if case[1] not in suites or has_failed_alone:
            cases.append(case)
    return cases


def checks_in(path: Path):
    """The targets of make among ctest's tests: {name: whether it failed}, and a skipped case for each part that one left out."""
    found, left_out = {}, []
    root = ET.parse(path).getroot() if path.exists() else ET.Element("none")
    for case in root.iter("testcase"):
        if not case.get("name", "").startswith(CHECK):
            continue
        name = case.get("name").removeprefix(CHECK)
        found[name] = case.find("failure") is not None
        said = "".join(element.text or "" for element in case.iter("system-out"))
        left_out += [("ctest", case.get("name"), 0.0, "skipped", reason.strip()) for reason in re.findall(r"^SKIPPED:(.+)", said, re.MULTILINE)]
    return found, left_out


def label(case) -> str:
    return case[1] if case[0] == "ctest" else f"{case[0]}: {case[1]}"


def slowest(cases, n: int):
    for case in sorted(cases, key=lambda c: -c[2])[:n]:
        print(f"{case[2]:8.1f} s  {label(case)}")


def listed(what: str, cases):
    """How many, and which, by reason."""
    by_reason: dict[str, list[str]] = {}
    for case in cases:
        by_reason.setdefault(case[4], []).append(label(case))
    print(f"\n{len(cases)} {what}" + (":" if cases else ""))
    for reason, names in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        print(f"  {len(names)} x {reason}")
        for name in names[:6]:
            print(f"      {name}")
        if len(names) > 6:
            print(f"      and {len(names) - 6} more")


def summary(cases, others, seconds: float):
    """The last lines of a run: skips by reason, then failures, then counts."""
    skipped = [case for case in cases if case[3] == "skipped"]
    at_night = [case for case in skipped if "GEOTHERM_SLOW_TESTS" in case[4]]
    listed("skipped", [case for case in skipped if case not in at_night])
    if at_night:
        listed("left to `make nightly`", at_night)
    failed = [label(case) for case in cases if case[3] == "failed"]
    failed += [CHECK + name for name, code in others.items() if code]
    print(f"{len(failed)} failed" + (":" if failed else ""))
    for name in failed:
        print(f"  {name}")
    passed = sum(case[3] == "passed" for case in cases)
    also = "".join(f", {CHECK}{name} {'failed' if code else 'passed'}" for name, code in others.items())
    print(f"{passed} passed in {seconds / 60:.1f} minutes{also}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--checks", action="store_true", help="the tests that are targets of make, too")
    parser.add_argument("--slowest", type=int, metavar="N")
    parser.add_argument("--only", help="regular expression of ctest's names")
    args = parser.parse_args()
    folder = (args.build / "junit").resolve()
    if args.slowest:
        cases = read(folder)
        if not cases:
            print(f"no run is stored in {folder}: `make test` first", file=sys.stderr)
            return 1
        slowest(cases, args.slowest)
        return 0

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.xml"):
        old.unlink()
    started = time.monotonic()
    command = ["ctest", "--test-dir", args.build, "--output-on-failure", "-j", args.jobs, "--no-tests=error",
               "--output-junit", folder / "ctest.xml", *(["-R", args.only] if args.only else []),
               *(["-C", "checks", "--test-output-size-passed", "100000"] if args.checks else [])]  # fmt: skip
    code = subprocess.run(list(map(str, command)), check=False).returncode
    cases = read(folder)
    print("\nThe slowest:")
    slowest(cases, 5)
    others, left_out = checks_in(folder / "ctest.xml")
    if args.checks and not others:
        print("the checks of make were asked for, and none is in this build", file=sys.stderr)
        code = 1
    cases = [case for case in cases if case[0] != "ctest" or not case[1].startswith(CHECK)] + left_out
    summary(cases, others, time.monotonic() - started)
    return 1 if code or any(others.values()) or any(case[3] == "failed" for case in cases) else 0


if __name__ == "__main__":
    sys.exit(main())
