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


def complaints_about(headers):
    text = "".join(f'#include "geotherm/{name}"\n' for name in headers)
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", f"-I{INCLUDE}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def orders():
    yield HEADERS
    yield HEADERS[::-1]
    for seed in range(20 if SLOW else 1):
        shuffled = list(HEADERS)
        random.Random(seed).shuffle(shuffled)
        yield shuffled
    if SLOW:
        yield from itertools.permutations(HEADERS, 2)


def test_each_header_compiles_alone_and_all_in_any_order():
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [[name] for name in HEADERS] + [list(order) for order in orders()]
        for headers, found in zip(jobs, pool.map(complaints_about, jobs)):
            assert not found, f"{' '.join(headers)}:\n{found}"


def test_public_headers_include_the_standard_library_and_each_other_alone():
    for name in HEADERS:
        for include in re.findall(r"#include <([^>]+)>", (INCLUDE / "geotherm" / name).read_text()):
            assert re.fullmatch(r"[a-z_]+", include), f"{name} includes <{include}>"


def test_the_whole_header_has_every_other():
    text = (INCLUDE / "geotherm/geotherm.hpp").read_text()
    for name in HEADERS:
        assert name == "geotherm.hpp" or f'"geotherm/{name}"' in text, name
