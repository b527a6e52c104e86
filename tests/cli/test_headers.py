"""Public headers stand alone, in any order, and bring nothing of other libraries with them."""

import itertools
import os
import random
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import ROOT

INCLUDE = ROOT / "include"
HEADERS = sorted(path.name for path in (INCLUDE / "geotherm").glob("*.hpp"))
COMPILER = shutil.which("g++") or shutil.which("clang++")
SLOW = os.environ.get("GEOTHERM_SLOW_TESTS") == "1"

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a compiler")


FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}"]


def complaints_about(headers, read_before=None):
    """What the compiler says of a source that includes them; `read_before` is a precompiled header."""
    text = "".join(f'#include "geotherm/{name}"\n' for name in headers)
    before = ["-Winvalid-pch", "-include", read_before] if read_before else []
    command = [COMPILER, *FLAGS, *before, "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def standard_headers_of(name):
    """Those that it includes, itself or by others of ours."""
    text = (INCLUDE / "geotherm" / name).read_text()
    found = set(re.findall(r"#include <([^>]+)>", text))
    return found.union(*map(standard_headers_of, re.findall(r'#include "geotherm/([^"]+)"', text)))


def alone(folder):
    """Jobs that compile each header by itself. Where several include the same of the standard library, and nothing else of it,
    the compiler reads that once for them all: what one of them forgot is then missing as well."""
    alike = {}
    for name in HEADERS:
        alike.setdefault(frozenset(standard_headers_of(name)), []).append(name)
    for k, (standard, names) in enumerate(alike.items()):
        before = None
        if len(names) > 2:
            before = folder / f"standard{k}.hpp"
            before.write_text("".join(f"#include <{name}>\n" for name in sorted(standard)))
            subprocess.run([COMPILER, *FLAGS, "-x", "c++-header", before, "-o", f"{before}.gch"], check=True)
        yield from ([[name], before] for name in names)


def orders():
    yield HEADERS
    yield HEADERS[::-1]
    for seed in range(20 if SLOW else 1):
        shuffled = list(HEADERS)
        random.Random(seed).shuffle(shuffled)
        yield shuffled
    if SLOW:
        yield from itertools.permutations(HEADERS, 2)


def test_each_header_compiles_alone_and_all_in_any_order(tmp_path):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [*alone(tmp_path), *([list(order), None] for order in orders())]
        for (headers, _), found in zip(jobs, pool.map(lambda job: complaints_about(*job), jobs)):
            assert not found, f"{' '.join(headers)}:\n{found}"


def test_a_header_that_forgets_one_is_found(tmp_path, monkeypatch):
    """Four that are alike, of which one speaks of a name that none of them includes."""
    (tmp_path / "geotherm").mkdir()
    for k in range(4):
        word = "std::map<int, int> f3();" if k == 3 else f"std::vector<int> f{k}();"
        (tmp_path / f"geotherm/h{k}.hpp").write_text(f"#pragma once\n#include <vector>\n{word}\n")
    monkeypatch.setitem(globals(), "INCLUDE", tmp_path)
    monkeypatch.setitem(globals(), "HEADERS", [f"h{k}.hpp" for k in range(4)])
    monkeypatch.setitem(globals(), "FLAGS", [*FLAGS[:-1], f"-I{tmp_path}"])
    assert [bool(complaints_about(*job)) for job in alone(tmp_path)] == [False, False, False, True]


def test_public_headers_include_the_standard_library_and_each_other_alone():
    for name in HEADERS:
        for include in re.findall(r"#include <([^>]+)>", (INCLUDE / "geotherm" / name).read_text()):
            assert re.fullmatch(r"[a-z_]+", include), f"{name} includes <{include}>"


def test_the_whole_header_has_every_other():
    text = (INCLUDE / "geotherm/geotherm.hpp").read_text()
    for name in HEADERS:
        assert name == "geotherm.hpp" or f'"geotherm/{name}"' in text, name
