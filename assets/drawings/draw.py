#!/usr/bin/env python3
"""Draws the SVGs of this folder for docs/architecture.md and docs/kernels.md.

draw.py           writes them
draw.py --check   exit 1 if one of them differs from what the sources give

The layers and their folders are read from the includes and from tests/support/check_layers.sh, the
loads and shuffles of column reuse are computed.
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "assets/drawings"

BLUE, ORANGE, GREEN, GRAY, WHITE = "#cfe2f3", "#fce5cd", "#d9ead3", "#eeeeee", "#ffffff"


class Drawing:
    """An SVG of boxes, texts and arrows on white, readable in dark themes too."""

    def __init__(self, width, height):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="DejaVu Sans, Helvetica, sans-serif" '
            'font-size="12">',
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="#555"/></marker></defs>',
            f'<rect width="{width}" height="{height}" fill="{WHITE}"/>']

    def text(self, x, y, text, anchor="middle", size=12, bold=False, color="#222"):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}"'
                          f'{weight} fill="{color}">{html.escape(text)}</text>')

    def cell(self, x, y, width, height, fill, text="", size=12):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                          f'fill="{fill}" stroke="#555"/>')
        if text:
            self.text(x + width / 2, y + height / 2 + 0.36 * size, text, size=size)

    def box(self, x, y, width, height, fill, title, lines=()):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" '
                          f'fill="{fill}" stroke="#555"/>')
        top = y + height / 2 + 4.5 - 7.5 * len(lines)
        self.text(x + width / 2, top, title, bold=True, size=13)
        for number, line in enumerate(lines, 1):
            self.text(x + width / 2, top + 15 * number + 1, line, size=11)

    def arrow(self, *points, dashed=False):
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<path d="{path}" fill="none" stroke="#555" stroke-width="1.4"{dash} '
                          'marker-end="url(#head)"/>')

    def svg(self):
        return "\n".join([*self.parts, "</svg>", ""])


# ---- layers ------------------------------------------------------------------------------------

# Place (column, row) and content of each layer.
LAYERS = {
    "app/gui": (0, 0, "the window, a plug-in"), "app/cli": (1, 0, "the commands"),
    "app/viewer": (0, 1, "what the window shows and edits"), "app/batch": (1, 1, "jobs, several GPUs"),
    "app/pipeline": (0.5, 2, "decode, filter, encode with bounded queues"),
    "app/media": (0.5, 3, "FFmpeg in and out, checks"),
    "kernels": (0.5, 4, "how: image views, kernels, planner"),
    "filters": (0.5, 5, "what to compute: taps, filters, stacks"),
}


def layer_of(name):
    return next((layer for layer in LAYERS if name.startswith(layer + "/")), None)


def included_layers():
    """{layer: layers that its sources include}."""
    used = {layer: set() for layer in LAYERS}
    for layer in LAYERS:
        for path in (ROOT / layer).rglob("*"):
            if path.suffix in (".h", ".cpp", ".cu", ".cuh"):
                for name in re.findall(r'^#include "([^"]+)"', path.read_text("utf-8"), re.M):
                    used[layer].add(layer_of(name))
        used[layer] -= {None, layer}
    return used


def direct_only(used):
    """The arrows without those that others imply."""
    def reaches(layer, goal):
        return goal in used[layer] or any(reaches(below, goal) for below in used[layer])

    return {(layer, below) for layer in used for below in used[layer]
            if not any(reaches(other, below) for other in used[layer] - {below})}


def folder_orders():
    """{layer: its folders as check_layers.sh orders them, lowest first}."""
    script = (ROOT / "tests/support/check_layers.sh").read_text("utf-8")
    found = re.findall(r'\$\(ordered (\S+) ([^|)"\n]+)', script)
    return {layer: order.split() for layer, order in found}


def folder_lines(order, width=62):
    """"a ← b, c ← d", where each may include those before it, in lines of at most `width` signs."""
    groups = [", ".join(name for name in group.split(",") if name != ".") for group in order]
    lines = [""]
    for group in filter(None, groups):
        joined = f"{lines[-1]} ← {group}" if lines[-1] else group
        if len(joined) <= width:
            lines[-1] = joined
        else:
            lines.append("← " + group)
    return [line for line in lines if line]


def layers():
    orders = folder_orders()
    texts = {layer: [content, *folder_lines(orders.get(layer, []))]
             for layer, (_, _, content) in LAYERS.items()}
    rows = max(row for _, row, _ in LAYERS.values()) + 1
    heights = [30 + 15 * max(len(texts[layer]) for layer in LAYERS if LAYERS[layer][1] == row)
               for row in range(rows)]
    tops = [10 + sum(heights[:row]) + 20 * row for row in range(rows + 1)]
    drawing = Drawing(860, tops[-1] - 10)
    width = 400
    place = {}
    for layer, (column, row, _) in LAYERS.items():
        x, y = 20 + column * (width + 20), tops[row]
        place[layer] = (x, y, heights[row])
        fill = BLUE if layer.startswith("app/") else GREEN if layer == "filters" else ORANGE
        drawing.box(x, y, width, heights[row], fill, layer, texts[layer])
    for layer, below in sorted(direct_only(included_layers())):
        (x, y, height), (below_x, below_y, _) = place[layer], place[below]
        # Towards the middle of the lower box, but apart from the other arrow that ends there.
        to_x = below_x + width / 2 + (x - below_x) / 3
        drawing.arrow((x + width / 2, y + height), (to_x, below_y))
    for number, line in enumerate(("An arrow: may include.", "In a box: its folders, each of",
                                   "which may include those", "to its left.")):
        drawing.text(20, tops[-2] + 16 * number, line, "start", 11)
    return drawing.svg()


# ---- the ways of a frame and of a stack --------------------------------------------------------

def frame():
    drawing = Drawing(860, 250)
    boxes = [("file", 60, GRAY, []), ("Reader", 120, BLUE, ["decodes"]),
             ("FilterStage", 190, ORANGE, ["per plane, on a CUDA stream:", "upload · kernels · download"]),
             ("EncodeStage", 110, BLUE, ["encodes"]), ("Writer", 110, BLUE, ["muxes"]),
             ("file", 60, GRAY, [])]
    x, centers = 10, []
    for number, (title, width, fill, lines) in enumerate(boxes):
        drawing.box(x, 60, width, 70, fill, title, lines)
        if number:
            drawing.arrow((centers[-1][1], 95), (x, 95))
        centers.append((x + width / 2, x + width))
        x += width + 36
    for left in (1, 2):
        drawing.text(centers[left][1] + 18, 84, "queue", size=10)
    drawing.arrow((centers[1][0], 60), (centers[1][0], 30), (centers[4][0], 30), (centers[4][0], 60))
    drawing.text((centers[1][0] + centers[4][0]) / 2, 22,
                 "audio, subtitles, attachments: packets in file order, copied")
    drawing.arrow((centers[1][0], 130), (centers[1][0], 170), dashed=True)
    drawing.box(centers[1][0] - 95, 170, 190, 60, GREEN, "DamageWatch",
                ["what the container promised", "against what arrived"])
    drawing.arrow((centers[4][0], 130), (centers[4][0], 170), dashed=True)
    drawing.box(centers[4][0] - 125, 170, 250, 60, GREEN, "AtomicOutput",
                ["temporary file, read back by", "verify_output, synced, renamed"])
    return drawing.svg()


def stack():
    drawing = Drawing(860, 120)
    boxes = [("text", 150, GRAY, ["gaussian=sigma=2,", "sobel"]),
             ("Stack", 110, GREEN, ["filters,", "parameters"]),
             ("Operation", 120, GREEN, ["taps, combine,", "planes"]),
             ("ConvProblem", 130, BLUE, ["one per plane:", "sizes, type, border"]),
             ("kernel", 130, ORANGE, ["why_not, cost,", "measured policy"])]
    arrows = ["parse", "make", "lower", "plan"]
    x, right = 10, None
    for number, (title, width, fill, lines) in enumerate(boxes):
        drawing.box(x, 40, width, 70, fill, title, lines)
        if number:
            drawing.arrow((right, 75), (x, 75))
            drawing.text((right + x) / 2, 68, arrows[number - 1], size=11)
        if number == 2:
            drawing.text(x + width / 2, 30, "per frame format", size=11)
        right = x + width
        x = right + 50
    return drawing.svg()


# ---- column reuse, row reuse, bands -------------------------------------------------------------

def butterfly(width):
    """(loaded offsets, [(lane distance, offsets that it brings)]) for a window of 2^m + 1 columns."""
    distance = (width - 1) // 2
    loaded, steps = [0, width - 1], []
    while distance:
        steps.append((distance, list(range(distance, width - 1, 2 * distance))))
        distance //= 2
    return loaded, steps


def column_reuse(width=5, lanes=4):
    drawing = Drawing(860, 200)
    loaded, steps = butterfly(width)
    fills = [ORANGE, GREEN]
    size, left, top = 44, 150, 40
    for column in range(lanes + width - 1):
        drawing.text(left + (column + 0.5) * size, top - 10, f"t+{column}" if column else "t", size=11)
    for lane in range(lanes):
        drawing.text(left - 12, top + lane * 34 + 20, f"lane t+{lane}" if lane else "lane t", "end")
        for offset in range(width):
            step = next((n for n, (_, offsets) in enumerate(steps) if offset in offsets), None)
            fill = BLUE if offset in loaded else fills[step]
            drawing.cell(left + (lane + offset) * size, top + lane * 34, size, 28, fill, str(offset))
    legend = [(BLUE, f"offsets {' and '.join(map(str, loaded))} are loaded")]
    for number, (distance, offsets) in enumerate(steps):
        many = len(offsets) > 1
        legend.append((fills[number], f"{'offsets' if many else 'offset'} "
                       f"{' and '.join(map(str, offsets))}: {len(offsets)} "
                       f"{'shuffles' if many else 'shuffle'} from lane xor {distance}"))
    for number, (fill, text) in enumerate(legend):
        drawing.cell(540, top + 8 + number * 30, 18, 18, fill)
        drawing.text(568, top + 22 + number * 30, text, "start")
    drawing.text(540, top + 22 + 30 * len(legend) + 10,
                 f"{len(loaded)} loads per input row instead of {width}", "start", bold=True)
    return drawing.svg()


def row_reuse(taps=3, rows=7):
    drawing = Drawing(860, 250)
    size, left, top, current = 44, 150, 50, 3
    drawing.text(left + rows * size / 2, 16, "input row", size=11)
    for row in range(rows):
        drawing.text(left + (row + 0.5) * size, 38, str(row), bold=row == current)
    for output in range(rows - taps + 1):
        drawing.text(left - 12, top + output * 36 + 20, f"output row {output}", "end")
        for tap in range(taps):
            row = output + tap
            drawing.cell(left + row * size, top + output * 36, size, 28,
                         ORANGE if row == current else GRAY, f"w{tap}")
    x = 500
    drawing.text(x, 74, f"Row {current} is loaded once and added to {taps} rolling sums:", "start")
    for tap in range(taps):
        output = current - taps + 1 + tap
        drawing.text(x + 16, 100 + 22 * tap,
                     f"sum of output {output} += w{taps - 1 - tap} · row {current}"
                     f"{': finished, stored' if not tap else ''}", "start")
    drawing.text(x, 106 + 22 * taps, "Without reuse it is loaded once per output.", "start")
    return drawing.svg()


def bands(taps=3, outputs=8, images=16):
    drawing = Drawing(860, 320)
    columns, size = outputs + taps - 1, 16
    top = 50
    for row in range(images):
        for column in range(columns):
            drawing.cell(60 + column * size, top + row * size, size, size, BLUE)
    drawing.text(60 + columns * size / 2, 24, f"{images} image rows", bold=True)
    drawing.text(60 + columns * size / 2, 40, f"pixels 0 to K + {outputs - 2}", size=11)
    drawing.text(275, top + images * size / 2, "×", size=22)
    size, left = 25, 310
    for row in range(columns):
        for column in range(outputs):
            tap = row - column
            inside = 0 <= tap < taps
            drawing.cell(left + column * size, top + row * size, size, size,
                         ORANGE if inside else WHITE, f"w{tap}" if inside else "0", 10)
    drawing.text(left + outputs * size / 2, 24, f"band of one tap row, K = {taps}", bold=True)
    drawing.text(left + outputs * size / 2, 40, "one column per output", size=11)
    drawing.text(545, top + images * 8, "=", size=22)
    size, left = 16, 590
    for row in range(images):
        for column in range(outputs):
            drawing.cell(left + column * size, top + row * size, size, size, GREEN)
    drawing.text(left + outputs * size / 2, 24, f"{images} × {outputs} sums", bold=True)
    drawing.text(left + outputs * size / 2, 40, "added up over the tap rows", size=11)
    return drawing.svg()


DRAWINGS = {"layers": layers, "frame": frame, "stack": stack, "column_reuse": column_reuse,
            "row_reuse": row_reuse, "bands": bands}


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    for name, draw in DRAWINGS.items():
        path = FOLDER / f"{name}.svg"
        if not sys.argv[1:]:
            path.write_text(draw(), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != draw():
            raise SystemExit(f"{path.relative_to(ROOT)} is not current: run assets/drawings/draw.py")


main()
