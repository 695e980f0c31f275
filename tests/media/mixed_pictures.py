#!/usr/bin/env python3
"""Filters a folder of mixed photos and films and compares what comes out with what went in.

  tests/media/mixed_pictures.py FOLDER [--count 500] [--seed 1] [--weft build/release/bin/weft]

It makes photos (JPEG, PNG, TIFF, WebP; each of the eight orientations; random EXIF, XMP, IPTC, ICC,
comments and PNG text chunks, written by exiftool) and films (MP4, MOV, MKV) in FOLDER/in, filters all with one
command and the identity, and reads both sides with exiftool. ImageMagick decodes the photos, turned
as a viewer would: the pixels of PNG, TIFF and lossless WebP must be the same. Films must have their
frames. It needs exiftool, ImageMagick and ffmpeg. Exit code 1 after a difference that no report names.
"""

import argparse
import collections
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys

PHOTOS = ("jpg", "jpg", "png", "tif", "webp")
FILMS = ("mp4", "mov", "mkv")
SIZES = ((64, 48), (63, 47), (160, 120), (17, 33), (31, 20))
LOSSLESS = ("png", "tif", "webp")
MOST_ERROR = 4.0  # of JPEG: the mean absolute difference, in levels of 255
# Facts about the file and its coding, not about the picture.
CODING = {"SourceFile", "ExifByteOrder", "XMPToolkit", "Orientation", "ImageWidth", "ImageHeight",
          "ImageSize", "Megapixels", "BitsPerSample", "Compression", "PhotometricInterpretation",
          "StripOffsets", "StripByteCounts", "RowsPerStrip", "SamplesPerPixel", "PlanarConfiguration",
          "FillOrder", "ExtraSamples", "ExifImageWidth", "ExifImageHeight", "SubfileType", "PageNumber",
          "YCbCrPositioning", "YCbCrSubSampling", "ComponentsConfiguration", "CodedCharacterSet",
          "ThumbnailOffset", "ThumbnailLength", "ThumbnailImage", "Predictor", "SampleFormat", "NewSubfileType",
          "JFIFVersion", "ProfileName", "ColorType", "Palette"}
# What a viewer does for each value of Orientation, as ImageMagick's options: -auto-orient of version 6
# knows it in JPEG and TIFF alone.
TURNS = ((), ("-flop",), ("-rotate", "180"), ("-flip",), ("-transpose",), ("-rotate", "90"),
         ("-transverse",), ("-rotate", "270"))
GROUPS = ("IFD0", "ExifIFD", "GPS", "IPTC", "ICC_Profile", "ICC-header", "JFIF", "File:Comment", "PNG",
          "PNG-pHYs")
# How a report names a loss: the block, or the tag.
NAMES = {"IFD0": "EXIF", "ExifIFD": "EXIF", "GPS": "EXIF", "PNG:BackgroundColor": "bKGD", "File:Comment": "comment"}


def run(arguments, **options):
    done = subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, **options)
    return done


def must(arguments):
    done = run(arguments)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr.decode(errors='replace')[-600:]}")
    return done.stdout


def make_base(path, extension, size):
    # Smooth, as photos are, so that lossy encoders change it little; no two corners are the same.
    source = f"gradients=s={size[0]}x{size[1]}:r=25:d=0.4:n=4:seed=3"
    command = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source]
    if extension in FILMS:
        must([*command, "-f", "lavfi", "-i", "sine=d=0.4", "-c:v", "libx264", "-preset", "ultrafast",
              "-pix_fmt", "yuv444p", "-metadata", "title=A film", "-metadata", "artist=Somebody",
              "-metadata", "comment=as shot", path])
        return
    must([*command, "-frames:v", "1", "-pix_fmt", "rgb24", path.with_suffix(".ppm")])
    quality = ["-quality", "92"] if extension == "jpg" else []
    if extension == "webp":
        quality = ["-define", "webp:lossless=true"]
    if extension == "tif":
        quality = ["-density", "300x240", "-units", "PixelsPerInch"]
    must(["convert", path.with_suffix(".ppm"), *quality, path])
    path.with_suffix(".ppm").unlink()


def random_tags(rng, extension, number):
    """The tags of one file as exiftool's JSON, with a random choice left out."""
    tags = {
        "EXIF:Artist": f"Person {number}", "EXIF:Copyright": f"© {2000 + number % 26} someone",
        "EXIF:Make": "Camera & Co", "EXIF:Model": f"Model {rng.randrange(99)}",
        "EXIF:DateTimeOriginal": f"2021:0{1 + number % 9}:13 10:20:3{number % 10}",
        "EXIF:ExposureTime": rng.choice(("1/125", "1/4000", "2.5")), "EXIF:FNumber": 2.8,
        "EXIF:ISO": rng.choice((100, 6400)), "EXIF:UserComment": "Grüße, 日本",
        "EXIF:GPSLatitude": rng.uniform(0, 89), "EXIF:GPSLatitudeRef": "N",
        "EXIF:GPSLongitude": rng.uniform(0, 179), "EXIF:GPSLongitudeRef": "W",
        "XMP-dc:Title": f"Title {number}", "XMP-dc:Subject": ["one", "two", str(number)],
        "XMP-xmp:Rating": rng.randrange(6), "XMP-dc:Creator": "日本の人",
    }
    if extension in ("jpg", "tif", "png"):
        tags |= {"IPTC:Keywords": ["sea", str(number)], "IPTC:City": "Oslo",
                 "IPTC:Caption-Abstract": "A caption"}
    if extension == "jpg":
        tags["File:Comment"] = f"comment {number}"
    if extension == "png":
        tags |= {"PNG:Title": f"Été {number}", "PNG:Author": "me", "PNG:Comment": "x" * rng.randrange(1, 2000),
                 "PNG:ModifyDate": "2020:01:02 03:04:05", "PNG-pHYs:PixelsPerUnitX": 3000 + number}
    kept = {name: value for name, value in tags.items() if rng.random() < 0.8}
    for name in ("Latitude", "Longitude"):  # a place needs both
        if len([k for k in kept if name in k]) == 1:
            kept = {k: v for k, v in kept.items() if name not in k}
    return kept | {"IFD0:Orientation#": 1 + number % 8}


def colour_profile(rng):
    """An ICC profile of version 2 with a matrix and a random gamma."""
    def fixed(*values):
        return b"".join(struct.pack(">i", round(value * 65536)) for value in values)
    name = f"Random {rng.randrange(10 ** rng.randrange(1, 9))}".encode() + b"\0"
    curve = b"curv\0\0\0\0" + struct.pack(">IHxx", 1, round(rng.uniform(1, 3) * 256))
    tags = {b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(name)) + name + bytes(78),
            b"cprt": b"text\0\0\0\0nobody\0\0", b"wtpt": b"XYZ \0\0\0\0" + fixed(0.9642, 1, 0.8249),
            b"rXYZ": b"XYZ \0\0\0\0" + fixed(0.4361, 0.2225, 0.0139),
            b"gXYZ": b"XYZ \0\0\0\0" + fixed(0.3851, 0.7169, 0.0971),
            b"bXYZ": b"XYZ \0\0\0\0" + fixed(0.1431, 0.0606, 0.7141),
            b"rTRC": curve, b"gTRC": curve, b"bTRC": curve}
    table, data = struct.pack(">I", len(tags)), b""
    for tag, content in tags.items():
        table += struct.pack(">4sII", tag, 132 + 12 * len(tags) + len(data), len(content))
        data += content + bytes(-len(content) % 4)
    header = struct.pack(">I4xI4s4s4s6H4s28xiii48x", 128 + len(table) + len(data), 0x02100000, b"mntr",
                         b"RGB ", b"XYZ ", 2020, 1, 1, 0, 0, 0, b"acsp", 63190, 65536, 54061)
    return header + table + data


def make_files(folder, count, seed):
    rng = random.Random(seed)
    bases = {}
    rows = []
    profile = folder / "random.icc"
    profile.write_bytes(colour_profile(rng))
    for number in range(count):
        extension = rng.choice(FILMS) if number % 10 == 9 else rng.choice(PHOTOS)
        size = (64, 48) if extension in FILMS else rng.choice(SIZES)
        if (extension, size) not in bases:
            bases[extension, size] = folder / f"base-{extension}-{size[0]}x{size[1]}.{extension}"
            make_base(bases[extension, size], extension, size)
        path = folder / "in" / f"{number:04}.{extension}"
        path.write_bytes(bases[extension, size].read_bytes())
        if extension not in FILMS:
            rows.append({"SourceFile": str(path)} | random_tags(rng, extension, number))
    (folder / "tags.json").write_text(json.dumps(rows))
    must(["exiftool", "-q", "-overwrite_original", "-charset", "iptc=utf8", f"-json={folder / 'tags.json'}",
          *[row["SourceFile"] for row in rows]])
    coloured = [row["SourceFile"] for row in rows if rng.random() < 0.5]
    if coloured:
        must(["exiftool", "-q", "-overwrite_original", f"-icc_profile<={profile}", *coloured])


def tags_of(folder):
    """Per file name: the tags about the picture, by group and name, and its orientation."""
    rows = json.loads(must(["exiftool", "-json", "-G1", "-a", "-struct", "-charset", "iptc=utf8", folder,
                            "-Orientation#", "-all"]))
    files, orientations = {}, {}
    for row in rows:
        tags = {}
        for name, value in row.items():
            group, _, tag = name.rpartition(":")
            about_picture = group in GROUPS or name in GROUPS or group.startswith(("XMP-", "ICC-"))
            if about_picture and tag not in CODING:
                tags[name] = value
        files[os.path.basename(row["SourceFile"])] = tags
        orientations[os.path.basename(row["SourceFile"])] = int(row.get("IFD0:Orientation", 1))
    return files, orientations


def expected_tags(tags, orientations):
    """Those of a picture written upright: a quarter turn exchanges the densities across and down."""
    if orientations[0] < 5 or orientations[1] != 1:
        return tags
    turned = dict(tags)
    for across, down in (("PNG-pHYs:PixelsPerUnitX", "PNG-pHYs:PixelsPerUnitY"),
                         ("IFD0:XResolution", "IFD0:YResolution")):
        if across in tags:
            turned |= {across: tags[down], down: tags[across]}
    return turned


def pixels(path, orientation):
    done = run(["convert", path, *TURNS[orientation - 1], "+profile", "*", "-depth", "8", "rgb:-"])
    return done.stdout if done.returncode == 0 else None


def pixel_problem(before, after, orientations):
    want, got = pixels(before, orientations[0]), pixels(after, orientations[1])
    if want is None or got is None or len(want) != len(got):
        return "another size, or not decodable"
    if want == got:
        return None
    if before.suffix[1:] in LOSSLESS:
        return "other pixels"
    error = sum(abs(a - b) for a, b in zip(want, got)) / max(len(want), 1)
    return f"mean error {error:.1f}" if error > MOST_ERROR else None


def film_facts(path):
    page = json.loads(must(["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-show_format",
                            "-of", "json", path]))
    tags = {k.lower(): v for k, v in page["format"].get("tags", {}).items()}
    return ([stream.get("nb_read_frames") for stream in page["streams"] if stream["codec_type"] == "video"],
            [stream["codec_type"] for stream in page["streams"]],
            {name: tags.get(name) for name in ("title", "artist", "comment")})


def is_named(tag, notes):
    group, _, name = tag.rpartition(":")
    block = NAMES.get(tag) or NAMES.get(group) or group.split("-")[0].split("_")[0]
    return any(word in note for note in notes if "lost" in note for word in (block, f".{name}"))


def compare(folder, report):
    counts = collections.Counter()
    losses = collections.Counter()
    problems = []
    notes = {os.path.basename(row["input"]): row["warnings"] + row["notes"] for row in report["files"]}
    before, turned_before = tags_of(folder / "in")
    after, turned_after = tags_of(folder / "out")
    for path in sorted((folder / "in").iterdir()):
        name, output = path.name, folder / "out" / path.name
        if not output.exists():
            problems.append(f"{name}: no output")
            continue
        if path.suffix[1:] in FILMS:
            counts["films"] += 1
            if film_facts(path) != film_facts(output):
                problems.append(f"{name}: {film_facts(path)} became {film_facts(output)}")
            continue
        counts["photos"] += 1
        orientations = (turned_before[name], turned_after[name])
        problem = pixel_problem(path, output, orientations)
        if problem:
            problems.append(f"{name}: {problem}")
        for tag, value in expected_tags(before[name], orientations).items():
            counts["tags"] += 1
            got = after[name].get(tag)
            if got == value:
                continue
            losses[tag] += 1
            if not is_named(tag, notes.get(name, [])):
                problems.append(f"{name}: {tag} {value!r} became {got!r}")
    return counts, losses, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weft", default="build/release/bin/weft")
    options = parser.parse_args()
    (options.folder / "in").mkdir(parents=True)
    make_files(options.folder, options.count, options.seed)
    report = options.folder / "report.json"
    done = run([options.weft, "batch", "-vf", "convolve=matrix=1", "-o", f"{options.folder / 'out'}/",
                f"--json={report}", options.folder / "in"])
    print(*done.stderr.decode(errors="replace").strip().splitlines()[-1:])
    if not report.exists():
        sys.exit(f"{options.weft}: no report, exit code {done.returncode}")
    counts, losses, problems = compare(options.folder, json.loads(report.read_text()))
    print(", ".join(f"{value} {name}" for name, value in counts.items()))
    print("lost and named in the report:", ", ".join(f"{n} {tag}" for tag, n in losses.items()) or "none")
    for problem in problems[:60]:
        print(problem)
    print(f"{len(problems)} differences that no report names")
    return 1 if problems or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
