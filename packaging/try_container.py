#!/usr/bin/env python3
"""Runs the Dockerfile's stages without Docker, in fresh Debians by debootstrap and chroot, and then what a container would run.

try_container.py   the stages that the last one stands on or copies from

As root, with debootstrap. FROM, RUN, WORKDIR, COPY, ENTRYPOINT and CMD are understood, and nothing else. What a container has beyond
a root folder of its own (namespaces, users, layers) is not tried. The time goes to out/packages.json.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fresh_debian import FreshDebian, can_be_made

ROOT = Path(__file__).resolve().parents[1]
SUITES = {"debian:12-slim": "bookworm"}
sys.path.insert(0, str(ROOT / "scripts"))


def instructions(text: str):
    """(word, rest) of each line; a backslash continues a line."""
    lines = (line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return [tuple(line.split(None, 1)) for line in lines]


def stages(text: str) -> dict:
    """{name: (base, instructions)} in order; the last stage's name may be empty."""
    found = {}
    for word, rest in instructions(text):
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            name = name.strip()
            found[name] = (base.strip(), [])
        else:
            found[name][1].append((word, rest))
    return found


def needed(known: dict, last: str) -> list[str]:
    """Stages that the last one stands on or copies from, in order."""
    wanted, waiting = set(), [last]
    while waiting:
        name = waiting.pop()
        wanted.add(name)
        base, lines = known[name]
        others = {base} | {rest.split()[0].removeprefix("--from=") for word, rest in lines if word == "COPY"}
        waiting += [other for other in others if other in known and other not in wanted]
    return [name for name in known if name in wanted]


class Stage(FreshDebian):
    """A root folder, in which lines are carried out."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.at = "/"
        self.entry: list[str] = []
        self.words: list[str] = []

    def copy(self, rest: str, known: dict):
        words = rest.split()
        target = Path(self.at) / words[-1]
        into = self.folder / str(target).lstrip("/")
        into.mkdir(parents=True, exist_ok=True)
        if words[0].startswith("--from="):
            source = known[words[0].removeprefix("--from=")].folder / words[1].lstrip("/")
        else:  # what git knows: .dockerignore leaves out the rest
            source = Path(tempfile.mkdtemp(dir=self.folder.parent))
            subprocess.run(["git", "checkout-index", "-a", f"--prefix={source}/"], check=True, cwd=ROOT)
            source = source / words[0]
        subprocess.run(["cp", "-a", f"{source}/.", into], check=True)

    def carry_out(self, word: str, rest: str, known: dict):
        print(f"{word} {' '.join(rest.split())[:110]}", flush=True)
        if word == "RUN":
            self.run(["sh", "-c", rest], self.at)
        elif word == "WORKDIR":
            self.at = rest.strip()
            (self.folder / self.at.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            self.copy(rest, known)
        elif word in ("ENTRYPOINT", "CMD"):
            setattr(self, "entry" if word == "ENTRYPOINT" else "words", json.loads(rest))
        else:
            raise SystemExit(f"the Dockerfile has {word}, which is not understood here")


def main() -> int:
    import packages

    if not can_be_made():
        print("SKIPPED: the container: neither Docker nor, for its lines alone, debootstrap and root are here", file=sys.stderr)
        return 0
    known = stages((ROOT / "Dockerfile").read_text())
    last = [*known][-1]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        made: dict[str, Stage] = {}
        for name in needed(known, last):
            base, lines = known[name]
            made[name] = Stage(Path(work) / (name or "last"))
            if base in made:
                subprocess.run(["cp", "-a", made[base].folder, made[name].folder], check=True)
                made[name].at = made[base].at
            else:
                made[name].start(SUITES[base])
            for word, rest in lines:
                made[name].carry_out(word, rest, made)
        seconds = time.monotonic() - started
        image = made[last]
        said = image.run([*image.entry, *image.words], image.at)
        assert "geotherm" in said, said
        image.run([*image.entry, "demo"], image.at)
        pages = list((image.folder / image.at.lstrip("/")).glob("geotherm-demo/*.html"))
        assert pages and pages[0].stat().st_size > 50_000, pages
        left_out = ", ".join(name for name in known if name not in made)
    packages.store("container", "docker build -t geotherm . && docker run geotherm demo", [], seconds,
                   "the Dockerfile's lines in fresh Debians by debootstrap and chroot, no Docker daemon; `demo` leaves its page"
                   + (f"; stage not run: {left_out}" if left_out else ""))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
