#!/usr/bin/env python3
"""Compares weft motion with DVR-Scan: the events that they find in clips with known motion, and their times.

  motion.py --dvr-scan VENV/bin/dvr-scan FILM…

Install DVR-Scan with `pip install dvr-scan opencv-python-headless` into an environment of its own. Each clip is made
from real footage: one frame of a film, as a camera that does not move sees it, with noise that changes from frame to
frame, and an ellipse cut from another frame, which crosses the picture at known times. x264 encodes it at the bit rate
of a camera. The scenes take the films in turns.

Both programs run with their defaults, on one clip after the other, in turns; times are of whole programs, start and
decoding included. DVR-Scan adds 1.5 s before each event and 2 s after it: the former is set to 0 and the latter is
subtracted, which changes nothing else. An event is found if its start and its end are within --tolerance of the known
ones; every other one is a false alarm. Motions at most 2 s apart are one event in both programs.
"""

import argparse
import csv
import dataclasses
import pathlib
import resource
import shlex
import statistics
import subprocess
import sys
import time


@dataclasses.dataclass(frozen=True)
class Crossing:
    """An object that enters at `begin` and has left at `end`, in seconds."""
    begin: float
    end: float
    height: int  # px
    top: float  # share of the picture's height


@dataclasses.dataclass(frozen=True)
class Scene:
    about: str
    crossings: tuple
    size: str = "1920x1080"
    rate: int = 30
    noise: int = 6  # ffmpeg's noise=alls=
    light: str = "null"  # a filter for the whole picture, before the noise
    bit_rate: str = "6M"
    seconds: int = 30


SCENES = {
    "street": Scene("three objects of 240 px", (
        Crossing(3, 7, 240, 0.5), Crossing(13, 15, 240, 0.7), Crossing(22, 25, 240, 0.2))),
    "small": Scene("an object of 90 px, slow and fast", (
        Crossing(4, 14, 90, 0.6), Crossing(22, 23, 90, 0.3))),
    "still": Scene("nothing moves", ()),
    "exposure": Scene("the exposure swings and the lamps flicker", (
        Crossing(9, 12, 240, 0.4),),
        light="eq=brightness='0.08*sin(2*PI*t/9)+0.012*sin(2*PI*7*t)':contrast='1+0.1*sin(2*PI*t/13)':eval=frame"),
    "lamp": Scene("at 5 s the whole picture becomes brighter, at 20 s darker", (
        Crossing(11, 14, 240, 0.4),),
        light="eq=brightness='0.12*(gte(t,5)-gte(t,20))':eval=frame"),
    "night": Scene("dark and noisy", (
        Crossing(5, 9, 240, 0.5), Crossing(18, 21, 240, 0.6)),
        light="eq=brightness=-0.25:contrast=0.5", noise=20),
    "cheap": Scene("720p at 1 Mbit/s", (
        Crossing(4, 8, 160, 0.5), Crossing(17, 20, 160, 0.3)), size="1280x720", rate=25, bit_rate="1M"),
    "door": Scene("an object as high as the picture", (
        Crossing(6, 8, 720, 0.0),), size="1280x720", rate=25, bit_rate="3M"),
}


def fail(sentence):
    sys.exit(f"motion.py: error: {sentence}")


def run(words):
    """Runs a command; returns its output, its seconds and its CPU seconds."""
    words = [str(word) for word in words]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        fail(f"exit code {result.returncode}: {shlex.join(words)}\n{result.stderr[-4000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result.stdout, seconds, cpu


def film_seconds(film):
    out, _, _ = run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", film])
    return float(out)


def make_clip(scene, film, path):
    """Encodes the scene on a frame at a third of the film, with an object from two thirds of it."""
    width, height = map(int, scene.size.split("x"))
    seconds = film_seconds(film)
    still, cut = path.with_suffix(".still.png"), path.with_suffix(".object.png")
    run(["ffmpeg", "-v", "error", "-y", "-ss", seconds / 3, "-i", film, "-frames:v", 1, "-vf",
         f"scale={width}:{height}:force_original_aspect_ratio=increase,crop={width}:{height}", still])
    # The middle of the frame, as an ellipse that is two thirds as wide as high.
    run(["ffmpeg", "-v", "error", "-y", "-ss", seconds * 2 / 3, "-i", film, "-frames:v", 1, "-vf",
         "crop=ih/2:ih*3/4,scale=480:720,format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':"
         "a='255*lt(pow((X-240)/240,2)+pow((Y-360)/360,2),1)'", cut])
    words, chain, last = ["-loop", 1, "-framerate", scene.rate, "-i", still], [], "0:v"
    for k, crossing in enumerate(scene.crossings):
        words += ["-loop", 1, "-framerate", scene.rate, "-i", cut]
        span = f"(t-{crossing.begin})/{crossing.end - crossing.begin}"
        chain.append(f"[{k + 1}:v]scale=-2:{crossing.height}[o{k}];[{last}][o{k}]overlay=x='{span}*(W+w)-w':"
                     f"y={round(crossing.top * height)}:enable='between(t,{crossing.begin},{crossing.end})':"
                     f"eval=frame[p{k}]")
        last = f"p{k}"
    chain.append(f"[{last}]{scene.light},noise=alls={scene.noise}:allf=t,format=yuv420p")
    part = path.with_suffix(".part.mp4")
    run(["ffmpeg", "-v", "error", "-y", *words, "-filter_complex", ";".join(chain), "-t", scene.seconds, "-c:v",
         "libx264", "-preset", "veryfast", "-b:v", scene.bit_rate, "-maxrate", scene.bit_rate, "-bufsize",
         scene.bit_rate, "-g", 2 * scene.rate, part])
    part.rename(path)


def seconds_of(clock):
    hours, minutes, seconds = clock.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def weft_events(options, clip):
    out, seconds, cpu = run([options.weft, "motion", "-f", "csv", clip])
    rows = list(csv.DictReader(out.splitlines()))
    return [(float(row["start"]), float(row["end"])) for row in rows], seconds, cpu


def dvr_scan_events(options, clip):
    out, seconds, cpu = run([options.dvr_scan, "--ignore-user-config", "-q", "-so", "-tb", "0s", "-i", clip])
    times = [seconds_of(clock) for clock in out.strip().split(",") if ":" in clock]
    return [(begin, end - 2) for begin, end in zip(times[::2], times[1::2])], seconds, cpu


def judged(found, known, tolerance):
    """"2 of 3, 1 false": the known events that were found, and the others that are listed."""
    right = {(begin, end) for begin, end in found for crossing in known
             if abs(begin - crossing.begin) <= tolerance and abs(end - crossing.end) <= tolerance}
    return f"{len(right)} of {len(known)}, {len(found) - len(right)} false"


def shown(events):
    return " ".join(f"{begin:.2f}-{end:.2f}" for begin, end in events) or "none"


def compare(name, options):
    scene = SCENES[name]
    film = options.films[list(SCENES).index(name) % len(options.films)]
    clip = options.folder / f"{name}.mp4"
    if not clip.exists():
        make_clip(scene, film, clip)
    programs = {"weft": weft_events, "DVR-Scan": dvr_scan_events}
    events, walls, cpus = {}, {key: [] for key in programs}, {key: [] for key in programs}
    for _ in range(options.runs):
        for key, program in programs.items():
            events[key], seconds, cpu = program(options, clip)
            walls[key].append(seconds)
            cpus[key].append(cpu)
    print(f"{name}: {scene.about}; {scene.size}, {scene.rate * scene.seconds} frames of {pathlib.Path(film).name}")
    print(f"  known     {shown([(crossing.begin, crossing.end) for crossing in scene.crossings])}")
    for key in programs:
        print(f"  {key:<9} {judged(events[key], scene.crossings, options.tolerance)}: {shown(events[key])}; "
              f"{statistics.median(walls[key]):.2f} s, {statistics.median(cpus[key]):.2f} s of CPU")
    for what, times in (("time", walls), ("CPU time", cpus)):
        ratios = [slow / fast for slow, fast in zip(times["DVR-Scan"], times["weft"])]
        print(f"  {what} of DVR-Scan / weft: {statistics.median(ratios):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="scenes:\n" + "\n".join(f"  {name:<10}{scene.about}" for name, scene in SCENES.items()))
    parser.add_argument("films", nargs="+", metavar="FILM", help="real footage")
    parser.add_argument("--weft", default="build/release/bin/weft")
    parser.add_argument("--dvr-scan", required=True, help="the program of DVR-Scan")
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES), metavar="SCENE")
    parser.add_argument("--folder", type=pathlib.Path, default="build/motion", help="for the clips")
    parser.add_argument("--runs", type=int, default=3, help="runs per program")
    parser.add_argument("--tolerance", type=float, default=0.5, help="seconds [0.5]")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.scenes:
        compare(name, options)


if __name__ == "__main__":
    main()
