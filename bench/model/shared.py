"""What the comparisons of this folder share: the real sets, a peer in its own process, one judge."""
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import ROOT, Cells, cpu_name, last_json, program_mark  # noqa: E402

# A process begins with the memory of the one that starts it: a small one starts what is measured.
LAUNCHER = f"""import json, sys
sys.path.insert(0, {str(HERE.parent)!r})
from common import measured
print(json.dumps(measured(sys.argv[2:], int(sys.argv[1]))))"""

# name, file, points, labels
SETS = (("PBMC 3k", "pbmc3k_processed_pca50_small.npz", "X_pca", "louvain"),
        ("Paul15", "paul15_2730_pca50.npz", "X_pca", "paul15_clusters"),
        ("Levine32", "levine32_H2_31721x32_asinh.npz", "X", "label"),
        ("MNIST", "mnist_70k_pca50.npz", "X_pca", "y"))


#: What every table says of its columns of cost.
COST_NOTE = ["Seconds, and seconds of all cores together (CPU): of the whole process for geotherm (reading the model and the rows, placing,",
             "writing), of the call alone for the others, once compiled. Peak memory: of fitting and asking, whichever is larger."]


def data_folder():
    folder = os.environ.get("GEOTHERM_DATA")
    if not folder:
        sys.exit("GEOTHERM_DATA does not name the folder with the real sets")
    return Path(folder)


def rows_of(name, most=None, seed=0):
    """Points in float32 and labels as text, in an order that is drawn from the seed."""
    import numpy as np

    _, file, points, labels = next(row for row in SETS if row[0] == name)
    with np.load(data_folder() / file) as arrays:
        X, y = arrays[points].astype(np.float32), arrays[labels].astype(str)
    chosen = np.random.default_rng(seed).permutation(len(X))[:most]
    return X[chosen], y[chosen]


def measured(command, threads):
    """What bench/common.py measures, without this process's arrays."""
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, str(threads), *map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return last_json(done.stdout)


def ask_peer(name, folder, threads, **arrays):
    """Seconds of the query, peak memory, and what was found."""
    import numpy as np

    np.savez(folder / "in.npz", **arrays)
    cell = measured([sys.executable, HERE / "peers.py", name, folder, "--threads", threads], threads)
    with np.load(folder / "out.npz") as found:
        return last_json(cell["stdout"]), dict(found)


def run_ours(program, words, threads):
    """Seconds, CPU seconds and peak memory of the whole process."""
    cell = measured([program, *words, "--threads", threads, "--quiet"], threads)
    return {"seconds": cell["wall_s"], "cpu_s": cell["cpu_s"], "peak_mib": cell["peak_mib"]}


def fit_and_ask(program, fit, ask, threads):
    """Cost of asking; the peak is that of the larger process, since others do both in one."""
    fitted, asked = (run_ours(program, words, threads) for words in (fit, ask))
    return asked | {"fit_cpu_s": fitted["cpu_s"], "peak_mib": max(asked["peak_mib"], fitted["peak_mib"])}


def shown_cost(cell, digits=2):
    return f"{cell['seconds']:.{digits}f} | {cell['cpu_s']:.{digits}f} | {cell['peak_mib']:.0f}"


def kept_cells(script):
    """Finished cells: a run that was broken off goes on where it stopped."""
    return Cells(ROOT / "out" / "bench-model" / f"{Path(script).stem}.jsonl")


def mark_of(program, is_ours):
    """For the key of a cell: ours are measured anew with another build."""
    return {"program": program_mark(program)} if is_ours else {}


def accuracy_in_map(places, labels, reference, known, skips_itself=False, k=10):
    """Share of rows whose k nearest rows of the reference, in the map, vote for their own label."""
    import numpy as np
    from sklearn.neighbors import NearestNeighbors

    near = NearestNeighbors(n_neighbors=k + skips_itself).fit(reference).kneighbors(places, return_distance=False)
    names, codes = np.unique(known, return_inverse=True)
    votes = codes[near[:, int(skips_itself):]]
    counts = (votes[:, :, None] == np.arange(len(names))).sum(1)
    return float((names[counts.argmax(1)] == labels).mean())


def made_by(script, threads):
    """Asked before the work: whether the machine is quiet, or the cores are ours."""
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    if cores < os.cpu_count() and threads <= cores:
        return (f"Made by `bench/model/{script}` on {cpu_name()}, {threads} thread{'s' * (threads > 1)}, pinned to {cores} of "
                f"{os.cpu_count()} cores (load of all {load:.1f} at the start).")
    busy = f" The machine had other work (load {load:.1f} at the start), so that seconds are too long." if load > 0.5 * threads else ""
    return f"Made by `bench/model/{script}` on {cpu_name()}, {threads} threads.{busy}"


def write(name, lines):
    (HERE / name).write_text("\n".join(lines) + "\n")
    print(f"written: {HERE / name}")
