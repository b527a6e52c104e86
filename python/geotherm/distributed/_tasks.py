"""How a task runs on a worker: versions, threads, memory."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

from .. import _native


class VersionMismatch(RuntimeError):
    """Client and worker run different versions of geotherm."""


def task(function: Callable[..., Any]) -> Callable[..., Any]:
    """A task that refuses to run beside another version than the client's, which it is told as its first argument."""

    @functools.wraps(function)
    def checked(version: str, *args: Any) -> Any:
        if version != _native.__version__:
            raise VersionMismatch(
                f"this worker has geotherm {_native.__version__}, the client {version}: install the same on both"
            )
        return function(*args)

    return checked


#: By the address of a worker of this process: threads of all workers on its host, and of all workers.
_threads_of: dict[str, tuple[int, int]] = {}


def hear_of_threads(by_worker: dict[str, tuple[int, int]]) -> None:
    _threads_of.update(by_worker)


def n_threads(at_once: int = 1) -> int:
    """For one of so many tasks that have the cluster to themselves: its share of all threads, but no more than the workers
    of its host have and this process may use."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:  # not on a worker
        return 1
    own = worker.state.nthreads
    of_host, of_all = _threads_of.get(worker.address, (own, own))
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(of_all // at_once, of_host, max(own, usable)))


@functools.cache
def _malloc() -> Any:
    """The C library, where its malloc was told to give freed memory back at once, as a worker's nanny tells it."""
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None


@contextlib.contextmanager
def keeping_memory(at_once: int = 1) -> Iterator[None]:
    """For a task that has its worker to itself: malloc keeps what is freed until the task ends. Pages that are given back
    come again as zeros, one fault each, while all threads wait: a fifth of the time of the coarse map."""
    library = _malloc() if at_once == 1 else None
    if library is None:
        yield
        return
    # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD: glibc's own largest, then its defaults with the nanny's choice.
    try:
        library.mallopt(-3, 1 << 25), library.mallopt(-1, 1 << 26)
        yield
    finally:
        library.mallopt(-3, 1 << 17), library.mallopt(-1, int(os.environ["MALLOC_TRIM_THRESHOLD_"]))
        library.malloc_trim(0)


def new_run(seed: int = 0, threads: int = 1) -> Any:
    return _native.Run(seed, threads)


def run_of(at_once: int, seed: int = 0) -> Any:
    """For a task of a block or partition, of which there are so many."""
    return new_run(seed, n_threads(at_once))
