#!/usr/bin/env python3
"""Cuts every file of some folders at each percent of its length, filters it and classifies the result.

  tests/media/cuts.py FOLDER... --weft build/release/bin/weft

  whole      exit 0 with every frame of the uncut file: only an index was lost
  reported   exit 4 with the remaining frames
  refused    exit 1 or 2: no frame remains
  lost       exit 0 with fewer frames than the uncut file has
  withheld   fewer frames than ffmpeg decodes from the cut file (checked at each tenth)
  crash, hang, memory: as in mutate.py

UNPROVEN lists the containers in which a cut file can look whole, with the reason. There, and in
fragmented mp4 and mov, which may end after any fragment, "lost" is counted but is no fault. All other
results of the last five classes are faults, and so is an uncut file that does not end with exit 0.
The exit code is 1 after a fault, else 0.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

import mutate

UNPROVEN = {
    "flv": "its header states only the duration, which writers round by up to half a second",
    "h264": "a raw stream states neither a count nor an end",
    "ts": "a transport stream states neither a count nor an end",
    "smjpeg": "its header states only a length in milliseconds, which is not compared",
}
CLASSES = ("whole", "reported", "refused", "lost", "withheld", *mutate.TROUBLE)
SECONDS = 300  # for all cuts of one file


def decoded_frames(path):
    """The number of frames that ffmpeg decodes."""
    done = subprocess.run(["ffprobe", "-v", "quiet", "-count_frames", "-select_streams", "V:0",
                           "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", str(path)],
                          capture_output=True, text=True, check=False)
    word = done.stdout.split("\n")[0].strip(",")
    return int(word) if word.isdigit() else 0


def verdict(entry, path, percent, whole):
    """The class of one cut of a file with `whole` frames."""
    code, frames = entry["exit_code"], entry["frames_out"]
    if code == 0:
        return "whole" if frames >= whole else "lost"
    if code not in (1, 2, 4):
        return "crash"
    if percent % 10 == 0 and frames < decoded_frames(path):
        return "withheld"
    return "reported" if code == 4 else "refused"


def cut_file(weft, path, step):
    """(class, percent, detail) of each cut; a message if the uncut file fails."""
    data = path.read_bytes()
    with tempfile.TemporaryDirectory(dir=weft.scratch) as folder:
        folder = pathlib.Path(folder)
        out = folder / "out"
        out.mkdir()
        percents = [percent for percent in range(step, 100, step) if len(data) * percent // 100]
        files = [folder / f"{percent}{path.suffix}" for percent in percents]
        for percent, file in zip(percents, files):
            file.write_bytes(data[:len(data) * percent // 100])
        result, entries = weft.batch([path, *files], out, SECONDS)
        bad = mutate.trouble(*result)
        if bad or not entries or len(entries) != len(files) + 1:
            return [(bad or "crash", 0, mutate.failure(result[1]))]
        if entries[0]["exit_code"]:
            return f"the uncut {path.name}: {mutate.detail_of(entries[0])}"
        whole = entries[0]["frames_out"]
        return [(verdict(entry, file, percent, whole), percent, mutate.detail_of(entry))
                for percent, file, entry in zip(percents, files, entries[1:])]


def can_look_whole(path):
    return path.suffix[1:] in UNPROVEN or "fragment" in path.stem


def report(paths, results):
    """Prints the table of containers and every fault. Returns the number of faults."""
    faults, table = 0, collections.defaultdict(collections.Counter)
    for path, found in zip(paths, results):
        container = path.suffix[1:]
        if isinstance(found, str):
            print(found)
            faults += 1
            continue
        for kind, percent, detail in found:
            table[container][kind] += 1
            if kind in CLASSES[:3] or (kind == "lost" and can_look_whole(path)):
                continue
            faults += 1
            print(f"{kind}: {path.name} cut at {percent} %: {detail}")
    print(f"{'':8}" + "".join(f"{kind:>10}" for kind in CLASSES))
    for container, row in sorted(table.items()):
        print(f"{container:8}" + "".join(f"{row[kind]:>10}" for kind in CLASSES))
    for container in sorted(set(table) & set(UNPROVEN)):
        print(f"{container} cannot prove its frames: {UNPROVEN[container]}")
    return faults


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=pathlib.Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--weft", required=True, help="the program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files at once")
    parser.add_argument("--step", type=int, default=1, help="percent between two cuts [1]")
    return parser.parse_args()


def main():
    options = parse_arguments()
    paths = sorted(path for folder in options.folders for path in folder.iterdir()
                   if path.is_file())
    if not paths:
        sys.exit("cuts: error: the folders contain no files")
    with tempfile.TemporaryDirectory() as scratch:
        weft = mutate.Weft(options.weft, scratch)
        with concurrent.futures.ProcessPoolExecutor(max(options.jobs, 1)) as pool:
            results = list(pool.map(cut_file, [weft] * len(paths), paths,
                                    [options.step] * len(paths)))
    faults = report(paths, results)
    print(f"{len(paths)} files, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
