#!/usr/bin/env python3
"""Prints what a step costs in regions, and in linear light or dithered, next to the same step on the whole picture.

  step_cost.py WEFT FILM [--size 3840x2160] [--gpu off]

The film is 8-bit 4:2:0 of that size, a second of it or more. Each figure is of a run of `weft batch` over it whose second
step is measured; times are the report's medians. Before a step is timed in regions, its first frame is compared with one
that is put together here from frames of the source and of the whole picture: outside of the regions the bytes must be
equal, and inside samples may differ by a level, as sums in fp32 of other kernels do.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

STEPS = {
    "gaussian sigma 3": "gaussian=sigma=3",
    "gaussian sigma 10": "gaussian=sigma=10",
    "box radius 7": "box=radius=7",
    "disc radius 12": "disc=radius=12",
}
SHARES = (0.01, 0.1, 0.5, 1)
# Regions lie on a grid of these columns.
COLUMNS = {1: 1, 10: 5, 100: 10}
FIRST_STEP = "box=radius=1"


def regions(count, share, width, height):
    """Places (width, height, left, top), even as 4:2:0 needs them, that cover this share of the picture."""
    columns = COLUMNS[count]
    rows = count // columns
    side = math.sqrt(share)
    w, h = (int(size * side / parts) // 2 * 2 for size, parts in ((width, columns), (height, rows)))
    return [(w, h, width * c // columns // 2 * 2, height * r // rows // 2 * 2)
            for r in range(rows) for c in range(columns)]


def region_text(places):
    return "|".join("{}x{}+{}+{}".format(*place) for place in places)


class Runs:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.width, self.height = (int(n) for n in args.size.split("x"))

    def weft(self, stack, *output):
        report = self.folder / "report.json"
        subprocess.run([self.args.weft, "batch", "-y", "--gpu", self.args.gpu, "-vf", stack, "--json", report, *output,
                        self.args.film], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.loads(report.read_text())

    def microseconds(self, step):
        return self.weft(f"{FIRST_STEP},{step}", "-o", "null:")["files"][0]["steps"][1]["median_ms"] * 1000

    def frame(self, stack):
        """The planes of the first frame, as rows of bytes."""
        raw = self.folder / "frame.yuv"
        self.weft(stack, "-t", "0.01", "-f", "rawvideo", "-o", raw)
        data, planes, at = raw.read_bytes(), [], 0
        for half in (1, 2, 2):
            w, h = self.width // half, self.height // half
            planes.append([data[at + y * w:at + (y + 1) * w] for y in range(h)])
            at += w * h
        return planes

    def check(self, step, places):
        source, whole = self.frame(FIRST_STEP), self.frame(f"{FIRST_STEP},{step}")
        result = self.frame(f"{FIRST_STEP},{step}:region={region_text(places)}")
        for p, half in enumerate((1, 2, 2)):
            for y, row in enumerate(result[p]):
                expected = bytearray(source[p][y])
                for w, h, left, top in places:
                    span = slice(left // half, (left + w) // half)
                    if top // half <= y < (top + h) // half:
                        near = max(abs(a - b) for a, b in zip(row[span], whole[p][y][span])) <= 1
                        expected[span] = row[span] if near else whole[p][y][span]
                if row != expected:
                    sys.exit(f"step_cost.py: {step} in {len(places)} regions: row {y} of plane {p} is wrong; nothing is "
                             "timed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("film")
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--gpu", default="auto")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(args, pathlib.Path(folder))
        device = runs.weft(FIRST_STEP, "-o", "null:")["files"][0]["device"]["name"]
        print(f"{device}, {args.size} yuv420p, medians in us")
        for name, step in STEPS.items():
            runs.check(step, regions(10, 0.1, runs.width, runs.height))
            whole = runs.microseconds(step)
            print(f"\n{name}: whole picture {whole:.0f}")
            for share in SHARES:
                costs = [runs.microseconds(f"{step}:region={region_text(regions(n, share, runs.width, runs.height))}")
                         for n in COLUMNS]
                print(f"  {share:4.0%} in " + ", ".join(f"{n} {us:.0f}" for n, us in zip(COLUMNS, costs)))
            for how in ("light=linear", "dither=ordered"):
                us = runs.microseconds(f"{step}:{how}")
                print(f"  {how} {us:.0f}, {us / whole:.1f} times")


if __name__ == "__main__":
    main()
