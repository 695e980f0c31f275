#!/usr/bin/env python3
"""Measures what plans, receipts and parts of a film cost, on the CPU of this machine.

Each line has the wall time, the CPU time (user and system) and the peak memory of a command. Programs
of a comparison run in turns, and the least of each is printed: other work on a shared machine only
adds, to CPU time less than to wall time.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
import typing

X264 = ("-c:v", "libx264", "-preset", "veryfast")
STACK = ("-vf", "gaussian=sigma=2", "--gpu", "off", "--progress", "none")


class Used(typing.NamedTuple):
    """What a command used."""
    wall: float
    cpu: float
    mebibytes: float

    def __str__(self):
        return f"{self.wall:8.2f} s wall  {self.cpu:8.2f} s CPU  {self.mebibytes:6.0f} MiB"


def start(words):
    return subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process, began):
    """Waits for a command, which must succeed."""
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"cluster.py: error: exit code {process.returncode}: {process.args}\n"
                 f"{errors.decode(errors='replace')[-4000:]}")
    return Used(time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def measure(*words):
    began = time.monotonic()
    return finish(start(words), began)


def least(uses):
    return Used(*map(min, zip(*uses)))


def together(commands):
    """Commands that run at the same time."""
    began = time.monotonic()
    uses = [finish(process, began) for process in [start(words) for words in commands]]
    return Used(max(used.wall for used in uses), sum(used.cpu for used in uses),
                sum(used.mebibytes for used in uses))


class Bench:
    """A folder for inputs, plans and outputs."""

    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.plan = self.folder / "films.plan"
        self.out = self.folder / "out"

    def made(self, name, source, *words):
        path = self.folder / name
        if not path.exists():
            measure("ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, *words, path)
        return path

    def many(self, original, count):
        """A folder with copies of a file."""
        folder = self.folder / f"{original.stem}-{count}"
        if not folder.exists():
            folder.mkdir()
            for k in range(count):
                shutil.copyfile(original, folder / f"{k:05}{original.suffix}")
        return folder

    def clip(self):
        return self.made("clip.mp4", "testsrc2=s=320x180:d=1", *X264)

    def picture(self):
        return self.made("picture.ppm", "testsrc2=s=64x48", "-frames:v", "1")

    def batch(self, *words):
        return [self.options.weft, "batch", *STACK, *words]

    def of_plan(self, *words):
        return [self.options.weft, "batch", "--run", self.plan, *words]

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        self.plan.unlink(missing_ok=True)

    def compare(self, programs):
        """Runs commands in turns, each into an empty folder, and prints the least of each."""
        uses = {name: [] for name in programs}
        for _ in range(self.options.runs):
            for name, words in programs.items():
                self.clear()
                uses[name].append(measure(*words))
        found = {name: least(all_uses) for name, all_uses in uses.items()}
        for name, used in found.items():
            print(f"  {name:<26} {used}", flush=True)
        return list(found.values())


def case_files(bench):
    """plan, run and check of 100, 1,000 and 10,000 pictures, and the plan of as many clips"""
    for count in (100, 1000, 10_000):
        clips, pictures = bench.many(bench.clip(), count), bench.many(bench.picture(), count)
        print(f"{count} files")
        bench.clear()
        words = ("--shards", 100, "--plan", bench.plan)
        print("  plan of clips              ", measure(*bench.batch("-o", f"{bench.out}/", clips, *words)))
        bench.clear()
        plan = bench.batch("-o", f"{bench.out}/", pictures, *words)
        print("  plan of pictures           ", measure(*plan))
        print("  run of pictures            ", measure(*bench.of_plan("--gpu", "off")))
        print("  check of pictures          ", measure(*bench.of_plan("--check")))
        print("  run again, nothing to do   ", measure(*bench.of_plan("--gpu", "off")), flush=True)


def case_receipts(bench):
    """receipts of 1,000 pictures and 200 clips, and of one film"""
    for original, count in ((bench.picture(), 1000), (bench.clip(), 200)):
        words = bench.batch("-o", f"{bench.out}/", bench.many(original, count))
        print(f"{count} files like {original.name}")
        without, receipts = bench.compare({"without receipts": words,
                                           "with receipts": [*words, "--receipts"]})
        print(f"  {(receipts.cpu - without.cpu) / count * 1000:.2f} ms of CPU time a file")
    film = bench.made("film.mkv", "testsrc2=s=1920x1080:d=10", *X264)
    words = bench.batch(*X264, "-o", bench.out / "film.mkv", film)
    print("300 frames of 1080p to x264 veryfast")
    without, receipts = bench.compare({"without receipts": words,
                                       "with receipts": [*words, "--receipts"]})
    print(f"  {(receipts.cpu / without.cpu - 1) * 100:.2f} % of CPU time")


def case_split(bench):
    """one film of 2,000 frames: whole, and in 1, 2 and 4 parts on the same cores"""
    film = bench.made("long.mkv", "testsrc2=s=640x360:r=25:d=80", *X264)
    cores = os.cpu_count()
    uses = {"whole": [], 1: [], 2: [], 4: []}
    joins = {1: [], 2: [], 4: []}
    for _ in range(bench.options.runs):
        for parts in uses:
            bench.clear()
            words = [*STACK[:2], *X264[2:], "-o", bench.out / "film.mkv", film]
            if parts == "whole":
                uses[parts].append(measure(*bench.batch(*words, "--resume", "-threads", cores)))
                continue
            measure(bench.options.weft, "batch", *words, "-threads", max(1, cores // parts),
                    "--plan", bench.plan, "--split", parts, "--shards", parts)
            uses[parts].append(together(
                [bench.of_plan("--gpu", "off", "--shard", f"{k}/{parts}")
                 for k in range(1, parts + 1)]))
            if parts > 1:
                joins[parts].append(measure(*bench.of_plan("--gpu", "off", "--join")))
    for parts, all_uses in uses.items():
        print(f"  {parts if parts == 'whole' else f'{parts} parts':<10} {least(all_uses)}")
        if joins.get(parts):
            print(f"  {'  join':<10} {least(joins[parts])}", flush=True)


CASES = {"files": case_files, "receipts": case_receipts, "split": case_split}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="cases:\n" + "\n".join(f"  {name:<9}{case.__doc__}" for name, case in CASES.items()))
    parser.add_argument("cases", nargs="*", metavar="CASE", help="default: all")
    parser.add_argument("--weft", default="build/release/bin/weft")
    parser.add_argument("--folder", default="build/cluster", help="for inputs and outputs")
    parser.add_argument("--runs", type=int, default=5, help="runs of each compared program")
    options = parser.parse_args()
    bench = Bench(options)
    for name in options.cases or CASES:
        if name not in CASES:
            parser.error(f"there is no case {name}; there are: {', '.join(CASES)}")
        CASES[name](bench)


if __name__ == "__main__":
    main()
