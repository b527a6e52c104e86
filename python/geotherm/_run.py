"""Everything of a call that is not mathematics: seed, threads, progress, warnings.

In: scikit-learn's words (random_state, n_jobs, verbose, callbacks). Out: a native Run.
"""

from __future__ import annotations

import numbers
import os
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _native

Callback = Callable[[str, int, int, float], Any]


class GeothermWarning(UserWarning):
    """Something about the data or the result that the reader of a map should know."""


def seed_from(random_state: Any) -> int:
    """An integer is the seed itself; a generator gives one; None draws one from NumPy."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state is {random_state}: give a whole number from 0 to 2**64 - 1")
        return int(random_state)
    if random_state is None:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    raise ValueError(f"random_state is {random_state!r}: give a whole number, a generator or None")


def threads_from(n_jobs: int | None) -> int:
    """scikit-learn's n_jobs as a number of threads; 0: all that the process may use."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs is {n_jobs!r}: give a whole number or None")
    if n_jobs == 0:
        raise ValueError("n_jobs is 0: give 1 or more, or -1 for every core")
    if n_jobs > 0:
        return int(min(n_jobs, 1024))
    if n_jobs == -1:
        return 0
    try:
        n_cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        n_cores = os.cpu_count() or 1
    return max(1, n_cores + 1 + int(n_jobs))


def _level_of_caller() -> int:
    """How far up the user's own line is: past this package and scikit-learn's wrappers."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("geotherm", "sklearn"):
        level, frame = level + 1, frame.f_back
    return level


class ProgressBars:
    """One tqdm bar a stage, in notebooks and terminals; plain lines where tqdm is not there."""

    def __init__(self) -> None:
        self._stage: str | None = None
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm = tqdm

    def __call__(self, stage: str, done: int, total: int, objective: float) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            if self._tqdm is None:
                print(f"geotherm: {stage}", file=sys.stderr)
            else:
                self._bar = self._tqdm(desc=stage, total=total or None, leave=False)
        if self._bar is None:
            return
        self._bar.total = total or None
        if objective:
            self._bar.set_postfix(objective=f"{objective:.4g}", refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


class Run:
    """A native Run with its bars; as a context manager it shows warnings at the end."""

    def __init__(
        self,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: int | bool = False,
        callbacks: Callback | Iterable[Callback] | None = None,
    ) -> None:
        self.seed = seed_from(random_state)
        if callbacks is None:
            listeners: list[Callback] = []
        elif callable(callbacks):
            listeners = [callbacks]
        else:
            listeners = list(callbacks)
        for listener in listeners:
            if not callable(listener):
                raise TypeError(f"callbacks holds {listener!r}: give functions (stage, done, total, objective)")
        bars = self._bars = ProgressBars() if verbose else None

        # Holds no reference to this Run: the native part is not seen by the cycle collector.
        def tell(stage: str, done: int, total: int, objective: float) -> bool:
            if bars is not None:
                bars(stage, done, total, objective)
            # Every listener hears every report, also the one after which another asks to stop.
            answers = [listener(stage, done, total, objective) for listener in listeners]
            return not any(answer is False for answer in answers)

        heard = tell if listeners or bars is not None else None
        self.native = _native.Run(self.seed, threads_from(n_jobs), heard)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._bars is not None:
            self._bars.close()
        if kind is None:
            for message in self.native.warnings:
                warnings.warn(message, GeothermWarning, stacklevel=_level_of_caller())
