#!/usr/bin/env python3
"""Changes one structural field per file, filters the file and compares all its streams with the truth.

  tests/media/fieldwise.py --weft build/release/bin/weft --count 20000
  tests/media/fieldwise.py --weft build/release/bin/weft --only 1234      one mutant, kept and shown
  tests/media/fieldwise.py --weft build/release/bin/weft --clips mkv,gif  of these clips only
  tests/media/fieldwise.py --weft build/release/bin/weft --keep FOLDER    keeps the bad mutants

A field becomes 0, 1, its maximum, a neighbouring, double, half or random value, the value of another
field of its kind, or another valid identifier. Half of the mutants in containers with checksums get
correct ones. The packets of every stream of weft's output are compared with those of the whole clip.

  lost        exit 0 and "proven", but a stream has fewer packets
  noted       the same, but the report has a note or a warning that the whole clip does not have
  unproven    exit 0 with fewer packets; the report states that completeness cannot be proven, or names
              a stream as dropped
  changed     exit 0 with as many packets, but other ones
  moved       exit 0 with the same packets at other times
  alarm       exit 4, though all packets and times are the same and ffmpeg prints nothing
  structure   the same, where the report names a contradiction in the file's structure
  refusal     exit 1 or 2, though ffmpeg decodes the same pictures and prints nothing
  refused, reported, good, crash, hang, memory: as in mutate.py

--seed and a number determine a mutant. The exit code is 1 if a goal is missed: no crash, no hang,
nothing lost, at most 0.2 % alarms.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

import container_fields
import mutate

SHORT = f"{mutate.PICTURE} -f lavfi -i sine=d=1.6 -t 0.8"
X264 = mutate.X264
VP8 = " -c:v libvpx -deadline realtime -cpu-used 8 -g 10 -threads 1"
PLAIN = f"{SHORT}{X264} -c:a aac -b:a 32k"
BARE = f"{PLAIN} -write_crc32 0"

# Name, extension, ffmpeg's options, and whether the container can prove that it is whole.
CLIPS = [
    ("mkv", "mkv", PLAIN, True),
    ("mkv_subtitles", "mkv", f"{SHORT} -i @subtitles.srt{X264} -c:a libopus -write_crc32 0", True),
    ("mkv_groups", "mkv", BARE, True),
    ("mkv_laces", "mkv", f"{SHORT} -c:v ffv1 -level 3 -g 1 -c:a libopus -write_crc32 0", True),
    ("webm", "webm", f"{SHORT}{VP8} -c:a libopus", True),
    ("webm_alpha", "webm", f"{mutate.PICTURE},format=yuva420p -t 0.8{VP8} -auto-alt-ref 0", True),
    ("mp4", "mp4", PLAIN, True),
    ("mp4_fragments", "mp4", f"{PLAIN} -movflags frag_keyframe+empty_moov", True),
    ("mov", "mov", f"{SHORT} -c:v mjpeg -c:a pcm_s16le", True),
    ("avi", "avi", f"{SHORT} -c:v mjpeg -c:a pcm_s16le", True),
    ("avi_mp3", "avi", f"{SHORT} -c:v mpeg4 -g 10 -c:a libmp3lame", True),
    ("flv", "flv", PLAIN, True),
    ("flv_mp3", "flv", f"{SHORT} -c:v flv1 -c:a libmp3lame -ar 44100", True),
    ("gif", "gif", f"{mutate.PICTURE} -t 0.8", True),
    ("apng", "apng", f"{mutate.PICTURE} -t 0.8", True),
    ("ogg", "ogv", f"{SHORT} -c:v libtheora -g 10 -c:a libvorbis", True),
    ("nut", "nut", f"{SHORT}{X264} -c:a aac", True),
    ("asf", "asf", f"{SHORT} -c:v wmv2 -g 10 -c:a mp2", True),
    ("ts", "ts", PLAIN, False),
    ("rm", "rm", f"{SHORT} -s 176x144 -c:v rv20 -g 10 -c:a ac3", True),
    ("ivf", "ivf", f"{mutate.PICTURE} -t 0.8{VP8}", False),
]
REWRITTEN = {"mkv_groups": container_fields.with_block_groups,
             "mkv_laces": container_fields.with_laces}
SUBTITLES = "".join(f"{n + 1}\n00:00:00,{n}00 --> 00:00:00,{n}80\nline {n}\n\n" for n in range(8))
CLASSES = mutate.TROUBLE + ("lost", "noted", "unproven", "changed", "moved", "alarm", "structure",
                            "refusal", "refused", "reported", "good")
SHOWN = mutate.TROUBLE + ("lost", "noted", "alarm")


# ---- mutants -------------------------------------------------------------------------------------

def value_for(dice, field, data, alike):
    old = field.get(data)
    return dice.choice([0, 1, field.mask(), old + 1, old - 1, old + 1, old - 1, 2 * old, old // 2,
                        old ^ 1 << dice.randrange(8 * field.width), dice.getrandbits(64),
                        dice.choice(alike).get(data), dice.choice(alike).get(data)])


def change_field(dice, data, fields, extension):
    """Changes one field; half of the time each kind of field has the same chance."""
    names = collections.defaultdict(list)
    for field in fields:
        names[field.name].append(field)
    field = dice.choice(fields) if dice.randrange(2) else dice.choice(names[dice.choice(list(names))])
    if field.kinds and dice.randrange(3):
        data[field.at:field.at + field.width] = dice.choice(field.kinds)
    else:
        field.put(data, value_for(dice, field, data, names[field.name]))
    if dice.randrange(2):
        container_fields.repair(extension, data)
    return f"{field.name} at {field.at}"


def mutant(seed, number, data, fields, extension):
    """The bytes of one mutant, which differ from `data`, and the name of the changed field."""
    dice = random.Random(f"{seed}:{number}")
    while True:
        copy = bytearray(data)
        name = change_field(dice, copy, fields, extension)
        if copy != data:
            return bytes(copy), name


# ---- verdicts ------------------------------------------------------------------------------------

class Whole:
    """The streams of an undamaged clip in weft's output, and its report."""

    def __init__(self, entry, output, frames):
        self.packets = container_fields.packets(output.read_bytes())
        self.notes = set(entry["notes"]) | set(entry["warnings"])
        self.dropped = dropped(entry)
        self.frames = frames  # ffmpeg's hashes


def dropped(entry):
    return sum(stream["outcome"].startswith("dropped") for stream in entry["streams"] or [])


def difference(whole, output):
    """What the output has not: "lost" packets, "changed" ones, "moved" ones, or "" for nothing."""
    if not output.exists():
        return "lost"
    found = container_fields.packets(output.read_bytes())
    if any(len(found.get(key, [])) < len(packets) for key, packets in whole.packets.items()):
        return "lost"
    if found == whole.packets:
        return ""
    if {key: [one[2] for one in packets] for key, packets in found.items()} == \
            {key: [one[2] for one in packets] for key, packets in whole.packets.items()}:
        return "moved"
    return "changed"


def told(whole, entry):
    """Whether and how a report with exit 0 states that something may be missing."""
    if not entry["completeness"]["proven"] or dropped(entry) > whole.dropped:
        return "unproven"
    return "noted" if {*entry["notes"], *entry["warnings"]} - whole.notes else ""


def verdict(whole, entry, path, output):
    code = entry["exit_code"]
    differs = difference(whole, output)
    if code == 0:
        return "good" if not differs else differs if differs != "lost" else told(whole, entry) or "lost"
    if code == 4 and differs:
        return "reported"
    if code not in (1, 2, 4):
        return "crash"
    frames, errors = mutate.frame_hashes(path)
    unchanged = not errors and frames == whole.frames
    if code != 4:
        return "refusal" if unchanged else "refused"
    if not unchanged:
        return "reported"
    reason = mutate.detail_of(entry)
    return "structure" if any(words in reason for words in mutate.BROKEN_STRUCTURE) else "alarm"


class Campaign(mutate.Campaign):
    def __init__(self, *arguments, keep=None):
        super().__init__(*arguments)
        self.keep = keep
        self.fields = {clip.name: container_fields.fields(extension(clip), self.seeds[clip.name])
                       for clip in self.clips}

    def mutant(self, number):
        clip = self.clip(number)
        return mutant(self.seed, number, self.seeds[clip.name], self.fields[clip.name],
                      extension(clip))

    def verdict(self, clip, entry, path, output):
        kind = verdict(self.wants[clip.name], entry, path, output)
        if self.keep and kind in SHOWN:
            shutil.copy(path, self.keep / f"{kind}-{clip.name}-{self.seed}-{path.name}")
        return [kind, mutate.detail_of(entry)]


# ---- clips ---------------------------------------------------------------------------------------

def extension(clip):
    return pathlib.Path(clip.file).suffix[1:]


def make_clips(folder, names):
    (folder / "subtitles.srt").write_text(SUBTITLES)
    table = [(name, suffix, options.replace("@", f"{folder}/"), proves)
             for name, suffix, options, proves in CLIPS if not names or name in names]
    mutate.make_clips(folder, table)
    for name, rewrite in REWRITTEN.items():
        path = folder / f"{name}.mkv"
        if path.exists():
            path.write_bytes(rewrite(path.read_bytes()))


def packet_counts(path):
    """The number of packets of each stream, sorted, as ffprobe counts them."""
    text = mutate.run_tool("ffprobe", "-count_packets", "-show_entries",
                           "stream=index,nb_read_packets", "-of", "json", str(path))[1]
    return sorted(int(stream["nb_read_packets"]) for stream in json.loads(text)["streams"])


def whole_clips(weft, clips, folder):
    """A Whole for each clip. Exits if it does not find every packet of the clip, or if it
    does not prove one that can be proven."""
    with tempfile.TemporaryDirectory(dir=weft.scratch) as out:
        out = pathlib.Path(out)
        result, entries = weft.batch([folder / clip.file for clip in clips], out, 300)
        if not entries or mutate.trouble(*result):
            sys.exit(f"fieldwise: weft fails on the undamaged clips: {mutate.failure(result[1])}")
        wholes = {}
        for clip, entry in zip(clips, entries):
            output = out / f"{pathlib.Path(clip.file).stem}.mkv"
            if entry["exit_code"]:
                sys.exit(f"fieldwise: the undamaged {clip.file}: {mutate.detail_of(entry)}")
            whole = Whole(entry, output, mutate.frame_hashes(folder / clip.file)[0])
            counts = sorted(len(packets) for packets in whole.packets.values())
            if counts != packet_counts(folder / clip.file) or \
                    clip.proves != entry["completeness"]["proven"]:
                sys.exit(f"fieldwise: the undamaged {clip.file}: {counts} packets, but ffprobe: "
                         f"{packet_counts(folder / clip.file)}; {entry['completeness']}")
            wholes[clip.name] = whole
        return wholes


# ---- command line --------------------------------------------------------------------------------

def goals(cases):
    count = collections.Counter(kind for *_, kind, _ in cases)
    alarms = count["alarm"] / max(1, len(cases))
    broken = count["structure"] / max(1, len(cases))
    print(f"\n{count['crash']} crashes, {count['hang']} hangs, {count['memory']} over "
          f"{mutate.MEMORY_MIB} MiB, {count['lost']} silent losses, {alarms:.2%} false alarms, "
          f"{broken:.2%} more because of a broken structure")
    return not any(count[kind] for kind in mutate.TROUBLE + ("lost",)) and alarms <= 0.002


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", required=True, help="the program")
    parser.add_argument("--clips", default="", metavar="NAMES", help="comma-separated [all]")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first mutant's number [0]")
    parser.add_argument("--only", type=int, metavar="NUMBER")
    return parser.parse_args()


def main():
    options = parse()
    mutate.fix_addresses()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=shared) as scratch:
        folder = pathlib.Path(scratch) / "clips"
        folder.mkdir()
        make_clips(folder, [name for name in options.clips.split(",") if name])
        clips, seeds = mutate.read_clips(folder)
        weft = mutate.Weft(options.weft, scratch)
        campaign = Campaign(weft, clips, seeds, whole_clips(weft, clips, folder), options.seed,
                            keep=options.keep)
        if options.only is not None:
            return 0 if mutate.print_one(campaign, options.only) else 1
        cases = campaign.cases(options.first, options.count, options.jobs, SHOWN)
        mutate.print_table(cases, clips, CLASSES)
        return 0 if goals(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
