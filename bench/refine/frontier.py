"""Geodesics against neighbours kept, one small chart a data set -> SVG. Our balances are one line, peers are points."""

COLOURS = {"umap-learn": "#d55e00", "PaCMAP": "#009e73", "openTSNE": "#cc79a7", "phate": "#e69f00"}
OURS, WIDTH, HEIGHT, MARGIN, PER_ROW = "#0072b2", 260, 210, 44, 3


def ticks(low, high):
    return [low, (low + high) / 2, high]


def chart(name, cells, left, top):
    cells = {label: cell for label, cell in cells.items() if "failed" not in cell}
    xs, ys = [c["kept"] for c in cells.values()], [c["geodesics"] for c in cells.values()]

    def spread(values):
        margin = 0.08 * (max(values) - min(values)) or 0.01
        return min(values) - margin, max(values) + margin

    (x0, x1), (y0, y1) = spread(xs), spread(ys)

    def at(cell):
        x = left + MARGIN + (cell["kept"] - x0) / (x1 - x0) * (WIDTH - MARGIN - 12)
        y = top + HEIGHT - MARGIN - (cell["geodesics"] - y0) / (y1 - y0) * (HEIGHT - MARGIN - 24)
        return x, y

    ours = [cell for label, cell in cells.items() if label.startswith("geotherm, balance")]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(at, ours))
    parts = [f'<text x="{left + MARGIN}" y="{top + 14}" font-weight="bold">{name}</text>',
             f'<polyline points="{line}" fill="none" stroke="{OURS}" stroke-width="1.5"/>']
    for label, cell in cells.items():
        x, y = at(cell)
        colour = COLOURS.get(label, OURS)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"><title>{label}</title></circle>')
    for value in ticks(x0, x1):
        x, _ = at({"kept": value, "geodesics": y0})
        parts.append(f'<text x="{x:.1f}" y="{top + HEIGHT - MARGIN + 14}" text-anchor="middle">{value:.2f}</text>')
    for value in ticks(y0, y1):
        _, y = at({"kept": x0, "geodesics": value})
        parts.append(f'<text x="{left + MARGIN - 4}" y="{y + 3:.1f}" text-anchor="end">{value:.2f}</text>')
    return parts


def frontier_svg(rows):
    n_lines = -(-len(rows) // PER_ROW)
    width, height = PER_ROW * WIDTH, n_lines * HEIGHT + 40
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             'font-size="10"><rect width="100%" height="100%" fill="white"/>']
    for place, (name, (_, cells)) in enumerate(rows.items()):
        parts += chart(name, cells, place % PER_ROW * WIDTH, place // PER_ROW * HEIGHT)
    x = 12
    for label, colour in {"geotherm, balance 0 to 1": OURS, **COLOURS}.items():
        parts.append(f'<circle cx="{x}" cy="{height - 24}" r="4" fill="{colour}"/>'
                     f'<text x="{x + 8}" y="{height - 20}">{label}</text>')
        x += 30 + 7 * len(label)
    parts.append(f'<text x="12" y="{height - 6}">across: share of the 10 true neighbours kept; upwards: Spearman '
                 'correlation with graph geodesics</text></svg>')
    return "\n".join(parts) + "\n"
