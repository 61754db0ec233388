"""The CSV of a sweep over --sram on standard input as a chart in SVG on standard output: traffic against the memory on chip.

A line for each algorithm, one without tiles dashed; the compulsory traffic dotted; a ring where an algorithm first moves no
more than the dashed one. Both axes are logarithmic, and the same points give the same text.
"""

import csv
import math
import sys

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 190, 46, 52
MIB = 2**20
COLOURS = ["#0b62a8", "#c2410c", "#15803d", "#7e22ce"]
DARK_COLOURS = ["#6db5f2", "#fb923c", "#6ee7a0", "#d8b4fe"]
STYLE = """text { font: 13px sans-serif; fill: #1f2328 } .title { font-size: 15px; font-weight: 600 }
.grid { stroke: #d0d7de } .line { fill: none; stroke-width: 2 } .untiled, .least { stroke: #57606a; stroke-dasharray: 8 4 }
.least { stroke-dasharray: 2 4 } .ring { fill: none; stroke: #1f2328; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .grid { stroke: #30363d } .untiled, .least { stroke: #9da7b3 }
.ring { stroke: #e6edf3 } }"""


class Axis:
    """A logarithmic axis from `low` to `high`, drawn from pixel `begin` to `end`."""

    def __init__(self, low, high, begin, end):
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def place(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return f"{self.begin + share * (self.end - self.begin):.1f}"

    def ticks(self):
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        return [tick for decade in decades for tick in (10**decade, 2 * 10**decade, 5 * 10**decade)
                if self.low <= tick <= self.high]


def read_lines(file):
    """algorithm -> [(M in elements, bytes moved)], and the first row, for what all rows share."""
    lines, first = {}, None
    for row in csv.DictReader(file):
        first = first or row
        if row.get("feasible") == "true" and row.get("sram_capacity_elements"):
            point = int(row["sram_capacity_elements"]), int(row["traffic_bytes_total"])
            lines.setdefault(row["algorithm"], []).append(point)
    if not lines:
        sys.exit("traffic_chart: no points; give the CSV of `tilemeter sweep --sram ...el`")
    return lines, first


def is_flat(points):
    return len({moved for _, moved in points}) == 1


def break_even(points, untiled):
    """The first point from which no later one moves more than `untiled`."""
    above = [memory for memory, moved in points if moved > untiled]
    below = [point for point in points if not above or point[0] > max(above)]
    return below[0] if above and below else None


def grid(x, y):
    for tick in x.ticks():
        yield f'<path class="grid" d="M{x.place(tick)} {TOP}V{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{x.place(tick)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:,}</text>'
    for tick in y.ticks():
        yield f'<path class="grid" d="M{LEFT} {y.place(tick)}H{WIDTH - RIGHT}"/>'
        yield f'<text x="{LEFT - 8}" y="{y.place(tick)}" dy="4" text-anchor="end">{tick:,}</text>'
    yield f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">M, elements on chip</text>'
    yield f'<text x="{LEFT - 8}" y="{TOP - 10}" text-anchor="end">MiB</text>'


def line(x, y, points, style):
    path = "L".join(f"{x.place(memory)} {y.place(moved / MIB)}" for memory, moved in points)
    return f'<path class="line {style}" d="M{path}"/>'


def labels(y, ends):
    """The names of lines beside their ends, (name, bytes), a line of text apart from the lowest upwards."""
    floor = HEIGHT
    for name, moved in sorted(ends, key=lambda end: end[1]):
        floor = min(float(y.place(moved / MIB)), floor - 16)
        yield f'<text x="{WIDTH - RIGHT + 8}" y="{floor:.1f}" dy="4">{name}, {moved / MIB:,.1f} MiB</text>'


def chart(lines, first):
    least = int(first["compulsory_bytes"])
    memories = [memory for points in lines.values() for memory, _ in points]
    most = max(moved for points in lines.values() for _, moved in points)
    x = Axis(min(memories), max(memories), LEFT, WIDTH - RIGHT)
    y = Axis(least / MIB / 1.3, most / MIB * 1.1, HEIGHT - BOTTOM, TOP)
    untiled = [points[0][1] for points in lines.values() if is_flat(points)]
    colours = [f".colour{i} {{ stroke: {colour} }}" for i, colour in enumerate(COLOURS)]
    dark = [f".colour{i} {{ stroke: {colour} }}" for i, colour in enumerate(DARK_COLOURS)]
    title = f"Traffic of attention, N = {first['problem_seq_q']}, d = {first['problem_head_dim']}, {first['problem_dtype']}"
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img">'
    yield f"<title>{title}, against the memory on chip</title>"
    yield f"<style>{STYLE}\n{' '.join(colours)}\n@media (prefers-color-scheme: dark) {{ {' '.join(dark)} }}</style>"
    yield f'<text class="title" x="{LEFT}" y="20">{title}: bytes across the edge of the SM</text>'
    yield from grid(x, y)
    yield line(x, y, [(min(memories), least), (max(memories), least)], "least")
    tiled = 0
    for points in lines.values():
        if is_flat(points):
            yield line(x, y, points, "untiled")
            continue
        yield line(x, y, points, f"colour{tiled % len(COLOURS)}")
        tiled += 1
        even = break_even(points, untiled[0]) if untiled else None
        if even:
            yield f'<circle class="ring" r="6" cx="{x.place(even[0])}" cy="{y.place(even[1] / MIB)}"/>'
    yield from labels(y, [("compulsory", least), *((name, points[-1][1]) for name, points in lines.items())])
    yield "</svg>"


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__.strip())
    print("\n".join(chart(*read_lines(sys.stdin))))


if __name__ == "__main__":
    main()
