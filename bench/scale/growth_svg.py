"""Rows of (points, CPU seconds, peak MiB) -> an SVG with both on logarithmic axes, and what n log n and n
would be from the first row on."""
import math

WIDTH, HEIGHT, LEFT, TOP, SIDE = 760, 360, 62, 44, 250


def panel(x0, title, sizes, values, guide, guide_name):
    every = [*values, *guide]
    low_x, high_x = math.log10(min(sizes)), math.log10(max(sizes))
    low_y = math.floor(math.log10(min(every)))
    high_y = max(low_y + 1, math.ceil(math.log10(max(every))))

    def at(n, value):
        x = x0 + SIDE * (math.log10(n) - low_x) / max(high_x - low_x, 1e-9)
        return x, TOP + SIDE * (1 - (math.log10(value) - low_y) / (high_y - low_y))

    def line(points, style):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        return f'<polyline points="{path}" fill="none" {style}/>'

    parts = [f'<text x="{x0}" y="{TOP - 16}" font-size="14">{title}</text>',
             f'<rect x="{x0}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/>']
    for exponent in range(low_y, high_y + 1):
        _, y = at(sizes[0], 10.0**exponent)
        parts.append(f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**exponent:g}</text>')
    for n in sizes:
        x, _ = at(n, 10.0**low_y)
        shown = f"{n // 1000}k" if n < 10**6 else f"{n // 10**6}M"
        parts.append(f'<text x="{x:.1f}" y="{TOP + SIDE + 18}" text-anchor="middle">{shown}</text>')
    parts.append(line([at(*p) for p in zip(sizes, guide)], 'stroke="#888" stroke-dasharray="5 4"'))
    parts.append(line([at(*p) for p in zip(sizes, values)], 'stroke="#c0392b" stroke-width="2"'))
    parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#c0392b"/>'
              for x, y in (at(*p) for p in zip(sizes, values))]
    parts.append(f'<text x="{x0 + 10}" y="{TOP + 20}" fill="#666">dashed: {guide_name}</text>')
    return parts


def growth_svg(rows):
    sizes, seconds, memory = (list(column) for column in zip(*rows))
    first = sizes[0] * math.log(sizes[0])
    by_n_log_n = [seconds[0] * n * math.log(n) / first for n in sizes]
    linear = [memory[0] * n / sizes[0] for n in sizes]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
             'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
             *panel(LEFT, "CPU seconds over points", sizes, seconds, by_n_log_n, "n log n"),
             *panel(LEFT + SIDE + 110, "peak MiB over points", sizes, memory, linear, "n"), "</svg>"]
    return "\n".join(parts) + "\n"
