#!/usr/bin/env python3
"""Breaks the numerical core on purpose and asks the tests to notice.

mutate.py [BUILD] --count N --seed S: draws N small changes (a sign flipped, a term dropped, a bound moved by
one, a minimum for a maximum) in the modules below, compiles the changed file, links that module's test program
with it, and runs the tests: those of the module, then those that cross modules. The source tree and the build
stay as they are. Writes OUT/mutation.json and OUT/mutation.md; exit code 1 where a change survives that
explained.json does not explain.
"""

import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = ("laplacian", "graph", "heat", "dissimilarity", "embedding")
# After the module's own tests; the rows of the paper's tables take minutes and are left out.
SUITES = ("test_golden_suite", "test_recipes_suite")
FILTER = "-*PaperRows*:*Density*"
CHANGES = [
    ("sign", r"(?<=[\w)\]]) \+ (?=[\w(])", " - "),
    ("sign", r"(?<=[\w)\]]) - (?=[\w(])", " + "),
    ("sign", r" \+= ", " -= "),
    ("sign", r" -= ", " += "),
    ("sign", r"(?<=[=(,] )-(?=[a-z(])", ""),
    ("factor", r"(?<=[\w)\]]) \* (?=[\w(])", " / "),
    ("factor", r"(?<=[\w)\]]) / (?=[\w(])", " * "),
    ("bound", r"(?<=[\w)\]]) < (?=[\w(-])", " <= "),
    ("bound", r"(?<=[\w)\]]) <= (?=[\w(-])", " < "),
    ("bound", r"(?<=[\w)\]]) > (?=[\w(-])", " >= "),
    ("bound", r"(?<=[\w)\]]) >= (?=[\w(-])", " > "),
    ("off by one", r"(?<== )0(?=; \w+ < )", "1"),
    ("off by one", r" \+ 1(?=[;)\],\s])", ""),
    ("off by one", r" - 1(?=[;)\],\s])", ""),
    ("term dropped", r" \+ [\w.\[\]]+(?:\([\w., \[\]]*\))?(?=;)", ""),
    ("term dropped", r" \* [\w.\[\]]+(?:\([\w., \[\]]*\))?(?=;)", ""),
    ("extreme", r"std::max(?=[(_])", "std::min"),
    ("extreme", r"std::min(?!us|max)", "std::max"),
    ("function", r"std::sqrt\(", "("),
    ("function", r"std::log\(", "std::log1p("),
    ("function", r"std::exp\(", "std::exp(0.99 * "),
]  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    kind: str
    before: str
    after: str


def code_lines(path: Path) -> list[tuple[int, str]]:
    """Lines that compute: no comments, no includes, no messages."""
    lines = []
    for number, line in enumerate(path.read_text().splitlines()):
        code = line.split("//")[0]
        is_text = '"' in code or code.lstrip().startswith(("#", "template", "using", "namespace", "static_assert"))
        if code.strip() and not is_text and "assert(" not in code and "report" not in code:
            lines.append((number, code))
    return lines


def candidates(modules) -> list[Mutant]:
    found = []
    for module in modules:
        for path in sorted((ROOT / "src" / module).rglob("*.cpp")):
            if path.stem.endswith(("_test", "_bench")):
                continue
            for number, code in code_lines(path):
                for kind, pattern, other in CHANGES:
                    # A loop that runs past its end is for the sanitizers to find.
                    if kind == "bound" and code.lstrip().startswith("for ("):
                        continue
                    for match in re.finditer(pattern, code):
                        after = code[: match.start()] + other + code[match.end() :]
                        name = str(path.relative_to(ROOT))
                        found.append(Mutant(name, number + 1, kind, code.strip(), after.strip()))
    return found


class Tester:
    def __init__(self, build: Path, modules, suites):
        self.build = build
        self.suites = suites
        commands = json.loads((build / "compile_commands.json").read_text())
        self.compile = {
            str(Path(c["file"]).resolve().relative_to(ROOT)): shlex.split(c["command"])
            for c in commands
            if "geotherm.dir" in c["command"] and Path(c["file"]).resolve().is_relative_to(ROOT)
        }
        self.link = {}
        for program in (*(f"test_{module}" for module in modules), *suites):
            listed = subprocess.run(
                ["ninja", "-C", build, "-t", "commands", program], check=True, capture_output=True, text=True
            )
            last = listed.stdout.strip().splitlines()[-1]
            self.link[program] = next(shlex.split(part) for part in last.split("&&") if " -o " in part)
        self.usual = {}

    def run(self, program: str, binary: Path) -> bool:
        """Whether the tests pass; a run that hangs does not."""
        limit = 20 + 4 * self.usual.get(program, 200)
        command = [str(binary), "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={FILTER}"]
        try:
            done = subprocess.run(command, check=False, capture_output=True, timeout=limit, cwd=self.build)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def measure(self):
        """How long the tests take as they are; they have to pass."""
        for program in self.link:
            begin = time.monotonic()
            place = self.build / ("tests" if program in SUITES else "src") / program
            if not self.run(program, place):
                raise SystemExit(f"{program} fails without any change")
            self.usual[program] = time.monotonic() - begin

    def verdict(self, mutant: Mutant) -> str:
        """Who noticed: "compiler", a test program, or "nobody"."""
        with tempfile.TemporaryDirectory(dir=self.build) as folder:
            source = Path(folder) / Path(mutant.file).name
            lines = (ROOT / mutant.file).read_text().split("\n")
            original = lines[mutant.line - 1]
            lines[mutant.line - 1] = original.replace(mutant.before, mutant.after)
            # So that quoted includes of the file's own folder are still found.
            source.write_text("\n".join(lines))
            command = list(self.compile[mutant.file])
            at = command.index("-o")
            command[at + 1] = str(Path(folder) / "mutant.o")
            command[-1] = str(source)
            extra = ["-w", "-I", str((ROOT / mutant.file).parent)]
            done = subprocess.run(
                [*command[:-1], *extra, command[-1]], check=False, cwd=self.build, capture_output=True
            )
            if done.returncode != 0:
                return "compiler"
            module = mutant.file.split("/")[1]
            for program in (f"test_{module}", *self.suites):
                link = list(self.link[program])
                link[link.index("-o") + 1] = str(Path(folder) / program)
                link.insert(link.index("src/libgeotherm.a"), str(Path(folder) / "mutant.o"))
                subprocess.run(link, check=True, cwd=self.build, capture_output=True)
                if not self.run(program, Path(folder) / program):
                    return program
        return "nobody"


def drawn(count: int, seed: int, modules) -> list[Mutant]:
    """Modules take turns, so that a small one is not drowned by a large one."""
    rng = random.Random(seed)
    by_room = {module: [] for module in modules}
    for mutant in candidates(modules):
        by_room[mutant.file.split("/")[1]].append(mutant)
    for mutants in by_room.values():
        rng.shuffle(mutants)
    chosen = []
    for turn in range(count):
        for module in modules:
            if turn < len(by_room[module]) and len(chosen) < count:
                chosen.append(by_room[module][turn])
    return chosen


def explained() -> dict[tuple[str, str, str], str]:
    entries = json.loads((Path(__file__).with_name("explained.json")).read_text())
    return {(e["file"], e["before"], e["after"]): e["reason"] for e in entries}


def fate_of(result: dict) -> str:
    who = result["noticed_by"]
    if who == "nobody":
        return "equal in effect" if result["reason"] else "missed"
    return "tests across modules" if who in SUITES else "compiler" if who == "compiler" else "the module's tests"


def table_of(results: list[dict]) -> str:
    fates = ("the module's tests", "tests across modules", "compiler", "equal in effect", "missed")
    lines = ["| module | changes | " + " | ".join(fates) + " |", "|---" * (2 + len(fates)) + "|"]
    for module in (*MODULES, "all"):
        mine = [fate_of(r) for r in results if module in ("all", r["file"].split("/")[1])]
        lines.append("| " + " | ".join(map(str, (module, len(mine), *map(mine.count, fates)))) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=ROOT / "out")
    parser.add_argument("--modules", nargs="+", default=MODULES, choices=MODULES)
    parser.add_argument("--no-suites", action="store_true", help="the modules' own tests only")
    parser.add_argument("--list", action="store_true", help="only show what would be changed")
    a = parser.parse_args()
    mutants = drawn(a.count, a.seed, a.modules)
    if a.list:
        for m in mutants:
            print(f"{m.file}:{m.line}: {m.kind}: {m.before}  ->  {m.after}")
        return 0
    tester = Tester(a.build.resolve(), a.modules, () if a.no_suites else SUITES)
    tester.measure()
    reasons = explained()
    with ThreadPoolExecutor(a.jobs) as pool:
        results = []
        for mutant, who in zip(mutants, pool.map(tester.verdict, mutants), strict=True):
            reason = reasons.get((mutant.file, mutant.before, mutant.after), "")
            results.append(asdict(mutant) | {"noticed_by": who, "reason": reason})
            mark = {"nobody": "equal" if reason else "MISSED"}.get(who, who)
            print(f"{mark}: {mutant.file}:{mutant.line}: {mutant.before}  ->  {mutant.after}", flush=True)
    a.out.mkdir(parents=True, exist_ok=True)
    (a.out / "mutation.json").write_text(json.dumps(results, indent=1) + "\n")
    (a.out / "mutation.md").write_text(table_of(results))
    print(table_of(results), end="")
    missed = [r for r in results if r["noticed_by"] == "nobody" and not r["reason"]]
    judged = [r for r in results if not r["reason"] and r["noticed_by"] != "compiler"]
    print(f"score: {1 - len(missed) / max(1, len(judged)):.3f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
