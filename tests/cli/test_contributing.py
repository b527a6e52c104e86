"""CONTRIBUTING's worked examples, executed in a copy of the tree: an option, a method, a format and a score.

In the quick form what changed is compiled and linked with the finished build; with GEOTHERM_SLOW_TESTS=1 the copy is built whole,
and the option is seen in the program and in Python too.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import PROGRAM, ROOT

BUILD = Path(PROGRAM).resolve().parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
STEP = re.compile(r"<!-- (file|edit) (\S+)(.*?) -->\n```cpp\n(.*?)```\n", re.S)
SECTIONS = {
    name: TEXT.split(f"### {title}\n")[1].split("\n### ")[0]
    for name, title in {"option": "An option", "method": "A method", "format": "A file format", "score": "A score"}.items()
}
XYZ = "3\nwater\nO 0 0 0\nH 1 0 0\nH 0 1 0\n"

pytestmark = pytest.mark.skipif(not (BUILD / "compile_commands.json").exists(), reason="needs the build of the program")


def steps_of(section):
    return [(kind, path, how.strip(), code) for kind, path, how, code in STEP.findall(SECTIONS[section])]


def apply(root, section):
    """Makes the edits that the text asks for; returns the sources to compile."""
    for kind, path, how, code in steps_of(section):
        file = root / path
        if kind == "file":
            assert not file.exists()
            file.write_text(code)
            continue
        text = file.read_text()
        where, _, anchor = how.partition(": ")
        if where == "at the end":
            file.write_text(text + code)
            continue
        lines = text.splitlines(keepends=True)
        at = next(i for i, line in enumerate(lines) if anchor in line)
        first, last = {"after": (at + 1, at + 1), "before": (at, at), "instead of": (at, at + 1)}[where]
        lines[first:last] = code
        file.write_text("".join(lines))


def copy_of_tree(to):
    for folder in ("src", "include"):
        shutil.copytree(ROOT / folder, to / folder)
    return to


class Compiler:
    """Compiles sources of the copy by the commands of the finished build, and links with its objects."""

    def __init__(self, root):
        self.root = root
        self.commands = {c["file"]: c for c in json.loads((BUILD / "compile_commands.json").read_text())}

    def compile(self, source, like):
        command = self.commands.get(str(ROOT / like))
        if command is None:  # a unity build: any of its pieces has the flags of the library
            command = next(c for file, c in self.commands.items() if "geotherm.dir/Unity" in file)
        words = shlex.split(command["command"])
        out = self.root / (source.replace("/", "_") + ".o")
        made = [w.replace(str(ROOT / "src"), str(self.root / "src")).replace(str(ROOT / "include"), str(self.root / "include"))
                for w in words[: words.index("-o")]]
        made = [*(w for w in made if not w.startswith("-M")), "-O0", "-U_FORTIFY_SOURCE"]  # the quicker
        folder = command["directory"]
        subprocess.run([*made, "-o", out, "-c", self.root / source], cwd=folder, check=True, capture_output=True, text=True)
        return out

    def compile_all(self, pairs):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            try:
                return list(pool.map(lambda pair: self.compile(*pair), pairs))
            except subprocess.CalledProcessError as error:
                pytest.fail(error.stderr)

    def link(self, target, objects, output):
        """The build's own command for the target, with these objects before its own."""
        listed = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", target], capture_output=True, text=True, check=True)
        last = [line for line in listed.stdout.splitlines() if " -o " in line][-1]
        command = re.search(r"(?:: && )?(.*?)(?: && :|$)", last)[1]
        words = shlex.split(command)
        at = words.index("-o")
        words[at + 1] = str(output)
        # Of what the finished build has too, ours comes first (pieces of a unity build hold several sources).
        words[at:at] = ["-Wl,--allow-multiple-definition", *map(str, objects)]
        subprocess.run(words, cwd=BUILD, check=True, capture_output=True, text=True)
        return output


def test_the_examples_are_as_small_as_promised():
    option = steps_of("option")
    assert len(option) <= 4 and len({path for _, path, _, _ in option}) <= 3
    for section in ("method", "format", "score"):
        kinds = [kind for kind, *_ in steps_of(section)]
        assert sorted(kinds) == ["edit", "file"], section


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The program and the Python module with method, format and score."""
    root = copy_of_tree(tmp_path_factory.mktemp("tree"))
    for section in ("method", "format", "score"):
        apply(root, section)
    compiler = Compiler(root)
    objects = compiler.compile_all([
        ("src/methods/smooth_pca.cpp", "src/methods/pca_map.cpp"),
        ("src/methods/methods.cpp", "src/methods/methods.cpp"),
        ("src/io/format_xyz.cpp", "src/io/format_fcs.cpp"),
        ("src/io/formats.cpp", "src/io/formats.cpp"),
        ("src/metrics/score_silhouette.cpp", "src/metrics/score_demap.cpp"),
        ("src/metrics/scores.cpp", "src/metrics/scores.cpp"),
    ])
    return root, compiler, objects, compiler.link("geotherm", objects, root / "geotherm")


def run(*words, cwd):
    done = subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_offers_method_format_and_score(extended):
    root, _, _, program = extended
    shown = run(program, "embed", "--help", cwd=root)
    assert "smooth-pca" in shown and ".xyz" in shown
    assert "silhouette" in run(program, "score", "--help", cwd=root)
    (root / "water.xyz").write_text(XYZ)
    run(program, "embed", "water.xyz", "--method", "pca", "-o", "atoms.csv", cwd=root)
    assert (root / "atoms.csv").read_text().splitlines()[1].startswith("O0,")
    run(program, "synth", "swiss-roll", "--n", "200", "--seed", "1", "-o", "roll.npz", cwd=root)
    run(program, "embed", "roll.npz:X", "--method", "smooth-pca", "-o", "map.csv", cwd=root)
    lines = ["label"] + ["a" if i % 2 else "b" for i in range(200)]
    (root / "groups.csv").write_text("\n".join(lines) + "\n")
    scores = json.loads(run(program, "score", "--estimate", "map.csv", "--labels", "groups.csv", "--json", cwd=root))
    assert -1 <= scores["silhouette"] <= 1


def test_python_offers_method_and_score(extended):
    root, compiler, objects, _ = extended
    package = BUILD / "python" / "geotherm"
    native = next(package.glob("_native*.so"), None)
    interpreter = ROOT / ".deps/python-tests/bin/python"
    if native is None or not interpreter.exists():
        pytest.skip("this build has no Python package")
    copy = root / "python" / "geotherm"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("_native*", "__pycache__"))
    compiler.link(str(native.relative_to(BUILD)), objects, copy / native.name)
    script = """
import numpy, geotherm
X = numpy.random.default_rng(0).normal(size=(60, 4))
map = geotherm.SmoothPCA(knn=8).fit_transform(X)
assert map.shape == (60, 2)
print(sorted(geotherm.score(map, labels=[i % 2 for i in range(60)])))
"""
    done = subprocess.run([interpreter, "-c", script], env={**os.environ, "PYTHONPATH": str(root / "python")}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "silhouette" in done.stdout


PROBE = """
#include <cstdio>
#include "geotherm/options.hpp"
int main() {
  using namespace geotherm;
  const Option* option = option_of(*method_named("umap"), "set-op-mix-ratio");
  MethodOptions settings;
  set_option(settings, *option, parse_option(*option, "0.25"));
  std::printf("%s %s %g\\n", flag_of(*option).c_str(), accepted_by(*option).c_str(), settings.umap.set_op_mix_ratio);
  return option_of(*method_named("tsne"), "set-op-mix-ratio") == nullptr ? 0 : 1;
}
"""


def test_an_option_is_in_the_table(tmp_path):
    root = copy_of_tree(tmp_path)
    apply(root, "option")
    (root / "src/methods/probe.cpp").write_text(PROBE)
    compiler = Compiler(root)
    tables = ["options", "option_table", "option_fields", "options_graph", "options_heat", "options_layout", "options_scale"]
    sources = [(f"src/methods/{name}.cpp", f"src/methods/{name}.cpp") for name in tables]
    sources += [("src/methods/probe.cpp", "src/methods/options.cpp"), ("src/embedding/umap.cpp", "src/embedding/umap.cpp")]
    objects = compiler.compile_all(sources)
    # Only what was compiled anew touches the options here, so the rest may come from the finished build.
    listed = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "geotherm"], capture_output=True, text=True, check=True)
    last = [line for line in listed.stdout.splitlines() if " -o " in line][-1]
    words = [w for w in shlex.split(re.search(r"(?:: && )?(.*?)(?: && :|$)", last)[1]) if "apps/cli/CMakeFiles" not in w]
    at = words.index("-o")
    words[at + 1] = str(root / "probe")
    words[at:at] = ["-Wl,--allow-multiple-definition", *map(str, objects)]
    subprocess.run(words, cwd=BUILD, check=True, capture_output=True, text=True)
    assert run(root / "probe", cwd=root) == "--set-op-mix-ratio a number in [0, 1] 0.25\n"


@pytest.mark.skipif(os.environ.get("GEOTHERM_SLOW_TESTS") != "1", reason="builds the whole copy; GEOTHERM_SLOW_TESTS=1 does")
def test_all_four_in_a_whole_build(tmp_path):
    tree = tmp_path / "tree"
    installed = [".deps", "viewer/node_modules"]  # what setup.sh and npm brought is used where it lies
    left_out = shutil.ignore_patterns("build", "build-*", "out", ".git", ".deps", "node_modules")
    shutil.copytree(ROOT, tree, symlinks=True, ignore=left_out)
    for name in installed:
        if (ROOT / name).exists():
            (tree / name).symlink_to((ROOT / name).resolve())
    for section in SECTIONS:
        apply(tree, section)
    build = tree / "build"
    run("cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DGEOTHERM_BUILD_TESTS=OFF",
        "-DGEOTHERM_UNITY=ON", cwd=tree)  # fmt: skip
    run("cmake", "--build", build, cwd=tree)
    program = build / "geotherm"
    run(program, "synth", "swiss-roll", "--n", "200", "-o", "roll.npz", cwd=tmp_path)
    made = [
        run(program, "embed", "roll.npz:X", "--method", "umap", *more, "-o", f"{name}.csv", cwd=tmp_path) or (tmp_path / f"{name}.csv").read_text()
        for name, more in {"union": (), "mixed": ("--set-op-mix-ratio", "0.3")}.items()
    ]
    assert made[0] != made[1]
    refused = subprocess.run([program, "embed", "roll.npz:X", "--method", "tsne", "--set-op-mix-ratio", "0.3"], cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 2 and "--set-op-mix-ratio is not used by tsne" in refused.stderr
    script = "import geotherm, numpy; geotherm.UMAP(set_op_mix_ratio=0.3).fit(numpy.random.default_rng(0).normal(size=(50, 3)))"
    done = subprocess.run([ROOT / ".deps/python-tests/bin/python", "-c", script], env={**os.environ, "PYTHONPATH": str(build / "python")}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
