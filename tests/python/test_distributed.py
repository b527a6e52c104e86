"""geotherm.distributed on a cluster of two processes: same bits, lost workers, inputs, the model, the command line."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading

import geotherm
import numpy as np
import pytest

dask_array = pytest.importorskip("dask.array", reason="SKIPPED: Dask is not installed (pip install 'geotherm[dask]')")
distributed = pytest.importorskip("distributed", reason="SKIPPED: distributed is not installed")

from geotherm import distributed as gd  # noqa: E402
from geotherm.distributed import _blocks, _cluster, _fit, _tasks  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOW = os.environ.get("GEOTHERM_SLOW_TESTS") == "1"
SMALL = {"partition_rows": 900, "block_rows": 700, "landmarks": 240, "model_rows": 1500}
STAGES = ["statistics", "pca", "cells", "partitions", "routing", "graph", "landmarks", "layout", "frame", "output"]


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    ) as made:
        yield made


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as made:
        yield made


@pytest.fixture(scope="module")
def table():
    roll = geotherm.datasets.swiss_roll(n=3000, noise=0.1, dim=12, random_state=5)
    return roll, np.asarray(roll.X, dtype=np.float32)


@pytest.fixture(scope="module")
def fitted(client, table):
    return gd.HeatGeo(**SMALL, random_state=1).fit(dask_array.from_array(table[1], chunks=(1000, 12)), client=client)


@pytest.fixture(scope="module")
def reference(fitted):
    return fitted.embedding_.compute()


def fit_again(client, table, chunks, **options):
    X = dask_array.from_array(table[1], chunks=chunks)
    return gd.HeatGeo(**SMALL, random_state=1, **options).fit(X, client=client)


def test_the_map_is_in_the_order_and_chunks_of_the_rows(fitted, reference, table):
    assert fitted.embedding_.chunks[0] == (1000, 1000, 1000)
    assert reference.shape == (3000, 2)
    resolved = fitted.report_["resolved"]
    assert resolved["n_partitions"] >= 3 and resolved["pca_rank"] == 3
    # Truth: distances along the sheet between sampled pairs.
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3000, (2, 20000))
    at = np.asarray(table[0].coordinates)
    true = np.linalg.norm(at[a] - at[b], axis=1)
    found = np.linalg.norm(reference[a] - reference[b], axis=1)
    far = true > 0
    assert np.corrcoef(true[far], found[far])[0, 1] > 0.97
    assert np.allclose(reference.mean(axis=0), 0, atol=1e-9 * np.abs(reference).max())


def test_a_map_by_blocks_is_about_that_of_one_machine(reference, table):
    whole = geotherm.HeatGeo(landmarks=240, pivot_heat="landmarks", random_state=1).fit_transform(table[1])
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3000, (2, 20000))
    mine = np.linalg.norm(reference[a] - reference[b], axis=1)
    theirs = np.linalg.norm(whole[a] - whole[b], axis=1)
    assert np.corrcoef(mine, theirs)[0, 1] > 0.98
    assert abs(np.log(np.median(mine) / np.median(theirs))) < np.log(1.1)


@pytest.mark.parametrize("chunks", [(3000, 12), ((1, 1499, 1500), 12), (431, 5)])
def test_other_chunks_give_the_same_bits(client, table, reference, chunks):
    assert np.array_equal(fit_again(client, table, chunks).embedding_.compute(), reference)


@pytest.mark.parametrize("workers, threads", [(1, 3)])
def test_other_workers_and_threads_give_the_same_bits(table, reference, workers, threads):
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=threads, processes=False, dashboard_address=":0"
    ) as alone, distributed.Client(alone) as client:
        assert np.array_equal(fit_again(client, table, (800, 12)).embedding_.compute(), reference)


def test_another_seed_gives_another_map(client, table, reference):
    X = dask_array.from_array(table[1], chunks=(1000, 12))
    other = gd.HeatGeo(**SMALL, random_state=2).fit(X, client=client).embedding_.compute()
    assert not np.array_equal(other, reference)


@pytest.mark.parametrize("stage", STAGES if SLOW else ["routing", "layout"])
def test_a_killed_worker_costs_time_and_not_the_result(table, reference, stage):
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    ) as own, distributed.Client(own) as client:
        killed = []

        def kill(at, done, total, objective):
            if at == stage and not killed:
                pid = next(iter(client.run(os.getpid).values()))
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

        found = fit_again(client, table, (1000, 12), callbacks=kill).embedding_.compute()
        assert killed, f"stage {stage} never came"
        assert np.array_equal(found, reference)


def test_one_block_goes_through_all_stages_at_once(client, table, monkeypatch):
    """The map of a small table, with one task before its graph, is that of the separate stages to the bit."""
    X, options = dask_array.from_array(table[1], chunks=(1000, 12)), {"landmarks": 240, "model_rows": 1500, "random_state": 1}
    at_once = gd.HeatGeo(**options).fit(X, client=client)
    by_blocks = _fit._cut_by_blocks

    def separately(block, *more):
        return by_blocks([block], *more)

    monkeypatch.setattr(_fit, "_cut_at_once", separately)
    one_by_one = gd.HeatGeo(**options).fit(X, client=client)
    assert "statistics" in at_once.report_["stages_s"] and "cells" not in at_once.report_["stages_s"]
    assert "cells" in one_by_one.report_["stages_s"]
    assert np.array_equal(at_once.embedding_.compute(), one_by_one.embedding_.compute())
    assert np.array_equal(at_once.sample_index_, one_by_one.sample_index_)
    assert np.array_equal(at_once.sample_embedding_, at_once.embedding_.compute()[at_once.sample_index_])
    assert at_once.report_["resolved"] == one_by_one.report_["resolved"]


def seen_threads(at_once):
    return _tasks.n_threads(at_once)


def test_tasks_share_the_threads_of_those_that_wait_for_them(client):
    _cluster.prepare(client)
    usable = len(os.sched_getaffinity(0))
    assert client.submit(seen_threads, 1, pure=False).result() == min(2, usable)
    assert client.submit(seen_threads, 2, pure=False).result() == 1


def test_a_share_of_threads_is_at_most_that_of_the_host(monkeypatch):
    class Worker:
        address, state = "tcp://1.2.3.4:5", type("State", (), {"nthreads": 1})

    monkeypatch.setattr(distributed, "get_worker", Worker)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(16)), raising=False)
    assert _tasks.n_threads() == 1  # it came later: its own
    monkeypatch.setitem(_tasks._threads_of, Worker.address, (8, 32))
    assert [_tasks.n_threads(k) for k in (1, 4, 6, 32, 100)] == [8, 8, 5, 1, 1]


def test_neighbors_are_found_across_chunks_and_partitions(table):
    """The graphs of all partitions together against brute force, by the tasks themselves."""
    X = table[1]
    version = geotherm.__version__
    cut = _fit.layout_for(3000, 12, 240, 700, 900, 1500)
    blocks = [X[a:b] for a, b in zip(cut.starts[:-1], cut.starts[1:])]
    firsts = cut.starts[:-1]
    stats = [_blocks.statistics(version, b, int(f), 1, 1.0) for b, f in zip(blocks, firsts)]
    reduction = _blocks.reduction(version, _blocks.add_moments(version, [s["moments"] for s in stats]), None)
    sample = [_blocks.reduced_sample(version, s, reduction) for s in stats]
    made = _blocks.plan(version, reduction, sample, cut.n_landmarks, 200, 1500, 1)
    total = _blocks.add_census(version, [_blocks.census(version, b, made, 10, len(blocks)) for b in blocks], 10)
    cells = _blocks.partition(version, made, total, cut.partition_rows, 0.99)
    assert cells["n_groups"] >= 3 and cells["recall"] >= 0.99
    routed = [_blocks.route(version, b, int(f), cells, len(blocks)) for b, f in zip(blocks, firsts)]
    landmarks = _blocks.add_nearest(version, [r["best"] for r in routed])
    points = np.concatenate([_blocks.reduced(b, cells) for b in blocks]).astype(np.float64)
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, :10]
    hits, seen = 0, 0
    for group in range(cells["n_groups"]):
        block = _blocks.graph(version, [r["pieces"][group] for r in routed], group, landmarks, {}, 3000, cells["n_groups"])
        index = block["index"]
        assert np.array_equal(block["unique_inverse"], np.arange(len(index)))
        for local in np.flatnonzero(block["own"]):
            row = block["indices"][block["offsets"][local] : block["offsets"][local + 1]]
            hits += len(np.intersect1d(index[row], nearest[index[local]]))
            seen += 1
    assert seen == 3000
    assert hits / (10 * seen) >= 0.98


def test_moments_by_blocks_are_those_of_the_table(table):
    X = table[1].astype(np.float64) + 1e3
    version = geotherm.__version__
    parts = [_blocks.statistics(version, X[k : k + 700], k, 0, 0.0) for k in range(0, 3000, 700)]
    n, mean, scatter = _blocks.add_moments(version, [part["moments"] for part in parts])
    assert n == 3000 and not any(len(part["rows"]) for part in parts)
    np.testing.assert_allclose(mean, X.mean(axis=0), rtol=1e-12)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(scatter, centred.T @ centred, rtol=1e-8, atol=1e-6)


def test_equal_rows_share_a_place(client):
    X = np.repeat(geotherm.datasets.swiss_roll(n=700, noise=0.0, random_state=2).X, 2, axis=0)
    options = {**SMALL, "landmarks": 80}
    at = gd.HeatGeo(**options).fit(dask_array.from_array(X, chunks=(300, 3)), client=client).embedding_.compute()
    assert np.array_equal(at[0::2], at[1::2])


def test_components_that_are_apart_are_placed(client):
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(800, 4)), rng.normal(size=(800, 4)) + 60]).astype(np.float32)
    made = gd.HeatGeo(**{**SMALL, "landmarks": 100}, pca="none").fit(dask_array.from_array(X, chunks=(500, 4)), client=client)
    at = made.embedding_.compute()
    assert np.isfinite(at).all() and made.report_["resolved"]["components"] == 2
    between = np.linalg.norm(at[:800].mean(axis=0) - at[800:].mean(axis=0))
    assert between > 5 * max(at[:800].std(), at[800:].std()) / 2


def test_a_callback_stops_and_leaves_nothing(client, table):
    def stop(stage, done, total, objective):
        return stage != "graph"

    with pytest.raises(geotherm.Stopped, match="graph"):
        fit_again(client, table, (1000, 12), callbacks=stop)
    deadline = threading.Event()
    for _ in range(100):
        left = client.run_on_scheduler(lambda dask_scheduler: [k for k, t in dask_scheduler.tasks.items() if t.state == "processing"])
        if not left:
            break
        deadline.wait(0.1)
    assert not left


def test_the_command_line_speaks_to_a_scheduler_by_tls(table, reference, tmp_path):
    zarr = pytest.importorskip("zarr", reason="SKIPPED: zarr is not installed")
    if not shutil.which("openssl"):
        pytest.skip("SKIPPED: openssl is not installed")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-keyout", "key.pem", "-out", "cert.pem"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    files = {f"tls_{who}_{what}": path for who in ("scheduler", "worker", "client") for what, path in (("cert", cert), ("key", key))}
    security = distributed.Security(tls_ca_file=cert, require_encryption=True, **files)
    np.save(tmp_path / "x.npy", table[1])
    options = ["--partition-rows", "900", "--block-rows", "700", "--landmarks", "240", "--model-rows", "1500"]
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, security=security, protocol="tls", dashboard_address=":0", memory_limit=0
    ) as own:
        assert own.scheduler_address.startswith("tls://")
        done = subprocess.run(
            [sys.executable, "-m", "geotherm.distributed", "embed", "x.npy", "-o", "map.zarr", "--seed", "1", "--quiet", *options]
            + ["--scheduler", own.scheduler_address, "--tls-ca", cert, "--tls-cert", cert, "--tls-key", key],
            cwd=tmp_path, capture_output=True, text=True, timeout=200,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # Workers were started in another folder than the run.
    assert np.array_equal(zarr.open(str(tmp_path / "map.zarr"), mode="r")[:], reference)


def test_an_interrupt_ends_the_command_line(table, tmp_path):
    """Ctrl-C as a terminal sends it, to all processes of the run: status 130 within seconds, no map, no worker left."""
    np.save(tmp_path / "x.npy", np.concatenate([table[1] + k for k in range(40)]))
    done = subprocess.Popen(
        [sys.executable, "-m", "geotherm.distributed", "embed", "x.npy", "-o", "map.npy", "--workers", "1", "--refine", "500"],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    )  # fmt: skip
    try:
        while "statistics" not in done.stderr.read(200):
            assert done.poll() is None
        os.killpg(done.pid, signal.SIGINT)
        said = done.stderr.read()
        assert done.wait(timeout=60) == 130, said
        assert "stopped" in said and not (tmp_path / "map.npy").exists()
    finally:
        if done.poll() is None:
            os.killpg(done.pid, signal.SIGKILL)
    for _ in range(100):
        try:
            os.killpg(done.pid, 0)  # any process of the run
        except ProcessLookupError:
            break
        threading.Event().wait(0.1)
    else:
        pytest.fail("a worker is left")


def test_other_versions_are_refused():
    found = {"tcp://1.2.3.4:5": "0.0.1", "tcp://1.2.3.4:6": geotherm.__version__}
    with pytest.raises(_tasks.VersionMismatch, match="tcp://1.2.3.4:5 has 0.0.1"):
        _cluster.check_versions(found)
    with pytest.raises(_tasks.VersionMismatch, match="the client 0.0.1"):
        _blocks.nearest_rows("0.0.1", {})


def test_what_blocks_cannot_do_is_refused(client, table):
    X = dask_array.from_array(table[1], chunks=(1000, 12))
    with pytest.raises(ValueError, match="metric is 'cosine'"):
        gd.HeatGeo(metric="cosine").fit(X, client=client)
    with pytest.raises(ValueError, match="partition_rows is 0"):
        gd.HeatGeo(partition_rows=0).fit(X, client=client)
    with pytest.raises(TypeError, match="no parameter 'knnn'"):
        gd.HeatGeo(knnn=3)
    bad = table[1].copy()
    bad[1234, 3] = np.nan
    with pytest.raises(ValueError, match="in the rows from 700 on.*row 534, column 3"):
        gd.HeatGeo(**SMALL).fit(dask_array.from_array(bad, chunks=(1000, 12)), client=client)


def test_every_input_gives_the_same_map(client, table, reference, tmp_path):
    X = table[1]
    names = []
    for k, (a, b) in enumerate([(0, 1100), (1100, 1200), (1200, 3000)]):
        names.append(tmp_path / f"part{k}.npy")
        np.save(names[-1], X[a:b])
    made = {"shards": names, "folder": tmp_path}
    zarr = pytest.importorskip("zarr")
    store = zarr.open(str(tmp_path / "x.zarr"), mode="w", shape=X.shape, chunks=(999, 12), dtype="f4")
    store[:] = X
    made["zarr"] = tmp_path / "x.zarr"
    anndata = pytest.importorskip("anndata")
    made["anndata"] = anndata.AnnData(dask_array.from_array(X, chunks=(1300, 12)))
    import scipy.sparse as sp

    made["sparse"] = dask_array.from_array(X, chunks=(1300, 12)).map_blocks(sp.csr_matrix)
    for name, given in made.items():
        found = gd.HeatGeo(**SMALL, random_state=1).fit(given, client=client).embedding_.compute()
        assert np.array_equal(found, reference), name


def test_parquet_and_obsm_are_read(client, table, reference, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow

    X = table[1]
    parquet.write_table(
        pyarrow.table({f"c{j:02d}": X[:, j] for j in range(12)}), tmp_path / "x.parquet", row_group_size=800
    )
    found = gd.as_dask_array(tmp_path / "x.parquet")
    assert found.shape == X.shape and found.dtype == np.float32
    assert np.array_equal(found.compute(), X)
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(np.zeros((3000, 2), dtype=np.float32), obsm={"X_pca": X})
    assert np.array_equal(gd.as_dask_array(cells).compute(), X)
    with pytest.raises(KeyError, match="X_scvi"):
        gd.as_dask_array(cells, use_rep="X_scvi")


def test_new_points_are_placed_by_the_ordinary_model(fitted, reference, table, program):
    X = table[1]
    kept = fitted.sample_index_
    assert np.array_equal(fitted.transform(X[kept[:50]]), reference[kept[:50]])
    lazily = fitted.transform(dask_array.from_array(X[:200], chunks=(64, 12)))
    placed = lazily.compute()
    spread = np.linalg.norm(reference.std(axis=0))
    assert np.median(np.linalg.norm(placed - reference[:200], axis=1)) < 0.1 * spread
    fitted.save(program.dir / "map.gtm")
    again = geotherm.load(program.dir / "map.gtm")
    assert np.array_equal(again.transform(X[:200]), placed)
    np.save(program.dir / "new.npy", X[:200])
    program("transform", "map.gtm", "new.npy", "-o", "placed.npy")
    assert np.array_equal(np.load(program.dir / "placed.npy"), placed)
    # What `view` shows of it are the rows that the model keeps.
    program("view", "map.gtm", "-o", "page.html")
    assert (program.dir / "page.html").read_text().lstrip().lower().startswith("<!doctype html")


def test_the_command_line_goes_from_shards_to_zarr(table, reference, tmp_path):
    zarr = pytest.importorskip("zarr")
    (tmp_path / "shards").mkdir()
    for k in range(3):
        np.save(tmp_path / "shards" / f"{k}.npy", table[1][1000 * k : 1000 * (k + 1)])
    options = ["--partition-rows", "900", "--block-rows", "700", "--landmarks", "240", "--model-rows", "1500"]
    done = subprocess.run(
        [sys.executable, "-m", "geotherm.distributed", "embed", "shards", "-o", "map.zarr", "--model", "map.gtm"]
        + ["--seed", "1", "--workers", "1", "--manifest", "run.json", "--quiet", *options],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "3000 rows, " in done.stderr
    assert np.array_equal(zarr.open(str(tmp_path / "map.zarr"), mode="r")[:], reference)
    assert (tmp_path / "map.gtm").stat().st_size > 0 and (tmp_path / "run.json").stat().st_size > 0


def test_the_command_line_names_what_is_wrong(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "geotherm.distributed", "embed", "absent", "-o", "map.zarr", "--workers", "1"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 1 and "absent: no such file or folder" in done.stderr


def test_the_lines_of_the_readme_work_as_printed(table, tmp_path):
    """A scheduler with workers, and the run; on a port that is free."""
    import re
    import socket

    zarr = pytest.importorskip("zarr")
    text = (ROOT / "README.md").read_text()
    lines = next(s for s in re.findall(r"```sh\n(.*?)```", text, re.S) if s.startswith("dask scheduler"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    lines = lines.replace("dask scheduler", f"dask scheduler --port {port} --dashboard-address :0", 1).replace("8786", port)
    (tmp_path / "shards").mkdir()
    for k in range(3):
        np.save(tmp_path / "shards" / f"{k}.npy", table[1][1000 * k : 1000 * (k + 1)])
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.Popen(
        ["bash", "-c", f"trap 'kill $(jobs -p)' EXIT\n{lines}"], cwd=tmp_path, env={**os.environ, "PATH": path}, start_new_session=True
    )
    try:
        assert done.wait(timeout=200) == 0
    finally:
        if done.poll() is None:
            os.killpg(done.pid, signal.SIGTERM)
    assert zarr.open(str(tmp_path / "map.zarr"), mode="r").shape == (3000, 2)


def test_workers_load_the_library_alone():
    """What a task needs: half of the memory that the estimators take with scikit-learn and pandas."""
    code = "import sys, geotherm.distributed._blocks; print([m for m in ('sklearn', 'pandas', 'pyarrow') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def peak_bytes():
    """Of this program alone: getrusage counts the process it was forked from as well."""
    status = pathlib.Path("/proc/self/status").read_text()
    return os.getpid(), 1024 * int(re.search(r"VmHWM:\s*(\d+)", status).group(1))


@pytest.mark.parametrize(
    "times, width, kind",
    [
        (2, 1000, "f8"),
        pytest.param(10, 2000, "f4", marks=pytest.mark.skipif(not SLOW, reason="SKIPPED: minutes; GEOTHERM_SLOW_TESTS=1 runs it")),
    ],
)
def test_a_table_larger_than_memory_goes_from_zarr_to_a_map(tmp_path, times, width, kind):
    """`times` as large as all workers' memory together. Dask ends a worker at .95 of its limit: none is ended."""
    zarr = pytest.importorskip("zarr")
    limit, rows = 400_000_000, 4000
    blocks = -(-times * limit // (np.dtype(kind).itemsize * width * rows))
    shape = {"shape": (rows * blocks, width), "chunks": (rows, width), "dtype": kind}
    if hasattr(zarr, "create_array"):  # version 3; noise does not pack
        store = zarr.create_array(str(tmp_path / "x.zarr"), compressors=None, **shape)
    else:
        store = zarr.open(str(tmp_path / "x.zarr"), mode="w", compressor=None, **shape)
    rng = np.random.default_rng(0)
    basis = rng.normal(size=(3, width))
    t, y = rng.uniform(4.5, 14, rows * blocks), 20 * rng.uniform(size=rows * blocks)
    roll = np.stack([t * np.cos(t), y, t * np.sin(t)], axis=1)
    for k in range(blocks):
        noise = 0.1 * rng.standard_normal((rows, width), dtype=np.float32)
        store[k * rows : (k + 1) * rows] = roll[k * rows : (k + 1) * rows] @ basis + noise
    assert store.nbytes >= times * limit
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, memory_limit=limit, dashboard_address=":0"
    ) as own, distributed.Client(own) as client:
        before = set(client.run(os.getpid).values())
        options = {"partition_rows": 25_000, "block_rows": rows, "landmarks": 500, "model_rows": 2000}
        made = gd.HeatGeo(**options, random_state=1).fit(tmp_path / "x.zarr", client=client)
        made.embedding_.to_zarr(str(tmp_path / "map.zarr"))
        after = dict(client.run(peak_bytes).values())
        assert set(after) == before, "a worker was ended and started anew"
        assert max(after.values()) < limit
    found = zarr.open(str(tmp_path / "map.zarr"), mode="r")
    assert found.shape == (rows * blocks, 2)
    along = 0.5 * (t * np.sqrt(1 + t * t) + np.arcsinh(t))  # arc length of the roll
    a, b = rng.integers(0, rows * blocks, (2, 20_000))
    true = np.hypot(along[a] - along[b], y[a] - y[b])
    assert np.corrcoef(true, np.linalg.norm(found[:][a] - found[:][b], axis=1))[0, 1] > 0.97
