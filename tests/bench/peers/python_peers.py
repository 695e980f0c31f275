#!/usr/bin/env python3
"""Adds the times of PyTorch, CuPy and CV-CUDA to the results of weft-bench, from the same GPU, or those of
OpenCV and Halide to the results of weft-bench --gpu off, from the same CPU.

  weft bench --suite image --json RUN.json
  python_peers.py RUN.json [CASES] [--library NAME]
                            times the cases of peer_cases.py that RUN.json has, and rewrites it after
                            each; CASES is a regular expression that their names contain

Install them with `pip install torch cupy-cuda13x cvcuda-cu13`, or `pip install opencv-python-headless
halide==21.0.0` for the CPU; CV-CUDA is fed by CuPy. A library that is not installed, or that refuses a case, is left
out and named.

Pixels and borders are those of weft-bench: noise, and pixels mirrored about the edge. PyTorch and CuPy
do not filter bytes: these are converted, filtered in fp32 or fp16 and rounded. CV-CUDA filters them
itself, with its function for Gaussians, for boxes or for matrices. Each result is compared with sums in
double at the corners and 64 random pixels before it is timed: 16 bits and bytes within two levels, fp32
within 1e-3.

Times are cold: buffers rotate over more than 256 MB. PyTorch runs eight filters in one CUDA graph. For
CuPy and CV-CUDA, which use no graph, the GPU waits until eight filters are queued: in both ways, the
time is the GPU's, without the CPU's part. OpenCV and Halide filter one picture again and again, as weft-bench
does on the CPU; halide_cpu.py describes the schedules of Halide.
"""

import argparse
import functools
import itertools
import math
import pathlib
import sys
import time

from peer_cases import FILTERS, HEIGHT, ROTATED_BYTES, WIDTH, add_rows, check, median_of


# ---- PyTorch ------------------------------------------------------------------------------------

class Torch:
    def __init__(self):
        import torch
        self.torch = torch
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.allow_tf32 = False

    def source(self, case):
        torch, shape = self.torch, (1, case.channels, HEIGHT, WIDTH)
        if case.type == "f32":
            picture = torch.rand(shape, device="cuda")
        else:
            most = 256 if case.type == "u8" else 65536
            picture = torch.randint(0, most, shape, device="cuda", dtype=torch.int32)
            picture = picture.to(torch.uint8 if case.type == "u8" else torch.uint16)
        interleaved = case.channels > 1
        return picture.to(memory_format=torch.channels_last) if interleaved else picture

    def filter(self, case, dtype):
        """A function from a picture to its result."""
        torch = self.torch
        functional = torch.nn.functional
        half = case.size // 2

        def taps(values):
            weights = torch.tensor(values, device="cuda", dtype=dtype)
            return weights.expand(case.channels, 1, *weights.shape).contiguous()

        passes = ([taps([case.row]), taps([[v] for v in case.row])] if case.row else
                  [taps(case.matrix)])
        most = {"u8": 255, "u16": 65535}.get(case.type)

        def run(picture):
            image = functional.pad(picture.to(dtype), (half,) * 4, mode="reflect")
            for weights in passes:
                image = functional.conv2d(image, weights, groups=case.channels)
            return image if most is None else image.round().clamp(0, most).to(picture.dtype)

        return run

    def time(self, case, run):
        torch = self.torch
        first = self.source(case)
        count = max(2, math.ceil(ROTATED_BYTES / (2 * first.nbytes)))
        sources = [first] + [first.clone() for _ in range(count - 1)]
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream), torch.no_grad():
            for picture in sources[:2]:
                kept = run(picture)
            stream.synchronize()
            given, got = first.cpu().double(), run(first).cpu().double()
            check(case, lambda x, y, c: given[0, c, y, x].item(), lambda x, y, c: got[0, c, y, x].item())
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for k in range(FILTERS):
                    kept = run(sources[k % count])

            def sample():
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record(stream)
                graph.replay()
                end.record(stream)
                stream.synchronize()
                return begin.elapsed_time(end) * 1000 / FILTERS

            median = median_of(sample)
            del kept
        return median

    def rows(self, case):
        yield "torch/conv2d_f32", self.time(case, self.filter(case, self.torch.float32))
        if case.type == "u8":
            yield "torch/conv2d_f16", self.time(case, self.filter(case, self.torch.float16))


# ---- CuPy ---------------------------------------------------------------------------------------

class Cupy:
    # Occupies the GPU for a number of clocks.
    WAIT = r"""
    extern "C" __global__ void wait(long long clocks) {
        const long long end = clock64() + clocks;
        while (clock64() < end) {}
    }"""

    def __init__(self):
        import cupy
        import cupyx.scipy.ndimage
        self.cupy = cupy
        self.images = cupyx.scipy.ndimage
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.wait = cupy.RawKernel(self.WAIT, "wait")

    def source(self, case):
        cupy, shape = self.cupy, (HEIGHT, WIDTH, case.channels)
        if case.type == "f32":
            return cupy.random.random(shape, dtype=cupy.float32)
        most = 256 if case.type == "u8" else 65536
        return cupy.random.randint(0, most, shape).astype("u1" if case.type == "u8" else "u2")

    def sources(self, case):
        first = self.source(case)
        count = max(2, math.ceil(ROTATED_BYTES / (2 * first.nbytes)))
        return [first] + [first.copy() for _ in range(count - 1)]

    def filter(self, case):
        cupy, images = self.cupy, self.images
        most = {"u8": 255, "u16": 65535}.get(case.type)
        row = cupy.array(case.row, dtype=cupy.float32) if case.row else None
        matrix = None if case.row else cupy.array(case.matrix, dtype=cupy.float32)[:, :, None]

        def run(picture):
            if row is not None:
                image = images.correlate1d(picture, row, 1, cupy.float32, "mirror")
                image = images.correlate1d(image, row, 0, cupy.float32, "mirror")
            else:
                image = images.correlate(picture, matrix, cupy.float32, "mirror")
            if most is None:
                return image
            return cupy.clip(cupy.rint(image), 0, most).astype(picture.dtype)

        return run

    def check(self, case, source, result):
        given, got = source.get(), result.get()
        check(case, lambda x, y, c: float(given[y, x, c]), lambda x, y, c: float(got[y, x, c]))

    def time(self, launches):
        """The median of a filter; each of `launches` filters another picture."""
        for launch in launches:
            launch()
        events, turns, clocks = self.cupy.cuda, itertools.cycle(launches), 2_000_000

        def sample():
            nonlocal clocks
            while True:
                begin, end = events.Event(), events.Event()
                self.wait((1,), (1,), (clocks,))
                begin.record()
                for _ in range(FILTERS):
                    next(turns)()
                end.record()
                queued = not begin.done
                end.synchronize()
                if queued:
                    return events.get_elapsed_time(begin, end) * 1000 / FILTERS
                clocks *= 2

        return median_of(sample)

    def rows(self, case):
        with self.stream:
            run, sources = self.filter(case), self.sources(case)
            self.check(case, sources[0], run(sources[0]))
            median = self.time([functools.partial(run, source) for source in sources])
        yield "cupy/correlate", median


# ---- CV-CUDA ------------------------------------------------------------------------------------

class CvCuda(Cupy):
    """Filters CuPy's arrays."""

    def __init__(self):
        super().__init__()
        import cvcuda
        self.cvcuda = cvcuda
        self.how = {"border": cvcuda.Border.REFLECT101, "stream": cvcuda.as_stream(self.stream)}

    def tensor(self, picture):
        return self.cvcuda.as_tensor(picture, "HWC")

    def batch(self, picture):
        """A batch of this picture."""
        formats = self.cvcuda.Format
        format_of = {("uint8", 1): formats.U8, ("uint8", 3): formats.RGB8, ("uint8", 4): formats.RGBA8,
                     ("uint16", 1): formats.U16, ("float32", 1): formats.F32,
                     ("float32", 3): formats.RGBf32, ("float32", 4): formats.RGBAf32}
        channels = picture.shape[2]
        key = picture.dtype.name, channels
        if key not in format_of:
            raise NotImplementedError(f"no image format of {channels} × {picture.dtype}")
        return self.cvcuda.as_images([picture[:, :, 0] if channels == 1 else picture], format_of[key])

    def form(self, case):
        """The name of the function for this case, what makes its operands of a picture, and a function
        that filters an operand into another."""
        cupy, cvcuda, size = self.cupy, self.cvcuda, (case.size, case.size)
        if not case.row:
            taps = self.batch(cupy.array(case.matrix, dtype=cupy.float32)[:, :, None])
            center = cvcuda.as_tensor(cupy.full((1, 2), -1, dtype=cupy.int32), "NC")
            return "conv2d", self.batch, lambda source, result: cvcuda.conv2d_into(
                result, source, taps, center, **self.how)
        if case.kind == "box":
            return "averageblur", self.tensor, lambda source, result: cvcuda.averageblur_into(
                result, source, size, **self.how)
        sigma = (case.sigma, case.sigma)
        return "gaussian", self.tensor, lambda source, result: cvcuda.gaussian_into(
            result, source, size, sigma, **self.how)

    def rows(self, case):
        with self.stream:
            name, operand, run = self.form(case)
            sources = self.sources(case)
            results = [self.cupy.empty_like(source) for source in sources]
            launches = [functools.partial(run, operand(source), operand(result))
                        for source, result in zip(sources, results)]
            launches[0]()
            self.check(case, sources[0], results[0])
            median = self.time(launches)
        yield f"cvcuda/{name}", median


# ---- OpenCV on the CPU --------------------------------------------------------------------------

class OpenCv:
    def __init__(self):
        import cv2
        import numpy
        self.cv2 = cv2
        self.numpy = numpy

    def source(self, case):
        random, shape = self.numpy.random.default_rng(1), (HEIGHT, WIDTH, case.channels)
        if case.type == "f32":
            picture = random.random(shape, dtype="f4")
        else:
            most = 256 if case.type == "u8" else 65536
            picture = random.integers(0, most, shape, "u1" if case.type == "u8" else "u2")
        return picture[:, :, 0].copy() if case.channels == 1 else picture

    def form(self, case):
        """The name of the function for this case, and a call of it."""
        cv2, size = self.cv2, (case.size, case.size)
        if case.kind == "box":
            return "blur", lambda source, result: cv2.blur(source, size, result)
        if case.row:
            return "GaussianBlur", lambda source, result: cv2.GaussianBlur(source, size, case.sigma, result)
        matrix = self.numpy.array(case.matrix, "f4")
        return "filter2D", lambda source, result: cv2.filter2D(source, -1, matrix, result)

    def rows(self, case):
        name, run = self.form(case)
        source = self.source(case)
        result = self.numpy.empty_like(source)
        run(source, result)
        given, got = (a.reshape(HEIGHT, WIDTH, case.channels) for a in (source, result))
        check(case, lambda x, y, c: float(given[y, x, c]), lambda x, y, c: float(got[y, x, c]))

        def sample():
            begin = time.perf_counter()
            run(source, result)
            return (time.perf_counter() - begin) * 1e6

        yield f"opencv/{name}", median_of(sample)


# -------------------------------------------------------------------------------------------------

def halide():
    from halide_cpu import Halide
    return Halide()


LIBRARIES = {"torch": Torch, "cupy": Cupy, "cvcuda": CvCuda, "opencv": OpenCv, "halide": halide}


def installed(names):
    for name in names:
        try:
            yield LIBRARIES[name]()
        except ImportError as missing:
            print(f"{name}: left out: {missing}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("cases", nargs="?", default="")
    parser.add_argument("--library", choices=LIBRARIES, action="append")
    given = parser.parse_args()
    add_rows(given.run, installed(given.library or LIBRARIES), given.cases)


if __name__ == "__main__":
    main()
