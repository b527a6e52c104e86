"""Fixtures for the tests of the Python package: shapes, the program, and real data where it lies."""

import os
import pathlib
import subprocess

import geotherm
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GEOTHERM_PROGRAM", str(ROOT / "build" / "geotherm"))

ESTIMATORS = list(geotherm.ESTIMATORS.values())


@pytest.fixture(scope="session")
def roll():
    return geotherm.datasets.swiss_roll(n=250, noise=0.05, random_state=3)


@pytest.fixture(scope="session")
def points(roll):
    return roll.X


@pytest.fixture
def program(tmp_path):
    """Runs the C++ program of the same build in an empty folder."""
    if not os.path.exists(PROGRAM):
        pytest.skip(f"the program was not built: {PROGRAM}")

    def run(*args):
        done = subprocess.run([PROGRAM, *map(str, args)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done

    run.dir = tmp_path
    return run


@pytest.fixture(scope="module")
def client():
    """Workers in processes of their own: what they are sent has to say where the rows are, not hold an open file."""
    distributed = pytest.importorskip("distributed", reason="SKIPPED: distributed is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    ) as cluster, distributed.Client(cluster) as made:
        yield made


@pytest.fixture(scope="session")
def data_dir():
    folder = os.environ.get("GEOTHERM_DATA")
    if not folder or not os.path.isdir(folder):
        pytest.skip("GEOTHERM_DATA is not set: the real data sets are not tested")
    return pathlib.Path(folder)


def pytest_make_parametrize_id(config, val, argname):
    """Names of parametrised tests say what they are run with, not only the how-manieth it is."""
    if isinstance(val, dict):
        return ",".join(f"{key}={value}" for key, value in val.items())[:60] or "nothing"
    if isinstance(val, (list, tuple, set, frozenset)):
        return " ".join(str(getattr(word, "__name__", word)) for word in val)[:60] or "nothing"
    return getattr(val, "__name__", None)
