#!/usr/bin/env python3
"""Times weft batch and ffmpeg as whole programs, including start and exit.

Both get the same clips, decoders and encoder settings. The programs of a table run in turns, so that
changes of the machine affect all of them. Each run is printed; ratios are of medians. The script ends
if a run fails or if weft loses a frame.
"""

import argparse
import json
import pathlib
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import time

STACK = ("-vf", "gaussian=sigma=2:radius=4,sobel")
SAME_IN_FFMPEG = ("-vf", "gblur=sigma=2,sobel")
X264 = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "23")
ENCODERS = {"H.264": ("-c:v", "libx264", "-preset", "veryfast"),
            "HEVC": ("-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error")}
# Width and height, and frames as a share of --frames.
SIZES = {"720p": ("1280:720", 1), "1080p": ("1920:1080", 1), "4K": ("3840:2160", 1 / 3)}


def fail(sentence):
    sys.exit(f"video.py: error: {sentence}")


def cpu_seconds():
    """CPU time of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(words):
    """Runs a command and returns its seconds."""
    words = [str(word) for word in words]
    began = time.monotonic()
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=False)
    seconds = time.monotonic() - began
    code = result.returncode
    if code != 0:
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        fail(f"{how}: {shlex.join(words)}\n{result.stderr[-4000:]}")
    return seconds


class Bench:
    """The programs and their clips."""

    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def frames(self, size):
        return max(1, round(self.options.frames * SIZES[size][1]))

    def clip(self, size, codec="H.264"):
        """A clip of a size, made once. One encoded passage is repeated without encoding it again."""
        frames = self.frames(size)
        once = self.made(f"{size}-{codec}", lambda path: (
            "-i", self.options.clip, "-an", "-vf", f"scale={SIZES[size][0]},format=yuv420p",
            "-frames:v", frames, *ENCODERS[codec], path))
        return self.made(f"{size}-{codec}-{frames}", lambda path: (
            "-stream_loop", "-1", "-i", once, "-c", "copy", "-frames:v", frames, path))

    def made(self, name, words):
        """The file `name`; ffmpeg makes it with words(path) unless it exists."""
        path = self.folder / f"{name}.mp4"
        part = path.with_suffix(".part.mp4")
        if not path.exists():
            run([self.options.ffmpeg, "-v", "error", "-y", *words(part)])
            part.rename(path)
        return path

    def ffmpeg(self, clip, *words, before=(), under=()):
        return run([*under, self.options.ffmpeg, "-v", "error", "-nostdin", "-y", *before, "-i",
                    clip, *words])

    def decode(self, clip, by_gpu):
        before = ("-hwaccel", "cuda", "-hwaccel_output_format", "cuda") if by_gpu else ()
        return self.ffmpeg(clip, "-an", "-f", "null", "-", before=before)

    def weft(self, clips, frames, output, *words, under=()):
        report = self.folder / "report.json"
        seconds = run([*under, self.options.weft, "batch", "-y", "--progress", "none", "--json",
                       report, *words, "-o", output, *clips])
        for file in json.loads(report.read_text(encoding="utf-8"))["files"]:
            if file["frames_out"] != frames:
                fail(f"{file['input']}: {file['frames_out']} frames of {frames}")
        return seconds

    def race(self, title, frames, programs):
        """Runs `programs`, functions that return seconds, by name; ratios are to the first."""
        rates = {name: [] for name in programs}
        cores = {name: [] for name in programs}
        for _ in range(self.options.runs):
            for name, program in programs.items():
                before = cpu_seconds()
                seconds = program()
                rates[name].append(frames / seconds)
                cores[name].append((cpu_seconds() - before) / seconds)
        first = statistics.median(next(iter(rates.values())))
        print(f"{title}: frames/s of each run, ratio, cores busy")
        for name, found in rates.items():
            shown = " ".join(f"{rate:7.1f}" for rate in found)
            print(f"  {name:<20} {shown}   {statistics.median(found) / first:.2f}"
                  f"   {statistics.median(cores[name]):4.1f}", flush=True)


def decoders(bench):
    """The decoders of this machine by name, with weft's options."""
    gpu = {"NVDEC": ("--gpu", "require", "-hwaccel", "cuda")}
    cpu = {"all threads": ("--gpu", "off" if bench.options.no_gpu else "require", "-hwaccel", "none")}
    return cpu if bench.options.no_gpu else gpu | cpu


def case_null(bench):
    """filter to null:, next to decoding alone"""
    for size in ("1080p", "4K"):
        for codec in ENCODERS:
            clip, frames = bench.clip(size, codec), bench.frames(size)
            for name, words in decoders(bench).items():
                bench.race(f"{size} {codec}, {name}", frames, {
                    "ffmpeg decodes": lambda by=name == "NVDEC", c=clip: bench.decode(c, by),
                    "weft filters": lambda w=words, c=clip, f=frames: bench.weft(
                        [c], f, "null:", *STACK, *w)})


def case_x264(bench):
    """filter to x264 veryfast, next to ffmpeg without and with filters"""
    out = bench.folder / "out.mkv"
    for size in ("1080p", "4K"):
        clip, frames = bench.clip(size), bench.frames(size)
        programs = {"ffmpeg": lambda c=clip: bench.ffmpeg(c, "-an", *X264, out),
                    "ffmpeg gblur,sobel": lambda c=clip: bench.ffmpeg(
                        c, "-an", *SAME_IN_FFMPEG, *X264, out)}
        for name, words in decoders(bench).items():
            programs[f"weft, {name}"] = lambda w=words, c=clip, f=frames: bench.weft(
                [c], f, out, *STACK, *X264, *w)
        bench.race(f"{size} to x264 veryfast", frames, programs)


def case_files(bench):
    """1, 8 and 16 files at once, filtered to null:"""
    clip, frames = bench.clip("1080p"), bench.frames("1080p")
    words = next(iter(decoders(bench).values()))
    for count in (1, 8, 16):
        bench.race(f"{count} files of 1080p", count * frames, {
            "weft": lambda n=count: bench.weft([clip] * n, frames, "null:", *STACK, *words)})


def case_gpus(bench):
    """16 files on one GPU and on two"""
    clip, frames = bench.clip("1080p"), bench.frames("1080p")
    bench.race("16 files of 1080p", 16 * frames, {
        f"weft --gpu {gpus}": lambda g=gpus: bench.weft(
            [clip] * 16, frames, "null:", *STACK, "--gpu", g, "-hwaccel", "cuda")
        for gpus in ("0", "0,1")})


def case_cores(bench):
    """two cores without a GPU, next to ffmpeg's gblur"""
    clip, frames, out = bench.clip("720p"), bench.frames("720p"), bench.folder / "out.mkv"
    under = ("taskset", "-c", "0,1")
    bench.race("720p to x264 veryfast on two cores", frames, {
        "ffmpeg gblur": lambda: bench.ffmpeg(clip, "-an", "-vf", "gblur=sigma=2", *X264, out,
                                             under=under),
        "ffmpeg": lambda: bench.ffmpeg(clip, "-an", *X264, out, under=under),
        "weft gaussian": lambda: bench.weft([clip], frames, out, "--gpu", "off", "-vf",
                                            "gaussian=sigma=2:radius=4", *X264, under=under)})


CASES = {"null": case_null, "x264": case_x264, "files": case_files, "cores": case_cores,
         "gpus": case_gpus}


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="cases:\n" + "\n".join(f"  {name:<8}{case.__doc__}" for name, case in CASES.items()))
    parser.add_argument("cases", nargs="*", metavar="CASE", help="default: all that need at most one GPU")
    parser.add_argument("--clip", required=True, help="the video from which clips are made")
    parser.add_argument("--weft", default="build/release/bin/weft")
    parser.add_argument("--ffmpeg", default="ffmpeg")
    parser.add_argument("--folder", default="build/video", help="for clips and outputs")
    parser.add_argument("--frames", type=int, default=3600, help="frames per clip at 1080p")
    parser.add_argument("--runs", type=int, default=3, help="runs per program")
    parser.add_argument("--no-gpu", action="store_true", help="decode and filter on the CPU only")
    options = parser.parse_args()
    unknown = [name for name in options.cases if name not in CASES]
    if unknown or options.runs < 1 or options.frames < 1:
        parser.error(f"there is no case {unknown[0]}; there are: {', '.join(CASES)}" if unknown
                     else "--runs and --frames begin at 1")
    return options


def main():
    options = parse()
    bench = Bench(options)
    for name in options.cases or [name for name in CASES if name != "gpus"]:
        CASES[name](bench)


if __name__ == "__main__":
    main()
