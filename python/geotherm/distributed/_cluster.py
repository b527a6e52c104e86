"""The cluster: whose client, which versions, waiting for tasks with progress, and an end that leaves nothing behind."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import distributed
from distributed.comm import get_address_host

from .. import _native
from .._native import Stopped
from .._run import ProgressBars
from ._tasks import VersionMismatch, hear_of_threads


def _prepared(threads: dict[str, tuple[int, int]]) -> str:
    try:
        from geotherm import __version__
    except ImportError as error:
        return f"none ({error})"
    hear_of_threads(threads)
    return __version__


def prepare(client: Any) -> None:
    """Workers of this version, who know how many threads their host and all hosts have. Those that come later are checked
    by every task, and know of their own threads."""
    threads = client.nthreads()
    hosts = {worker: get_address_host(worker) for worker in threads}
    on_host: Counter[str] = Counter()
    for worker, count in threads.items():
        on_host[hosts[worker]] += count
    check_versions(
        client.run(_prepared, {worker: (on_host[host], sum(threads.values())) for worker, host in hosts.items()})
    )


def check_versions(found: dict[str, str]) -> None:
    """Refuses workers with another geotherm, or with none."""
    wrong = {worker: version for worker, version in found.items() if version != _native.__version__}
    if wrong:
        words = ", ".join(f"{worker} has {version}" for worker, version in sorted(wrong.items())[:5])
        raise VersionMismatch(
            f"geotherm {_native.__version__} is here, but {words}: install the same version on client and workers"
        )


@contextlib.contextmanager
def client_for(client: Any, n_workers: int | None = None) -> Iterator[tuple[Any, bool]]:
    """The client given, the one at hand, or a local cluster for the time of the call (True)."""
    if client is not None:
        yield client, False
        return
    try:
        found = distributed.get_client()
    except ValueError:
        found = None
    if found is not None:
        yield found, False
        return
    with distributed.LocalCluster(n_workers=n_workers, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as local:
            yield local, True


class Stages:
    """Submits tasks and waits for them stage by stage. On an error, Ctrl-C or a callback's False everything is cancelled."""

    def __init__(self, client: Any, listeners: list[Callable[..., Any]], verbose: bool) -> None:
        self.client = client
        self._listeners = listeners
        self._bars = ProgressBars() if verbose else None
        self._held: dict[str, Any] = {}
        self.seconds: dict[str, float] = {}

    def submit(self, function: Callable[..., Any], *args: Any, name: str, priority: int = 0) -> Any:
        # `pure=False`: keys are new, so that a second fit does not find the first one's leftovers.
        future = self.client.submit(
            function, _native.__version__, *args, key=f"{name}-{uuid.uuid4().hex}", pure=False, priority=priority
        )
        self._held[future.key] = future
        return future

    def compute(self, lazy: list[Any]) -> list[Any]:
        futures = self.client.compute(lazy)
        self._held.update((future.key, future) for future in futures)
        return futures

    def reduce(self, futures: list[Any], function: Callable[..., Any], *args: Any, name: str, arity: int = 8) -> Any:
        """A tree over the blocks in their order: the same sums whoever computes them. Sums go before further blocks, so
        that these do not pile up."""
        level = 0
        while True:
            level += 1
            groups = [futures[k : k + arity] for k in range(0, len(futures), arity)]
            sums = [self.submit(function, group, *args, name=name, priority=level) for group in groups]
            if level > 1:
                self.release(futures)
            futures = sums
            if len(futures) == 1:
                return futures[0]

    def wait(self, stage: str, futures: list[Any], release: bool = False) -> None:
        """Until all are done; the first error is raised here. With `release` each is let go as soon as it is done."""
        start = time.perf_counter()
        self.tell(stage, 0, len(futures))
        for done, future in enumerate(distributed.as_completed(futures), 1):
            if future.status == "error":
                raise future.exception()
            if future.status == "cancelled":
                # A task that fails may take others with it: its error says more.
                for other in futures:
                    if other.status == "error":
                        raise other.exception()
                raise distributed.CancelledError(f"stage {stage}: a task was cancelled from outside")
            if release:
                self.release([future])
            self.tell(stage, done, len(futures))
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

    @contextlib.contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

    def tell(self, stage: str, done: int, total: int) -> None:
        if self._bars is not None:
            self._bars(stage, done, total, 0.0)
        answers = [listener(stage, done, total, 0.0) for listener in self._listeners]
        if any(answer is False for answer in answers):
            raise Stopped(f"stopped by a callback in stage {stage}")

    def release(self, futures: list[Any]) -> None:
        """No longer needed by this client; the scheduler keeps what others depend on."""
        for future in futures:
            self._held.pop(future.key, None)
            future.release()

    def cancel(self) -> None:
        """Lets go of everything: the scheduler drops what nobody wants, with all that was to be made of it."""
        with contextlib.suppress(Exception):
            self.release(list(self._held.values()))
        self._held = {}

    def close(self) -> None:
        if self._bars is not None:
            self._bars.close()
