"""A Methods paragraph from the report of a run; the sentences are the library's, as in the program."""

from __future__ import annotations

from typing import Any

from . import _native


def methods_text(report: dict[str, Any], citations: bool = True) -> str:
    """Sentences for the Methods section, from a run's `report_`."""
    paragraph, references = _native.methods_text(report)
    if not citations:
        return paragraph
    return paragraph + "\n\nReferences\n" + "\n".join(f"[{i}] {text}" for i, text in enumerate(references, 1))
