#!/usr/bin/env python3
"""Adds the times of PyTorch and CuPy to the results of weft-bench, from the same GPU.

  weft bench --suite image --json RUN.json
  python_peers.py RUN.json              times the cases of peer_cases.py that RUN.json has, and
                                        rewrites it

Pixels and borders are those of weft-bench: noise, and pixels mirrored about the edge. Bytes are
converted, filtered in fp32 or fp16 and rounded, since neither library filters bytes. Each result is
compared with sums in double at the corners and 64 random pixels before it is timed: 16 bits and bytes
within two levels, fp32 within 1e-3. Times are cold: buffers rotate over more than 256 MB, in one CUDA
graph of eight filters where the library allows it. A library that is not installed, or that refuses a
case, is left out and named.
"""

import math
import pathlib
import statistics
import sys

from peer_cases import FILTERS, HEIGHT, ROTATED_BYTES, WIDTH, add_rows, check, enough


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
            times = []
            while not enough(times):
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record(stream)
                graph.replay()
                end.record(stream)
                stream.synchronize()
                times.append(begin.elapsed_time(end) * 1000 / FILTERS)
            del kept
        return statistics.median(times)

    def rows(self, case):
        yield "torch/conv2d_f32", self.time(case, self.filter(case, self.torch.float32))
        if case.type == "u8":
            yield "torch/conv2d_f16", self.time(case, self.filter(case, self.torch.float16))


# ---- CuPy ---------------------------------------------------------------------------------------

class Cupy:
    def __init__(self):
        import cupy
        import cupyx.scipy.ndimage
        self.cupy = cupy
        self.images = cupyx.scipy.ndimage

    def source(self, case):
        cupy, shape = self.cupy, (HEIGHT, WIDTH, case.channels)
        if case.type == "f32":
            return cupy.random.random(shape, dtype=cupy.float32)
        most = 256 if case.type == "u8" else 65536
        return cupy.random.randint(0, most, shape).astype("u1" if case.type == "u8" else "u2")

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

    def rows(self, case):
        cupy, run = self.cupy, self.filter(case)
        first = self.source(case)
        count = max(2, math.ceil(ROTATED_BYTES / (2 * first.nbytes)))
        sources = [first] + [first.copy() for _ in range(count - 1)]
        given, got = first.get(), run(first).get()
        check(case, lambda x, y, c: float(given[y, x, c]), lambda x, y, c: float(got[y, x, c]))
        times = []
        while not enough(times):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            for k in range(FILTERS):
                run(sources[k % count])
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end) * 1000 / FILTERS)
        yield "cupy/correlate", statistics.median(times)


def libraries():
    for make in (Torch, Cupy):
        try:
            yield make()
        except ImportError as missing:
            print(f"{make.__name__}: left out: {missing}", file=sys.stderr)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    add_rows(pathlib.Path(sys.argv[1]), libraries())


if __name__ == "__main__":
    main()
