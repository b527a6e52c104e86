"""A self-contained source package of R in dist/: r/, the library's sources, and the headers they include.

    python3 scripts/r_package.py --headers <include folder of assorthead> [--out dist]

The package needs a C++20 compiler, R's cpp11 and the zlib that R itself needs; no BLAS and no HDF5. Nothing is copied into the tree.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
# Diagnostics are the user's to decide: R's checks refuse headers that silence them.
SILENCED = re.compile(r"^\s*#\s*pragma\s+(GCC|clang)\s+diagnostic.*$", re.MULTILINE)

# R compiles with -O2 and its checks refuse flags in Makevars: the library's own level, by which gcc vectorizes loops, is said in
# each source. It takes half of the time off a map, and fused multiply-adds fall where the program has them: the same bits.
OPTIMIZED = """#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
"""


def version() -> str:
    return re.search(r"project\(geotherm VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def library_sources() -> list[Path]:
    """What the library is made of without HDF5; tests stay behind."""
    found = sorted((ROOT / "src").rglob("*.cpp"))
    kept = [p for p in found if not re.search(r"_(test|bench)\.cpp$", p.name) and "/io/hdf5/" not in p.as_posix()]
    return [p for p in kept if p.suffix == ".cpp"]


def headers_of(sources: list[Path], folders: list[Path]) -> set[Path]:
    """Every header that the sources reach, whatever the conditions around the lines that include it."""
    seen: set[Path] = set()
    waiting = list(sources)
    while waiting:
        path = waiting.pop()
        for name in INCLUDE.findall(path.read_text(errors="replace")):
            for folder in (path.parent, *folders):
                target = Path(os.path.normpath(folder / name))
                if target.is_file() and any(target.is_relative_to(known) for known in folders):
                    if target not in seen:
                        seen.add(target)
                        waiting.append(target)
                    break
    return seen


def batches(sources: list[Path], headers: Path) -> list[list[Path]]:
    """Sources that are compiled together, as the build from nothing does it: an installation takes a third of the time."""
    with tempfile.TemporaryDirectory() as folder:
        off = ("WITH_HDF5", "WITH_VIEWER", "WITH_BLAS", "BUILD_CLI", "BUILD_TESTS", "BUILD_PYTHON")
        subprocess.run(
            ["cmake", "-S", ROOT, "-B", folder, "-DGEOTHERM_UNITY=ON", f"-DGEOTHERM_HEADERS_DIR={headers}"]
            + [f"-DGEOTHERM_{name}=OFF" for name in off],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        listed = sorted(Path(folder).glob("src/CMakeFiles/geotherm.dir/Unity/*.cxx"))
        together = [[Path(name) for name in INCLUDE.findall(path.read_text())] for path in listed]
    known = set(sources)
    together = [[path for path in batch if path in known] for batch in together]
    alone = known.difference(*together)
    return [batch for batch in together if batch] + [[path] for path in sorted(alone)]


def copy_text(source: Path, target: Path, before: str = "") -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(before + SILENCED.sub("", source.read_text(errors="replace")))


def assemble(package: Path, headers: Path, page: Path) -> None:
    shutil.copytree(ROOT / "r", package, ignore=shutil.ignore_patterns("*.o", "*.so", "Makevars"))
    source_folder = package / "src"
    sources = library_sources()
    own = [ROOT / "include", ROOT / "src"]
    bindings = sorted((ROOT / "r/src").glob("*.cpp"))
    (source_folder / "include").mkdir()
    for path in source_folder.glob("*.hpp"):  # R's checks know no headers of this name beside its own sources
        path.rename(source_folder / "include" / path.name)
    for path in sources:
        copy_text(path, source_folder / "lib" / path.relative_to(ROOT / "src"), OPTIMIZED)
    for path in headers_of([*sources, ROOT / "include/geotherm/geotherm.hpp"], [*own, headers]) | {
        ROOT / "include/geotherm/geotherm.hpp"
    }:
        if path.is_relative_to(ROOT / "include"):
            copy_text(path, source_folder / "include" / path.relative_to(ROOT / "include"))
        elif path.is_relative_to(ROOT / "src"):
            copy_text(path, source_folder / "lib" / path.relative_to(ROOT / "src"))
        else:
            copy_text(path, source_folder / "headers" / path.relative_to(headers))
    objects = []
    for batch in batches(sources, headers):
        names = [path.relative_to(ROOT / "src").as_posix() for path in batch]
        if len(names) == 1:
            objects.append(f"lib/{Path(names[0]).with_suffix('.o').as_posix()}")
            continue
        name = f"{names[0].split('/')[0]}_{len(objects)}"
        (source_folder / "lib/together").mkdir(exist_ok=True)
        (source_folder / "lib/together" / f"{name}.cpp").write_text("".join(f'#include "{n}"\n' for n in names))
        objects.append(f"lib/together/{name}.o")
    defines = [f'-DGEOTHERM_VERSION=\\"{version()}\\"', "-DEIGEN_MPL2_ONLY", "-DEIGEN_DONT_PARALLELIZE"]
    if page.exists():
        copy_text(page, source_folder / "lib/viewer/page_template.cpp")
        objects.append("lib/viewer/page_template.o")
        defines.append("-DGEOTHERM_WITH_VIEWER")
    else:
        print(f"r-package: no {page} (make page): view() will say that it has no page", file=sys.stderr)
    objects += [p.with_suffix(".o").name for p in bindings]
    (source_folder / "Makevars").write_text(
        "CXX_STD = CXX20\n"
        f"PKG_CPPFLAGS = -Iinclude -Ilib -Iheaders {' '.join(defines)}\n"
        "PKG_CXXFLAGS = $(CXX_VISIBILITY) -pthread\n"
        "PKG_LIBS = -pthread -lz\n"
        f"OBJECTS = {' '.join(objects)}\n"
    )
    (package / "inst").mkdir(exist_ok=True)
    (package / "inst/COPYRIGHTS").write_text(copyrights(source_folder / "headers"))


def copyrights(headers: Path) -> str:
    lines = ["The package contains headers of other projects, under src/headers, each under its own licence:", ""]
    licences = {"Eigen": "MPL-2.0, Eigen's authors (https://eigen.tuxfamily.org)", "hnswlib": "Apache-2.0, Yury Malkov and others"}
    for folder in sorted(p for p in headers.iterdir() if p.is_dir()):
        lines.append(f"{folder.name}: {licences.get(folder.name, 'MIT, Aaron Lun and others (through assorthead)')}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--headers", type=Path, required=True, help="include folder of PyPI's assorthead")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--page", type=Path, default=ROOT / "viewer/dist/page_template.cpp", help="source of view()'s page")
    parser.add_argument("--folder", type=Path, help="leave the package as a folder here instead")
    parser.add_argument("--no-vignettes", action="store_true", help="build without the vignettes (quicker)")
    arguments = parser.parse_args()
    if arguments.folder:
        shutil.rmtree(arguments.folder, ignore_errors=True)
        assemble(arguments.folder, arguments.headers.resolve(), arguments.page)
        return
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "geotherm"
        assemble(package, arguments.headers.resolve(), arguments.page)
        command = ["R", "CMD", "build", *(["--no-build-vignettes"] if arguments.no_vignettes else []), str(package)]
        subprocess.run(command, cwd=folder, check=True)
        made = Path(folder) / f"geotherm_{version()}.tar.gz"
        shutil.move(made, arguments.out / made.name)
    print(arguments.out / made.name)


if __name__ == "__main__":
    main()
