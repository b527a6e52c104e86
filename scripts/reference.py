#!/usr/bin/env python3
"""Makes what is generated from the library's tables of options and methods:

    PYTHONPATH=build/python .deps/python-tests/bin/python scripts/reference.py

docs/reference/options.md and python/geotherm/_estimators.pyi. tests/python/test_reference.py holds them to the tables.
"""

import inspect
import pathlib

from geotherm import ESTIMATORS, _options

ROOT = pathlib.Path(__file__).resolve().parents[1]


def shown(row, value):
    return row["left_open"] if value is None else str(value)


def options_page() -> str:
    """The reference page: each group of options as a table, and each method with what it reads."""
    lines = [
        "# Options",
        "",
        "Generated from the option table of the library by `scripts/reference.py`; edit `src/methods/options_*.cpp`.",
        "",
        "An option has the same name everywhere: `--kernel-floor` of the program is `kernel_floor` in Python, in manifests and in",
        "messages. In Python `None` leaves a choice open. An option that the method does not read is an error; one that does nothing",
        "because of another's value gives a warning.",
    ]
    groups = list(dict.fromkeys(row["group"] for row in _options.OPTIONS.values()))
    for group in groups:
        lines += ["", f"## {group.capitalize()}", "", "| option | takes | default | meaning | read by |", "|---|---|---|---|---|"]
        for row in _options.OPTIONS.values():
            if row["group"] != group:
                continue
            default = shown(row, row["default"])
            for method, value in row["choices"].items():
                default += f"; {method}: {value}"
            readers = ", ".join(row["methods"]) if len(row["methods"]) < len(_options.METHODS) else "every method"
            level = "" if row["is_basic"] else " (advanced)"
            lines.append(f"| `{row['name']}`{level} | {row['accepted']} | {default} | {row['help']} | {readers} |")
    lines += ["", "## Methods", "", "| method | estimator | what it does | reads |", "|---|---|---|---|"]
    for row in _options.METHODS.values():
        name = f"`{row['name']}`" + "".join(f" (also `{alias}`)" for alias in row["aliases"])
        estimator = f"`{row['estimator']}`" if row["estimator"] else ""
        lines.append(f"| {name} | {estimator} | {row['title']}: {row['summary']} | {', '.join(row['options'])} |")
    return "\n".join(lines) + "\n"


def annotation(name: str, default) -> str:
    """The type of a keyword, for type checkers."""
    row = _options.OPTIONS.get(name)
    if row is None:
        return "bool" if isinstance(default, bool) else "Any"
    if row["is_flag"]:
        return "bool"
    kinds = ["str"] if row["words"] else []
    kinds += row["number"].split(" or ") if row["number"] else []
    kinds += ["bool"] if "off" in row["words"] else []
    kinds += ["None"] if row["left_open"] else []
    return " | ".join(dict.fromkeys(kinds))


def stub() -> str:
    """Signatures of the estimators, written out."""
    lines = [
        "# Made from the library's tables by scripts/reference.py.",
        "from typing import Any",
        "",
        "from ._base import GeothermEstimator",
        "from ._graph_methods import GraphEstimator, HeatEstimator",
        "",
        "ESTIMATORS: dict[str, type[GeothermEstimator]]",
    ]
    for name, cls in ESTIMATORS.items():
        lines += ["", f"class {name}({cls.__bases__[0].__name__}):", "    def __init__(", "        self,"]
        is_positional = True
        for parameter in list(inspect.signature(cls.__init__).parameters.values())[1:]:
            if is_positional and parameter.kind is parameter.KEYWORD_ONLY:
                is_positional = False
                lines.append("        *,")
            kind = annotation(parameter.name, parameter.default)
            lines.append(f"        {parameter.name}: {kind} = {parameter.default!r},")
        lines.append("    ) -> None: ...")
    return "\n".join(lines) + "\n"


FILES = {"docs/reference/options.md": options_page, "python/geotherm/_estimators.pyi": stub}

if __name__ == "__main__":
    for path, make in FILES.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(make())
        print(path)
