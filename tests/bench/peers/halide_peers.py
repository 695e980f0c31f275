#!/usr/bin/env python3
"""Adds the times of Halide to the results of weft-bench, from the same GPU.

  halide_peers.py build DIRECTORY [CASES]   compiles every variant of every case ahead of time into
                                            DIRECTORY/libhalide_peers.so and lists them in
                                            DIRECTORY/variants.json; no GPU needed
  halide_peers.py check [CASES]             runs every variant on the CPU and compares its result,
                                            with all pixels of the first variant too
  halide_peers.py time DIRECTORY RUN.json [CASES]
                                            times the cases that RUN.json has, and rewrites it
                                            after each

CASES is a regular expression that the names of cases contain.

`build` and `check` need `pip install halide==21.0.0`, `build` a C compiler as well; `time` needs
PyTorch, the library and its list. A case gets one row, its fastest variant. A variant is a schedule of
halide_schedules.py; taps are compiled in unless its name ends in `weights`; pixels are mirrored about
the edge as in weft-bench unless it ends in `edge`, which repeats the edge and does less. Halide limits
its kernels to 64 registers: those that keep pixels in registers and the three fastest of a case are tried
with 128 as well (`r128`).

Results are compared and timed as those of python_peers.py. A variant that fails is named and skipped,
as is one whose shared memory Halide cannot launch.
"""

import argparse
import concurrent.futures
import ctypes
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

from peer_cases import (Case, FILTERS, HEIGHT, ROTATED_BYTES, WIDTH, add_rows, compare, median_of,
                        mirrored, repeated, wanted)

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY, LIST = "libhalide_peers.so", "variants.json"

SIZES = {
    "u8 gray": (3, 5, 7, 9, 15), "f32 gray": (3, 5, 7, 9, 15), "u16 gray": (3, 5),
    "u8 Gaussian": (5, 15, 31), "f32 Gaussian": (3, 5, 9, 15, 31), "u16 Gaussian": (5, 9, 15, 31),
    "u8 box": (5, 15, 31, 101), "u16 box": (15, 31), "f32 box": (15, 31),
    "u8 RGBA": (3, 9), "RGB24": (3, 9), "RGBA Gaussian": (9,), "RGB24 Gaussian": (9,),
}
CASES = [f"{series} {size}×{size}" for series, sizes in SIZES.items() for size in sizes]


def matching(pattern):
    return [name for name in CASES if re.search(pattern, name)]


# ---- build --------------------------------------------------------------------------------------

# Halide's newest PTX is for 8.6; that for 8.0 runs on every GPU since the A100. Its checks stay: they
# are made before a launch, and without them a kernel that cannot be loaded ends the process.
TARGET = "x86-64-linux-cuda-cuda_capability_80-no_bounds_query"
SHARED_BYTES = 48 << 10  # Halide asks for no more than a kernel gets by default


def shared_bytes(statements):
    """The launch in a lowered pipeline has: name, three blocks, three threads, bytes, arguments."""
    launch = re.search(r'halide_cuda_run\([^"]*"[^"]*", (?:\d+, ){6}([\d+*() ]+), \(void', statements)
    terms = [math.prod(map(int, re.findall(r"\d+", term))) for term in launch[1].split("+")]
    return sum(terms)


def compile_case(name, folder):
    """The variants of a case, as they are listed."""
    import halide as hl
    from halide_schedules import Pipeline, schedules
    target, out = hl.Target(TARGET + "-no_runtime"), []
    case = Case.of(name)
    for schedule in schedules(case):
        symbol = re.sub(r"\W", "_", f"{name.replace('×', 'x')}_{schedule.name}")
        files = {kind: str(folder / f"{symbol}.{kind.name}")
                 for kind in (hl.OutputFileType.object, hl.OutputFileType.stmt)}
        try:
            pipeline = Pipeline(case, schedule)
            pipeline.result.compile_to(files, pipeline.arguments, symbol, target)
        except (RuntimeError, hl.HalideError) as refusal:
            print(f"{name} {schedule.name}: left out: {refusal}", file=sys.stderr)
            continue
        text = pathlib.Path(files[hl.OutputFileType.stmt]).read_bytes().decode(errors="replace")
        if shared_bytes(text) > SHARED_BYTES:
            print(f"{name} {schedule.name}: left out: {shared_bytes(text)} bytes of shared memory",
                  file=sys.stderr)
            pathlib.Path(files[hl.OutputFileType.object]).unlink()
            continue
        out.append({"case": name, "variant": schedule.name, "symbol": symbol, "type": case.type,
                    "size": case.size, "channels": case.channels, "edge": schedule.edge,
                    "arguments": ["source", *["weights"] * schedule.weights, "result"]})
    print(f"{name}: {len(out)} variants", file=sys.stderr)
    return out


def build(directory, pattern):
    import halide as hl
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ProcessPoolExecutor() as pool:
        folder = pathlib.Path(place)
        names = matching(pattern)
        # The longest first.
        names.sort(key=lambda name: -Case.of(name).size * Case.of(name).channels)
        variants = list(itertools.chain(*pool.map(compile_case, names, itertools.repeat(folder))))
        runtime = folder / "runtime.o"
        hl.compile_standalone_runtime(str(runtime), hl.Target(TARGET))
        objects = [folder / f"{v['symbol']}.object" for v in variants]
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O2", "-s",
                        "-Wl,-Bsymbolic", "-o", directory / LIBRARY, HERE / "halide_peers.c",
                        *objects, runtime, "-ldl", "-lpthread"], check=True)
    (directory / LIST).write_text(json.dumps(variants, ensure_ascii=False, indent=1),
                                  encoding="utf-8")
    print(f"{len(variants)} variants in {directory}", file=sys.stderr)


# ---- check on the CPU ---------------------------------------------------------------------------

def check_case(name):
    """The number of wrong variants."""
    import halide as hl
    import numpy
    from halide_schedules import Pipeline, schedules
    case, wrong = Case.of(name), 0
    kind = {"u8": numpy.uint8, "u16": numpy.uint16, "f32": numpy.float32}[case.type]
    noise = numpy.random.default_rng(zlib.crc32(name.encode()))
    shape = (HEIGHT, WIDTH * case.channels)
    source = (noise.random(shape, dtype=kind) if case.type == "f32" else
              noise.integers(0, numpy.iinfo(kind).max, shape, dtype=kind, endpoint=True))

    def of(picture):
        return lambda x, y, c: float(picture[y, x * case.channels + c])

    expected = {edge: wanted(case, of(source), repeated if edge else mirrored)
                for edge in (False, True)}
    first = {}
    for schedule in schedules(case):
        pipeline = Pipeline(case, schedule, gpu=False)
        pipeline.source.set(hl.Buffer(source))
        if schedule.weights:
            pipeline.weights.set(hl.Buffer(numpy.array(weights_of(case), dtype=numpy.float32)))
        result = numpy.zeros(shape, dtype=kind)
        try:
            pipeline.result.realize(hl.Buffer(result))
            compare(case, expected[schedule.edge], of(result))
            reference = first.setdefault(schedule.edge, result.astype(numpy.float32))
            apart = numpy.abs(result.astype(numpy.float32) - reference).max()
            if not apart <= (1e-4 if case.type == "f32" else 1):
                raise ValueError(f"up to {apart} from the first variant")
            print(f"{name} {schedule.name}: right", flush=True)
        except (RuntimeError, ValueError, hl.HalideError) as failure:
            wrong += 1
            print(f"{name} {schedule.name}: {failure}", flush=True)
    return wrong


def check_all(pattern):
    with concurrent.futures.ProcessPoolExecutor() as pool:
        wrong = sum(pool.map(check_case, matching(pattern)))
    if wrong:
        raise SystemExit(f"{wrong} variants are wrong")


def weights_of(case):
    return case.row or list(itertools.chain(*case.matrix))


# ---- time on the GPU ----------------------------------------------------------------------------

class Dimension(ctypes.Structure):
    """halide_dimension_t of HalideRuntime.h"""
    _fields_ = [("min", ctypes.c_int32), ("extent", ctypes.c_int32), ("stride", ctypes.c_int32),
                ("flags", ctypes.c_uint32)]


class Buffer(ctypes.Structure):
    """halide_buffer_t of HalideRuntime.h, with halide_type_t as code, bits and lanes"""
    _fields_ = [("device", ctypes.c_uint64), ("device_interface", ctypes.c_void_p),
                ("host", ctypes.c_void_p), ("flags", ctypes.c_uint64),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("dimensions", ctypes.c_int32), ("dim", ctypes.POINTER(Dimension)),
                ("padding", ctypes.c_void_p)]

    CODES = {"u8": (1, 8), "u16": (1, 16), "f32": (2, 32)}
    DEVICE_DIRTY = 2  # the device has the pixels

    @classmethod
    def of(cls, kind, extents):
        out, stride = cls(), 1
        out.code, out.bits = cls.CODES[kind]
        out.lanes, out.dimensions = 1, len(extents)
        out.flags = cls.DEVICE_DIRTY
        out.dim = (Dimension * len(extents))()
        for dimension, extent in enumerate(extents):
            out.dim[dimension] = Dimension(0, extent, stride, 0)
            stride *= extent
        return out


class Library:
    """Variants, compiled by the driver at their first call for at most so many registers."""

    def __init__(self, path, registers):
        self.functions = ctypes.CDLL(str(path))
        self.registers = str(registers)
        self.wrap = self.functions.halide_cuda_wrap_device_ptr
        self.wrap.argtypes = [ctypes.c_void_p, ctypes.POINTER(Buffer), ctypes.c_uint64]
        self.functions.halide_peers_set_stream.argtypes = [ctypes.c_void_p]

    def buffer(self, kind, extents, address):
        out = Buffer.of(kind, extents)
        self.demand(self.wrap(None, out, address))
        return out

    def demand(self, status):
        if status != 0:
            text = ctypes.create_string_buffer(512)
            self.functions.halide_peers_take_message(text, len(text))
            raise RuntimeError(f"{status}: {text.value.decode(errors='replace').strip()}")

    def launcher(self, variant, stream):
        """A function of buffers, in the order of the variant's arguments."""
        function = self.functions[variant["symbol"]]
        function.argtypes = [ctypes.POINTER(Buffer)] * len(variant["arguments"])
        self.functions.halide_peers_set_stream(stream.cuda_stream)
        os.environ["HL_CUDA_JIT_MAX_REGISTERS"] = self.registers
        return lambda *buffers: self.demand(function(*buffers))


class Pictures:
    """Sources and results of a case, in turn more than the caches hold."""

    def __init__(self, torch_peer, case):
        self.torch, self.case = torch_peer.torch, case
        first = torch_peer.source(case)
        count = max(2, math.ceil(ROTATED_BYTES / (2 * first.nbytes)))
        self.sources = [first] + [first.clone() for _ in range(count - 1)]
        self.results = [self.torch.empty_like(first) for _ in range(count)]
        self.weights = self.torch.tensor(weights_of(case), device="cuda", dtype=self.torch.float32)
        self.torch.cuda.synchronize()
        self.expected = {}

    def check(self, edge):
        if edge not in self.expected:
            self.expected[edge] = wanted(self.case, self.pixels(self.sources[0]),
                                         repeated if edge else mirrored)
        compare(self.case, self.expected[edge], self.pixels(self.results[0]))

    def pixels(self, picture):
        host = picture.cpu()
        host = (host.view(self.torch.int16).numpy().view("uint16") if self.case.type == "u16" else
                host.numpy())
        return lambda x, y, c: float(host[0, c, y, x])

    def launches(self, library, variant, stream):
        """Functions that launch one filter each."""
        launch = library.launcher(variant, stream)
        extents = WIDTH * self.case.channels, HEIGHT
        weights = library.buffer("f32", [len(weights_of(self.case))], self.weights.data_ptr())

        def one(source, result):
            named = {"source": library.buffer(self.case.type, extents, source.data_ptr()),
                     "result": library.buffer(self.case.type, extents, result.data_ptr()),
                     "weights": weights}
            buffers = [named[argument] for argument in variant["arguments"]]
            return lambda: launch(*buffers)

        return [one(*pair) for pair in zip(self.sources, self.results)]


class Halide:
    FEWEST, MOST = 64, 128  # registers
    AGAIN = 3  # with more registers
    HOPELESS = 1.3  # times the fastest variant, by one look

    def __init__(self, directory, pattern):
        from python_peers import Torch
        self.peer = Torch()
        self.torch = self.peer.torch
        listed = json.loads((directory / LIST).read_text(encoding="utf-8"))
        self.variants = [v for v in listed if re.search(pattern, v["case"])]
        self.torch.zeros(1, device="cuda")  # its context is now current
        # A library compiles a variant once: a copy does so again.
        self.copies = tempfile.TemporaryDirectory()
        copy = shutil.copy(directory / LIBRARY, self.copies.name)
        self.usual = Library((directory / LIBRARY).resolve(), self.FEWEST)
        self.spacious = Library(copy, self.MOST)

    def rows(self, case):
        variants = [v for v in self.variants if v["case"] == case.name]
        if not variants:
            return
        pictures, times = Pictures(self.peer, case), {}
        for variant in variants:
            self.time(pictures, self.usual, variant, "", times)
        fastest = sorted(times, key=times.get)[:self.AGAIN]
        for variant in variants:
            if variant["variant"] not in fastest and not variant["variant"].startswith("registers"):
                continue
            self.time(pictures, self.spacious, variant, f"_r{self.MOST}", times)
        if not times:
            raise RuntimeError("every variant failed")
        best = min(times, key=times.get)
        yield f"halide/{best}", times[best]

    def time(self, pictures, library, variant, mark, times):
        """Adds the variant's time, unless it fails or is hopeless."""
        name = variant["variant"] + mark
        try:
            median, note = self.median(pictures, library, variant,
                                       self.HOPELESS * min(times.values(), default=math.inf))
            times[name] = median
        except (RuntimeError, ValueError, AttributeError) as failure:
            median, note = math.nan, f"failed: {str(failure)[:200]}"
        print(f"    {name:44} {median:9.1f} µs {note}", file=sys.stderr)

    def median(self, pictures, library, variant, limit):
        torch, stream = self.torch, self.torch.cuda.Stream()
        launches = pictures.launches(library, variant, stream)
        with torch.cuda.stream(stream):
            pictures.results[0].copy_(pictures.sources[0])  # what a variant must not leave there
            launches[0]()
        stream.synchronize()
        pictures.check(variant["edge"])
        turns, note = self.turns(launches, stream)
        turns = itertools.cycle(turns)

        def sample():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            with torch.cuda.stream(stream):
                begin.record()
                next(turns)()
                end.record()
            stream.synchronize()
            return begin.elapsed_time(end) * 1000 / FILTERS

        sample()
        quick = sample()
        return (quick, "by one look") if quick > limit else (median_of(sample), note)

    def turns(self, launches, stream):
        """Functions that each launch FILTERS filters and together use every picture."""
        count = len(launches)
        groups = [[launches[(first + k) % count] for k in range(FILTERS)]
                  for first in range(0, count, FILTERS)]
        try:
            return [self.captured(group, stream).replay for group in groups], ""
        except RuntimeError as refusal:
            print(f"    not captured: {str(refusal)[:200]}", file=sys.stderr)

        def run(group):
            for launch in group:
                launch()

        return [lambda group=group: run(group) for group in groups], "without a graph"

    def captured(self, group, stream):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.stream(stream):
            graph.capture_begin(capture_error_mode="relaxed")
            try:
                for launch in group:
                    launch()
            finally:
                graph.capture_end()
        return graph


def time_all(directory, run, pattern):
    try:
        add_rows(run, [Halide(directory, pattern)])
    except ImportError as missing:
        raise SystemExit(f"left out: {missing}") from missing


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    uses = parser.add_subparsers(dest="use", required=True)
    for use in ("build", "check", "time"):
        arguments = uses.add_parser(use)
        if use != "check":
            arguments.add_argument("directory", type=pathlib.Path)
        if use == "time":
            arguments.add_argument("run", type=pathlib.Path)
        arguments.add_argument("cases", nargs="?", default="")
    given = parser.parse_args()
    if given.use == "build":
        build(given.directory, given.cases)
    elif given.use == "check":
        check_all(given.cases)
    else:
        time_all(given.directory, given.run, given.cases)


if __name__ == "__main__":
    main()
