"""results.md from the tables of compare.py, whole: nothing in it is written by hand."""
from common import cpu_name, seconds, version_of

TITLES = {
    "roll": "Swiss roll, noise 0.5",
    "mds": "MDS of the Swiss roll's heat-geodesic distances",
    "mnist": "MNIST, 50 principal components",
}
# What is shown as quality; for stress less is better.
MEASURES = {
    "roll": ("pearson", "spearman", "trustworthiness"),
    "mds": ("raw_stress",),
    "mnist": ("accuracy", "trustworthiness"),
}
SAYS = {
    "roll": "Quality: Pearson / Spearman of distances in the map with the true geodesics (means over "
            "rows) / trustworthiness(10).",
    "mds": "Quality: stress, sum of (d - |y_i - y_j|)^2 over the sum of d^2; less is better. Both start "
           "from one classical map; counted on both sides is the layout alone, from arrays in memory to "
           "the map, checks of the input included.",
    "mnist": "Quality: share of digits named rightly by their 10 nearest in the map / "
             "trustworthiness(10).",
}
SAME_QUALITY = 0.005  # smaller differences are not called worse; stress: as a share of the peer's


def quality(cell, data):
    return " / ".join(f"{cell['quality'][m]:.5f}" if data == "mds" else f"{cell['quality'][m]:.3f}"
                      for m in MEASURES[data])


def losses(row, data):
    """Where this row does not speak for us."""
    ours, peer = row["ours"], row["peer"]
    said = []
    if ours["seconds"] > peer["seconds"]:
        said.append(f"{ours['seconds'] / peer['seconds']:.2f} times the time")
    if ours["peak_mib"] > peer["peak_mib"]:
        said.append(f"{ours['peak_mib'] / peer['peak_mib']:.2f} times the memory")
    for measure in MEASURES[data]:
        a, b = ours["quality"][measure], peer["quality"][measure]
        if (a - b > SAME_QUALITY * b) if data == "mds" else (b - a > SAME_QUALITY):
            said.append(f"{measure.replace('_', ' ')} {a:.4g} instead of {b:.4g}")
    return said


def table_lines(table):
    data = table["data"]
    lines = [f"## {TITLES[data]}, n = {table['n']:,}", ""]
    if "skipped" in table:
        return [*lines, f"Skipped: {table['skipped']}", ""]
    lines += [
        SAYS[data],
        "",
        "| method | peer | ours s | peer s | peer / ours | ours CPU s | peer CPU s | CPU, peer / ours "
        "| ours MiB | peer MiB | quality, ours | quality, peer |"
        + (" stress, ours / peer |" if data == "mds" else ""),
        "|---" * (13 if data == "mds" else 12) + "|",
    ]
    against = []
    for row in table["rows"]:
        ours, peer, name = row["ours"], row["peer"], f"{row['title']} | {row['peer_name']}"
        failed = next((cell for cell in (ours, peer) if "failed" in cell), None)
        if failed:
            lines.append(f"| {name} | failed ({failed['key']['side']}): {failed['failed']} "
                         + "| - " * (10 if data == "mds" else 9) + "|")
            continue
        line = (f"| {name} | {seconds(ours['seconds'])} | {seconds(peer['seconds'])} "
                f"| {peer['seconds'] / ours['seconds']:.1f} "
                f"| {seconds(ours['cpu_s'])} | {seconds(peer['cpu_s'])} "
                f"| {peer['cpu_s'] / ours['cpu_s']:.1f} "
                f"| {ours['peak_mib']:.0f} | {peer['peak_mib']:.0f} "
                f"| {quality(ours, data)} | {quality(peer, data)} |")
        if data == "mds":
            ratio = ours["quality"]["raw_stress"] / peer["quality"]["raw_stress"]
            line += f" {ratio:.4f} |"
        lines.append(line)
        said = losses(row, data)
        if said:
            against.append(f"- {row['title']} against {row['peer_name']}: {', '.join(said)}.")
    return [*lines, "", "Where we are slower, larger or worse"
            + (":" if against else ": nowhere in this table."), "", *against,
            *([""] if against else [])]


def ran_lines(tables):
    """What each side ran, once, with its iterations in the order of the tables where it tells them."""
    counts = {}
    for table in tables:
        for row in table.get("rows", []):
            for side, name in (("ours", "geotherm"), ("peer", row["peer_name"])):
                cell = row[side]
                if "note" in cell:
                    found = counts.setdefault((name, cell["note"]), {})
                    found[table["data"], table["n"]] = cell.get("iterations")
    lines = []
    for (name, note), found in counts.items():
        told = [f"{count} ({data}, n = {n:,})" for (data, n), count in found.items() if count]
        lines.append(f"- {name}: {note}" + (f"; iterations: {', '.join(told)}" if told else ""))
    return lines


def report(tables, args, date):
    cells = [row[side] for table in tables for row in table.get("rows", [])
             for side in ("ours", "peer")]
    peer = next((cell for cell in cells if "versions" in cell), None)
    load = max((cell["load"] for cell in cells if "load" in cell), default=0)
    lines = [
        "# geotherm beside the best-known implementation of each method",
        "",
        "Written by `bench/methods/compare.py`; do not edit.",
        "",
        f"{cpu_name()}, both sides on the same {args.threads} cores with {args.threads} threads; "
        f"{date}.",
        f"geotherm {version_of(args.geotherm)}"
        + (f"; Python {peer['python']}, "
           + ", ".join(f"{k} {v}" for k, v in peer["versions"].items()) if peer else "") + ".",
        f"Highest load average at the start of a measurement: {load:.1f}"
        + (" (OTHER WORK WAS RUNNING: compare CPU seconds)"
           if load > args.threads + 0.7 else "") + ".",
        "",
        "Time: ours is the whole process, start and files included; the peers' is the call alone, "
        "without imports, files and compilation (a small data set goes first). Both to the peers' "
        "advantage. CPU: user and system seconds of all threads, ours of the whole process, the peers' of "
        "the call; where other work was running, these say more than the seconds of the clock. Our first "
        "run comes before the peer's, the others after them. Runs below 20 s: median of "
        f"{args.repeats}, each from another seed and, of MNIST, on other digits; longer ones: one run. Memory: peak of the whole process, for the peers with "
        "Python and what it imports. Quality is computed by one program for both sides "
        f"(`bench/quality.py`), as the mean over these runs; above 2,000 points, 2,000 of them evenly "
        f"spread are compared with all others. Differences up to {SAME_QUALITY} are not called worse.",
        "",
    ]
    for table in tables:
        lines += table_lines(table)
    lines += [
        "## What each ran",
        "",
        "Our neighbours do not count the point itself; `n_neighbors` of UMAP and of scikit-learn's "
        "SpectralEmbedding does.",
        "",
        *ran_lines(tables),
        "",
    ]
    return "\n".join(lines)
