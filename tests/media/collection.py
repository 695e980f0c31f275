#!/usr/bin/env python3
"""Filters files that others made with a kernel that copies, and compares input and output.

  tests/media/collection.py --weft build/release/bin/weft --json result.json FOLDER...

The judges are independent of weft: ffmpeg and ffprobe for frames, times and packets of every stream,
ImageMagick for pictures, exiftool for metadata. Each file gets one class:

  agrees    exit 0, and the judges find the same content
  refused   exit 1 or 2 with a reason
  damaged   exit 4, and a judge also reports an error
  alarm     exit 4, although no judge reports an error
  frames    exit 0, but frames or their times differ
  packets   exit 0, but packets of another stream differ, and the report names no loss
  pixels    exit 0, but the samples of a picture differ
  metadata  exit 0, but tags are missing in the output, and the report names no loss
  crash, hang

"frames", "packets", "pixels", "metadata", "alarm" and "crash" are listed, since a person has to look
at each: judges disagree with each other about odd files. The exit code is 1 if there are any.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

COPY = "convolve=matrix='1'"
VIDEO = "mp4 mkv webm mov avi ts flv 3gp ogv wmv mpg m4v vob mts m2ts asf mpeg f4v nut".split()
FLOAT = "exr hdr pfm".split()
ANIMATED = "gif apng".split()
LOSSY = "jpg jpeg jp2 j2k j2c jpf webp avif jxl".split()
SECONDS = 120
SUSPICIOUS = "frames packets pixels metadata alarm crash hang".split()

# Groups of exiftool that describe the content, and tags in them that describe the coding instead.
CONTENT_GROUPS = {"EXIF", "XMP", "IPTC", "ICC_Profile", "QuickTime", "Matroska", "Photoshop", "RIFF"}
CODING_TAGS = re.compile(
    r"^(Image(Width|Height|Size)|ExifImage(Width|Height)|BitsPerSample|Compression|Photometric|Strip|Tile|"
    r"RowsPerStrip|SamplesPerPixel|PlanarConfiguration|Thumbnail|Preview|JpgFromRaw|Predictor|FillOrder|"
    r"SampleFormat|SubfileType|OldSubfileType|ExtraSamples|YCbCr|JPEG|T4Options|T6Options|InterColor|"
    r"ExifByteOrder|ReferenceBlackWhite|PageNumber|ColorMap|ComponentsConfiguration|CompressedBits|"
    r"VP8|Alpha|Animation|Frame|Duration|Media|Track|Movie|Major|Minor|Compatible|Handler|Time(Scale|Code)|"
    r"(Create|Modify)Date|Preferred|Poster|Selection|Current|Next|Graphics|Op|Source(Image)|XResolution|"
    r"YResolution|BitDepth|PixelAspect|VideoFrameRate|Audio|Balance|DocType|EBML|Muxing|Writing|Seek|Cluster|"
    r"Codec|Image|Display|Color|Matrix|Encoder|DeviceTypes|WebP|Horizontal|Vertical|Sample|Max|Stream|Avg|"
    r"NumColors|NumImportant|Planes|BMP|Red|Green|Blue|Video|Total|Software$|Padding|Offset|InteropI|Free|"
    r"Compressor|AverageBitrate|BufferSize|"
    r"TransferChar|NumChannels|Quality|Encoding|DefaultDuration)")


def run(command, seconds=SECONDS):
    """Exit code, standard output and standard error; the code is None after a time-out."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, b"", ""
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def kind_of(path):
    return path.suffix.lower().lstrip(".")


def frames_of(path):
    """Hash and time in seconds, from the first frame on, of each frame of the first video stream."""
    code, out, errors = run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:V:0",
                             "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "framehash", "-hash", "md5",
                             "-"])
    base, frames = 0.0, []
    for line in out.decode().splitlines():
        if match := re.match(r"#tb 0: (\d+)/(\d+)", line):
            base = int(match[1]) / int(match[2])
        elif not line.startswith("#"):
            fields = line.split(",")
            frames.append((fields[5].strip(), int(fields[2]) * base))
    begin = frames[0][1] if frames else 0
    return [(frame, time - begin) for frame, time in frames], code != 0 or errors.strip() != ""


def packets_of(path):
    """Hashes of the packets of each stream that is not the first video, as a set of sorted lists."""
    _, out, _ = run(["ffprobe", "-v", "quiet", "-show_streams", "-show_packets", "-show_data_hash", "md5", "-of", "json",
                     str(path)])
    found = json.loads(out or b"{}")
    video = next((s["index"] for s in found.get("streams", []) if s.get("codec_type") == "video"
                  and not s.get("disposition", {}).get("attached_pic")), None)
    streams = {s["index"]: (s.get("codec_type"), s.get("codec_name")) for s in found.get("streams", [])}
    packets = collections.defaultdict(list)
    for packet in found.get("packets", []):
        if packet.get("stream_index") != video and int(packet.get("size", 0)) > 0:
            packets[packet["stream_index"]].append(packet.get("data_hash"))
    return sorted((streams[k], hashes) for k, hashes in packets.items())


def sound_of(path):
    """Hash of the decoded sound: packets of AAC lose their ADTS headers on the way from TS to Matroska."""
    return run(["ffmpeg", "-nostdin", "-v", "quiet", "-i", str(path), "-map", "0:a", "-f", "streamhash", "-"])[1]


def same_packets(source, output):
    before, after = packets_of(source), packets_of(output)
    counts = [[(stream, len(hashes)) for stream, hashes in side] for side in (before, after)]
    return before == after or counts[0] == counts[1] and sound_of(source) == sound_of(output)


def tags_of(path):
    _, out, _ = run(["exiftool", "-j", "-G0", "-a", "-q", "-q", str(path)])
    found = json.loads(out or b"[{}]")[0]
    tags = set()
    for name in found:
        group, _, tag = name.partition(":")
        if group in CONTENT_GROUPS and not CODING_TAGS.match(tag):
            tags.add(tag)
    return tags


def decodes_cleanly(path):
    if kind_of(path) in VIDEO:
        return not frames_of(path)[1]
    code, _, errors = run(["convert", "-limit", "memory", "2GiB", f"{path}[0]", "null:"])
    return code == 0 and not errors.strip()


def picture_difference(source, output):
    """Empty, or how far the first pictures differ for ImageMagick."""
    allowed = 0.03 if kind_of(source) in LOSSY else 0.0021
    # ImageMagick keeps AVIF and JPEG 2000 as YCbCr without -colorspace.
    _, out, text = run(["convert", f"{source}[0]", f"{output}[0]", "-auto-orient", "-colorspace", "sRGB", "-channel", "RGBA",
                        "-metric", "MAE", "-compare", "-format", "%[distortion]", "info:"])
    try:
        difference = float(out)
    except ValueError:
        return f"the judge cannot compare them: {text.strip()[:120]}"
    return "" if difference <= allowed else f"mean difference {difference:.4f}"


def judge_video(source, output, names_loss):
    before, broken = frames_of(source)
    after, _ = frames_of(output)
    if not broken and [f for f, _ in before] != [f for f, _ in after]:
        return "frames", f"{len(before)} frames became {len(after)}, or their samples changed"
    late = max((abs(a - b) for (_, a), (_, b) in zip(before, after)), default=0)
    if not broken and late > 0.00051:
        return "frames", f"a frame moved by {late:.4f} s"
    if not names_loss and not same_packets(source, output):
        return "packets", "packets of another stream differ"
    return None


def judge_picture(source, output):
    difference = picture_difference(source, output)
    return ("pixels", difference) if difference else None


def judge_metadata(source, output, names_loss):
    missing = tags_of(source) - tags_of(output)
    if missing and not names_loss:
        return "metadata", ", ".join(sorted(missing))
    return None


def judge(weft, source):
    is_video = kind_of(source) in VIDEO
    extension = "mkv" if is_video else "exr" if kind_of(source) in FLOAT else "apng" if kind_of(source) in ANIMATED else "png"
    with tempfile.TemporaryDirectory(prefix="collection") as folder:
        output = pathlib.Path(folder) / f"out.{extension}"
        lossless = ["--lossless"] if is_video else []
        code, _, text = run([weft, "batch", "--gpu", "off", "-vf", COPY, *lossless, "-o", str(output), str(source)])
        last = text.strip().splitlines()[-1] if text.strip() else ""
        if code is None:
            return "hang", f"more than {SECONDS} s", text
        if code < 0 or code > 127:
            return "crash", f"exit code {code}", text
        if code == 4:
            return ("alarm" if decodes_cleanly(source) else "damaged"), last, text
        if code != 0:
            return "refused", last, text
        names_loss = re.search(r"\blost\b|not kept|\bdropped\b(?<!nothing dropped)|cannot (store|keep|hold)|left out", text)
        found = judge_video(source, output, names_loss) if is_video else judge_picture(source, output)
        found = found or judge_metadata(source, output, names_loss)
        return (*found, text) if found else ("agrees", "", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", required=True)
    parser.add_argument("--json", help="write the class, the reason and weft's text of every file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only every Nth file")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    files = sorted(f for folder in options.folders for f in folder.rglob("*") if f.is_file())[:: options.every]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for source, found in zip(files, pool.map(lambda f: judge(options.weft, f), files)):
            results[str(source)] = found
            if found[0] in SUSPICIOUS:
                print(f"{found[0]:9} {source}: {found[1]}", flush=True)
    for name, count in collections.Counter(found[0] for found in results.values()).most_common():
        print(f"{name:9} {count}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    sys.exit(any(found[0] in SUSPICIOUS for found in results.values()))


if __name__ == "__main__":
    main()
