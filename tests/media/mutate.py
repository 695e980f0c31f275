#!/usr/bin/env python3
"""Damages small media files at random, filters them and compares the reports with the truth.

On one machine with ffmpeg and a build with sanitizers (cmake --preset asan, target weft):

  tests/media/mutate.py --weft build/asan/bin/weft --count 2000 --json mutants.json
  tests/media/mutate.py --weft build/asan/bin/weft --seed 1 --only 1234   one mutant, kept and shown
  tests/media/mutate.py --judge mutants.json                              compare with ffmpeg's view

On a machine with python3 but without ffmpeg (packed here, run there, judged here):

  tests/media/mutate.py --weft build/asan/bin/weft --pack campaign && tar -cJf campaign.tar.xz campaign
  campaign/mutate.py --packed campaign --count 100000 --json mutants.json
  tests/media/mutate.py --packed campaign --judge mutants.json

A campaign folder contains the clips, weft with its libraries, and these scripts. --seed and a number
determine a mutant, so mutants are not stored; the judge makes those that it needs again. An alarm is
false if every picture is unchanged and ffmpeg prints nothing. Alarms about broken structure (a wrong
checksum, a size past the end of the file) are counted separately, because ffmpeg does not check it.
The exit code is 1 if a goal is missed: no crash, no hang, at most 0.2 % lost frames with exit 0 in
containers that can prove their number of frames, at most 0.2 % false alarms.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

import container_fields

FRAMES = 40
PICTURE = f"-f lavfi -i testsrc2=s=64x48:r=25:d={FRAMES / 25}"
TONE = " -f lavfi -i sine=d=1.6"
# Small static pictures compress to a few bytes, which MPEG-4 also uses for pictures not coded.
MOVING = PICTURE + ",noise=alls=8:allf=t"
X265 = " -c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=10:pools=none"
AV1 = " -c:v libaom-av1 -usage realtime -cpu-used 8 -g 10"
X264 = " -c:v libx264 -preset ultrafast -bf 2 -g 10 -threads 1 -pix_fmt yuv420p"

# Name, extension, ffmpeg's options, and whether the container can prove its number of frames with a
# table of samples, checksums or counters across frames.
CLIPS = [
    ("mp4_h264", "mp4", PICTURE + X264, True),
    ("mp4_h264_aac", "mp4", PICTURE + TONE + X264 + " -c:a aac -b:a 32k", True),
    ("mp4_faststart_mpeg4", "mp4", MOVING + " -c:v mpeg4 -g 10 -movflags +faststart", True),
    ("mp4_fragments", "mp4", PICTURE + X264 + " -movflags frag_keyframe+empty_moov", True),
    ("mp4_hevc", "mp4", PICTURE + X265, True),
    ("mov_prores", "mov", PICTURE + " -c:v prores_ks -profile:v 0", True),
    ("mov_mjpeg", "mov", PICTURE + " -c:v mjpeg", True),
    ("mkv_h264", "mkv", PICTURE + X264, True),
    ("mkv_h264_opus", "mkv", PICTURE + TONE + X264 + " -c:a libopus -b:a 24k", True),
    ("mkv_ffv1", "mkv", PICTURE + " -c:v ffv1 -level 3 -slicecrc 1 -g 5 -threads 1", True),
    ("webm_vp9", "webm", PICTURE + " -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 10", True),
    ("webm_vp8", "webm", PICTURE + " -c:v libvpx -deadline realtime -cpu-used 8 -g 10", True),
    ("avi_mpeg4", "avi", MOVING + " -c:v mpeg4 -g 10", True),
    ("avi_ffv1", "avi", PICTURE + " -c:v ffv1 -level 3 -slicecrc 1 -g 5 -threads 1", True),
    ("ts_mpeg2", "ts", PICTURE + " -c:v mpeg2video -g 10 -bf 2", False),
    ("ts_h264", "ts", PICTURE + X264, False),
    ("mpg_mpeg2", "mpg", PICTURE + " -c:v mpeg2video -g 10 -bf 2", False),
    ("nut_ffv1", "nut", PICTURE + " -c:v ffv1 -level 3 -slicecrc 1 -g 5 -threads 1", True),
    ("nut_mpeg4", "nut", MOVING + " -c:v mpeg4 -g 10", True),
    ("asf_wmv2", "asf", PICTURE + " -c:v wmv2 -g 10", True),
    ("ogg_theora", "ogv", PICTURE + " -c:v libtheora -g 10", True),
    ("flv_h264", "flv", PICTURE + X264, False),
    ("h264", "h264", PICTURE + X264, False),
    ("y4m", "y4m", PICTURE + " -pix_fmt yuv420p", False),
    ("gif", "gif", PICTURE + " -pix_fmt bgr8", False),
    ("apng", "apng", PICTURE + " -c:v apng", True),
    ("png", "png", PICTURE + " -frames:v 1", True),
    ("jpeg", "jpg", PICTURE + " -frames:v 1", False),
    ("tiff", "tiff", PICTURE + " -frames:v 1", False),
    ("bmp", "bmp", PICTURE + " -frames:v 1", False),
    ("webp", "webp", PICTURE + " -frames:v 1 -c:v libwebp", False),
    ("mp4_av1", "mp4", PICTURE + AV1, True),
    ("mkv_av1", "mkv", PICTURE + AV1, True),
    ("mp4_vp9", "mp4", PICTURE + " -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 10", True),
    ("mkv_mpeg2", "mkv", PICTURE + " -c:v mpeg2video -g 10 -bf 2", True),
    ("mkv_hevc", "mkv", PICTURE + X265, True),
    ("ts_hevc", "ts", PICTURE + X265, False),
    ("nut_h264", "nut", PICTURE + X264, True),
    ("mov_png", "mov", PICTURE + " -c:v png", True),
    ("mov_dnxhd", "mov", PICTURE + " -s 256x128 -t 0.2 -c:v dnxhd -profile:v dnxhr_hq "
                                   "-pix_fmt yuv422p", True),
    ("avi_utvideo", "avi", PICTURE + " -c:v utvideo", True),
    ("avi_mjpeg", "avi", PICTURE + " -c:v mjpeg", True),
    ("mxf_mpeg2", "mxf", PICTURE + " -c:v mpeg2video -g 10 -pix_fmt yuv422p", False),
    ("3gp_h263", "3gp", PICTURE + " -s 176x144 -c:v h263 -g 10", True),
    ("rm_rv20", "rm", PICTURE + " -s 176x144 -c:v rv20 -g 10", False),
    ("ivf_vp8", "ivf", PICTURE + " -c:v libvpx -deadline realtime -cpu-used 8 -g 10", True),
    ("dv", "dv", PICTURE + " -s 720x576 -t 0.12 -c:v dvvideo -pix_fmt yuv420p", False),
    ("dpx", "dpx", PICTURE + " -frames:v 1", False),
]

PER_RUN = 50        # mutants per process: starting a program with AddressSanitizer costs most
ONE_SECONDS = 20    # a mutant that takes longer on its own hangs
MEMORY_MIB = 2048   # tiny pictures: 64x48
MOST_SHOWN = 50     # crashes, hangs and the like that are printed; the JSON has all
INFO_EACH = 20      # weft info takes one file per process, so only each 20th mutant gets it
EXIT_CODES = {0, 1, 2, 3, 4, 5}
SANITIZERS = ("ERROR: AddressSanitizer", "runtime error:", "ThreadSanitizer:", "LeakSanitizer")
TROUBLE = ("crash", "hang", "memory")
CLASSES = TROUBLE + ("lost", "changed", "same_but_4", "reported", "refused", "good")


@dataclasses.dataclass
class Clip:
    name: str
    file: str
    frames: int
    proves: bool


# ---- mutants -------------------------------------------------------------------------------------

def span(dice, size):
    """Begin and end of a chunk of up to a quarter of `size` bytes."""
    length = min(size, 1 << dice.randrange(max(1, (size // 4).bit_length())))
    begin = dice.randrange(size - length + 1)
    return begin, begin + length


def change_bytes(dice, data):
    for _ in range(min(dice.choice([1, 2, 5, 20, 100, 500, 2000]), len(data))):
        data[dice.randrange(len(data))] = dice.randrange(256)


def flip_header_bits(dice, data):
    """In the first bytes, or in the last ones, where some containers store their tables."""
    area = min(len(data), dice.choice([64, 512, 2048]))
    offset = dice.choice([0, 0, len(data) - area])
    for _ in range(dice.randint(1, 8)):
        data[offset + dice.randrange(area)] ^= 1 << dice.randrange(8)


def delete_chunk(dice, data):
    begin, end = span(dice, len(data))
    del data[begin:end]


def repeat_chunk(dice, data):
    begin, end = span(dice, len(data))
    data[end:end] = data[begin:end]


def zero_chunk(dice, data):
    begin, end = span(dice, len(data))
    data[begin:end] = bytes(end - begin)


def move_chunk(dice, data):
    begin, end = span(dice, len(data))
    chunk = data[begin:end]
    del data[begin:end]
    place = dice.randrange(len(data) + 1)
    data[place:place] = chunk


def truncate(dice, data):
    del data[dice.randrange(len(data)):]


def put_number(dice, data):
    """Limits of counts and sizes, in the widths of containers' fields."""
    width = dice.choice([1, 2, 4, 8])
    number = dice.choice([0, 1, 2**(8 * width) - 1, 2**(8 * width - 1), 2**(8 * width - 1) - 1,
                          len(data), dice.getrandbits(8 * width)]) % 2**(8 * width)
    area = min(len(data), dice.choice([512, len(data)]))
    place = max(0, dice.randrange(area) - width)
    data[place:place + width] = number.to_bytes(width, dice.choice(["big", "little"]))


MUTATIONS = [change_bytes, change_bytes, flip_header_bits, delete_chunk, repeat_chunk, zero_chunk,
             move_chunk, truncate, put_number]


def mutant(seed, number, data):
    """The bytes of one mutant, which differ from `data`, and the name of its mutation."""
    dice = random.Random(f"{seed}:{number}")
    while True:
        change = dice.choice(MUTATIONS)
        copy = bytearray(data)
        change(dice, copy)
        if copy != data:
            return bytes(copy), change.__name__


# ---- the pictures in an output -------------------------------------------------------------------

def pictures_hash(path):
    """The same program encodes the same pictures to the same FFV1 packets, so these are compared."""
    digest = hashlib.sha256()
    for _, _, content in container_fields.packets(path.read_bytes())["video", 0]:
        digest.update(len(content).to_bytes(4, "big") + content)
    return digest.hexdigest()


# ---- runs ----------------------------------------------------------------------------------------

class Weft:
    """The program under test and its environment."""

    def __init__(self, program, scratch):
        self.program = str(pathlib.Path(program).resolve())
        self.scratch = scratch
        self.env = dict(
            os.environ, XDG_CACHE_HOME=scratch, XDG_CONFIG_HOME=scratch,
            ASAN_OPTIONS="detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:"
                         f"quarantine_size_mb=16:hard_rss_limit_mb={2 * MEMORY_MIB}",
            UBSAN_OPTIONS="print_stacktrace=1:abort_on_error=1")
        libraries = pathlib.Path(self.program).parent / "lib"
        if libraries.is_dir():
            self.env["LD_LIBRARY_PATH"] = str(libraries)

    def run(self, arguments, seconds):
        """The exit code, stderr and the memory in MiB; the code is None if it took too long.

        The run is limited to one core, because libav and weft would otherwise start a thread per
        core of a machine that is busy with other runs.
        """
        core = random.choice(sorted(os.sched_getaffinity(0)))
        with tempfile.TemporaryFile(dir=self.scratch) as err:
            child = subprocess.Popen([self.program, *arguments], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=err, env=self.env,
                                     preexec_fn=lambda: os.sched_setaffinity(0, {core}))
            old = signal.signal(signal.SIGALRM, lambda *_: child.kill())
            signal.alarm(seconds)
            _, status, usage = os.wait4(child.pid, 0)
            killed = signal.alarm(0) == 0
            signal.signal(signal.SIGALRM, old)
            child.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            text = err.read().decode(errors="replace")
        code = None if killed and child.returncode == -signal.SIGKILL else child.returncode
        return code, text, usage.ru_maxrss // 1024

    def batch(self, files, out, seconds):
        """The run and the entries of its report; None if it wrote no report."""
        report = out / "report.json"
        result = self.run(["batch", "-y", "-vf", "convolve=matrix=1", "--lossless", "-f", "mkv",
                           "--gpu", "off", "--jobs", "1", "--keep-damaged", "--progress", "none",
                           "--loglevel", "error", "--json", str(report), "-o", f"{out}/",
                           *map(str, files)], seconds)
        try:
            return result, json.loads(report.read_text())["files"]
        except (OSError, ValueError, KeyError):
            return result, None


def trouble(code, text, mib):
    if "hard rss limit exhausted" in text or mib > MEMORY_MIB:
        return "memory"
    if code is None:
        return "hang"
    if code not in EXIT_CODES or any(word in text for word in SANITIZERS):
        return "crash"
    return None


def verdict(clip, entry, output, want):
    """The class of a run that ended by itself; `want` is the hash of the undamaged clip."""
    code = entry["exit_code"]
    same = output.exists() and pictures_hash(output) == want
    if code == 0:
        return "good" if same else "lost" if entry["frames_out"] < clip.frames else "changed"
    if code == 4 and output.exists():
        return "same_but_4" if same else "reported"
    return "refused" if code in (1, 2, 4) else "crash"


def failure(text):
    """The lines of a sanitizer's report that name the place."""
    lines = [line for line in text.splitlines() if any(word in line for word in SANITIZERS)
             or line.strip().startswith(("#0", "#1", "#2", "#3", "SUMMARY"))]
    return " | ".join(line.strip()[:160] for line in lines[:6]) or text[-300:]


def detail_of(entry):
    damage = entry.get("damage") or {}
    return f"exit {entry['exit_code']}, {entry['frames_out']} frames: " + (
        entry["error"] or damage.get("reason", ""))[:240]


class Campaign:
    """The mutants of some clips. `wants`: a hash of each clip's undamaged pictures."""

    def __init__(self, weft, clips, seeds, wants, seed):
        self.weft, self.clips, self.seeds, self.wants, self.seed = weft, clips, seeds, wants, seed

    def clip(self, number):
        return self.clips[number % len(self.clips)]

    def mutant(self, number):
        """The bytes of a mutant, and the name of its mutation."""
        return mutant(self.seed, number, self.seeds[self.clip(number).name])

    def verdict(self, clip, entry, path, output):
        """[class, detail] of a run that ended by itself; `path` is the mutant."""
        return [verdict(clip, entry, output, self.wants[clip.name]), detail_of(entry)]

    def run_one(self, clip, path, with_info):
        """[class, detail] of one mutant in a process of its own."""
        out = path.parent / f"{path.stem}.out"
        out.mkdir()
        result, entries = self.weft.batch([path], out, ONE_SECONDS)
        bad = trouble(*result)
        if not bad and with_info:
            result = self.weft.run(["info", str(path)], ONE_SECONDS)
            bad = trouble(*result)
        if bad:
            found = [bad, f"exit {result[0]}, {result[2]} MiB: {failure(result[1])}"]
        elif not entries:
            found = ["refused", result[1][-200:]]
        else:
            found = self.verdict(clip, entries[0], path, out / f"{path.stem}.mkv")
        shutil.rmtree(out)
        return found

    def run_group(self, numbers):
        """Up to PER_RUN mutants in one process; if it fails, each alone, to find the one at fault."""
        with tempfile.TemporaryDirectory(dir=self.weft.scratch) as folder:
            folder = pathlib.Path(folder)
            files, changes = [], []
            for number in numbers:
                data, change = self.mutant(number)
                path = folder / f"{number}{pathlib.Path(self.clip(number).file).suffix}"
                path.write_bytes(data)
                files.append(path)
                changes.append(change)
            out = folder / "out"
            out.mkdir()
            result, entries = self.weft.batch(files, out, ONE_SECONDS + 2 * len(files))
            whole = not trouble(*result) and entries and len(entries) == len(files)
            found = []
            for at, number in enumerate(numbers):
                clip, path = self.clip(number), files[at]
                if whole and number % INFO_EACH:
                    words = self.verdict(clip, entries[at], path, out / f"{path.stem}.mkv")
                else:
                    words = self.run_one(clip, path, number % INFO_EACH == 0)
                found.append((number, clip.name, changes[at], *words))
            if not whole and not any(kind in TROUBLE for *_, kind, _ in found):
                found[0] = (*found[0][:3], trouble(*result) or "crash", "only together, mutants "
                            f"{numbers[0]} to {numbers[-1]}: {failure(result[1])}")
        return found

    def cases(self, first, count, jobs, shown):
        """(number, clip, mutation, class, detail) of each mutant; prints those of the shown classes."""
        numbers = range(first, first + count)
        groups = [numbers[at:at + PER_RUN] for at in range(0, len(numbers), PER_RUN)]
        found, told = [], 0
        with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
            for case in itertools.chain.from_iterable(pool.map(self.run_group, groups)):
                found.append(case)
                number, name, change, kind, detail = case
                told += kind in shown
                if kind in shown and told <= MOST_SHOWN:
                    print(f"{kind}: --seed {self.seed} --only {number} ({name}, {change}): {detail}",
                          flush=True)
        return found


# ---- clips ---------------------------------------------------------------------------------------

def run_tool(program, *arguments):
    """The exit code, the output and the errors of ffmpeg or ffprobe."""
    done = subprocess.run([program, "-v", "error", *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


def frame_hashes(path):
    """Hashes of the frames that ffmpeg decodes from the first video stream, and its errors."""
    code, out, err = run_tool("ffmpeg", "-threads", "1", "-i", str(path), "-map", "0:v:0", "-fps_mode",
                            "passthrough", "-f", "framemd5", "-")
    lines = [line.split(",") for line in out.splitlines() if line and line[0] != "#"]
    return [line[-1].strip() for line in lines], err or ("" if code == 0 else f"exit {code}")


def make_clips(folder, table=None):
    clips = []
    for name, extension, options, proves in table or CLIPS:
        path = folder / f"{name}.{extension}"
        code, _, err = run_tool("ffmpeg", "-y", *options.split(), "-bitexact", str(path))
        if code:
            sys.exit(f"mutate: ffmpeg cannot make {path.name}: {err}")
        hashes, errors = frame_hashes(path)
        if errors or not hashes:
            sys.exit(f"mutate: ffmpeg complains about the undamaged {path.name}: {errors}")
        clips.append(Clip(name, path.name, len(hashes), proves))
    (folder / "clips.json").write_text(json.dumps([dataclasses.asdict(c) for c in clips], indent=1))


def read_clips(folder):
    clips = [Clip(**row) for row in json.loads((folder / "clips.json").read_text())]
    return clips, {clip.name: (folder / clip.file).read_bytes() for clip in clips}


def undamaged(weft, clips, folder):
    """The hash of each clip's pictures as weft writes them. Exits if any frame is missing."""
    with tempfile.TemporaryDirectory(dir=weft.scratch) as out:
        out = pathlib.Path(out)
        result, entries = weft.batch([folder / clip.file for clip in clips], out, 300)
        for clip, entry in zip(clips, entries or []):
            if entry["exit_code"] or entry["frames_out"] != clip.frames:
                sys.exit(f"mutate: the undamaged {clip.file} has {clip.frames} frames, but weft: "
                         f"{detail_of(entry)}")
        if not entries or trouble(*result):
            sys.exit(f"mutate: weft fails on the undamaged clips: {result[0]}, {failure(result[1])}")
        return {clip.name: pictures_hash(out / f"{pathlib.Path(clip.file).stem}.mkv")
                for clip in clips}


def pack(program, target):
    """Copies clips, weft without debugging data, its libraries and this file to `target`."""
    clips = target / "clips"
    (target / "lib").mkdir(parents=True, exist_ok=True)
    clips.mkdir(exist_ok=True)
    make_clips(clips)
    for script in (__file__, container_fields.__file__):
        shutil.copy(script, target)
    subprocess.run(["strip", "--strip-debug", "-o", target / "weft", program], check=True)
    (target / "weft").chmod(0o755)
    listed = subprocess.run(["ldd", program], capture_output=True, check=True, text=True).stdout
    for line in listed.splitlines():
        words = line.split()
        own = ("libc.", "libm.", "ld-linux", "libdl.", "libpthread.", "librt.", "libresolv.")
        if "=>" in words and not words[0].startswith(own):
            shutil.copy(os.path.realpath(words[2]), target / "lib" / words[0])
    print(f"packed in {target}")


# ---- campaign ------------------------------------------------------------------------------------

def print_table(cases, clips, classes):
    count = collections.Counter((name, kind) for _, name, _, kind, _ in cases)
    print(f"{'':21}" + "".join(f"{kind:>11}" for kind in classes) + f"{'all':>8}")
    for clip in clips:
        row = [count[clip.name, kind] for kind in classes]
        print(f"{clip.name:19}{'  ' if clip.proves else '? '}" + "".join(f"{n:>11}" for n in row) +
              f"{sum(row):>8}")
    row = [sum(count[clip.name, kind] for clip in clips) for kind in classes]
    print(f"{'all':21}" + "".join(f"{n:>11}" for n in row) + f"{sum(row):>8}")


def goals(cases, clips):
    """Prints the goals that need no judge. True if all are met."""
    proving = {clip.name for clip in clips if clip.proves}
    proven = [kind for _, name, _, kind, _ in cases if name in proving]
    bad = collections.Counter(kind for *_, kind, _ in cases)
    lost = proven.count("lost") / max(1, len(proven))
    print(f"\n{bad['crash']} crashes, {bad['hang']} hangs, {bad['memory']} over {MEMORY_MIB} MiB; "
          f"frames lost with exit 0 where a count can be proven: {lost:.2%}")
    return not any(bad[kind] for kind in TROUBLE) and lost <= 0.002


def campaign(options, clips, seeds, weft, folder):
    wants = undamaged(weft, clips, folder)
    cases = Campaign(weft, clips, seeds, wants, options.seed).cases(
        options.first, options.count, options.jobs, TROUBLE)
    print_table(cases, clips, CLASSES)
    print("?: the container cannot prove its number of frames")
    if options.json:
        kept = [case for case in cases if case[3] not in ("good", "reported")]
        pathlib.Path(options.json).write_text(json.dumps(
            {"seed": options.seed, "count": len(cases), "cases": kept}))
    return goals(cases, clips)


def show_one(options, clips, seeds, weft, folder):
    one = Campaign(weft, clips, seeds, None, options.seed)
    clip = one.clip(options.only)
    one.wants = undamaged(weft, [clip], folder)
    return print_one(one, options.only)


def print_one(campaign_of, number):
    """Runs one mutant, which stays in the current folder. True if it ended by itself."""
    clip = campaign_of.clip(number)
    data, change = campaign_of.mutant(number)
    path = pathlib.Path(f"mutant-{campaign_of.seed}-{number}{pathlib.Path(clip.file).suffix}")
    path.write_bytes(data)
    kind, detail = campaign_of.run_one(clip, path, True)
    print(f"{path} ({clip.name}, {change}): {kind}\n{detail}")
    return kind not in TROUBLE


# ---- judge ---------------------------------------------------------------------------------------

# Classes that get the second name if ffmpeg's decoder prints nothing for the mutant and, for the last
# two, decodes every picture unchanged.
OPEN_CLASSES = {"lost": "lost, silent", "changed": "changed, silent", "same_but_4": "false alarm",
                "refused": "false refusal"}
# Messages about bytes that break the structure of the file.
BROKEN_STRUCTURE = ("wrong checksum", "is not the beginning of", "begins at byte", "reaches to byte",
                    "the file ends inside", "contradicts", "the last frame is cut off",
                    "missing before", "claims more entries", "that its header states",
                    "belongs to no track", "contains blocks", "contains no block", "has no time",
                    "frames are there", "marked as broken",
                    "ends too early")


def judge_case(job):
    seed, number, name, kind, detail, data, hashes, suffix = job
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:
        file.write(mutant(seed, number, data)[0])
        file.flush()
        got, errors = frame_hashes(file.name)
    unchanged = not errors and got == hashes
    if kind in ("lost", "changed"):
        return number, name, f"{kind}, ffmpeg complains" if errors else OPEN_CLASSES[kind]
    if not unchanged:
        return number, name, f"{kind}, rightly"
    structure = kind == "same_but_4" and any(words in detail for words in BROKEN_STRUCTURE)
    return number, name, "broken structure, pictures unchanged" if structure else OPEN_CLASSES[kind]


def judge(options, clips, seeds, folder):
    """Compares up to `most` cases of each class with ffmpeg, and estimates the rest from them."""
    report = json.loads(pathlib.Path(options.judge).read_text())
    by_name = {clip.name: clip for clip in clips}
    hashes = {clip.name: frame_hashes(folder / clip.file)[0] for clip in clips}
    met = True
    for kind in OPEN_CLASSES:
        cases = [case for case in report["cases"] if case[3] == kind]
        chosen = random.Random(0).sample(cases, min(len(cases), options.most))
        jobs = [(report["seed"], number, name, kind, detail, seeds[name], hashes[name],
                 pathlib.Path(by_name[name].file).suffix)
                for number, name, _, _, detail in chosen]
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            judged = list(pool.map(judge_case, jobs, chunksize=8))
        for found, times in collections.Counter(found for *_, found in judged).most_common():
            share = times / len(judged) * len(cases) / report["count"]
            examples = [f"{n} {name}" for n, name, word in judged if word == found][:12]
            print(f"{found}: {times} of {len(judged)} judged of {len(cases)} cases, {share:.3%} of "
                  f"all mutants: --only {', '.join(examples)}")
            met = met and not (found == "false alarm" and share > 0.002)
    return met


def fix_addresses():
    """GCC 12's AddressSanitizer does not start if the kernel places mappings with 32 random bits."""
    ctypes.CDLL(None).personality(0x0040000)


# ---- command line --------------------------------------------------------------------------------

def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", help="the program; default: that of the packed campaign")
    parser.add_argument("--pack", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--packed", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--judge", metavar="FILE.json")
    parser.add_argument("--most", type=int, default=1000, help="cases judged per class [1000]")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first mutant's number [0]")
    parser.add_argument("--only", type=int, metavar="NUMBER")
    return parser.parse_args()


def main():
    options = parse()
    if options.pack:
        return pack(options.weft, options.pack)
    fix_addresses()
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shared) as scratch:
        folder = options.packed / "clips" if options.packed else pathlib.Path(scratch) / "clips"
        if not options.packed:
            folder.mkdir()
            make_clips(folder)
        clips, seeds = read_clips(folder)
        if options.judge:
            return 0 if judge(options, clips, seeds, folder) else 1
        weft = Weft(options.weft or options.packed / "weft", scratch)
        run = show_one if options.only is not None else campaign
        return 0 if run(options, clips, seeds, weft, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
