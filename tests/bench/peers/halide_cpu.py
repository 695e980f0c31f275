"""Halide on the CPU: pipelines of weft-bench's pictures, each with the schedules of Halide's own
autoschedulers and with some by hand. A case gets one row, its fastest variant.

A variant is an algorithm and a schedule. Algorithms: `float` sums in fp32; `whole` sums whole numbers in
the narrowest integers that hold them; `fixed` multiplies 16-bit samples by 16-bit taps, down the columns
and then across; `sums` adds columns by a running sum and windows by sums of 2, 4, 8… columns. Taps are
compiled in, and pixels are mirrored about the edge as in weft-bench.
"""

import functools
import itertools
import pathlib
import sys
import time

import halide as hl
import numpy

from halide_schedules import TYPES, added, variables, within
from peer_cases import HEIGHT, WIDTH, check, median_of

AUTOSCHEDULERS = ("Mullapudi2016", "Adams2019", "Li2018")
# Results per vector, and rows of results that are computed together.
BY_HAND = tuple(itertools.product((16, 32, 64), (1, 4)))
STRIP = 60  # rows, which divide the picture's height
TAP_BITS, BETWEEN_BITS = 14, 6  # of `fixed`
MOST = {"u8": 255, "u16": 65535}


def integer_for(largest, signed):
    """The narrowest integer that holds sums up to `largest`."""
    if signed:
        return hl.Int(16) if largest < 1 << 15 else hl.Int(32)
    return hl.UInt(16) if largest < 1 << 16 else hl.UInt(32)


def algorithms(case):
    yield "float"
    if case.type != "u8":
        return
    if case.kind == "Gaussian":
        yield "fixed"
    if case.kind == "box":
        yield from ("whole", "sums")
    if case.kind == "whole":
        yield "whole"


class Pipeline:
    """One case by one algorithm, without a schedule."""

    def __init__(self, case, algorithm):
        self.case, self.half = case, case.size // 2
        self.x, self.y = variables("x", "y")
        x, y = self.x, self.y
        self.source = hl.ImageParam(TYPES[case.type], 2, "source")
        self.pixels = hl.Func("pixels")
        self.pixels[x, y] = self.source[within(x, WIDTH, case.channels, False),
                                        within(y, HEIGHT, 1, False)]
        self.result = hl.Func("result")
        self.between = None  # the sums of columns
        self.strip = None  # running sums of columns
        {"float": self.float, "whole": self.whole, "fixed": self.fixed, "sums": self.sums}[algorithm]()
        for buffer in (self.source, self.result.output_buffer()):
            buffer.dim(0).set_bounds(0, WIDTH * case.channels)
            buffer.dim(1).set_bounds(0, HEIGHT).set_stride(WIDTH * case.channels)

    def down(self, value):
        """The values of a column, from the top."""
        return [value(self.pixels[self.x, self.y + i - self.half]) for i in range(self.case.size)]

    def across(self, func):
        return [func[self.x + (i - self.half) * self.case.channels, self.y]
                for i in range(self.case.size)]

    def two_passes(self, down, across):
        self.between = hl.Func("between")
        self.between[self.x, self.y] = down
        return across(self.across(self.between))

    def store(self, value):
        kind = self.case.type
        if kind != "f32":
            value = hl.cast(TYPES[kind], hl.round(hl.clamp(value, 0.0, float(MOST[kind]))))
        self.result[self.x, self.y] = value

    def float(self):
        case, box = self.case, self.case.kind == "box"
        if case.row:
            def line(values):
                return added(v if box else v * hl.f32(t) for v, t in zip(values, case.row))

            total = self.two_passes(line(self.down(hl.f32)), line)
            self.store(total * hl.f32(1 / case.size ** 2) if box else total)
            return
        self.store(added(hl.f32(self.pixels[self.x + (i - self.half) * case.channels,
                                            self.y + j - self.half]) * hl.f32(case.weight(i, j))
                         for j in range(case.size) for i in range(case.size)))

    def whole(self):
        case = self.case
        if case.row:
            narrow = integer_for(255 * case.size, False)
            wide = integer_for(255 * case.size ** 2, False)
            total = self.two_passes(added(self.down(lambda p: hl.cast(narrow, p))),
                                    lambda sums: added(hl.cast(wide, s) for s in sums))
            self.store(hl.f32(total) * hl.f32(1 / case.size ** 2))
            return
        places = [(i, j) for j in range(case.size) for i in range(case.size)]
        kind = integer_for(255 * sum(abs(case.weight(*at)) for at in places), True)
        total = added(hl.cast(kind, self.pixels[self.x + (i - self.half) * case.channels,
                                                self.y + j - self.half]) *
                      hl.cast(kind, int(case.weight(i, j))) for i, j in places)
        self.result[self.x, self.y] = hl.cast(hl.UInt(8), hl.clamp(total, 0, 255))

    def fixed(self):
        taps = [round(t * (1 << TAP_BITS)) for t in self.case.row]
        taps[self.half] += (1 << TAP_BITS) - sum(taps)

        def line(values, bits):
            total = added(hl.i32(v) * hl.i32(t) for v, t in zip(values, taps))
            return (total + (1 << (bits - 1))) >> bits

        between = hl.i16(line(self.down(hl.i16), TAP_BITS - BETWEEN_BITS))
        total = self.two_passes(between, lambda sums: line(sums, TAP_BITS + BETWEEN_BITS))
        self.result[self.x, self.y] = hl.cast(hl.UInt(8), hl.clamp(total, 0, 255))

    def sums(self):
        case, x, y = self.case, self.x, self.y
        narrow = integer_for(255 * case.size, False)
        wide = integer_for(255 * case.size ** 2, False)
        rows = STRIP
        top, k = variables("top", "k")

        def pixel(row):
            return hl.cast(narrow, self.pixels[x, row])

        # Row k of the strip that begins at row `top` · rows.
        strip = hl.Func("strip")
        strip[x, k, top] = hl.cast(narrow, 0)
        strip[x, 0, top] = added(pixel(top * rows + i - self.half) for i in range(case.size))
        r = hl.RDom([(1, rows - 1)])
        strip[x, r.x, top] = strip[x, r.x - 1, top] + (
            pixel(top * rows + r.x + self.half) - pixel(top * rows + r.x - self.half - 1))
        self.strip = strip
        self.between = hl.Func("between")
        self.between[x, y] = hl.cast(wide, strip[x, y % rows, y / rows])
        width, at, total, part = 1, -self.half * case.channels, None, self.between
        self.parts = []
        while width <= case.size:
            if case.size & width:
                term = part[x + at, y]
                total = term if total is None else total + term
                at += width * case.channels
            if 2 * width <= case.size:
                wider = hl.Func(f"sums_of_{2 * width}")
                wider[x, y] = part[x, y] + part[x + width * case.channels, y]
                self.parts.append(wider)
                part = wider
            width *= 2
        self.store(hl.f32(total) * hl.f32(1 / case.size ** 2))

    # ---- schedules ----

    def by_autoscheduler(self, name, target):
        self.source.set_estimates([(0, WIDTH * self.case.channels), (0, HEIGHT)])
        self.result.set_estimates([(0, WIDTH * self.case.channels), (0, HEIGHT)])
        cores = {"parallelism": "2"}
        if name == "Mullapudi2016":
            cores |= {"last_level_cache_size": str(32 << 20), "balance": "20"}
        hl.Pipeline(self.result).apply_autoscheduler(target, hl.AutoschedulerParams(name, cores))

    def by_hand(self, lanes, rows):
        x, y = self.x, self.y
        inner, block = variables("inner", "block")
        self.result.bound(x, 0, WIDTH * self.case.channels).bound(y, 0, HEIGHT)
        self.result.split(y, y, inner, STRIP).parallel(y).vectorize(x, lanes)
        if self.strip is not None:
            self.strip.compute_at(self.result, y).vectorize(x, lanes)
            for k in range(2):
                self.strip.update(k).vectorize(x, lanes)
            for part in self.parts:
                part.compute_at(self.result, inner).vectorize(x, lanes)
            return
        if rows > 1:
            self.result.split(inner, inner, block, rows).reorder(block, x, inner).unroll(block)
        if self.between is not None:
            self.between.compute_at(self.result, inner).vectorize(x, lanes)
            if rows > 1:
                self.between.reorder(y, x).unroll(y)


class Halide:
    def __init__(self):
        self.target = hl.get_jit_target_from_environment()
        plugins = pathlib.Path(hl.__file__).parent / "lib64"
        for name in AUTOSCHEDULERS:
            hl.load_plugin(str(plugins / f"libautoschedule_{name.lower()}.so"))

    def source(self, case):
        random, shape = numpy.random.default_rng(1), (HEIGHT, WIDTH * case.channels)
        if case.type == "f32":
            return random.random(shape, dtype="f4")
        return random.integers(0, MOST[case.type] + 1, shape, "u1" if case.type == "u8" else "u2")

    def variants(self, case):
        """Names, algorithms, and functions that schedule a pipeline."""
        for algorithm in algorithms(case):
            if algorithm != "sums":
                for name in AUTOSCHEDULERS:
                    yield (f"{algorithm}_{name}", algorithm,
                           functools.partial(Pipeline.by_autoscheduler, name=name, target=self.target))
            for lanes, rows in BY_HAND:
                if algorithm != "sums" or rows == 1:
                    yield (f"{algorithm}_{lanes}_{rows}", algorithm,
                           functools.partial(Pipeline.by_hand, lanes=lanes, rows=rows))

    def rows(self, case):
        source, times = self.source(case), {}
        for name, algorithm, schedule in self.variants(case):
            try:
                pipeline = Pipeline(case, algorithm)
                schedule(pipeline)
                times[name] = self.time(case, pipeline, source)
                print(f"    {name:24} {times[name]:9.1f} µs", file=sys.stderr)
            except (RuntimeError, ValueError, TypeError, hl.HalideError) as failure:
                print(f"    {name:24} failed: {str(failure)[:200]}", file=sys.stderr)
        if not times:
            raise RuntimeError("every variant failed")
        best = min(times, key=times.get)
        yield f"halide/{best}", times[best]

    def time(self, case, pipeline, source):
        result = numpy.zeros_like(source)
        pipeline.source.set(hl.Buffer(source))
        target = hl.Buffer(result)
        compiled = hl.Pipeline(pipeline.result)
        compiled.compile_jit(self.target)

        def sample():
            begin = time.perf_counter()
            compiled.realize(target)
            return (time.perf_counter() - begin) * 1e6

        sample()
        check(case, lambda x, y, c: float(source[y, x * case.channels + c]),
              lambda x, y, c: float(result[y, x * case.channels + c]))
        return median_of(sample)
