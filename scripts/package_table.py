"""The table of docs/install.md, from what scripts/packages.py and scripts/time_install.sh measured."""

import json
import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / "out" / "packages.json"
PAGE = ROOT / "docs" / "install.md"
BEGIN, END = "<!-- measured -->", "<!-- end of measured -->"


def row(way: str, found: dict) -> str:
    size = f"{found['bytes'] / 1e6:.1f} MB" if found["bytes"] else ""
    minutes, seconds = divmod(round(found["seconds"]), 60)
    busy = f", beside other work (load {found['load']:.1f})" if found.get("load", 0) > 0.5 * os.cpu_count() else ""
    return (f"| {way} | `{found['command']}` | {size} | {minutes}:{seconds:02d} | {found['tried']} | "
            f"{found['on']}, {found['day']}{busy} |")  # fmt: skip


def write_table():
    """Rows that were not measured again stay as they are."""
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    rows = {match.group(1): match.group(0) for match in re.finditer(r"^\| ([^|]+) \| `.*$", old, re.MULTILINE)}
    rows |= {way: row(way, found) for way, found in json.loads(STORE.read_text()).items()}
    table = ["| package | command | size | time | tried | on |", "|---|---|---|---|---|---|", *rows.values()]
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(table) + "\n" + END + after)
