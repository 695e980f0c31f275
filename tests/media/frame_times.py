#!/usr/bin/env python3
"""Filters every file of a folder into Matroska, MP4, MOV and NUT and compares the timestamps.

  tests/media/frame_times.py FOLDER --weft build/release/bin/weft

The timestamps that ffprobe reports for the source and for the output must be equal within one tick of
the output. If the source starts before zero, the whole output may be shifted to zero. Each output
gets one class:

  agrees       the same number of frames, each at its own time
  no times     the same number of frames; the source has no timestamps (raw streams, single pictures)
  refused      a healthy file is refused with a reason
  lost frames  exit 0 with another number of frames
  wrong times  exit 0 with a frame at another time
  crash        a signal, a hang, or a failure without a message

The exit code is 1 if any output has one of the last four classes, or if fewer than --least files
agree, else 0.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import sys
import tempfile

import conformance

CLASSES = ("agrees", "no times", "refused", "lost frames", "wrong times", "crash")
FAULTS = CLASSES[2:]
CONTAINERS = ("mkv", "mp4", "mov", "nut")
PRINTED = 1.5e-6                # ffprobe prints microseconds
MATROSKA = 0.0005 + PRINTED     # half of its tick of a millisecond


def frame_times(path, timeout):
    """Presentation times in seconds, sorted; None for each frame without one."""
    done = conformance.run(["ffprobe", "-v", "quiet", "-select_streams", "V:0", "-show_entries",
                            "frame=pts_time", "-of", "json", f"file:{path}"], timeout)
    try:
        frames = json.loads(done.stdout).get("frames", [])
    except json.JSONDecodeError:
        return []
    times = [float(frame["pts_time"]) if "pts_time" in frame else None for frame in frames]
    return sorted(times, key=lambda time: (time is None, time))


def compare(want, got, container):
    """The class and detail of an output; `want` has the times of the source, `got` of the output."""
    if len(got) != len(want):
        return "lost frames", f"{len(got)} of {len(want)}"
    if None in want:
        return "no times", ""
    if None in got:
        return "wrong times", "the output has frames without a time"
    shift = got[0] - want[0] if want[0] < 0 <= got[0] else 0.0
    bound = MATROSKA if container == "mkv" else PRINTED
    for number, (a, b) in enumerate(zip(want, got)):
        if abs(b - shift - a) > bound:
            return "wrong times", f"frame {number}: want {a}, got {b}, shift {shift}"
    return "agrees", ""


def check(weft, path, want, container, timeout):
    with tempfile.TemporaryDirectory(prefix="weft-frame-times-") as folder:
        output = pathlib.Path(folder) / f"out.{container}"
        done = conformance.run([weft, "batch", "-y", "--gpu", "off", "-vf", "box=radius=1",
                                "-o", str(output), str(path)], timeout)
        error = conformance.last_line(done.stderr)
        if done.returncode == 0:
            return compare(want, frame_times(output, timeout), container)
        if done.returncode in range(1, 6) and error.startswith("weft: error:"):
            return "refused", error
        return "crash", f"exit {done.returncode}: {error}"


def check_file(weft, path, timeout):
    """(path, container, class, detail) of each output of a file."""
    want = frame_times(path, timeout)
    return [(path, container, *check(weft, path, want, container, timeout))
            for container in CONTAINERS]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--weft", default=conformance.default_weft(),
                        help="the program [%(default)s]")
    parser.add_argument("--least", type=int, default=1, help="files that must agree [1]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at once")
    parser.add_argument("--timeout", type=float, default=120, help="seconds per program and file")
    return parser.parse_args()


def main():
    options = parse_arguments()
    paths = sorted(path for path in options.folder.iterdir() if path.is_file())
    if not paths:
        sys.exit(f"frame_times: error: {options.folder} contains no files")
    with concurrent.futures.ThreadPoolExecutor(max(options.jobs, 1)) as pool:
        files = list(pool.map(lambda path: check_file(options.weft, path, options.timeout), paths))
    outputs = [output for file in files for output in file]
    for path, container, name, detail in outputs:
        if name != "agrees":
            print(f"{name:<12} {path.name} to {container}: {detail}")
    counts = collections.Counter(name for *_, name, _ in outputs)
    print("\n".join(f"{name:<12} {counts[name]:>6}" for name in CLASSES))
    agreeing = sum(any(name == "agrees" for *_, name, _ in file) for file in files)
    print(f"{agreeing} of {len(files)} files agree")
    sys.exit(1 if any(counts[name] for name in FAULTS) or agreeing < options.least else 0)


if __name__ == "__main__":
    main()
