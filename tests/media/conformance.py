#!/usr/bin/env python3
"""Filters every file of a folder and compares the frames with those of libavcodec.

Each file is filtered with the identity matrix into a lossless file. ffmpeg decodes both, and the
hashes of their frames must be equal. Each file gets one class:

  agrees                  every frame, bit for bit
  converted               the same, in another pixel format that holds the same samples
  damaged as libav says   refused as damaged, and libav reports errors or too few frames
  refused with reason     refused for another reason
  false alarm             refused as damaged, but libav decodes all of it without an error
  lost frames             exit 0 with fewer frames than libav decodes
  wrong bits              exit 0 with other frames, or --lossless found a difference
  crash                   a signal, a hang, or a failure without a message

The exit code is 1 if any file has one of the last four classes, else 0.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CLASSES = ("agrees", "converted", "damaged as libav says", "refused with reason",
           "false alarm", "lost frames", "wrong bits", "crash")
FAULTS = CLASSES[4:]

# Tried in this order; the first that can store the source's samples is used.
OUTPUTS = (("out.mkv", ()), ("out.nut", ("-c:v", "rawvideo")))

# Formats with unused bits or with several possible conversions: the format in which their samples
# are compared.
COMPARED_AS = {"bgr0": "gbrp", "rgb0": "gbrp", "0bgr": "gbrp", "0rgb": "gbrp", "pal8": "rgba",
               "monob": "gray", "monow": "gray", "x2rgb10le": "gbrp10le", "x2bgr10le": "gbrp10le"}


def run(arguments, timeout):
    """The finished process; its return code is None if it was killed after `timeout`."""
    try:
        return subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=timeout, check=False, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, None, "", f"no end after {timeout} s")


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""


class Frames:
    """The frames of one video stream as ffmpeg decodes them, in one pixel format."""

    def __init__(self, path, stream, pix_fmt, timeout):
        done = run(["ffmpeg", "-v", "error", "-nostdin", "-i", f"file:{path}", "-map",
                    f"0:{stream}", "-fps_mode", "passthrough", "-pix_fmt", pix_fmt, "-f",
                    "framemd5", "-"], timeout)
        rows = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
        self.hashes = [row.split(",")[-1].strip() for row in rows]
        self.errors = last_line(done.stderr) if done.stderr.strip() or done.returncode else ""


def streams_of(path, timeout):
    done = run(["ffprobe", "-v", "error", "-show_streams", "-of", "json", f"file:{path}"], timeout)
    try:
        return json.loads(done.stdout).get("streams", [])
    except json.JSONDecodeError:
        return []


def filtered_stream(report):
    """Index of the filtered stream, from the report; the first video if the report has none."""
    try:
        files = json.loads(report).get("files", [])
        for stream in files[0]["streams"]:
            if stream["outcome"].startswith("encoded"):
                return str(stream["index"])
    except (json.JSONDecodeError, LookupError, AttributeError, TypeError):
        pass
    return "V:0"


def pixel_format(streams, chosen):
    for stream in streams:
        if stream.get("codec_type") != "video":
            continue
        if chosen in ("V:0", str(stream["index"])) and "pix_fmt" in stream:
            return stream["pix_fmt"], int(stream.get("nb_frames", 0) or 0)
    return None, 0


class Check:
    """Filters and classifies one file."""

    def __init__(self, weft, path, timeout):
        self.weft, self.path, self.timeout = weft, path, timeout

    def classify(self):
        """Class and detail of the file."""
        with tempfile.TemporaryDirectory(prefix="weft-conformance-") as folder:
            for name, options in OUTPUTS:
                output = pathlib.Path(folder) / name
                report = pathlib.Path(folder) / "report.json"
                done = run([self.weft, "batch", "-y", "--gpu", "off", "-vf", "convolve=matrix=1",
                            "--lossless", *options, "--json", str(report), "-o", str(output),
                            str(self.path)], self.timeout)
                if done.returncode != 2:
                    break
            text = report.read_text(errors="replace") if report.exists() else ""
            return self.judge(done, output, text)

    def judge(self, done, output, report):
        error = last_line(done.stderr)
        if done.returncode is None or done.returncode < 0 or done.returncode >= 128:
            return "crash", f"exit {done.returncode}: {error}"
        if done.returncode == 0:
            return self.compare(output, filtered_stream(report))
        if not error.startswith("weft: error:"):
            return "crash", f"exit {done.returncode} without a reason: {error}"
        if "reading the file back shows" in error:
            return "wrong bits", error
        if done.returncode == 4:
            return self.judge_damage(error)
        return "refused with reason", error

    def judge_damage(self, error):
        streams = streams_of(self.path, self.timeout)
        pix_fmt, promised = pixel_format(streams, "V:0")
        if pix_fmt is None:
            return "damaged as libav says", error
        own = Frames(self.path, "V:0", pix_fmt, self.timeout)
        if own.errors or len(own.hashes) < max(promised, 1):
            return "damaged as libav says", error
        return "false alarm", f"{len(own.hashes)} frames decode without an error; {error}"

    def compare(self, output, chosen):
        source_format, _ = pixel_format(streams_of(self.path, self.timeout), chosen)
        out_format, _ = pixel_format(streams_of(output, self.timeout), "V:0")
        if source_format is None or out_format is None:
            return "wrong bits", "ffprobe finds no video in the source or in the output"
        result = "wrong bits", ""
        for pix_fmt in (COMPARED_AS.get(source_format, source_format), out_format):
            want = Frames(self.path, chosen, pix_fmt, self.timeout)
            got = Frames(output, "V:0", pix_fmt, self.timeout)
            result = self.compare_frames(want, got, source_format, out_format)
            if result[0] != "wrong bits":
                break
        return result

    @staticmethod
    def compare_frames(want, got, source_format, out_format):
        if want.hashes == got.hashes:
            same = source_format == out_format
            return ("agrees", "") if same else ("converted", f"{source_format} to {out_format}")
        if len(got.hashes) < len(want.hashes):
            return "lost frames", f"{len(got.hashes)} of {len(want.hashes)}"
        if len(got.hashes) > len(want.hashes):
            return "wrong bits", f"{len(got.hashes)} frames of {len(want.hashes)}"
        first = next(k for k, (a, b) in enumerate(zip(want.hashes, got.hashes)) if a != b)
        return "wrong bits", f"frame {first} of {len(want.hashes)} differs ({source_format} " \
                             f"to {out_format})"


def check(weft, path, timeout):
    return Check(weft, path, timeout).classify()


def default_weft():
    root = pathlib.Path(__file__).resolve().parents[2]
    return os.environ.get("WEFT_PROGRAM", str(root / "build/release/bin/weft"))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=pathlib.Path, help="a folder, searched recursively, or one file")
    parser.add_argument("--weft", default=default_weft(), help="the program [%(default)s]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at once")
    parser.add_argument("--timeout", type=float, default=600, help="seconds per program and file")
    parser.add_argument("--json", type=pathlib.Path, help="also write the classes to this file")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if not os.access(options.weft, os.X_OK):
        sys.exit(f"conformance: error: {options.weft} is not a program: build it, or name it with --weft")
    tree = options.tree
    paths = sorted(p for p in tree.rglob("*") if p.is_file()) if tree.is_dir() else [tree]
    if not paths or not paths[0].exists():
        sys.exit(f"conformance: error: {tree} contains no files")
    with concurrent.futures.ThreadPoolExecutor(max(options.jobs, 1)) as pool:
        results = list(pool.map(lambda path: check(options.weft, path, options.timeout), paths))
    for path, (name, detail) in zip(paths, results):
        if name != "agrees":
            print(f"{name:<22} {path}: {detail}")
    counts = {name: sum(result[0] == name for result in results) for name in CLASSES}
    print("\n".join(f"{name:<22} {count:>6}" for name, count in counts.items()))
    if options.json:
        files = [{"file": str(path), "class": name, "detail": detail}
                 for path, (name, detail) in zip(paths, results)]
        options.json.write_text(json.dumps({"classes": counts, "files": files}, indent=1) + "\n")
    sys.exit(1 if any(counts[name] for name in FAULTS) else 0)


if __name__ == "__main__":
    main()
