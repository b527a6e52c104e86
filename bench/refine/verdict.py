"""What the table says, row by row: the default against the unrefined map, umap-learn and PaCMAP."""

DEFAULT, UNREFINED = "geotherm, auto", "geotherm, balance 0"


def share(ours, before):
    return f"{ours / before:.3f}"


def least_of(cells, key, peers):
    """Our value less the best of the peers'."""
    theirs = [cells[peer][key] for peer in peers if peer in cells and "failed" not in cells[peer]]
    return cells[DEFAULT][key] - max(theirs) if theirs else None


def shown(value):
    return "-" if value is None else f"{value:+.3f}"


def dominated(cells, peer):
    """Whether some point of ours is at least equal in geodesics and in neighbours kept."""
    if peer not in cells or "failed" in cells[peer]:
        return "-"
    theirs = cells[peer]
    ours = [cell for label, cell in cells.items() if label.startswith("geotherm") and "failed" not in cell]
    return "yes" if any(c["geodesics"] >= theirs["geodesics"] and c["kept"] >= theirs["kept"] for c in ours) else "no"


def verdict(rows, without_types):
    text = ["## The default against the unrefined map and peers", "",
            "Geodesics as a share of the unrefined map's; trustworthiness and neighbours kept less the better of umap-learn and PaCMAP;",
            "accuracy less umap-learn's; AMI less that of the unrefined map. The last columns: whether one of our maps is at least",
            "equal in both geodesics and neighbours kept.", "",
            "| data | epochs | geodesics | trust | kept | accuracy | AMI | umap-learn | PaCMAP | phate | openTSNE |",
            "|---|---|---|---|---|---|---|---|---|---|---|"]
    for name, (_, cells) in rows.items():
        ours, before = cells[DEFAULT], cells[UNREFINED]
        if "failed" in ours or "failed" in before:
            text.append(f"| {name} | failed |" + " |" * 9)
            continue
        local = ("umap-learn", "PaCMAP")
        ami = "-" if name in without_types else shown(ours["ami"] - before["ami"])
        text.append(f"| {name} | {ours['epochs']:.0f} | {share(ours['geodesics'], before['geodesics'])} | "
                    f"{shown(least_of(cells, 'trustworthiness', local))} | {shown(least_of(cells, 'kept', local))} | "
                    f"{shown(least_of(cells, 'accuracy', ('umap-learn',)))} | {ami} | "
                    + " | ".join(dominated(cells, peer) for peer in ("umap-learn", "PaCMAP", "phate", "openTSNE")) + " |")
    return [*text, ""]
