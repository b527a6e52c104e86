"""Ctrl-C, callbacks, progress bars and threads."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import geotherm
import numpy as np
import pytest


def test_callbacks_hear_every_stage_and_can_stop_the_layout(points):
    stages = []

    def listen(stage, done, total, objective):
        stages.append(stage)
        return not (stage == "layout" and done >= 2)

    est = geotherm.HeatGeo(callbacks=[listen], tolerance=0.0, n_shakes=0).fit(points)
    assert "layout" in stages
    assert est.report_["outcome"] == "stopped"
    assert est.embedding_.shape == (250, 2) and np.isfinite(est.embedding_).all()


def test_a_stage_without_a_usable_result_raises_stopped(points):
    with pytest.raises(geotherm.Stopped):
        geotherm.HeatGeo(callbacks=lambda *report: False).fit(points)


def test_an_error_in_a_callback_comes_out_as_it_is(points):
    def fail(*report):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        geotherm.HeatGeo(callbacks=fail).fit(points)
    assert geotherm.HeatGeo().fit(points).embedding_.shape == (250, 2)


def test_bars_are_shown_where_asked_for(points, capsys):
    geotherm.HeatGeo(verbose=True).fit(points)
    assert "layout" in capsys.readouterr().err


INTERRUPTED = """
import sys, time
import geotherm

def say(stage, done, total, objective):
    if stage == "layout":
        print("layout", flush=True)
        time.sleep(0.05)

X = geotherm.datasets.swiss_roll(n={n}, noise=0.1, geodesic_limit=1).X
est = geotherm.HeatGeo(callbacks={callback}, tolerance=0.0)
print("started", flush=True)
try:
    est.fit(X)
except KeyboardInterrupt:
    print("stopped", hasattr(est, "embedding_"), flush=True)
assert geotherm.HeatGeo().fit_transform(X[:200]).shape == (200, 2)
print("went on", flush=True)
"""


@pytest.mark.parametrize(
    ("n", "callback", "sign", "keeps_map"),
    [(400, "say", "layout", True), (6000, "None", "started", False)],
    ids=["in the layout", "before it"],
)
def test_ctrl_c_stops_and_the_interpreter_goes_on(n, callback, sign, keeps_map):
    code = INTERRUPTED.format(n=n, callback=callback)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    while process.stdout.readline().strip() != sign:
        assert process.poll() is None
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    while (words := process.stdout.readline().strip()) == "layout":
        pass
    waited = time.monotonic() - start
    rest, _ = process.communicate(timeout=120)
    assert words == f"stopped {keeps_map}"
    assert "went on" in rest and process.returncode == 0
    assert waited < 10  # the next look at the signals is near; the machine may be busy


def test_the_interpreter_lock_is_released(points):
    """Another Python thread makes progress while a map is made."""
    n_ticks = 0
    is_done = threading.Event()

    def tick():
        nonlocal n_ticks
        while not is_done.is_set():
            n_ticks += 1
            time.sleep(0.001)

    X = geotherm.datasets.swiss_roll(n=1500).X
    ticker = threading.Thread(target=tick)
    ticker.start()
    before = n_ticks
    geotherm.HeatGeo(n_jobs=1).fit(X)
    during = n_ticks - before
    is_done.set()
    ticker.join()
    assert during > 20  # a held lock lets it tick once or twice


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are counted through /proc")
def test_threads_really_run():
    """Processor time of each thread of the process, read while the map is made."""
    ticks = {}

    def look(*report):
        for task in pathlib.Path("/proc/self/task").iterdir():
            ticks[int(task.name)] = int((task / "stat").read_text().rsplit(")", 1)[1].split()[11])

    before = set(map(int, os.listdir("/proc/self/task")))
    est = geotherm.HeatGeo(n_jobs=3, callbacks=look).fit(geotherm.datasets.swiss_roll(n=1500).X)
    assert est.report_["threads"] == 3
    workers = {thread: spent for thread, spent in ticks.items() if thread not in before}
    assert len(workers) == 2
    assert all(spent > 0 for spent in workers.values())


def test_maps_made_in_several_threads_at_once_are_the_same(points):
    expected = geotherm.HeatGeo().fit_transform(points)
    found = [None] * 4

    def make(i):
        found[i] = geotherm.HeatGeo(n_jobs=2).fit_transform(points)

    threads = [threading.Thread(target=make, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(y, expected) for y in found)
