"""What every comparison shares: a command measured as a whole process, threads held to a number, and
how results are shown. Standard library alone, so that every peer's environment can import it.
"""
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class CommandFailed(SystemExit):
    """Ends the program with the command and the end of its stderr, unless someone catches it."""


class TookTooLong(CommandFailed):
    """Ended by us: it ran past its limit."""

    def __init__(self, limit_s):
        super().__init__(f"not finished after {limit_s:g} s, and ended")
        self.limit_s = limit_s


def hold_threads(threads):
    """For this process and its libraries, which read this when loaded: call before importing numpy."""
    for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "NUMBA"):
        os.environ[f"{library}_NUM_THREADS"] = str(threads)


def measured(command, threads, limit_s=None):
    """Runs a command on `threads` cores; seconds and peak memory of the whole process, and stdout. One that
    takes longer than limit_s is ended.

    The peak is what the kernel reports for the process (wait4). It starts from the memory of the
    process that launches it, so this one keeps no large array.
    """
    cores = sorted(os.sched_getaffinity(0))[:threads]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=out, stderr=err, cwd=ROOT,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        ender = threading.Timer(limit_s, process.kill) if limit_s else None
        if ender:
            ender.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        if ender:
            ender.cancel()
            if wall >= limit_s:
                raise TookTooLong(limit_s)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            shown = err.read().decode(errors="replace")[-2000:]
            raise CommandFailed(f"{shlex.join(command)}\nfailed with {process.returncode}:\n{shown}")
        return {
            "wall_s": wall,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_mib": usage.ru_maxrss / 1024,
            "stdout": out.read().decode(),
        }


class Cells:
    """Measurements kept in a file of lines, by their key: a run that was broken off goes on where it stopped."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self.known = {json.dumps(cell["key"], sort_keys=True): cell for cell in map(json.loads, lines)}

    def has(self, key):
        return json.dumps(key, sort_keys=True) in self.known

    def get(self, key, measure):
        name = json.dumps(key, sort_keys=True)
        if name not in self.known:
            try:
                cell = {"key": key, "load": os.getloadavg()[0], **measure()}
            except CommandFailed as failure:
                print(failure, file=sys.stderr)
                said = [line for line in str(failure).strip().splitlines() if line != "Execution halted"]  # R's last word
                return {"key": key, "failed": said[-1],
                        "ended_after_s": getattr(failure, "limit_s", None)}
            self.known[name] = cell
            with self.path.open("a") as file:
                file.write(json.dumps(cell) + "\n")
            print(json.dumps(cell), flush=True)
        return self.known[name]


def program_mark(path):
    """For the keys of cells: those of another build are not taken for those of this one."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]


def last_json(text):
    return json.loads(text.strip().splitlines()[-1])


def in_process_seconds(manifest_path):
    """What the program says it spent from points to map; None where the manifest does not say."""
    manifest = json.loads(Path(manifest_path).read_text())
    timings = manifest.get("timings_s", manifest.get("timings"))
    if not isinstance(timings, dict):
        return None
    return timings["total"] if "total" in timings else sum(timings.values())


def shown_command(command, folder):
    """For a report: without this machine's folders."""
    return shlex.join(
        Path(word).name if word.startswith(str(folder)) else os.path.relpath(word, ROOT)
        if os.path.isabs(word) else word
        for word in command
    )


def peer_python(name):
    """Where bench/peers.sh puts a peer's Python."""
    return str(ROOT / os.environ.get("GEOTHERM_PEERS", ".deps/peers") / name / "bin/python")


def cpu_name():
    with open("/proc/cpuinfo") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines
                     if line.startswith("model name")), "unknown")


def version_of(program):
    said = subprocess.run([program, "--version"], capture_output=True, text=True)
    return (said.stdout or said.stderr).strip()


def refuse_if_missing(geotherm, peer, peer_name, threads):
    """Before any work: both programs, and as many cores as threads."""
    for path, remedy in ((geotherm, "build it first (make build)"),
                         (peer, f"run bench/peers.sh {peer_name}")):
        if not Path(path).exists():
            sys.exit(f"{path} is not there: {remedy}")
    if len(os.sched_getaffinity(0)) < threads:
        sys.exit(f"--threads {threads}: this machine has fewer cores")


def seconds(value):
    return "-" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"
