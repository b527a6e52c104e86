#!/usr/bin/env python3
"""Builds the packages, tries each in a clean environment, and stores what that took.

packages.py wheel              one wheel for this Python in dist/
packages.py all                wheels (dist/wheels), source distribution, the sources by a compiler alone, CMake package,
                               Debian package, recipes
packages.py WAY...             some of: wheels sdist alone cmake deb recipes
packages.py container          the Dockerfile's lines in fresh Debians, without Docker (root, debootstrap)
packages.py table              writes the table of docs/install.md from what the runs above stored

BUILD (environment) names the finished build that library and program are taken from; GEOTHERM_PACKAGING the
folder of the tools' environment (.deps/packaging).
"""

import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from package_table import STORE, busy_cores, write_table

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packaging"))
from fresh_debian import FreshDebian, can_be_made  # noqa: E402

BUILD = (ROOT / os.environ.get("BUILD", "build")).resolve()
TOOLS = ROOT / os.environ.get("GEOTHERM_PACKAGING", ".deps/packaging")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
ABI3 = "3.12"  # from this Python on, one wheel serves
# Debian's names: what a compiler alone is, and what program, HDF5 and BLAS need besides.
COMPILER = ("ca-certificates", "g++", "python3-dev", "python3-venv", "zlib1g-dev")
LIBRARIES = ("libcli11-dev", "libfmt-dev", "libhdf5-dev", "libopenblas-dev", "nlohmann-json3-dev")
LIMIT_S = 10  # for the first page after `pip install`


def run(*command, **keywords):
    keywords.setdefault("cwd", ROOT)
    return subprocess.run(list(map(str, command)), check=True, **keywords)


def said(*command, **keywords) -> str:
    try:
        return run(*command, capture_output=True, text=True, **keywords).stdout.strip()
    except subprocess.CalledProcessError as failure:
        print(failure.stdout[-3000:], failure.stderr[-3000:], file=sys.stderr)
        raise


def store(way: str, command: str, artefacts, seconds: float, tried: str):
    """One row of the table, kept in out/packages.json until the way is tried again."""
    rows = json.loads(STORE.read_text()) if STORE.exists() else {}
    size = sum(path.stat().st_size for path in artefacts)
    rows[way] = {"command": command, "artefact": ", ".join(path.name for path in artefacts), "bytes": size,
                 "seconds": round(seconds, 1), "tried": tried, "on": machine(),
                 "load": float(os.environ["GEOTHERM_LOAD"]),
                 "day": datetime.date.today().isoformat()}  # fmt: skip
    STORE.parent.mkdir(exist_ok=True)
    STORE.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{way}: {rows[way]['artefact']} ({size / 1e6:.1f} MB) in {seconds:.0f} s; {tried}")


def machine() -> str:
    name = "an unknown system"
    if Path("/etc/os-release").exists():
        lines = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
        name = lines.get("PRETTY_NAME", name).strip('"')
    return f"{name}, {platform.machine()}, {os.cpu_count()} cores"


def tool(name: str) -> Path:
    if not (TOOLS / "bin" / name).exists():
        run(sys.executable, "-m", "venv", TOOLS)
        run(TOOLS / "bin/pip", "install", "-q", "--disable-pip-version-check", "-r", "scripts/requirements-packaging.txt")
    return TOOLS / "bin" / name


def interpreter(version: str):
    """The path of a Python that runs, or None: on the path, of pyenv, or of a manylinux image."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python{version}")),
              f"/opt/python/cp{version.replace('.', '')}-cp{version.replace('.', '')}/bin/python"]  # fmt: skip
    for place in places:
        try:
            if place and Path(place).exists():
                asked = run(place, "-c", "import sys, venv; print(sys.executable)", capture_output=True, text=True)
                return asked.stdout.strip()
        except subprocess.CalledProcessError:  # pyenv's shim of a version that is not chosen
            continue
    return None


def prefix() -> Path:
    """Library and program, installed once for all wheels."""
    run("cmake", "--build", BUILD, "--target", "geotherm_cli", "geotherm_shell")
    where = BUILD / "prefix"
    shutil.rmtree(where, ignore_errors=True)
    run("cmake", "--install", BUILD, "--prefix", where, stdout=subprocess.DEVNULL)
    return where


def build_wheel(python: str, into: Path, library: Path) -> Path:
    """A wheel whose libraries are inside, named for the oldest systems that it runs on."""
    tag = said(python, "-c", "import sys; print('cp%d%d' % sys.version_info[:2])")
    with tempfile.TemporaryDirectory() as made:
        run(python, "-m", "pip", "wheel", ".", "--no-deps", "-q", "--disable-pip-version-check", "-w", made,
            f"--config-settings=build-dir={BUILD}-wheel/{tag}",
            f"--config-settings=cmake.define.GEOTHERM_FROM_PREFIX={library}")  # fmt: skip
        (wheel,) = Path(made).glob("*.whl")
        into.mkdir(parents=True, exist_ok=True)
        if sys.platform != "linux":
            return Path(shutil.move(wheel, into / wheel.name))
        auditwheel = tool("auditwheel")
        environment = {**os.environ, "PATH": f"{TOOLS / 'bin'}:{os.environ['PATH']}"}
        with tempfile.TemporaryDirectory() as repaired:
            run(auditwheel, "repair", "-w", repaired, wheel, env=environment, stdout=subprocess.DEVNULL)
            (whole,) = Path(repaired).glob("*.whl")
            return Path(shutil.move(whole, into / whole.name))


def try_wheel(python: str, wheel: Path) -> str:
    """Into an empty environment, away from the sources: the package, the program, the demo."""
    with tempfile.TemporaryDirectory() as empty:
        run(python, "-m", "venv", f"{empty}/venv")
        run(f"{empty}/venv/bin/pip", "install", "-q", "--disable-pip-version-check", wheel)
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
        words = said(f"{empty}/venv/bin/python", ROOT / "tests/wheel/check.py", "--program", cwd=empty, env=environment)
    seconds = float(words.rsplit("demo in ", 1)[1].split()[0])
    assert seconds < LIMIT_S, f"geotherm demo took {seconds} s from {wheel.name}"
    return f"demo page in {seconds:.1f} s"


def wheel():
    for old in (ROOT / "dist").glob("geotherm-*.whl"):
        old.unlink()
    started = time.monotonic()
    made = build_wheel(sys.executable, ROOT / "dist", prefix())
    seconds = time.monotonic() - started
    store("wheel of this Python", "make wheel", [made], seconds,
          f"library and program from the finished build; in an empty environment, {try_wheel(sys.executable, made)}")  # fmt: skip


def wheels():
    into = ROOT / "dist/wheels"
    shutil.rmtree(into, ignore_errors=True)
    started, tried, made = time.monotonic(), [], {}
    library = prefix()
    seconds = 0.0
    for version in PYTHONS:
        python = interpreter(version)
        if python is None:
            print(f"SKIPPED: Python {version} is not here: no wheel was built or tried with it", file=sys.stderr)
            tried.append(f"{version} SKIPPED (not here)")
            continue
        shared = tuple(map(int, version.split("."))) >= tuple(map(int, ABI3.split(".")))
        key = "abi3" if shared else version
        if key not in made:
            made[key] = build_wheel(python, into, library)
            seconds = time.monotonic() - started
        tried.append(f"{version}: {try_wheel(python, made[key])}")
    store("wheels", "pip install geotherm-*.whl", list(made.values()), seconds, "in empty environments, " + "; ".join(tried))


def make_sdist() -> Path:
    run("make", "--no-print-directory", "page")
    for old in (ROOT / "dist").glob("geotherm-*.tar.gz"):
        old.unlink()
    run(tool("pyproject-build"), "--sdist", "--outdir", "dist", ".", stdout=subprocess.DEVNULL)
    (made,) = (ROOT / "dist").glob("geotherm-*.tar.gz")
    return made


def pip_in(debian: FreshDebian, source: str, how: str):
    """(seconds, pip's words, the words of the check) of an installation into an empty environment."""
    debian.run(["python3", "-m", "venv", "/try/venv"])
    started = time.monotonic()
    words = debian.run(["/try/venv/bin/pip", "install", "--disable-pip-version-check", "-v", source])
    seconds = time.monotonic() - started
    check = debian.put(ROOT / "tests/wheel/check.py", "try")
    return seconds, words, debian.run(["/try/venv/bin/python", check, how], at="/try").strip().splitlines()[-1]


def sdist():
    """As pip builds it where the libraries are and Node.js is not."""
    source = make_sdist()
    if not can_be_made():
        print("SKIPPED: the source distribution was made, not built: debootstrap and root are not here", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as work:
        debian = FreshDebian(Path(work) / "root").start()
        debian.install(*COMPILER, *LIBRARIES)
        seconds, _, words = pip_in(debian, debian.put(source, "try"), "--program")
    store("source distribution", "pip install geotherm-*.tar.gz", [source], seconds,
          f"in a fresh Debian (debootstrap) with {', '.join(LIBRARIES)} and without Node.js: package, program, page; demo in "
          + words.rsplit("demo in ", 1)[1])  # fmt: skip


def alone():
    """What `pip install .` leaves out where there is a compiler alone, and that it says so."""
    if not can_be_made():
        print("SKIPPED: the sources by a compiler alone: debootstrap and root are not here", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as work:
        debian = FreshDebian(Path(work) / "root").start()
        debian.install(*COMPILER)
        run("git", "checkout-index", "-a", f"--prefix={debian.folder}/try/geotherm/")
        seconds, words, _ = pip_in(debian, "/try/geotherm", "--alone")
        for left_out in ("without the geotherm program", "No HTML page", "No BLAS found"):
            assert left_out in words, left_out
    store("sources, compiler alone", "pip install .", [], seconds,
          f"in a fresh Debian (debootstrap) with {', '.join(COMPILER)} alone: the Python package; program and page are left out, and the build, "
          "`geotherm` and `view` say so")  # fmt: skip


def cmake():
    started = time.monotonic()
    where = prefix()
    seconds = time.monotonic() - started
    words = said("tests/install/run.sh", BUILD, "--whole")
    archive = ROOT / "dist" / f"geotherm-{platform.machine()}-cmake.tar.gz"
    archive.parent.mkdir(exist_ok=True)
    run("tar", "-C", where, "-czf", archive, ".")
    store("CMake package", "cmake --install build", [archive], seconds,
          "from the finished build; moved prefix, find_package, pkg-config, and compiled as a part of another project: " + words.splitlines()[0])  # fmt: skip


def deb():
    if shutil.which("dpkg-buildpackage") is None or shutil.which("dh") is None:
        print("SKIPPED: the Debian package: dpkg-buildpackage and debhelper are not here", file=sys.stderr)
        return
    started = time.monotonic()
    source = make_sdist()
    words = said("packaging/build_deb.sh", source)
    print(words)
    store("Debian package", "apt install ./geotherm_*.deb ./libgeotherm0.1_*.deb",
          sorted(path for path in (ROOT / "dist/debian").glob("*.deb") if "-dbgsym" not in path.name), time.monotonic() - started, words.splitlines()[-1])  # fmt: skip


def recipes():
    """Recipes of other package managers, the Dockerfile and the workflows, each read by its own tool."""
    started = time.monotonic()
    tool("cibuildwheel")
    words = said(sys.executable, "packaging/lint_recipes.py") + "\n" + said("scripts/lint_workflows.sh")
    print(words)
    lines = [line for line in words.splitlines() if line and "nothing to complain of" not in line]
    store("recipes and workflows", "scripts/packages.py recipes", [], time.monotonic() - started, "; ".join(lines))


def container():
    run(sys.executable, "packaging/try_container.py")


WAYS = {"wheels": wheels, "sdist": sdist, "alone": alone, "cmake": cmake, "deb": deb, "recipes": recipes}


def main() -> int:
    words = sys.argv[1:]
    if not words or any(word not in {*WAYS, "wheel", "container", "all", "table"} for word in words):
        print(__doc__, file=sys.stderr)
        return 2
    words = [way for word in words for way in (WAYS if word == "all" else [word])]
    for word in words:
        os.environ["GEOTHERM_LOAD"] = f"{busy_cores():.1f}"  # other work, before ours begins
        {**WAYS, "wheel": wheel, "container": container, "table": write_table}[word]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
