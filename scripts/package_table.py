"""The table of docs/install.md, from what scripts/packages.py and scripts/time_install.sh measured."""

import json
import os
import re
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORE = ROOT / "out" / "packages.json"
PAGE = ROOT / "docs" / "install.md"
BEGIN, END = "<!-- measured -->", "<!-- end of measured -->"


def busy_cores(seconds: float = 2) -> float:
    """How many cores are at work right now."""
    def ticks():  # spent so far, and of them idle
        times = list(map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]))
        return sum(times), times[3] + times[4]

    if not Path("/proc/stat").exists():
        return os.getloadavg()[0]
    before = ticks()
    time.sleep(seconds)
    spent, idle = (now - then for now, then in zip(ticks(), before))
    return os.cpu_count() * (1 - idle / spent)


def row(way: str, found: dict) -> str:
    size = f"{found['bytes'] / 1e6:.1f} MB" if found["bytes"] else ""
    minutes, seconds = divmod(round(found["seconds"]), 60)
    busy = f", beside other work ({found['load']:.1f} cores)" if found.get("load", 0) > 0.25 * os.cpu_count() else ""
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
