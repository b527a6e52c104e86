"""The same answer from any compiler and machine: small runs against results that were stored (make_stored_runs.py says how)."""

import json
import sys

import numpy as np
import pytest

from conftest import PROGRAM, ROOT

sys.path.insert(0, str(ROOT / "tests" / "reference"))
import make_stored_runs as stored

STORE = json.loads(stored.STORE.read_text())
# Builds differ by the last bit here and there (fused multiply-adds, the order of a sum): 1e-16 of a number, and up to
# 1e-12 after a layout has converged.
AGREE = 1e-9


def test_every_run_is_stored_with_its_points():
    assert list(STORE["results"]) == list(stored.RUNS)
    assert STORE["points"] == stored.make_points()


@pytest.mark.parametrize("name", stored.RUNS)
def test_this_build_agrees_with_the_stored_run(name):
    expected = np.array(STORE["results"][name])
    found = stored.result_of(PROGRAM, name, STORE["points"])
    assert found.shape == expected.shape
    assert stored.disagreement(name, found, expected) <= AGREE
