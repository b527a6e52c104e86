"""What is generated from the library's tables is what the tables say now; options are the same in program and Python."""

import inspect
import re
import subprocess
import sys

import geotherm
import numpy as np
import pytest
from conftest import ESTIMATORS, PROGRAM, ROOT
from geotherm import _options

sys.path.insert(0, str(ROOT / "scripts"))
import reference


@pytest.mark.parametrize("path", reference.FILES)
def test_generated_files_are_current(path):
    assert (ROOT / path).read_text() == reference.FILES[path](), f"run scripts/reference.py to renew {path}"


def test_the_program_has_every_option_of_the_table():
    text = subprocess.run([PROGRAM, "embed", "--help-all"], capture_output=True, text=True, check=True).stdout
    flags = set(re.findall(r"^  --([\w-]+)", text, re.M))
    assert {name.replace("_", "-") for name in _options.OPTIONS} <= flags


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_an_estimator_has_the_options_its_method_reads_and_no_others(estimator):
    names = set(inspect.signature(estimator).parameters) & set(_options.OPTIONS)
    assert names == set(_options.METHODS[estimator._method]["options"])
    unread = next((n for n in _options.OPTIONS if n not in names), None)
    if unread is not None:
        with pytest.raises(TypeError, match=unread):
            estimator(**{unread: 1})


def test_functions_refuse_what_they_do_not_read(points):
    with pytest.raises(TypeError, match="harnack"):
        geotherm.graph(points, harnack=1)
    with pytest.raises(TypeError, match="perplexity"):
        geotherm.mds(np.zeros((3, 3)), perplexity=3)
    assert "smooth" in inspect.signature(geotherm.graph).parameters


def test_an_option_that_does_nothing_through_another_warns(points):
    with pytest.warns(geotherm.GeothermWarning, match="`order` is not used"):
        geotherm.HeatGeo(order=20).fit(points)


