"""The cases of weft-bench that peers in Python can be compared on, and what their scripts share."""

import json
import math
import random
import re
import statistics
import sys

WIDTH, HEIGHT = 3840, 2160
ROTATED_BYTES = 300e6
FILTERS = 8  # in a graph
LEAST_SAMPLES, SECONDS = 3, 0.3  # of a median, whichever takes longer


def random_matrix(size):
    source = random.Random(size)
    return [[(source.random() * 2 - 0.5) * 2 / (size * size) for _ in range(size)]
            for _ in range(size)]


def whole_matrix(size):
    """Sharpens: whole numbers whose sum is 1."""
    source = random.Random(size)
    matrix = [[source.randrange(-6, 7) for _ in range(size)] for _ in range(size)]
    middle = size // 2
    matrix[middle][middle] += 1 - sum(map(sum, matrix))
    return matrix


def gaussian_row(size, sigma):
    row = [math.exp(-0.5 * ((i - size // 2) / sigma) ** 2) for i in range(size)]
    return [v / sum(row) for v in row]


class Case:
    """A picture and its taps: a matrix, or a row that is the column as well."""

    PATTERN = re.compile(r"(?P<format>(?:u8|u16|f32)(?: gray| RGBA)?|RGBA|RGB24)"
                         r"(?P<kind>| whole| Gaussian| box) (?P<size>\d+)×\d+")
    CHANNELS = {"RGBA": 4, "RGB24": 3}

    def __init__(self, name, match):
        self.name = name
        self.size = int(match["size"])
        words = match["format"].split()
        self.channels = self.CHANNELS.get(words[-1], 1)
        self.type = words[0] if words[0] in ("u8", "u16", "f32") else "u8"
        self.kind = match["kind"].strip()
        self.sigma = self.size / 6  # of a Gaussian
        self.row = (gaussian_row(self.size, self.sigma) if self.kind == "Gaussian" else
                    [1 / self.size] * self.size if self.kind == "box" else None)
        self.matrix = (None if self.row else whole_matrix(self.size) if self.kind == "whole" else
                       random_matrix(self.size))

    @classmethod
    def of(cls, name):
        match = cls.PATTERN.fullmatch(name)
        return cls(name, match) if match else None

    def weight(self, x, y):
        return self.row[x] * self.row[y] if self.row else self.matrix[y][x]


def mirrored(at, size):
    return -at if at < 0 else 2 * size - 2 - at if at >= size else at


def repeated(at, size):
    return max(0, min(size - 1, at))


def places(channels):
    """The corners and 64 random ones."""
    for corner in ((0, 0), (WIDTH - 1, 0), (0, HEIGHT - 1), (WIDTH - 1, HEIGHT - 1)):
        yield *corner, channels - 1
    random_place = random.Random(1)
    for _ in range(64):
        x, y = random_place.randrange(WIDTH), random_place.randrange(HEIGHT)
        yield x, y, random_place.randrange(channels)


def wanted(case, source, beyond=mirrored):
    """Results by place (x, y, channel), summed in double from the function `source` of a place."""
    most = {"u8": 255, "u16": 65535, "f32": math.inf}[case.type]
    half, out = case.size // 2, {}
    for x, y, channel in places(case.channels):
        want = sum(case.weight(i, j) *
                   source(beyond(x + i - half, WIDTH), beyond(y + j - half, HEIGHT), channel)
                   for j in range(case.size) for i in range(case.size))
        out[x, y, channel] = max(0, min(most, want)) if most < math.inf else want
    return out


def compare(case, expected, result):
    for place, want in expected.items():
        got = result(*place)
        if not abs(got - want) <= (1e-3 if case.type == "f32" else 2):
            raise ValueError(f"wrong at {place}: {got} instead of {want}")


def check(case, source, result):
    compare(case, wanted(case, source), result)


def enough(times):
    return len(times) >= LEAST_SAMPLES and sum(times) * FILTERS >= SECONDS * 1e6


def median_of(sample):
    """`sample` returns the microseconds of a filter."""
    times = []
    while not enough(times):
        times.append(sample())
    return statistics.median(times)


def rows_of(library, cases, about):
    for case in cases:
        keep = {key: about[case.name][key] for key in ("case", "series", "size", "bytes", "flops")
                if key in about[case.name]}
        try:
            for kernel, median in library.rows(case):
                print(f"{case.name:24} {kernel:32} {median:9.1f} µs", file=sys.stderr)
                yield {**keep, "kernel": kernel, "peer": True, "planned": False,
                       "cold": {"median_us": median}}
        except (RuntimeError, ValueError, TypeError, NotImplementedError) as refusal:
            print(f"{case.name:24} {type(library).__name__}: left out: {str(refusal)[:120]}",
                  file=sys.stderr)


def add_rows(path, libraries, pattern=""):
    """Times the cases that match, and rewrites the run after each row."""
    run = json.loads(path.read_text(encoding="utf-8"))
    about = {row["case"]: row for row in run["rows"] if "cold" in row}
    cases = [case for case in map(Case.of, about) if case and re.search(pattern, case.name)]
    for library in libraries:
        for row in rows_of(library, cases, about):
            run["rows"].append(row)
            path.write_text(json.dumps(run, ensure_ascii=False), encoding="utf-8")
