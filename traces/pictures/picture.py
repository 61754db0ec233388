#!/usr/bin/env python3
"""A picture of one steady-state tile, from a trace of `tilemeter simulate --trace`.

usage: picture.py TRACE.json OUT.svg TITLE

The window is one step of the middle block of SM 0: from one product Q K^T of its first group to the next, with a
quarter of a step on both sides. Rows are the units of the SM; colours are phases, pale where another block works.
"""

import json
import sys

WIDTH, LEFT, ROW, GAP, TOP = 1000, 90, 30, 6, 48
COLOURS = {"load_q": "#8c8c8c", "load_k": "#5b8ff9", "load_v": "#3b6fd0", "scores": "#e8684a", "mask": "#b8b8b8",
           "softmax": "#5ad8a6", "rescale": "#6dc8ec", "accumulate": "#f6bd16", "finish": "#9270ca", "store": "#9270ca"}


def rows_of(events):
    """Names of SM 0's rows by number."""
    return {e["tid"]: e["args"]["name"] for e in events
            if e["ph"] == "M" and e["name"] == "thread_name" and e["pid"] == 0}


def step_of(spans, rows):
    """Block, begin and length of a step in the middle of the block in the middle."""
    products = [s for s in spans if rows[s["tid"]] == "tensor" and s["name"] == "scores"]
    blocks = sorted({s["args"]["block"] for s in products})
    block = blocks[len(blocks) // 2]
    own = sorted(s["ts"] for s in products if s["args"]["block"] == block)
    middle = len(own) // 2
    groups = 2 if len(own) % 2 == 0 and "flash3" in sys.argv[3] else 1
    middle -= middle % groups
    return block, own[middle], own[middle + groups] - own[middle]


def text(x, y, words, size=12, anchor="start"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="currentColor">'
            f"{words}</text>")


def box(span, block, x, y, width):
    colour = COLOURS.get(span["name"], "#cccccc")
    opacity = 1 if span["args"]["block"] == block else 0.35
    tip = f'{span["name"]} of block {span["args"]["block"]}, {span["dur"] * 1000:.0f} ns'
    shape = (f'<rect x="{x:.1f}" y="{y}" width="{max(width, 0.6):.1f}" height="{ROW}" rx="2" fill="{colour}" '
             f'fill-opacity="{opacity}"><title>{tip}</title></rect>')
    if width > 8 * len(span["name"]):
        shape += (f'<text x="{x + width / 2:.1f}" y="{y + 20}" font-size="12" text-anchor="middle" '
                  f'fill="#111111">{span["name"]}</text>')
    return shape


def draw(events, title):
    rows = rows_of(events)
    spans = [e for e in events if e["ph"] == "X" and e["pid"] == 0]
    work = [s for s in spans if s["cat"] != "wait"]
    block, begin, length = step_of(work, rows)
    first, last = begin - length / 4, begin + length * 5 / 4
    scale = (WIDTH - LEFT - 10) / (last - first)
    units = [tid for tid in sorted(rows) if not rows[tid].startswith("waits")]
    parts = [text(LEFT, 18, title, 15),
             text(LEFT, 36, f"one step: {length * 1000:.0f} ns; pale: the other block of the SM", 12)]
    for number, tid in enumerate(units):
        y = TOP + number * (ROW + GAP)
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - 10}" height="{ROW}" fill="#88888822"/>')
        parts.append(text(LEFT - 8, y + 20, rows[tid], 13, "end"))
        for span in work:
            a, b = max(span["ts"], first), min(span["ts"] + span["dur"], last)
            if span["tid"] == tid and b > a:
                parts.append(box(span, block, LEFT + (a - first) * scale, y, (b - a) * scale))
    height = TOP + len(units) * (ROW + GAP)
    for at in (begin, begin + length):
        x = LEFT + (at - first) * scale
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height}" stroke="currentColor" '
                     'stroke-dasharray="4 3"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + 8}" '
            f'font-family="system-ui, sans-serif" color="#333333">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(events, sys.argv[3]))


if __name__ == "__main__":
    main()
