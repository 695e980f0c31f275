#!/usr/bin/env python3
"""Judges weft track on films whose answer is known.

Plates and faces are composited on real footage on known paths, with the hardships that trackers lose
objects by. For each case the script prints how many frames were covered, where a frame is covered if
the object's true box is inside the tracker's box; how well the boxes overlap; how many frames weft
flagged as uncertain; and how fast it was. Next to weft run OpenCV's CSRT, KCF and MIL with the same
margin around their boxes, if Python finds cv2 (opencv-contrib-python).

Needs ffmpeg, numpy and Pillow (python3-numpy, python3-pil). Clips should have at least 1280x720
pixels; short ones are played forwards and backwards.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import subprocess
import sys
import time
import zlib

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

# An object of which less than this is seen need not be covered.
LEAST_VISIBLE = 0.2
FULLY_VISIBLE = 0.99
# Boxes have fractions of pixels, and the pixels at an object's edge are blended.
TOLERANCE = 0.5
PEER_MARGIN = 0.05
RATE = 25


def fail(sentence):
    sys.exit(f"tracking.py: error: {sentence}")


# ---- objects: pictures with transparency, four times as large as in the film ----

DETAIL = 4
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def font(height):
    for name in ("DejaVuSans-Bold.ttf", "DejaVuSans.ttf"):
        try:
            return ImageFont.truetype(name, height)
        except OSError:
            continue
    fail("the font DejaVu Sans is missing (fonts-dejavu-core)")


def plate(random, width, _turn):
    """A number plate; the same random state gives the same text."""
    width *= DETAIL
    height = round(width * 0.25)
    image = Image.new("RGBA", (width, height), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    ground = random.choice([(235, 235, 230), (240, 205, 60)])
    draw.rectangle((0, 0, width - 1, height - 1), fill=(*map(int, ground), 255),
                   outline=(20, 20, 20, 255), width=max(2, height // 20))
    draw.rectangle((height // 20, height // 20, height // 3, height - height // 20),
                   fill=(25, 50, 150, 255))
    text = ("".join(random.choice(list(LETTERS), 2)) + " " +
            "".join(str(d) for d in random.integers(0, 10, 4)))
    letters = font(round(height * 0.72))
    left, top, right, bottom = draw.textbbox((0, 0), text, font=letters)
    room = width - height // 3
    draw.text((height // 3 + (room - right + left) / 2 - left, (height - bottom + top) / 2 - top),
              text, font=letters, fill=(15, 15, 25, 255))
    return image


def face(random, width, turn):
    """A face of simple shapes. `turn` is (look, mouth): -1 to 1 sideways, and 0 to 1 open."""
    look, mouth = turn
    width *= DETAIL
    height = round(width * 1.3)
    skin = numpy.array([224, 180, 150]) * random.uniform(0.45, 1.0) + random.uniform(-8, 8, 3)
    hair = tuple(int(v) for v in random.uniform(15, 110, 3))
    eye_at, eye_apart = random.uniform(0.38, 0.45), random.uniform(0.19, 0.24)
    mouth_at, nose = random.uniform(0.72, 0.79), random.uniform(0.05, 0.08)
    image = Image.new("RGBA", (width, height), (0, 0, 0, 0))
    shape = Image.new("L", (width, height), 0)
    ImageDraw.Draw(shape).ellipse((0, 0, width - 1, height - 1), fill=255)
    across = numpy.linspace(-1, 1, width)[None, :]
    down = numpy.linspace(-1, 1, height)[:, None]
    shade = 1 - 0.35 * ((across - 0.4 * look - 0.25) ** 2 + 0.4 * (down + 0.2) ** 2)
    pixels = numpy.clip(skin[None, None, :] * shade[..., None], 0, 255).astype(numpy.uint8)
    image.paste(Image.fromarray(pixels, "RGB"), (0, 0))
    image.putalpha(shape)
    draw = ImageDraw.Draw(image)

    def place(x, y):
        """A point of the front of the head, x and y from -1 to 1, after the turn."""
        angle = math.asin(max(-1, min(1, x))) + 0.4 * look
        return width * (0.5 + 0.5 * math.sin(angle)), height * y, max(0.25, math.cos(angle))

    def oval(x, y, rx, ry, colour):
        cx, cy, narrow = place(x, y)
        draw.ellipse((cx - rx * width * narrow, cy - ry * width, cx + rx * width * narrow,
                      cy + ry * width), fill=(*colour, 255))

    for side in (-1, 1):
        x = 2 * side * eye_apart
        oval(x, eye_at, 0.085, 0.05, (245, 245, 240))
        oval(x + 0.1 * look, eye_at, 0.035, 0.04, (30, 25, 20))
        oval(x, eye_at - 0.075, 0.11, 0.018, hair)
    oval(0, 0.58, nose, 0.06, tuple(int(v * 0.72) for v in numpy.clip(skin, 0, 255)))
    oval(0, mouth_at, 0.15, 0.025 + 0.07 * mouth, (130, 45, 50))
    draw.chord((0, -height * 0.1, width - 1, height * 0.62), 195 + 15 * look, 345 + 15 * look,
               fill=(*hair, 255))
    image.putalpha(shape)
    return image.filter(ImageFilter.GaussianBlur(DETAIL / 2))


# ---- films ----

@dataclasses.dataclass
class Pose:
    x: float
    y: float
    scale: float = 1.0
    angle: float = 0.0  # degrees
    light: float = 1.0
    turn: tuple = (0.0, 0.0)
    stretch: float = 1.0  # changes the width alone


@dataclasses.dataclass
class Case:
    name: str
    path: object                  # (phase 0..1, Film) -> Pose
    blur: bool = False
    noise: float = 0.0
    occluder: str = ""            # "part", "whole"
    twin: str = ""                # "front", "behind": where the tracked one passes
    sloppy: bool = False
    jerk: float = 0.0             # pixels
    cut: bool = False
    only: str = ""                # the kind of object that has this case


def wander(phase, film):
    """A smooth path inside the picture."""
    w, h = film.size
    a, b, c, d = film.bends
    return (w * (0.5 + 0.26 * math.sin(2 * math.pi * (a * phase + c))),
            h * (0.5 + 0.24 * math.sin(2 * math.pi * (b * phase + d))))


def calm(phase, film):
    return Pose(*wander(phase, film))


def scaled(phase, film):
    return Pose(*wander(phase * 0.6, film), scale=1 + 0.6 * math.sin(2 * math.pi * phase))


def turned(phase, film):
    return Pose(*wander(phase * 0.6, film), angle=15 * math.sin(4 * math.pi * phase))


def fast(phase, film):
    return Pose(*wander(phase * 2.2, film))


def dimmed(phase, film):
    return Pose(*wander(phase, film), light=0.65 + 0.35 * math.cos(6 * math.pi * phase))


def across(phase, film):
    w, h = film.size
    return Pose(w * (0.15 + 0.7 * phase), h * (0.5 + 0.05 * math.sin(9 * phase)))


def leaving(phase, film):
    w, h = film.size
    return Pose(w * (0.5 + 0.85 * math.sin(2 * math.pi * phase)),
                h * (0.45 + 0.1 * math.sin(5 * phase)))


def foreshortened(phase, film):
    return Pose(*wander(phase * 0.7, film), scale=1.1 - 0.1 * math.cos(2 * math.pi * phase),
                stretch=0.75 + 0.25 * math.cos(4 * math.pi * phase))


def turning(phase, film):
    return Pose(*wander(phase * 0.7, film), scale=1 + 0.15 * math.sin(7 * phase),
                angle=8 * math.sin(11 * phase),
                turn=(math.sin(4 * math.pi * phase), 0.5 + 0.5 * math.sin(17 * math.pi * phase)))


CASES = (
    Case("calm", calm),
    Case("scale", scaled),
    Case("rotation", turned),
    Case("motion blur", fast, blur=True),
    Case("noise", calm, noise=18),
    Case("dimming", dimmed),
    Case("part hidden", across, occluder="part"),
    Case("wholly hidden", across, occluder="whole"),
    Case("exits, returns", leaving),
    Case("crossing, front", across, twin="front"),
    Case("crossing, farther", across, twin="behind"),
    Case("turning face", turning, only="face"),
    Case("foreshortened", foreshortened),
    Case("sloppy box", calm, sloppy=True),
    Case("jerky camera", calm, jerk=14),
    Case("cut", calm, cut=True),
)


@dataclasses.dataclass
class Truth:
    box: tuple       # left, top, right, bottom
    visible: float   # the part of the object that is seen


class Footage:
    """A clip's longest stretch without a cut, forwards and backwards until there are enough."""

    def __init__(self, path, size, count):
        w, h = size
        command = ["ffmpeg", "-v", "error", "-i", str(path), "-frames:v", str(2 * count), "-vf",
                   f"scale={w}:{h}:force_original_aspect_ratio=increase,crop={w}:{h}", "-f",
                   "rawvideo", "-pix_fmt", "rgb24", "-"]
        raw = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        frames = numpy.frombuffer(raw, numpy.uint8).reshape(-1, h, w, 3)
        if not len(frames):
            fail(f"{path} has no frames")
        small = frames[:, ::40, ::40].astype(numpy.float32).mean(axis=3)
        steps = abs(numpy.diff(small, axis=0)).mean(axis=(1, 2))
        cuts = numpy.flatnonzero((steps > 15) & (steps > 4 * numpy.median(steps))) + 1
        ends = [0, *cuts, len(frames)]
        begin = max(range(len(ends) - 1), key=lambda k: ends[k + 1] - ends[k])
        self.frames = frames[ends[begin]:ends[begin + 1]][:count]

    def __getitem__(self, k):
        n = len(self.frames)
        k %= max(2 * n - 2, 1)
        return self.frames[k if k < n else 2 * n - 2 - k]


class Film:
    def __init__(self, case, kind, footage, other, size, frames, seed):
        self.case, self.kind, self.size, self.count = case, kind, size, frames
        self.random = numpy.random.default_rng(seed)
        self.footage, self.other = footage, other
        self.bends = (*self.random.uniform(0.7, 1.3, 2), *self.random.uniform(0, 1, 2))
        self.draw = plate if kind == "plate" else face
        low, high = (0.085, 0.16) if kind == "plate" else (0.06, 0.11)
        self.width = round(size[0] * self.random.uniform(low, high))
        self.looks = int(self.random.integers(1 << 30))
        self.kept = {}
        self.post = self.random.uniform(0.4, 0.6)
        self.shakes = numpy.cumsum(self.random.normal(0, 0.5, (frames, 2)), axis=0)
        self.shakes = case.jerk * (self.random.normal(0, 1, (frames, 2)) + 0.3 * self.shakes)
        self.shakes = numpy.clip(self.shakes, -4 * case.jerk, 4 * case.jerk)

    def picture(self, looks, turn):
        key = looks, tuple(round(t, 2) for t in turn)
        if key not in self.kept:
            self.kept = {k: v for k, v in self.kept.items() if k[0] != looks}
            self.kept[key] = self.draw(numpy.random.default_rng(looks), self.width, key[1])
        return self.kept[key]

    def layer(self, looks, pose):
        """The object as colours and coverage on a part of the frame, and where that part is."""
        picture = self.picture(looks, pose.turn)
        scale = pose.scale / DETAIL
        half = math.ceil(math.hypot(*picture.size) * scale / 2) + 2
        left, top = math.floor(pose.x) - half, math.floor(pose.y) - half
        angle = math.radians(pose.angle)
        c, s = math.cos(angle) / scale, math.sin(angle) / scale
        cx, cy = picture.width / 2, picture.height / 2
        ox, oy = left - pose.x, top - pose.y
        wide = pose.stretch
        matrix = (c / wide, s / wide, cx + (c * ox + s * oy) / wide, -s, c, cy - s * ox + c * oy)
        small = picture
        if scale < 0.5:  # against aliasing
            small = picture.filter(ImageFilter.BoxBlur(0.5 / scale - 0.5))
        out = small.transform((2 * half, 2 * half), Image.AFFINE, matrix, Image.BICUBIC)
        pixels = numpy.asarray(out, numpy.float32)
        return pixels[..., :3] * pose.light, pixels[..., 3] / 255, left, top

    def true_box(self, looks, pose):
        picture = self.picture(looks, pose.turn)
        w, h = (side * pose.scale / DETAIL / 2 for side in picture.size)
        w *= pose.stretch
        c, s = abs(math.cos(math.radians(pose.angle))), abs(math.sin(math.radians(pose.angle)))
        if self.kind == "plate":
            x, y = w * c + h * s, w * s + h * c
        else:  # an ellipse
            x, y = math.hypot(w * c, h * s), math.hypot(w * s, h * c)
        return pose.x - x, pose.y - y, pose.x + x, pose.y + y

    def put(self, frame, looks, poses):
        """Blends the object, smeared over the poses; returns its coverage of the frame."""
        h, w = frame.shape[:2]
        colour = numpy.zeros_like(frame)
        covered = numpy.zeros((h, w), numpy.float32)
        whole = 0.0
        for pose in poses:
            pixels, alpha, left, top = self.layer(looks, pose)
            whole += float(alpha.sum()) / len(poses)
            x0, y0 = max(left, 0), max(top, 0)
            x1, y1 = min(left + alpha.shape[1], w), min(top + alpha.shape[0], h)
            if x0 >= x1 or y0 >= y1:
                continue
            part = (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))
            weight = alpha[part] / len(poses)
            colour[y0:y1, x0:x1] += pixels[part] * weight[..., None]
            covered[y0:y1, x0:x1] += weight
        frame *= 1 - covered[..., None]
        frame += colour
        return covered, whole

    def occlude(self, frame, covered):
        """A post of the footage's own pixels, in front of the object."""
        w, h = self.size
        narrow = 0.3 if self.kind == "plate" else 0.45
        wide = round(self.width * (narrow if self.case.occluder == "part" else 1.7))
        x = round(w * self.post)
        post = frame[:, (x + w // 3) % (w - wide):][:, :wide].copy() * 0.8 + 15
        frame[:, x:x + wide] = post
        covered[:, x:x + wide] = 0

    def poses(self, k):
        """The positions during the exposure of frame k; one if it is short."""
        steps = 9 if self.case.blur else 1
        exposure = 0.5 if self.case.blur else 0
        poses = []
        for step in range(steps):
            phase = (k + exposure * (step / max(steps - 1, 1) - 0.5)) / self.count
            poses.append(self.case.path(phase, self))
        return poses

    def render(self, k):
        case = self.case
        gone = case.cut and k >= self.count * 2 // 3
        frame = (self.other if gone else self.footage)[k].astype(numpy.float32)
        shake = self.shakes[k] if case.jerk else (0, 0)
        poses = self.poses(k)
        if case.jerk:
            frame = numpy.roll(frame, (round(shake[1]), round(shake[0])), (0, 1))
            poses = [dataclasses.replace(p, x=p.x + round(shake[0]), y=p.y + round(shake[1]))
                     for p in poses]
        if gone:
            return frame, Truth((0, 0, 0, 0), 0)
        middle = poses[len(poses) // 2]
        twin = dataclasses.replace(middle, x=self.size[0] - middle.x, y=middle.y + 6)
        if case.twin == "front":
            self.put(frame, self.looks + 1, [twin])
        covered, whole = self.put(frame, self.looks, poses)
        if case.twin == "behind":
            hidden, _ = self.put(frame, self.looks + 1, [twin])
            covered *= 1 - hidden
        if case.occluder:
            self.occlude(frame, covered)
        boxes = [self.true_box(self.looks, pose) for pose in (poses[0], middle, poses[-1])]
        box = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes),
               max(b[3] for b in boxes))
        if case.noise:
            frame += self.random.normal(0, case.noise, frame.shape[:2])[..., None]
        return frame, Truth(box, float(covered.sum()) / whole)

    def write(self, path):
        """Writes the film; returns the true boxes and the box that a user would draw."""
        w, h = self.size
        command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                   f"{w}x{h}", "-r", str(RATE), "-i", "-", "-c:v", "libx264", "-preset",
                   "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", str(path)]
        truths = []
        with subprocess.Popen(command, stdin=subprocess.PIPE) as ffmpeg:
            for k in range(self.count):
                frame, truth = self.render(k)
                truths.append(truth)
                ffmpeg.stdin.write(numpy.clip(frame, 0, 255).astype(numpy.uint8).tobytes())
            ffmpeg.stdin.close()
        if ffmpeg.returncode:
            fail(f"ffmpeg could not write {path}")
        left, top, right, bottom = truths[0].box
        if self.case.sloppy:  # too large, and not centred
            wide, tall = right - left, bottom - top
            grow = self.random.uniform(0.0, 0.25, 4)
            left, right = left - grow[0] * wide, right + grow[1] * wide
            top, bottom = top - grow[2] * tall, bottom + grow[3] * tall
        return truths, (left, top, right - left, bottom - top)


# ---- trackers: frame -> (left, top, right, bottom, sure) ----

def run_weft(weft, path, box):
    x, y, w, h = box
    begin = time.monotonic()
    done = subprocess.run([weft, "track", str(path), "--box", f"{w:.1f}x{h:.1f}+{x:.1f}+{y:.1f}",
                           "--at", "0"], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if done.returncode:
        fail(f"weft track {path}: {done.stderr}")
    boxes = {}
    for line in done.stdout.splitlines():
        number, _, x, y, w, h, confidence = (float(v) for v in line.split(",")[:7])
        boxes[int(number) - 1] = (x, y, x + w, y + h, confidence >= 0.5)
    return boxes, seconds


def run_peer(cv2, name, path, box):
    tracker = getattr(cv2, f"Tracker{name}_create")()
    film = cv2.VideoCapture(str(path))
    boxes, number = {}, 0
    begin = time.monotonic()
    while True:
        good, frame = film.read()
        if not good:
            break
        if number == 0:
            tracker.init(frame, tuple(round(v) for v in box))
            found, (x, y, w, h) = True, box
        else:
            found, (x, y, w, h) = tracker.update(frame)
        if found:
            mx, my = PEER_MARGIN * w, PEER_MARGIN * h
            boxes[number] = (x - mx, y - my, x + w + mx, y + h + my, True)
        number += 1
    return boxes, time.monotonic() - begin


# ---- judging ----

@dataclasses.dataclass
class Score:
    visible: int = 0
    covered: int = 0
    overlap: float = 0.0
    flagged: int = 0
    missed: int = 0          # neither covered nor flagged
    fully: int = 0
    fully_flagged: int = 0
    frames: int = 0
    seconds: float = 0.0

    def add(self, other):
        for field in dataclasses.fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def share(self, part, whole):
        return 100 * getattr(self, part) / max(getattr(self, whole), 1)


def inside(inner, outer):
    return (inner[0] >= outer[0] - TOLERANCE and inner[1] >= outer[1] - TOLERANCE and
            inner[2] <= outer[2] + TOLERANCE and inner[3] <= outer[3] + TOLERANCE)


def overlap(a, b):
    wide = min(a[2], b[2]) - max(a[0], b[0])
    tall = min(a[3], b[3]) - max(a[1], b[1])
    common = max(wide, 0) * max(tall, 0)
    areas = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return common / (areas - common)


def clipped(box, size):
    return max(box[0], 0), max(box[1], 0), min(box[2], size[0]), min(box[3], size[1])


def judge(truths, boxes, seconds, size, report=None):
    score = Score(frames=len(truths), seconds=seconds)
    for k, truth in enumerate(truths):
        box = boxes.get(k)
        score.flagged += box is not None and not box[4]
        if truth.visible < LEAST_VISIBLE:
            continue
        score.visible += 1
        seen = clipped(truth.box, size)
        covered = box is not None and inside(seen, box)
        score.covered += covered
        score.overlap += overlap(seen, clipped(box, size)) if box else 0
        score.missed += not covered and (box is None or box[4])
        if report is not None and not covered:
            report.append((k, round(truth.visible, 2), [round(v) for v in seen],
                           [round(v) for v in box[:4]] + [box[4]] if box else None))
        if truth.visible >= FULLY_VISIBLE:
            score.fully += 1
            score.fully_flagged += box is not None and not box[4]
    return score


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=pathlib.Path, help="real footage")
    parser.add_argument("--weft", default="weft")
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="folder for the films, which are kept and used again")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--frames", type=int, default=150)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--cases", nargs="+", help="parts of their names")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--misses", action="store_true", help="list frames that are not covered")
    options = parser.parse_args()
    size = tuple(int(side) for side in options.size.split("x"))
    options.work.mkdir(parents=True, exist_ok=True)
    cv2 = None
    if not options.no_peers:
        try:
            import cv2
        except ImportError:
            print("OpenCV's trackers are left out: Python does not find cv2")
    trackers = ["weft"] + (["CSRT", "KCF", "MIL"] if cv2 else [])
    sums = {name: Score() for name in trackers}
    loaded = {}

    def footage(k):
        path = options.clips[k % len(options.clips)]
        if path not in loaded:
            loaded.clear()
            loaded[path] = Footage(path, size, options.frames)
        return loaded[path]

    print(f"{'case':18}{'tracker':8}{'covered':>9}{'overlap':>9}{'flagged':>9}{'missed':>8}"
          f"{'flagged, of fully visible':>27}{'frames/s':>10}")
    for case in CASES:
        if options.cases and not any(part in case.name for part in options.cases):
            continue
        scores = {name: Score() for name in trackers}
        for seed in options.seeds:
            for kind in ("plate", "face"):
                if case.only not in ("", kind):
                    continue
                number = zlib.crc32(f"{case.name} {kind} {seed}".encode())
                stem = f"{options.size}-{options.frames}-{case.name.replace(' ', '_')}-{kind}-{seed}"
                film = options.work / f"{stem}.mp4"
                answer = options.work / f"{stem}.json"
                if not answer.exists():
                    other = Footage(options.clips[(number + 1) % len(options.clips)], size,
                                    options.frames) if case.cut else None
                    made = Film(case, kind, footage(number), other, size, options.frames, number)
                    truths, box = made.write(film)
                    answer.write_text(json.dumps(
                        {"box": box, "truths": [(t.box, t.visible) for t in truths]}))
                known = json.loads(answer.read_text())
                truths = [Truth(tuple(b), v) for b, v in known["truths"]]
                for name in trackers:
                    boxes, seconds = (run_weft(options.weft, film, known["box"]) if name == "weft"
                                      else run_peer(cv2, name, film, known["box"]))
                    misses = [] if options.misses and name == "weft" else None
                    score = judge(truths, boxes, seconds, size, misses)
                    scores[name].add(score)
                    for miss in misses or []:
                        print(f"  {stem}: frame {miss[0]}, {miss[1]} visible, true {miss[2]}, "
                              f"tracked {miss[3]}")
        for name in trackers:
            sums[name].add(scores[name])
            print_row(case.name, name, scores[name])
    for name in trackers:
        print_row("all", name, sums[name])


def print_row(case, name, score):
    print(f"{case:18}{name:8}{score.share('covered', 'visible'):8.1f}%"
          f"{score.share('overlap', 'visible'):8.1f}%{score.share('flagged', 'frames'):8.1f}%"
          f"{score.missed:8}{score.share('fully_flagged', 'fully'):26.1f}%"
          f"{score.frames / max(score.seconds, 1e-9):10.0f}", flush=True)


if __name__ == "__main__":
    main()
