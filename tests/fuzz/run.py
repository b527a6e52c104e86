"""Runs the fuzz targets and says what came of it.

run.py BINARIES SEEDS OUT --seconds N: every target for N seconds, `--jobs` processes each, `--at-once`
processes at a time. Corpora stay in OUT/corpus/<target> and serve the next run; inputs that broke
something are in OUT/findings. With --add the counts go on from those of OUT/summary.json, so that an hour
can be made of several runs. Exit code 1 where our own code broke. Needs nothing but Python.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TARGETS = ("csv", "npy", "npz", "mtx", "fcs", "mat", "hdf5", "model", "options")
# Bytes of an input at the most: small ones are tried faster.
LONGEST = {"hdf5": 30000, "model": 20000, "options": 600}


def frames_of(report: str, heading: str) -> list[str]:
    """The frames below the line that holds `heading`, up to an empty line."""
    found = re.search(re.escape(heading) + r".*?\n((?:\s+#\d+ .*\n)+)", report)
    return found.group(1).splitlines() if found else []


def is_inside_hdf5(report: str) -> bool:
    """Whether HDF5 itself broke: it was at work, and on memory that it had taken itself."""
    stack = re.search(r"((?:\s+#\d+ .*\n)+)", report)
    if stack is None or not any("libhdf5" in frame for frame in stack.group(1).splitlines()[:8]):
        return False
    owner = frames_of(report, "allocated by thread")
    return not owner or any("libhdf5" in frame for frame in owner[:4])


def kind_of(report: str) -> str:
    """In a few words, what broke."""
    patterns = (
        r"broken promise: (.*)",
        r"escaped: (.*)",
        r"ERROR: (AddressSanitizer: [\w-]+)",
        r"ERROR: (LeakSanitizer: [\w ]+)",
        r"runtime error: (.*)",
        r"ERROR: (libFuzzer: [\w -]+)",
        r"Error in the (\w+)",
    )
    for pattern in patterns:
        found = re.search(pattern, report)
        if found:
            return found.group(1).strip()
    return "ended by itself"


class Run:
    def __init__(self, arguments):
        self.arguments = arguments
        self.lock = threading.Lock()
        self.results = {
            target: {"executions": 0, "seconds": 0.0, "coverage": 0, "features": 0, "findings": [], "in_hdf5": 0}
            for target in arguments.targets
        }

    def command(self, target: str, seconds: float) -> list[str]:
        a = self.arguments
        corpus = Path(a.out) / "corpus" / target
        corpus.mkdir(parents=True, exist_ok=True)
        findings = Path(a.out) / "findings"
        findings.mkdir(parents=True, exist_ok=True)
        return [
            *a.launcher.split(),
            str(Path(a.binaries) / f"fuzz_{target}"),
            f"-max_total_time={max(1, int(seconds))}",
            f"-max_len={LONGEST.get(target, 4000)}",
            f"-dict={Path(a.seeds) / (target + '.dict')}",
            f"-artifact_prefix={findings}/{target}-",
            f"-malloc_limit_mb={0 if target == 'hdf5' else 256}",
            "-rss_limit_mb=2500",
            "-timeout=20",
            "-print_final_stats=1",
            "-reload=1",
            "-use_value_profile=1",
            f"-seed={a.seed}" if a.seed else "-seed=0",
            str(corpus),
            str(Path(a.seeds) / target),
        ]

    def job(self, target: str):
        """One process after the other until the time is up: each ends at its first finding."""
        begin = time.monotonic()
        deadline = begin + self.arguments.seconds
        for _ in range(500):
            left = deadline - time.monotonic()
            if left < 0.5:
                break
            # HDF5 asks for what a damaged file says (40 GB once) and is ready to hear no: it hears it on any machine.
            no = "allocator_may_return_null=1:max_allocation_size_mb=1000" if target == "hdf5" else "allocator_may_return_null=0"
            done = subprocess.run(
                self.command(target, left), check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                env=os.environ | {"ASAN_OPTIONS": no + ":handle_abort=1"},
            )  # fmt: skip
            log = done.stdout.decode(errors="replace")
            if "INITED" not in log and "Test unit written" not in log:
                raise SystemExit(f"fuzz_{target} does not start:\n{log[-3000:]}")
            self.take(target, done.returncode, log)
        with self.lock:
            self.results[target]["seconds"] += time.monotonic() - begin

    def take(self, target: str, code: int, log: str):
        executed = re.findall(r"stat::number_of_executed_units:\s+(\d+)", log)
        seen = re.findall(r"cov: (\d+) ft: (\d+)", log)
        with self.lock:
            result = self.results[target]
            if executed:
                result["executions"] += int(executed[-1])
            elif seen:
                result["executions"] += int((re.findall(r"^#(\d+)", log, re.MULTILINE) or ["0"])[-1])
            if seen:
                result["coverage"] = max(result["coverage"], int(seen[-1][0]))
                result["features"] = max(result["features"], int(seen[-1][1]))
            if code == 0:
                return
            if is_inside_hdf5(log):
                result["in_hdf5"] += 1
                return
            written = re.findall(r"Test unit written to (\S+)", log)
            result["findings"].append({"kind": kind_of(log), "input": written[-1] if written else ""})
            name = Path(written[-1]).name if written else f"{target}-{len(result['findings'])}"
            (Path(self.arguments.out) / "findings" / f"{name}.log").write_text(log[-20000:])

    def all(self):
        jobs = [target for _ in range(self.arguments.jobs) for target in self.arguments.targets]
        with ThreadPoolExecutor(self.arguments.at_once) as pool:
            for future in [pool.submit(self.job, target) for target in jobs]:
                future.result()


def added(earlier: dict, results: dict) -> dict:
    """Counts of both; of what was reached, the more."""
    both = dict(earlier)
    for target, now in results.items():
        before = both.get(target, {})
        both[target] = {
            name: max(before.get(name, value), value) if name in ("coverage", "features")
            else before.get(name, type(value)()) + value
            for name, value in now.items()
        }  # fmt: skip
    return both


def table_of(results: dict) -> str:
    lines = [
        "| target | seconds | inputs tried | branches reached | findings | within HDF5 |",
        "|---|---|---|---|---|---|",
    ]
    for target, r in results.items():
        row = (
            target,
            f"{r['seconds']:.0f}",
            f"{r['executions']:,}",
            f"{r['coverage']:,}",
            len(r["findings"]),
            r["in_hdf5"],
        )
        lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("seeds")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--jobs", type=int, default=1, help="processes a target")
    parser.add_argument("--at-once", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--targets", nargs="+", default=list(TARGETS), help="one named twice gets two jobs")
    parser.add_argument("--add", action="store_true", help="go on from the counts of an earlier run in OUT")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--launcher", default="", help="words before each command")
    run = Run(parser.parse_args())
    run.all()
    out = Path(run.arguments.out)
    summary = out / "summary.json"
    earlier = json.loads(summary.read_text()) if run.arguments.add and summary.exists() else {}
    total = added(earlier, run.results)
    summary.write_text(json.dumps(total, indent=1) + "\n")
    (out / "summary.md").write_text(table_of(total))
    print(table_of(total), end="")
    found = {}
    for target, result in run.results.items():
        for finding in result["findings"]:
            found.setdefault((target, finding["kind"]), []).append(finding["input"])
    for (target, kind), inputs in found.items():
        print(f"FOUND {target}: {kind}, {len(inputs)} times, as in {inputs[0]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
