"""`geotherm reproduce`: the studies, the order of time and held-out time points, on small data."""

import os
import shutil
import struct
import subprocess

import numpy as np
import pytest

from conftest import PROGRAM, ROOT

ABSENT = "–"


def reproduce(folder, *args, **environment):
    """Runs in `folder` without the machine's own data folders."""
    own = {k: v for k, v in os.environ.items() if k not in ("GEOTHERM_DATA", "GEOTHERM_CELLS")}
    done = subprocess.run(
        [PROGRAM, "reproduce", *map(str, args), "-o", "out"],
        cwd=folder, capture_output=True, text=True, timeout=300, env=own | environment,
    )
    assert done.returncode == 0, done.stderr
    return (folder / "out" / "results.md").read_text()


def tables_of(text):
    """{caption: rows}, each row a list of cells; the header is the first."""
    tables, caption = {}, None
    for line in text.splitlines():
        if line.startswith("**") and line.endswith("**"):
            caption = line.strip("*")
        elif line.startswith("|") and not line.startswith("|--"):
            tables.setdefault(caption, []).append([cell.strip() for cell in line.strip("|").split("|")])
    return tables


def table_starting(tables, start):
    (found,) = [rows for caption, rows in tables.items() if caption and caption.startswith(start)]
    return found


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    return folder, reproduce(folder, "studies", "--quick", "--shrink", 8)


def test_every_study_has_its_rows_and_what_lacks_data_says_so(studies):
    folder, text = studies
    tables = tables_of(text)
    for start in ("Choice of t", "Sweep of t", "Sweep of order", "Sweep of knn", "Sweep of sigma", "Graph constr",
                  "Path of 51", "rho towards", "Heat-weighted", "Analytic heat", "The same shapes"):
        rows = table_starting(tables, start)
        assert len(rows) > 2, start
        for row in rows[1:]:
            assert "not run" not in " ".join(row) and "failed" not in " ".join(row), row
    pbmc = [row for row in table_starting(tables, "Heat-weighted") if row[0] == "PBMC"]
    assert len(pbmc) == 3 and all("no data" in row[2] for row in pbmc)
    assert len(list((folder / "out").glob("study_*.svg"))) >= 18


def test_analytic_kernels_are_those_of_circle_and_sphere(studies):
    rows = table_starting(tables_of(studies[1]), "Analytic heat")
    found = {(row[0], float(row[1])): float(row[4]) for row in rows[1:]}
    for t in (0.1, 0.25, 0.5, 1.0):
        # The circle's kernel in its other form, by frequencies.
        k = np.arange(1, 200)

        def circle(d):
            return 1 + 2 * np.sum(np.exp(-k * k * t) * np.cos(k * d))

        # Below 1e-16 of the start the cosines cancel to rounding: three digits are left at t = 0.1.
        assert found["circle", t] == pytest.approx(np.sqrt(-4 * t * np.log(circle(np.pi) / circle(0))), abs=2e-3)
        # P_l(-1) = (-1)^l, P_l(1) = 1.
        l = np.arange(0, 200)
        weights = (2 * l + 1) * np.exp(-l * (l + 1) * t)
        sphere = np.sqrt(-4 * t * np.log(np.sum(weights * (-1.0) ** l) / np.sum(weights)))
        assert found["sphere", t] == pytest.approx(sphere, abs=2e-3)
        assert found["R^3", t] == 5
    (even,) = [row for row in table_starting(tables_of(studies[1]), "The same shapes")
               if row[0] == "circle, equal steps" and "published" in row[2]]
    # Sixty-odd points: the heat of ten neighbours smooths over a sixth of the circle.
    assert float(even[3]) > 0.9
    assert "total heat on the 2-sphere at t = 0.25 is 1.000000" in studies[1]


def test_distances_on_the_path_are_those_of_its_eigenvectors(studies):
    rows = table_starting(tables_of(studies[1]), "Path of 51")
    n = 51
    laplacian = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    laplacian[0, 0] = laplacian[-1, -1] = 1
    values, vectors = np.linalg.eigh(laplacian)
    for t in (10, 50):
        heat = (vectors * np.exp(-t * values)) @ vectors.T
        squared = -4 * t * np.log(heat[25, 50]) + 4 * t * np.log((heat[25, 25] + heat[50, 50]) / 2)
        (exact,) = [float(row[2]) for row in rows if row[:2] == [f"t = {t}", "right in every entry"]]
        assert exact == pytest.approx(squared, abs=0.1)  # as printed


def test_a_second_run_takes_what_is_there(studies):
    folder, text = studies
    assert reproduce(folder, "studies", "--quick", "--shrink", 8) == text


def write_mat(path, **arrays):
    """MATLAB version 5, not packed."""
    with open(path, "wb") as out:
        out.write(b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H2s", 0x0100, b"IM"))
        for name, array in arrays.items():
            def element(kind, content):
                return struct.pack("<II", kind, len(content)) + content + b"\0" * (-len(content) % 8)

            body = element(6, struct.pack("<II", 6, 0)) + element(5, struct.pack("<ii", *array.shape))
            body += element(1, name.encode()) + element(9, np.asarray(array, float).tobytes(order="F"))
            out.write(element(14, body))


def test_loaders_take_the_papers_files_where_they_are(tmp_path):
    rng = np.random.default_rng(3)
    time = np.repeat([0, 1, 2], 40)
    points = rng.normal(0, 0.1, (120, 4)) + (time + rng.uniform(-0.6, 0.6, 120))[:, None]
    data = tmp_path / "data"
    data.mkdir()
    days = np.array(["Day 00-03", "Day 06-09", "Day 12-15"])[time]
    np.savez(data / "eb_velocity_v5.npz", pcs=points, sample_labels=days)
    write_mat(data / "ipscData.mat", data=points, data_time=time[:, None])
    python = ROOT / ".deps/python-tests/bin/python"
    has_h5ad = python.exists()
    if has_h5ad:
        np.savez(tmp_path / "cells.npz", points=points, time=time)
        make = (
            "import anndata, numpy as np; z = np.load('cells.npz');"
            "a = anndata.AnnData(z['points'], obsm={'X_pca': z['points']}); a.obs['day'] = z['time'];"
            "a.write_h5ad('data/cite.h5ad')"
        )
        has_h5ad = subprocess.run([python, "-c", make], cwd=tmp_path, capture_output=True).returncode == 0
    text = reproduce(tmp_path, "interpolation", "--quick", "--data", "data")
    rows = table_starting(tables_of(text), "Earth mover")[1:]
    by_set = {}
    for row in rows:
        by_set.setdefault(row[0], []).append(row)
    assert list(by_set) == ["EMT", "Bifurcation", "Weinreb", "EB", "IPSC", "Cite", "Multi"]
    if "no exact transport" in text:
        pytest.skip("this build has no LEMON")
    for name in ["EB", "IPSC"] + ["Cite"] * has_h5ad:
        assert len(by_set[name]) == 10
        for row in by_set[name]:
            # In units of standard deviations: half-way is never as far off as the ends are apart.
            assert 0 < float(row[3]) < 3, row
    # The same cells, whatever holds them.
    assert [row[3] for row in by_set["EB"]] == [row[3] for row in by_set["IPSC"]]
    for row in by_set["Multi"]:
        assert "multi.h5ad is not in the data folder" in row[3] and row[4] == ABSENT


def test_order_of_time_on_a_line_with_four_branches(tmp_path):
    cells = tmp_path / "cells"
    cells.mkdir()
    step = np.tile(np.arange(160.0), 4)
    branch = np.repeat(np.arange(4), 160)
    points = np.zeros((640, 5))
    points[:, 0] = np.minimum(step, 50)
    points[np.arange(640), 1 + branch] = np.maximum(step - 50, 0)
    points += np.random.default_rng(1).normal(0, 0.5, points.shape)
    label = np.where(step < 50, "progenitor", np.array(["Mo", "Ery", "Mk", "Neu"])[branch])
    np.savez(cells / "krumsiek11.npz", X=points, label=label, time=step)
    text = reproduce(tmp_path, "time-order", "--quick", GEOTHERM_CELLS=str(cells))
    rows = table_starting(tables_of(text), "Root distance")[1:]
    ours = [row for row in rows if row[:2] == ["krumsiek11", "Heat-Geo, our defaults"]]
    assert len(ours) == 1
    # Steps are a tenth of the noise apart on a known tree: order and branches are next to certain.
    assert float(ours[0][2].split()[0]) > 0.99
    assert float(ours[0][4].split()[0]) > 99
    guo = [row for row in rows if row[0] == "guo"]
    assert len(guo) == 8 and "no data" in guo[0][2]
    assert sum("[" in row[2] for row in guo) == 2, "what the peers gave is shown all the same"
    # From another root than the peers' theirs would not be comparable.
    assert any("not run from this root" in row[2] or "[" in row[2] for row in rows if row[1] == "Palantir")
    shutil.rmtree(tmp_path / "out")
