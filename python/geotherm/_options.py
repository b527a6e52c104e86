"""The library's tables of options and methods, and signatures made from them.

In: names of options. Out: keywords with the library's own defaults, for estimators and functions alike.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from . import _native

#: Each option by name: group, words, number, default, help, methods, ...
OPTIONS: dict[str, dict[str, Any]] = {row["name"]: row for row in _native.option_table()}
#: Each method by name: display, title, citations, options, ...
METHODS: dict[str, dict[str, Any]] = {row["name"]: row for row in _native.method_table()}
DEFAULTS: dict[str, Any] = {name: row["default"] for name, row in OPTIONS.items()}

#: Keywords of an estimator that are no options of the method.
RUN_KEYWORDS: dict[str, Any] = {
    "precomputed_knn": None,
    "keep_dissimilarity": False,
    "random_state": 0,
    "n_jobs": -1,
    "verbose": False,
    "callbacks": None,
}

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)


def method_named(name: str) -> dict[str, Any]:
    """The row of a method, by name or alias."""
    for row in METHODS.values():
        if name == row["name"] or name in row["aliases"]:
            return row
    raise ValueError(f"there is no method named {name!r}: {', '.join(METHODS)}")


def keyword(name: str, default: Any, positional: bool = False) -> inspect.Parameter:
    """A parameter; names in `positional` may be given without their name."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if positional else inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default)


def signature_of(method: str, first: Iterable[str], own: dict[str, Any]) -> inspect.Signature:
    """The signature of an estimator: `first` in that order, then every option that the method reads and `own`."""
    row = METHODS[method]
    defaults = {name: DEFAULTS[name] for name in row["options"]} | own | RUN_KEYWORDS
    if not row["has_stress"]:
        del defaults["keep_dissimilarity"]
    first = list(first)
    parameters = [keyword(name, defaults[name], positional=True) for name in first]
    parameters += [keyword(name, value) for name, value in defaults.items() if name not in first]
    return inspect.Signature([_SELF, *parameters])


def make_init(cls: type, signature: inspect.Signature) -> Callable[..., None]:
    """An __init__ of that signature, which keeps each keyword as an attribute of the same name, untouched."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in signature.parameters:
                near = _native.did_you_mean(name, [known for known in signature.parameters if known != "self"])
                raise TypeError(f"{cls.__name__} has no parameter {name!r}{near}")
        try:
            bound = signature.bind(self, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{cls.__name__}: {error}") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name != "self":
                setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return __init__


def takes_options(names: Iterable[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For a function whose last parameter is ``**options``: these options, with their defaults, replace it."""
    wanted = tuple(names)

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        plain = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        given = {p.name for p in plain}
        options = [keyword(name, DEFAULTS[name]) for name in wanted if name not in given]
        at = next((i for i, p in enumerate(plain) if p.kind is p.KEYWORD_ONLY), len(plain))
        signature = inspect.Signature([*plain[:at], *options, *plain[at:]])

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__name__}: {error}") from None
            bound.apply_defaults()
            return function(*bound.args, **bound.kwargs)

        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__name__, call.__qualname__ = function.__name__, function.__qualname__
        call.__doc__, call.__module__ = function.__doc__, function.__module__
        return call

    return wrap
