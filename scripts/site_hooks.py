"""Pages of the site that are made from the code, for mkdocs (`make docs`): commands, the Python package, C++ headers.

    reference/cli.md      the help of each command, from build/geotherm where it is built
    reference/python.md   signatures and docstrings, read from python/geotherm without importing it
    reference/cpp.md      public headers: declarations and their comments, one page
"""

import ast
import os
import re
import subprocess
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]


def cli_page():
    program = Path(os.environ.get("GEOTHERM_PROGRAM", ROOT / "build" / "geotherm"))
    lines = ["# The program", "", "Every command with its whole help. The options of methods are also [in one table](options.md).", ""]
    if not program.exists():
        return "\n".join([*lines, "The program was not built when this page was made: `make build`, then `make docs`.", ""])

    def help_of(*words):
        done = subprocess.run([program, *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    top = help_of("--help")
    lines += ["```text", top, "```"]
    listed = top.split("Subcommands:")[1].split("\n\n")[0]
    for name in re.findall(r"^  (\S+)", listed, re.M):
        lines += ["", f"## {name}", "", "```text", help_of(name, "--help-all") or help_of(name, "--help"), "```"]
    return "\n".join(lines) + "\n"


def documented(path):
    """(kind, name, signature, docstring) of public classes and functions of a module."""
    for node in ast.parse(path.read_text()).body:
        is_class = isinstance(node, ast.ClassDef)
        if not is_class and not isinstance(node, ast.FunctionDef):
            continue
        text = ast.get_docstring(node)
        if node.name.startswith("_") or not text:
            continue
        signature = "" if is_class else f"({ast.unparse(node.args)})"
        yield ("class" if is_class else "function"), node.name, signature, text


def python_page():
    package = ROOT / "python" / "geotherm"
    lines = [
        "# The Python package", "",
        "Signatures and docstrings as in the package (`help(geotherm.HeatGeo)` shows the same). Keywords of estimators are the",
        "[options](options.md).", "", "## Estimators", "",
    ]
    for node in ast.parse((package / "_estimators.pyi").read_text()).body:
        if not isinstance(node, ast.ClassDef):
            continue
        start = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
        if start is not None:
            names = [a.arg for a in [*start.args.args, *start.args.kwonlyargs] if a.arg != "self"]
            lines += [f"### geotherm.{node.name}", "", "```python", f"{node.name}({', '.join(names)})", "```", ""]
    for module, title in {"_functions": "Functions: geotherm.*", "tl": "AnnData: geotherm.tl", "pl": "Pictures: geotherm.pl",
                          "datasets": "Data: geotherm.datasets", "_trajectory": "Trajectories", "_model": "Models"}.items():
        path = package / f"{module}.py"
        found = list(documented(path)) if path.exists() else []
        if not found:
            continue
        lines += [f"## {title}", ""]
        for _, name, signature, text in found:
            lines += [f"### {name}", "", "```python", f"{name}{signature}", "```", "", "```text", text, "```", ""]
    return "\n".join(lines) + "\n"


def cpp_page():
    lines = ["# C++ headers", "", "The public API, one section a header. Comments say units, ranges and costs.", ""]
    for path in sorted((ROOT / "include" / "geotherm").glob("*.hpp")):
        text = path.read_text()
        about = " ".join(re.findall(r"^// ?(.*)$", text.split("#pragma once")[0], re.M))
        body = text.split("#pragma once")[1]
        body = re.sub(r"^#include .*\n", "", body, flags=re.M)
        body = re.sub(r"^namespace geotherm \{\n|^\}  // namespace geotherm\n", "", body, flags=re.M)
        body = re.sub(r"^ private:\n.*?(?=^\};)", "", body, flags=re.M | re.S).strip("\n")
        lines += [f"## geotherm/{path.name}", "", about, "", "```cpp", re.sub(r"\n{3,}", "\n\n", body), "```", ""]
    return "\n".join(lines) + "\n"


PAGES = {"reference/cli.md": cli_page, "reference/python.md": python_page, "reference/cpp.md": cpp_page}


def on_files(files, config):
    for path, page in PAGES.items():
        files.append(File.generated(config, path, content=page()))
    return files
