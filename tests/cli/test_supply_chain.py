"""What the program is made of is listed, pinned and hardened."""

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import tomllib
from conftest import PROGRAM, ROOT

_spec = importlib.util.spec_from_file_location("sbom", ROOT / "scripts" / "sbom.py")
sbom = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sbom)

needs_readelf = pytest.mark.skipif(shutil.which("readelf") is None, reason="SKIPPED: no readelf (binutils)")


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options, PROGRAM], check=True, capture_output=True, text=True).stdout


def listed(kind):
    return {d.source.partition(":")[2].lower() for d in sbom.DEPENDENCIES if d.source.startswith(kind)}


@needs_readelf
def test_every_linked_library_is_listed():
    needed = re.findall(r"\(NEEDED\).*\[(.+?)\.so", readelf("-d"))
    known = {d.library for d in sbom.DEPENDENCIES if d.library} | {"libm", "ld-linux-x86-64"}  # both are glibc's
    assert needed
    assert set(needed) <= known


def test_every_header_library_that_is_compiled_in_is_listed():
    build = Path(PROGRAM).parent
    if not (build / "build.ninja").exists() or shutil.which("ninja") is None:
        pytest.skip("SKIPPED: the program was not built by ninja")
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    library = "".join(
        part for part in re.split(r"\n(?=\S)", deps) if part.startswith(("src/CMakeFiles/geotherm.dir", "apps/"))
    )
    found = set(re.findall(r"/assorthead/include/(\w+)/", library))
    assert "Eigen" in found
    assert {f"assorthead/{name}".lower() for name in found} <= listed("pypi:")


def requirement_names():
    for path in [
        *ROOT.glob("scripts/requirements*.in"),
        *ROOT.glob("scripts/requirements-*.txt"),
        ROOT / "docs/requirements.txt",
    ]:
        if path.suffix == ".txt" and path.with_suffix(".in").exists():
            continue  # its names are those of the .in file and what they need
        for line in path.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                yield re.match(r"[\w.-]+", line).group(0).lower()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extra = [line for lines in project["project"]["optional-dependencies"].values() for line in lines]
    for line in [*project["build-system"]["requires"], *project["project"]["dependencies"], *extra]:
        yield re.match(r"[\w.-]+", line).group(0).lower()


def test_every_requirement_from_pypi_is_listed():
    assert set(requirement_names()) <= listed("pypi:")


def test_every_package_from_npm_is_listed_with_a_hash_and_a_free_licence():
    packages = sbom.npm_packages()
    direct = json.loads((ROOT / "viewer" / "package.json").read_text())["devDependencies"]
    assert {name.lower() for name in direct} <= listed("npm:")
    for name, entry in packages.items():
        assert entry["integrity"].startswith("sha512-"), name
        assert entry["license"] in {"MIT", "ISC", "Apache-2.0", "MPL-2.0", "BSD-3-Clause"}, name
    refs = {component["bom-ref"] for component in sbom.bill()["components"]}
    assert {f"npm:{name}" for name in packages} <= refs


@pytest.mark.parametrize("name", sorted(path.with_suffix(".txt").name for path in ROOT.glob("scripts/requirements*.in")))
def test_locked_lists_have_a_hash_for_every_package(name):
    entries = re.split(r"\n(?=[\w#])", (ROOT / "scripts" / name).read_text().strip())
    packages = [entry for entry in entries if not entry.startswith("#")]
    assert packages
    for entry in packages:
        assert re.match(r"[\w.-]+==", entry), entry
        assert "--hash=sha256:" in entry, entry
    wanted = re.findall(r"^([\w-]+)==(\S+)", (ROOT / "scripts" / name).with_suffix(".in").read_text(), re.MULTILINE)
    assert all(any(entry.startswith(f"{package}=={version} ") for entry in packages) for package, version in wanted)


def test_nothing_in_the_program_has_a_licence_that_binds_it():
    free = {"BSD-2-Clause", "BSD-3-Clause", "MIT", "ISC", "Zlib", "MPL-2.0", "BSL-1.0", "Apache-2.0"}
    runtime = {"GPL-3.0-or-later WITH GCC-exception-3.1", "LGPL-2.1-or-later"}
    for d in sbom.DEPENDENCIES:
        if d.way in ("linked", "compiled", "page"):
            assert d.licence in free | (runtime if d.library in ("libstdc++", "libgcc_s", "libc") else set()), d.name


def test_the_document_is_the_scripts(tmp_path):
    def without_versions(text):
        return [re.sub(r"^(\|[^|]*\|[^|]*\|)[^|]*", r"\1", line) for line in text.splitlines()]

    written = (ROOT / "docs" / "dependencies.md").read_text()
    assert without_versions(written) == without_versions(sbom.document()), "run scripts/sbom.py --docs"
    out = tmp_path / "sbom.json"
    subprocess.run(["python3", ROOT / "scripts" / "sbom.py", out], check=True)
    bill = json.loads(out.read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert len(bill["components"]) >= len(sbom.DEPENDENCIES)


@needs_readelf
def test_the_program_is_hardened():
    if "GEOTHERM_HARDENING:BOOL=ON" not in (Path(PROGRAM).parent / "CMakeCache.txt").read_text():
        pytest.skip("SKIPPED: this build was not asked for it (-DGEOTHERM_HARDENING=ON, as `make` does)")
    assert re.search(r"Type:\s+DYN", readelf("-h")), "not position independent"
    segments = readelf("-l")
    assert "GNU_RELRO" in segments
    assert re.search(r"GNU_STACK.* RW ", segments), "the stack can be executed"
    assert re.search(r"FLAGS.*\bNOW\b", readelf("-d")), "not bound at the start"
    symbols = readelf("--dyn-syms")
    assert "__stack_chk_fail" in symbols, "no guards on the stack"
    assert re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")), "no checked copies"
