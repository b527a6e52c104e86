"""Questions to an installed wheel, in an environment that holds its requirements and nothing else.

check.py [--program | --alone]
  --program   `geotherm` has to be there beside the interpreter too, and to give the same bits
  --alone     built by a compiler alone: neither program nor page, and both are said to be left out
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

os.chdir(tempfile.mkdtemp())

import geotherm
import numpy as np

package = pathlib.Path(geotherm.__file__).parent
assert sys.prefix in str(package), f"imported from {package}, not from the environment"
for name in ("_native.pyi", "py.typed", "__init__.py"):
    assert (package / name).exists(), name
for absent in ("sklearn", "anndata", "matplotlib"):
    assert absent not in sys.modules

roll = geotherm.datasets.swiss_roll(n=1500, noise=0.05)


def cpu_ticks():
    """Ticks of every thread of this process: {thread: user time}."""
    tasks = pathlib.Path("/proc/self/task")
    if not tasks.exists():
        return {}
    return {t.name: int((t / "stat").read_text().rsplit(")", 1)[1].split()[11]) for t in tasks.iterdir()}


seen = {}
est = geotherm.HeatGeo(n_jobs=2, callbacks=lambda *report: seen.update(cpu_ticks())).fit(roll.X)
assert est.report_["threads"] == 2
if seen:
    others = [ticks for thread, ticks in seen.items() if int(thread) != os.getpid()]
    assert others and max(others) > 0, f"the second thread did no work: {seen}"

score = geotherm.score(est.embedding_, truth=roll.geodesic)
assert score["pearson"] > 0.95, score
if "--alone" in sys.argv:
    try:
        est.view(path="page.html")
        raise AssertionError("a page was made")
    except (ValueError, RuntimeError) as refused:
        assert "no page" in str(refused) and "Node.js" in str(refused), refused
    program = pathlib.Path(sys.executable).parent / "geotherm"
    said = subprocess.run([program, "demo"], check=False, capture_output=True, text=True)
    assert said.returncode == 1 and "not the program" in said.stderr and "libfmt-dev" in said.stderr, said
else:
    est.view(path="page.html")
    page = pathlib.Path("page.html").read_text()
    assert page.startswith("<!doctype html") and len(page) > 50_000, page[:80]

demo = ""
if "--program" in sys.argv:
    program = shutil.which("geotherm", path=str(pathlib.Path(sys.executable).parent))
    assert program, "no program beside the interpreter"
    np.save("X.npy", roll.X)
    subprocess.run([program, "embed", "X.npy", "-o", "map.npy", "--quiet"], check=True)
    assert np.array_equal(np.load("map.npy"), est.embedding_), "not the program's bits"
    started = time.monotonic()
    subprocess.run([program, "demo"], check=True, stdout=subprocess.DEVNULL)
    demo = f"; demo in {time.monotonic() - started:.1f} s"
    pages = list(pathlib.Path("geotherm-demo").glob("*.html"))
    assert pages and pages[0].stat().st_size > 50_000, pages
    subprocess.run([program, "embed", "X.npy", "-o", "map.h5ad", "--quiet"], check=True)  # HDF5 is inside
print(f"geotherm {geotherm.__version__} from {package}: {score['pearson']:.4f} to the true geodesics{demo}")
