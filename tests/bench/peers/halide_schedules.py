"""Halide pipelines of weft-bench's pictures, and the schedules that halide_peers.py tries for each.

Pixels of several interleaved channels are treated as a wider picture of one channel whose taps are
`channels` apart, so that every schedule loads, stages and stores whole vectors.
"""

import dataclasses

import halide as hl

from peer_cases import HEIGHT, WIDTH

TYPES = {"u8": hl.UInt(8), "u16": hl.UInt(16), "f32": hl.Float(32)}
MOST = {"u8": 255, "u16": 65535}
TO_INTEGER = 8388608.0  # 2^23: the last bits of a float in [2^23, 2^24) are a whole number


@dataclasses.dataclass(frozen=True)
class Schedule:
    """How a pipeline is laid out on a GPU."""

    form: str  # direct, registers, staged, staged_native (as f32 or as it is), columns or sums
    block: tuple  # threads
    each: tuple  # results per thread
    rows: int = 0  # of a thread in the column pass; 0: as many as results
    vector: int = 1  # elements per load of staged or held pixels
    stage: str = ""  # of columns: as `form`
    convert: bool = False  # to float by an instruction of its own, not by the bits of a float
    edge: bool = False  # the edge is repeated instead of mirrored
    weights: bool = False  # are an argument, not compiled in
    whole: bool = False  # the same code near the border and far from it

    @property
    def name(self):
        size = "{}x{}_{}x{}".format(*self.block, *self.each)
        rows = f"_c{self.rows}" if self.rows else ""
        marks = [self.stage, f"v{self.vector}" if self.vector > 1 else "",
                 "convert" if self.convert else "", "edge" if self.edge else "",
                 "whole" if self.whole else "", "weights" if self.weights else ""]
        return f"{self.form}_{size}{rows}" + "".join(f"_{mark}" for mark in marks if mark)

    @property
    def column_rows(self):
        return self.rows or self.each[1]


class Processor:
    """Maps loops to blocks and threads, or leaves them as they are to run on a CPU."""

    def __init__(self, gpu):
        self.gpu = gpu

    def blocks(self, func, x, y):
        if self.gpu:
            func.gpu_blocks(x, y)
        else:
            func.parallel(y)

    def threads(self, func, x, y):
        if self.gpu:
            func.gpu_threads(x, y)

    def share(self, func, of, at):
        func.compute_at(of, at)
        if self.gpu:
            func.store_in(hl.MemoryType.GPUShared)


def variables(*names):
    return [hl.Var(name) for name in names]


def absolute(value):
    return hl.i32(hl.abs(value))


def within(at, size, step, edge):
    """The place of a pixel that is beyond the border. `at` is probably not."""
    last = size - 1
    inside = hl.clamp(hl.likely(at), 0, size * step - 1)
    if edge and step == 1:
        return inside
    pixel = at / step if step > 1 else at  # rounds down
    moved = hl.clamp(pixel, 0, last) if edge else last - absolute(last - absolute(pixel))
    moved = hl.unsafe_promise_clamped(moved, 0, last)
    outside = moved * step + at % step if step > 1 else moved
    return hl.select((at < 0) | (at > size * step - 1), outside, inside)


def to_float(value, kind, convert):
    if kind == "f32":
        return value
    if convert:
        return hl.f32(value)
    shifted = hl.reinterpret(hl.Float(32), hl.u32(value) | hl.u32(0x4B000000))
    # LLVM would subtract from sums, which are too large for it.
    return hl.strict_float(shifted - TO_INTEGER)


def from_float(value, kind):
    if kind == "f32":
        return value
    bits = hl.reinterpret(hl.UInt(32), hl.clamp(value, 0.0, float(MOST[kind])) + TO_INTEGER)
    return hl.cast(TYPES[kind], bits & hl.u32(MOST[kind]))


class Pipeline:
    """One case by one schedule: `result` of `arguments`."""

    def __init__(self, case, schedule, gpu=True):
        self.case, self.schedule, self.on = case, schedule, Processor(gpu)
        self.step, self.half = case.channels, case.size // 2
        self.width = WIDTH * case.channels
        self.x, self.y = variables("x", "y")
        self.source = hl.ImageParam(TYPES[case.type], 2, "source")
        self.arguments = [self.source]
        if schedule.weights:
            self.weights = hl.ImageParam(hl.Float(32), 1, "weights")
            self.weights.dim(0).set_bounds(0, case.size if case.row else case.size ** 2)
            self.arguments.append(self.weights)
        self.read_pixels()
        self.result = hl.Func("result")
        if schedule.form == "sums":
            self.sums()
        elif case.row:
            self.columns()
        else:
            self.dense()
        if schedule.whole:
            for func in (self.result, self.pixels):
                func.never_partition_all()
        self.bind()

    # ---- parts that all forms share ----

    def read_pixels(self):
        """`pixels`: the picture with its border, which may be staged; `pixel` reads it as float."""
        kind, s, x, y = self.case.type, self.schedule, self.x, self.y
        value = self.source[within(x, WIDTH, self.step, s.edge), within(y, HEIGHT, 1, s.edge)]
        native = "native" in s.form + s.stage
        self.pixels = hl.Func("pixels")
        self.pixels[x, y] = value if native else to_float(value, kind, s.convert)

        def pixel(at_x, at_y):
            read = self.pixels[at_x, at_y]
            return to_float(read, kind, s.convert) if native else read

        self.pixel = pixel

    def bind(self):
        output = self.result.output_buffer()
        for buffer in (self.source, output):
            buffer.dim(0).set_bounds(0, self.width)
            buffer.dim(1).set_bounds(0, HEIGHT).set_stride(self.width)
            if self.on.gpu:
                buffer.set_host_alignment(256)

    def store(self, value, scale=1.0):
        """The results from `value`, a thread's row of them per store."""
        s, x, y = self.schedule, self.x, self.y
        value = value * hl.f32(scale) if scale != 1.0 else value
        self.result[x, y] = from_float(value, self.case.type)
        xo, yo, xi, yi, xt, yt, xv, yv = variables("xo", "yo", "xi", "yi", "xt", "yt", "xv", "yv")
        self.result.bound(x, 0, self.width).bound(y, 0, HEIGHT)
        self.result.tile(x, y, xo, yo, xi, yi, s.block[0] * s.each[0], s.block[1] * s.each[1],
                         hl.TailStrategy.ShiftInwards)
        self.result.tile(xi, yi, xt, yt, xv, yv, *s.each).unroll(yv).vectorize(xv)
        self.on.blocks(self.result, xo, yo)
        self.on.threads(self.result, xt, yt)
        self.block_loop, self.thread_loop = xo, xt

    def stage(self):
        """The tile in shared memory, loaded by all threads of the block."""
        s, x, y, tile = self.schedule, self.x, self.y, self.pixels
        vectors, v, outer, thread, row, rows = variables("xx", "fv", "fxo", "fx", "fy", "fyo")
        self.on.share(tile, self.result, self.block_loop)
        guard = hl.TailStrategy.GuardWithIf
        if s.vector > 1:
            tile.align_bounds(x, s.vector).split(x, vectors, v, s.vector)
            tile.split(vectors, outer, thread, s.block[0], guard)
        else:
            tile.split(x, outer, thread, s.block[0], guard)
        tile.split(y, rows, row, s.block[1], guard)
        tile.reorder(*([v] if s.vector > 1 else []), outer, rows, thread, row)
        self.on.threads(tile, thread, row)
        if s.vector > 1:
            tile.vectorize(v)
        tile.unroll(outer)

    def hold(self, own):
        """A thread's part of `own`, in registers: aligned vectors wherever the border is far."""
        s, x, y = self.schedule, self.x, self.y
        vectors, v = variables("xx", "fv")
        own.compute_at(self.result, self.thread_loop).align_bounds(x, s.vector)
        own.split(x, vectors, v, s.vector).vectorize(v).unroll(vectors).unroll(y)

    # ---- forms ----

    def dense(self):
        case, s, x, y = self.case, self.schedule, self.x, self.y
        total = hl.Func("total")

        def at(i, j):
            return self.pixel(x + (i - self.half) * self.step, y + j - self.half)

        if s.weights:
            r = hl.RDom([(0, case.size), (0, case.size)])
            total[x, y] = 0.0
            total[x, y] += at(r.x, r.y) * self.weights[r.y * case.size + r.x]
        else:
            total[x, y] = added(at(i, j) * hl.f32(case.weight(i, j))
                                for j in range(case.size) for i in range(case.size))
        self.store(total[x, y])
        total.compute_at(self.result, self.thread_loop).unroll(y)
        if s.form == "registers":
            total.vectorize(x)  # so that LLVM keeps the vectors that were loaded
        else:
            total.unroll(x)
        if s.weights:
            total.update().reorder(x, y, r.x, r.y).unroll(x).unroll(y).unroll(r.x)
            if case.size <= 9:
                total.update().unroll(r.y)
        if s.form == "registers":
            self.hold(self.pixels)
        elif s.form != "direct":
            self.stage()

    def columns(self):
        """Columns into shared memory or registers, then rows from there."""
        case, s, x, y = self.case, self.schedule, self.x, self.y
        column, row = hl.Func("column"), hl.Func("row")
        box = len(set(case.row)) == 1

        def line(at):
            return added(at(i) if box else at(i) * hl.f32(case.row[i]) for i in range(case.size))

        def down(i):
            return self.pixel(x, y + i - self.half)

        def along(i):
            return column[x + (i - self.half) * self.step, y]

        if s.weights:
            r, q = hl.RDom([(0, case.size)]), hl.RDom([(0, case.size)])
            column[x, y] = 0.0
            column[x, y] += down(r.x) * self.weights[r.x]
            row[x, y] = 0.0
            row[x, y] += along(q.x) * self.weights[q.x]
        else:
            column[x, y] = line(down)
            row[x, y] = line(along)
        self.store(row[x, y], 1.0 / case.size ** 2 if box else 1.0)
        row.compute_at(self.result, self.thread_loop).unroll(y)
        if s.form == "registers":
            row.vectorize(x)
            self.hold(column)
            self.hold(self.pixels)
            return
        row.unroll(x)
        shared = column.in_() if s.weights else column
        outer, thread, rows, each = variables("cxo", "cx", "cyo", "cyv")
        self.on.share(shared, self.result, self.block_loop)
        shared.split(x, outer, thread, s.block[0], hl.TailStrategy.GuardWithIf)
        shared.split(y, rows, each, s.column_rows).reorder(each, outer, thread, rows)
        self.on.threads(shared, thread, rows)
        shared.unroll(each).unroll(outer)
        if s.weights:
            column.compute_at(shared, outer).unroll(x).unroll(y)
            column.update().reorder(x, y, r.x).unroll(x).unroll(y).unroll(r.x)
            row.update().reorder(x, y, q.x).unroll(x).unroll(y).unroll(q.x)
        if s.stage:
            self.stage()

    def sums(self):
        """A box by running sums: down `column_rows` rows, then along a thread's results."""
        case, s, x, y = self.case, self.schedule, self.x, self.y
        half, deep, wide = self.half, s.column_rows, s.each[0]
        (k,) = variables("k")
        column, row = hl.Func("column"), hl.Func("row")
        column[x, k, y] = 0.0  # row `deep` * y + k
        column[x, 0, y] = added(self.pixel(x, y * deep + i - half) for i in range(case.size))
        r = hl.RDom([(1, deep - 1)])
        column[x, r.x, y] = column[x, r.x - 1, y] + (self.pixel(x, y * deep + r.x + half) -
                                                     self.pixel(x, y * deep + r.x - half - 1))

        def at(place):
            return column[place, y % deep, y / deep]

        row[k, x, y] = 0.0
        row[0, x, y] = added(at(x * wide + i - half) for i in range(case.size))
        q = hl.RDom([(1, wide - 1)])
        row[q.x, x, y] = row[q.x - 1, x, y] + (at(x * wide + q.x + half) -
                                               at(x * wide + q.x - half - 1))
        self.store(row[x % wide, x / wide, y], 1.0 / case.size ** 2)
        row.compute_at(self.result, self.thread_loop).unroll(k).unroll(x).unroll(y)
        row.update(0).unroll(y).unroll(x)
        row.update(1).reorder(q.x, x, y).unroll(q.x).unroll(x).unroll(y)
        shared = column.in_()
        outer, thread = variables("cxo", "cx")
        self.on.share(shared, self.result, self.block_loop)
        shared.split(x, outer, thread, s.block[0], hl.TailStrategy.GuardWithIf)
        shared.reorder(k, outer, thread, y).unroll(k).unroll(outer)
        self.on.threads(shared, thread, y)
        column.compute_at(shared, outer).unroll(k)
        column.update(0).unscheduled()
        column.update(1).unroll(r.x)


def added(terms):
    """From the first to the last, as a fused multiply-add takes them."""
    total = None
    for term in terms:
        total = term if total is None else total + term
    return total


# ---- which schedules ----------------------------------------------------------------------------

def usual(case):
    """Other pictures get fewer schedules."""
    return case.type != "u16" and case.channels == 1


def dense_schedules(case):
    yield Schedule("staged", (32, 8), (4, 2))
    yield Schedule("staged", (32, 4), (4, 4))
    yield Schedule("staged", (32, 8), (4, 2), edge=True)
    yield Schedule("staged", (32, 8), (4, 2), edge=True, whole=True)
    if usual(case):
        yield Schedule("staged", (32, 8), (4, 4))
        yield Schedule("staged", (32, 4), (4, 8))
        yield Schedule("staged", (32, 8), (4, 2), whole=True)
        yield Schedule("staged", (32, 8), (4, 4), edge=True)
    if case.type == "f32":
        yield Schedule("staged", (32, 8), (4, 4), vector=4)
    else:
        yield Schedule("staged_native", (32, 8), (4, 4), vector=4)
        yield Schedule("staged", (32, 4), (4, 4), convert=True)
    if case.size <= 5:
        yield Schedule("registers", (32, 8), (4, 2), vector=4)
        yield Schedule("registers", (32, 8), (4, 4), vector=4)
        yield Schedule("direct", (32, 8), (4, 2), edge=True, whole=True)
    if usual(case) and case.size in (3, 9):
        yield Schedule("staged", (32, 8), (4, 2), weights=True)
        yield Schedule("staged", (32, 4), (4, 4), weights=True)


def column_schedules(case):
    yield Schedule("columns", (32, 8), (4, 8))
    yield Schedule("columns", (32, 8), (4, 8), edge=True)
    if len(set(case.row)) == 1 and case.size > 9:
        return  # a box, of which sums are faster
    yield Schedule("columns", (32, 4), (4, 8))
    yield Schedule("columns", (32, 4), (4, 8), edge=True)
    yield Schedule("columns", (32, 8), (4, 4))
    if usual(case):
        yield Schedule("columns", (32, 8), (4, 4), edge=True)
        yield Schedule("columns", (32, 4), (4, 16))
        yield Schedule("columns", (32, 8), (4, 4), stage="staged")
    if case.type != "f32":
        yield Schedule("columns", (32, 8), (4, 8), convert=True)
    if case.size <= 5:
        yield Schedule("registers", (32, 8), (4, 2), vector=4)
        yield Schedule("registers", (32, 8), (4, 4), vector=4)
    if usual(case) and case.size in (5, 15) and len(set(case.row)) > 1:
        yield Schedule("columns", (32, 4), (4, 8), weights=True)


def sum_schedules(case):
    if case.size > 31:  # 36 rows fill the shared memory
        for block, each, rows in (((32, 4), (4, 9), 0), ((32, 2), (4, 18), 0), ((32, 4), (4, 9), 18),
                                  ((32, 1), (4, 36), 0)):
            yield Schedule("sums", block, each, rows)
        yield Schedule("sums", (32, 4), (4, 9), edge=True)
        return
    for block, each, rows in (((32, 8), (4, 9), 0), ((32, 4), (4, 18), 0), ((32, 8), (4, 9), 18),
                              ((32, 4), (8, 9), 0), ((64, 4), (4, 9), 0), ((32, 2), (4, 36), 0)):
        yield Schedule("sums", block, each, rows)
    yield Schedule("sums", (32, 4), (4, 18), edge=True)


def schedules(case):
    if case.row is None:
        yield from dense_schedules(case)
        return
    box = len(set(case.row)) == 1
    if case.size <= 31:
        yield from column_schedules(case)
    if box and case.channels == 1:
        yield from sum_schedules(case)
