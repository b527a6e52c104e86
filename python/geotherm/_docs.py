"""Docstrings of the estimators: options are described by the library's table, the rest here.

A class docstring holds ``{parameters}`` and ``{attributes}``; `document` fills them in.
"""

from __future__ import annotations

import inspect
from typing import Any

from ._options import METHODS, OPTIONS

#: Keywords that are no options of the library, and options of which Python knows more.
OWN: dict[str, str] = {
    "metric": "metric : str\n    Distance between rows: {words}. ``'precomputed'``: X holds distances (n x n; sparse: those\n"
    "    known). ``'precomputed_affinity'``: X holds edge weights.",
    "precomputed_knn": "precomputed_knn : (indices, distances) or None\n    Neighbour tables (n x k) found elsewhere; X then only says how many points there are.",
    "keep_dissimilarity": "keep_dissimilarity : bool\n    Keep the n x n distances of the method as ``dissimilarity_``.",
    "random_state": "random_state : int, RandomState, Generator or None\n    The same integer gives the same result, to the bit; None draws a seed from NumPy.",
    "n_jobs": "n_jobs : int or None\n    Threads; -1 takes every core, None one. The result does not depend on it.",
    "verbose": "verbose : bool\n    Show progress, through tqdm where it is installed.",
    "callbacks": "callbacks : callable, list of callables or None\n    Called as ``callback(stage, done, total, objective)``; returning False stops the run, which keeps\n"
    "    the map as far as it has come.",
}

ATTRIBUTES: dict[str, str] = {
    "embedding_": "embedding_ : ndarray of shape (n_samples, n_components)\n    The map, float64.",
    "graph_": "graph_ : csr_matrix\n    Symmetric edge weights of the distinct points, without the shortcut edges that were removed.",
    "unique_inverse_": "unique_inverse_ : ndarray of shape (n_samples,)\n    For each row its distinct point, a row of ``graph_``.",
    "time_": "time_ : float\n    The time (or number of steps) that was used.",
    "dissimilarity_": "dissimilarity_ : ndarray of shape (n_samples, n_samples)\n    The method's distances, with ``keep_dissimilarity=True``.",
    "stress_": "stress_ : float\n    Squared differences between distances and the map, over squared distances.",
    "report_": "report_ : dict\n    Options, automatic choices, results, seed, warnings, and the time of each stage.",
    "n_iter_": "n_iter_ : int\n    Iterations of the layout.",
}


def type_of(name: str) -> str:
    """What an option takes, in the words of a docstring: "'auto', 'none' or int"."""
    row = OPTIONS[name]
    if row["is_flag"]:
        return "bool"
    kinds = [f"'{word}'" for word in row["words"]] if row["number"] else (["str"] if row["words"] else [])
    if row["number"]:
        kinds.append(row["number"])
    if row["left_open"]:
        kinds.append("None")
    return ", ".join(kinds[:-1]) + (" or " if len(kinds) > 1 else "") + kinds[-1]


def _lines(text: str, width: int = 110) -> str:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join("    " + line for line in lines)


def option_text(name: str, method: str) -> str:
    """An option as a docstring has it."""
    row = OPTIONS[name]
    words = ", ".join(word for word in row["words"] if word != "precomputed")
    if name in OWN:
        return OWN[name].replace("{words}", words)
    text = row["help"]
    if row["words"] and not row["number"]:
        text += f" One of {words}."
    if row["left_open"]:
        choice = row["choices"].get(method)
        text += f" None: {row['left_open'] if choice is None else repr(choice)}."
    return f"{name} : {type_of(name)}\n{_lines(text)}"


def _indented(blocks: list[str], prefix: str) -> str:
    lines = "\n".join(blocks).split("\n")
    return "\n".join([lines[0], *(prefix + line if line else line for line in lines[1:])])


def attributes_of(method: str) -> list[str]:
    """The attributes that fit leaves."""
    row = METHODS[method]
    names = ["embedding_", "unique_inverse_"]
    names += ["graph_"] if row["has_graph"] else []
    names += ["time_"] if row["has_time"] else []
    names += ["stress_", "dissimilarity_"] if row["has_stress"] else []
    return [*names, "report_", "n_iter_"]


def document(cls: Any, own: dict[str, str]) -> None:
    """Fill in the parameters of __init__ and the attributes; `own` describes a class's own parameters."""
    names = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
    blocks = [own[n] if n in own else option_text(n, cls._method) if n in OPTIONS else OWN[n] for n in names]
    text = (cls.__doc__ or "").replace("{parameters}", _indented(blocks, "    "))
    cls.__doc__ = text.replace("{attributes}", _indented([ATTRIBUTES[a] for a in attributes_of(cls._method)], "    "))
