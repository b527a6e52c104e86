"""Modules know only those before them in the pipeline (docs/architecture.md, "Who may know whom")."""

import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import PROGRAM, ROOT

# The module of each public header that does not bear its name.
HEADERS = {
    "version": "core",
    "device": "core",
    "views": "neighbors",
    "align": "model",
    "spelling": "core",
    "texts": "core",
    "blocks": "landmarks",
    "coarse": "methods",
    "moments": "points",
    "columns": "points",
    "single_cell": "points",
    "smoothing": "neighbors",
    "views": "neighbors",
    "shortcuts": "graph",
    "clusters": "graph",
    "spectral": "embedding",
    "layouts": "embedding",
    "formats": "io",
    "observations": "io",
    "checkpoint": "io",
    "scores": "metrics",
    "input": "methods",
    "options": "methods",
    "trust": "model",
    "align": "model",
    "compare": "model",
    "methods_text": "model",
    "stability": "model",
    "page": "viewer",
    "report": "viewer",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def allowed():
    """From the diagram in the architecture: a <- b means that b may include a, and what a may."""
    text = (ROOT / "docs/architecture.md").read_text()
    block = text.split("## Who may know whom")[1].split("```")[1]
    before = {}
    for chain in re.split(r"\n|\s{3,}", block):
        names = [re.findall(r"\w+", part) for part in chain.split("<-")]
        for earlier, later in zip(names, names[1:]):
            for name in later:
                before.setdefault(name, set()).update(earlier)

    def closure(name):
        found = set(before.get(name, ()))
        for earlier in before.get(name, ()):
            found |= closure(earlier)
        return found

    return {name: closure(name) | {name} for name in before} | {"core": {"core"}}


def module_of(include):
    folder, _, name = include.partition("/")
    if folder != "geotherm":
        return folder
    stem = name.removesuffix(".hpp")
    return HEADERS.get(stem, stem)


def includes_of(path):
    return INCLUDE.findall(path.read_text())


def test_the_diagram_is_read():
    rules = allowed()
    assert {"core", "linalg", "graph", "heat"} < rules["methods"]
    assert "methods" not in rules["heat"]
    assert rules["metrics"] >= {"core", "neighbors"}


def test_modules_include_only_what_comes_before_them():
    rules = allowed()
    modules = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert modules <= set(rules), modules - set(rules)
    wrong = []
    for module in sorted(modules):
        for path in sorted((ROOT / "src" / module).rglob("*.[ch]pp")):
            if path.stem.endswith("_test") or "test" in path.stem:
                continue  # tests may see everything
            for include in includes_of(path):
                known = module_of(include)
                if known in modules and known not in rules[module]:  # others are libraries
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}")
    assert not wrong, "\n".join(wrong)


def test_public_headers_include_only_what_comes_before_them():
    rules = allowed()
    wrong = []
    for path in sorted((ROOT / "include/geotherm").glob("*.hpp")):
        if path.stem == "geotherm":
            continue
        module = module_of(f"geotherm/{path.name}")
        assert module in rules, f"{path.name}: of which module is it?"
        for include in includes_of(path):
            assert include.startswith("geotherm/"), f"{path.name} includes {include}, which is not public"
            if module_of(include) not in rules[module]:
                wrong.append(f"{path.name} includes {include}")
    assert not wrong, "\n".join(wrong)


def test_the_library_knows_no_front_end():
    for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
        if path.stem.endswith("_test"):
            continue
        for include in re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', path.read_text(), re.M):
            assert not re.match(r"(CLI|fmt|nlohmann|nanobind)/", include), (path, include)


def test_messages_of_the_library_name_fields_not_flags():
    """The program turns `field` into its flag (apps/cli/flag_names.cpp); Python has no flags."""
    wrong = []
    for path in sorted((ROOT / "src").rglob("*.cpp")):
        if path.stem.endswith("_test") or path.parent.name == "viewer":
            continue
        for text in re.findall(r'"(?:[^"\\\n]|\\.)*"', path.read_text()):
            if re.search(r"(?<![\w<!-])--[a-z]", text):
                wrong.append(f"{path.relative_to(ROOT)}: {text}")
    assert not wrong, "\n".join(wrong)


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            if not path.stem.endswith("_test"):
                yield path.relative_to(ROOT).as_posix(), re.sub(r"//[^\n]*", "", path.read_text())


def test_files_can_be_read_in_one_sitting():
    names = subprocess.run(["git", "ls-files", "src", "include", "apps", "python", "r", "tests", "viewer", "scripts", "bench"], cwd=ROOT, capture_output=True, text=True)
    if names.returncode != 0:
        pytest.skip("a checkout is needed to know which files belong to the project")
    code = [name for name in names.stdout.split("\n") if re.search(r"\.(cpp|hpp|cu|cuh|py|ts|mjs|R)$", name) and (ROOT / name).exists()]
    long = {name: n for name in code if (n := (ROOT / name).read_text().count("\n")) > 600}
    assert len(code) > 500 and not long, long


def test_stages_return_what_they_find():
    """A run is passed on by value or as a constant. Exceptions: the fields of a checkpoint, and helpers inside of one file."""
    local = {"src/methods/run_state.hpp", "src/methods/refine_stage.cpp"}
    wrong = [
        f"{name}: {found[0].strip()}"
        for name, text in sources("src", "include")
        for found in re.finditer(r"[^\n]*(?<!const )\b(?:DistanceRun|EmbeddingRun)& \w*[^\n]*", text)
        if name not in local
    ]
    assert not wrong, "\n".join(wrong)


def test_the_report_is_written_and_never_read_to_decide():
    reads = re.compile(r"[^\n]*resolved(?:\.(?:find|at|count|contains)\(|\[)[^\n]*")
    assert reads.search('if (resolved["solver"] == other)')
    for name, text in sources("src/methods", "src/landmarks", "src/graph", "src/heat", "src/refine", "src/embedding"):
        rest = re.sub(r"resolved\[[^\]]*(?:\[[^\]]*\][^\]]*)?\]\s*=(?!=)", "", text)
        assert not reads.findall(rest), (name, reads.findall(rest))


def test_methods_are_told_apart_by_their_rows_not_by_their_names():
    names = re.findall(r'\.name = "([\w-]+)"', "".join(p.read_text() for p in (ROOT / "src/methods").glob("*.cpp") if not p.stem.startswith("option")))
    assert {"heatgeo", "umap", "diffusion-map"} <= set(names)
    compared = re.compile(r"[^\n]*(?:method|name)\w*(?:\.method|\.name)? [!=]= \"(?:" + "|".join(names) + r")\"[^\n]*")
    for name, text in sources("src", "apps/cli", "python/src", "r/src"):
        assert not compared.findall(text), (name, compared.findall(text))


SYSTEM = re.compile(r"^(unistd|fcntl|dirent|dlfcn|poll|pthread|pwd|sched|spawn|termios|windows|io|process|direct)\.h$|^sys/")
# Linux's loader alone: it runs before any library begins, so it can call none.
BEFORE_THE_LIBRARIES = "apps/cli/one_blas_thread.cpp"


def test_the_operating_system_is_behind_one_header():
    """core/platform.hpp says what is asked of it; a port to another system is one more file beside platform_posix.cpp."""
    asking = []
    for folder in ("src", "include", "apps", "python/src", "r/src"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            if path.stem.endswith("_test"):
                continue
            found = re.findall(r"^\s*#\s*include\s+<([^>]+)>", path.read_text(), re.M)
            asking += [path.relative_to(ROOT).as_posix()] if any(SYSTEM.match(name) for name in found) else []
    assert sorted(asking) == [BEFORE_THE_LIBRARIES, "src/core/platform_posix.cpp", "src/core/platform_windows.cpp"]


def test_the_program_knows_public_headers_and_the_platform():
    for path in sorted((ROOT / "apps/cli").glob("*.[ch]pp")):
        for include in includes_of(path):
            if "/" in include:
                assert include.startswith("geotherm/") or include == "core/platform.hpp", (path, include)


def test_symbols_of_eigen_stay_inside():
    """A host with another Eigen is safe: what a linker or loader could mix up is hidden."""
    build = pathlib.Path(PROGRAM).resolve().parent
    libraries = [*build.glob("src/libgeotherm.a"), *build.glob("python/geotherm/_native*.so")]
    if not libraries or shutil.which("readelf") is None:
        pytest.skip("needs the build of the library and readelf")
    for library in libraries:
        table = subprocess.run(["readelf", "-sW", library], capture_output=True, text=True, check=True).stdout
        symbols = [line.split() for line in table.splitlines() if "5Eigen" in line and " UND " not in line]
        shown = [s[-1] for s in symbols if s[4] in ("WEAK", "GLOBAL") and s[5] == "DEFAULT"]
        assert not shown, (library.name, shown[:5])
        assert symbols or library.suffix == ".so"  # the archive has them: the test would see one
