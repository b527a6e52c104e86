"""Fixtures for the tests of the program: where it is and how to run it."""

import os
import pathlib
import subprocess
import tempfile

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("GEOTHERM_PROGRAM", str(ROOT / "build" / "geotherm"))
LIMIT_S = 3600 if os.environ.get("GEOTHERM_SLOW_TESTS") == "1" else 300


@pytest.fixture
def geotherm(tmp_path):
    """Runs the program in an empty folder; asserts the exit code and returns the process."""

    def run(*args, code=0):
        done = subprocess.run(
            [PROGRAM, *map(str, args)], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S
        )
        assert done.returncode == code, f"exit {done.returncode}, expected {code}\n{done.stderr}"
        return done

    run.dir = tmp_path
    return run


@pytest.fixture
def as_a_user():
    """The same, by somebody to whom permissions matter: where the tests run as root, by nobody."""
    who = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as made:  # (pytest's own folders are closed to others)
        folder = pathlib.Path(made)
        folder.chmod(0o777)

        def run(*args, code=0):
            try:
                done = subprocess.run([PROGRAM, *map(str, args)], cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, **who)
            except PermissionError:
                pytest.skip(f"SKIPPED: only root may run {PROGRAM}")
            assert done.returncode == code, f"exit {done.returncode}, expected {code}\n{done.stderr}"
            return done

        run.dir = folder
        yield run


@pytest.fixture
def points():
    """Sixty points on a bent line in three dimensions."""
    rng = np.random.default_rng(5)
    t = np.sort(rng.uniform(0, 3, 60))
    return np.c_[np.cos(t), np.sin(t), t] + rng.normal(0, 0.01, (60, 3))


def pytest_make_parametrize_id(config, val, argname):
    """Names of parametrised tests say what they are run with, not only the how-manieth it is."""
    if isinstance(val, dict):
        return ",".join(f"{key}={value}" for key, value in val.items())[:60] or "nothing"
    if isinstance(val, (list, tuple, set, frozenset)):
        return " ".join(str(getattr(word, "__name__", word)) for word in val)[:60] or "nothing"
    return getattr(val, "__name__", None)
