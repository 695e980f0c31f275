#!/usr/bin/env python3
"""Filters files that others made with a kernel that copies, and compares input and output.

  tests/media/collection.py --weft build/release/bin/weft --json result.json FILE_OR_FOLDER...

The judges are independent of weft: ffmpeg and ffprobe for frames, times and packets of every stream,
ImageMagick for pictures, exiftool for metadata. Where Python has Pillow (and its plugin for JPEG XL) or
OpenEXR, they judge pictures too: one judge that agrees is enough, since each reads some files wrongly.
Each file gets one class:

  agrees    exit 0, and the judges find the same content
  unjudged  exit 0, and no judge can read the picture
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
import warnings

try:
    from PIL import Image, ImageChops, ImageOps, ImageStat
except ImportError:
    Image = None
try:
    import pillow_jxl  # noqa: F401, a plugin of Pillow
except ImportError:
    pass
try:
    import numpy
    import OpenEXR
except ImportError:
    OpenEXR = None

COPY = "convolve=matrix='1'"
VIDEO = "mp4 mkv webm mov avi ts flv 3gp ogv wmv mpg m4v vob mts m2ts asf mpeg f4v nut".split()
ANIMATED = "gif apng".split()
LOSSY = "jpg jpeg jp2 j2k j2c jpf webp avif jxl".split()
# Judges round palettes and CMYK by up to one level, and enlarge the colors of lossy pictures in other ways.
LEVEL, LOSSY_DIFFERENCE = 0.004, 0.015
SECONDS = 120
SUSPICIOUS = "frames packets pixels metadata alarm crash hang".split()

# Groups of exiftool that describe the content, and tags in them that describe the coding instead.
CONTENT_GROUPS = {"EXIF", "XMP", "IPTC", "ICC_Profile", "QuickTime", "Matroska", "Photoshop", "RIFF"}
CODING_TAGS = re.compile(
    r"^(Image(Width|Height|Size)|ExifImage(Width|Height)|BitsPerSample|Compression|Photometric|Strip|Tile|"
    r"RowsPerStrip|SamplesPerPixel|PlanarConfiguration|Thumbnail|Preview|OtherImage|Layer|JpgFromRaw|Predictor|FillOrder|"
    r"InkSet|InkNames|SampleFormat|SubfileType|OldSubfileType|ExtraSamples|YCbCr|JPEG|T4Options|T6Options|InterColor|"
    r"ExifByteOrder|ReferenceBlackWhite|PageNumber|ColorMap|ComponentsConfiguration|CompressedBits|"
    r"VP8|Alpha|Animation|Frame|Duration|Media|Track|Movie|Major|Minor|Compatible|Handler|Time(Scale|Code)|"
    r"(Create|Modify)Date|Preferred|Poster|Selection|Current|Next|Graphics|Op|Source(Image)|XResolution|"
    r"YResolution|BitDepth|PixelAspect|VideoFrameRate|Audio|Balance|DocType|EBML|Muxing|Writing|Seek|Cluster|"
    r"Codec|Image|Display|Color|Matrix|Encoder|DeviceTypes|WebP|Horizontal|Vertical|Sample|Max|Stream|Avg|"
    r"NumColors|NumImportant|Planes|BMP|Red|Green|Blue|Video|Total|Software$|Padding|Offset|InteropI|Free|"
    r"Compressor|AverageBitrate|BufferSize|"
    r"TransferChar|NumChannels|Quality|Encoding|DefaultDuration|"
    r"OtherFormat|LayoutFlags|SegmentFileName|VendorID|SoftwareVersion|ChapterList|"
    # Pixels that are turned have no orientation any more; the resolution is compared with the pixels.
    r"Orientation$|ResolutionUnit$|S?M(in|ax)SampleValue|GrayResponse|"
    r"AV1Config|Chroma(Format|SamplePosition)|PrimaryItem|"
    # The name of an XMP packet's writer and of the file that it describes, and a checksum of IPTC.
    r"XMPToolkit$|About$|IPTCDigest$)")
# Not the words of a report without losses.
DROPPED = r"(?<!nothing )(?<!no stream )\bdropped\b"
# Words that report the loss of a group.
LOST_GROUPS = {"EXIF": "EXIF", "XMP": "XMP", "IPTC": "IPTC", "ICC_Profile": "ICC profile", "Photoshop": "Photoshop"}
# exiftool's names of a video's tags that libav calls otherwise. A language may be the track's.
OTHER_NAMES = {"GPSCoordinates": "Location", "LocationInformation": "Location", "DateCreated": "Date",
               "Starring": "Istr", "Performer": "Artist", "Language": ""}


def run(command, seconds=SECONDS):
    """Exit code, standard output and standard error; the code is None after a time-out."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None, b"", ""
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def kind_of(path):
    return path.suffix.lower().lstrip(".")


def probed(path, *options):
    """What ffprobe finds; a file that it cannot open gives a part of its JSON alone."""
    _, out, _ = run(["ffprobe", "-v", "quiet", *options, "-of", "json", str(path)])
    try:
        return json.loads(out)
    except ValueError:
        return {}


def streams_of(path):
    """The streams, and the video among them that ffmpeg and weft filter: the largest, or None."""
    streams = probed(path, "-show_streams").get("streams", [])
    videos = [s for s in streams if s.get("codec_type") == "video" and not s.get("disposition", {}).get("attached_pic")]
    return streams, max(videos, key=lambda s: s.get("width", 0) * s.get("height", 0), default=None)


def frames_of(path, pixel_format=None):
    """Hash and time in seconds, from the first frame on, of each frame of the filtered video."""
    _, video = streams_of(path)
    index = video["index"] if video else 0
    form = ["-pix_fmt", pixel_format] if pixel_format else []
    code, out, errors = run(["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", f"0:{index}", *form,
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
    found = probed(path, "-show_streams", "-show_packets", "-show_data_hash", "md5")
    _, video = streams_of(path)
    video = video and video["index"]
    streams = {s["index"]: (s.get("codec_type"), s.get("codec_name")) for s in found.get("streams", [])}
    packets = collections.defaultdict(list)
    for packet in found.get("packets", []):
        if packet.get("stream_index") != video and int(packet.get("size", 0)) > 0:
            packets[packet["stream_index"]].append(packet.get("data_hash"))
    # Matroska joins the segments of a Blu-ray's subtitle.
    for k in [k for k in packets if streams[k][1] == "hdmv_pgs_subtitle"]:
        packets[k] = [run(["ffmpeg", "-nostdin", "-v", "quiet", "-i", str(path), "-map", f"0:{k}", "-c", "copy", "-f",
                           "hash", "-"])[1].decode()]
    return sorted((streams[k], hashes) for k, hashes in packets.items())


def sound_of(path):
    """Hash of the decoded sound: packets of AAC lose their ADTS headers on the way from TS to Matroska."""
    return run(["ffmpeg", "-nostdin", "-v", "quiet", "-i", str(path), "-map", "0:a", "-f", "streamhash", "-"])[1]


def same_packets(source, output):
    before, after = packets_of(source), packets_of(output)
    counts = [[(stream, len(hashes)) for stream, hashes in side] for side in (before, after)]
    return before == after or counts[0] == counts[1] and sound_of(source) == sound_of(output)


def chapters_of(path):
    return [(round(float(c["start_time"]), 2), {k.lower(): v for k, v in c.get("tags", {}).items()})
            for c in probed(path, "-show_chapters").get("chapters", [])]


def tags_of(path):
    """The group of each tag of the content."""
    _, out, _ = run(["exiftool", "-j", "-G0:1", "-a", "-q", "-q", str(path)])
    found = json.loads(out or b"[{}]")[0]
    tags = {}
    for name in found:
        group, _, tag = name.rpartition(":")
        group, _, part = group.partition(":")
        # The second directory of EXIF describes a thumbnail.
        if group in CONTENT_GROUPS and part != "IFD1" and not CODING_TAGS.match(tag):
            tags[tag] = group
    return tags


def decodes_cleanly(path):
    if kind_of(path) in VIDEO:
        return not frames_of(path)[1]
    if kind_of(path) == "gif" and not is_whole_gif(path.read_bytes()):
        return False
    code, _, errors = run(["convert", "-limit", "memory", "2GiB", f"{path}[0]", "null:"])
    return code == 0 and not errors.strip() and not pillow_reports_damage(path)


def is_whole_gif(data):
    """Whether its blocks lead to an end marker, which no other judge minds."""

    def colors(flags):
        return 3 << ((flags & 7) + 1) if flags & 0x80 else 0

    try:
        at = 13 + colors(data[10])
        while data[at] != 0x3B:
            if data[at] not in (0x21, 0x2C):
                return False
            at += 2 if data[at] == 0x21 else 11 + colors(data[at + 9])
            while data[at]:
                at += data[at] + 1
            at += 1
    except IndexError:
        return False
    return True


def pillow_reports_damage(path):
    """Whether Pillow knows the format of the file, and reads it with an error."""
    if Image is None:
        return False
    try:
        with warnings.catch_warnings(), Image.open(path) as picture:
            warnings.simplefilter("ignore")
            for index in range(getattr(picture, "n_frames", 1)):
                if index > 0:
                    picture.seek(index)
                picture.load()
    except (Image.UnidentifiedImageError, NotImplementedError):
        return False
    except (OSError, SyntaxError, ValueError, EOFError):
        return True
    except Exception:  # its decoders raise others for formats that they know in part
        return False
    return False


def imagemagick_difference(source, output, channels):
    """How far the first pictures differ, from 0 to 1; None if one of them cannot be read."""
    # ImageMagick keeps AVIF and JPEG 2000 as YCbCr without -colorspace.
    _, out, _ = run(["convert", f"{source}[0]", f"{output}[0]", "-auto-orient", "-colorspace", "sRGB", "-channel",
                     channels, "-metric", "MAE", "-compare", "-format", "%[distortion]", "info:"])
    try:
        return float(out)
    except ValueError:
        return None


def pillow_frames(path):
    """Each picture that is shown, in RGBA and upright."""
    with Image.open(path) as picture:
        first = 1 if getattr(picture, "default_image", False) else 0
        for index in range(first, getattr(picture, "n_frames", 1) if kind_of(path) in ANIMATED + ["png"] else 1):
            if index > 0:
                picture.seek(index)
            picture.load()
            frame = ImageOps.exif_transpose(picture)
            if frame.mode.startswith("I"):
                frame = frame.convert("I").point(lambda value: value * (1 / 257)).convert("L")
            yield frame.convert("RGBA")


def pillow_difference(source, output, channels):
    """As above, of all pictures of an animation. The colors of transparent pixels do not count."""
    if Image is None:
        return None
    worst = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, after = pillow_frames(source), pillow_frames(output)
            for a, b in zip(before, after, strict=True):
                if a.size != b.size:
                    return None
                mode = "RGBa" if channels == "RGBA" else "RGB"
                means = ImageStat.Stat(ImageChops.difference(a.convert(mode), b.convert(mode))).mean
                worst = max(worst, max(means[:len(channels)]) / 255)
    except Exception:  # its decoders raise many kinds
        return None
    return worst


def exr_channels(path):
    """The values of each channel of the first part, in its display window."""
    part = OpenEXR.File(str(path), separate_channels=True).parts[0]
    (left, top), (right, bottom) = part.header["displayWindow"]
    (x, y), _ = part.header["dataWindow"]
    made = {}
    for name, channel in part.channels.items():
        canvas = numpy.zeros((bottom - top + 1, right - left + 1))
        rows, columns = channel.pixels.shape
        x0, y0 = max(left, x), max(top, y)
        x1, y1 = min(right + 1, x + columns), min(bottom + 1, y + rows)
        canvas[y0 - top:y1 - top, x0 - left:x1 - left] = channel.pixels[y0 - y:y1 - y, x0 - x:x1 - x]
        made[name] = canvas
    return made


def openexr_difference(source, output, channels):
    if OpenEXR is None or kind_of(source) != "exr":
        return None
    try:
        before, after = exr_channels(source), exr_channels(output)
    except Exception:  # as Pillow's
        return None
    worst = 0
    for name in set(before) & set(channels + "Y"):
        other = after.get(name, after.get("Y"))
        if other is None:
            other = after["R"]
        with numpy.errstate(invalid="ignore", over="ignore"):
            same = (before[name] == other) | (numpy.isnan(before[name]) & numpy.isnan(other))
            away = numpy.abs(before[name] - other) / (1 + numpy.abs(before[name]))
        worst = max(worst, float(numpy.where(same, 0, numpy.nan_to_num(away, nan=1, posinf=1)).mean()))
    return worst


def is_subsampled(path):
    _, out, _ = run(["ffprobe", "-v", "quiet", "-show_entries", "stream=pix_fmt", "-of", "csv=p=0", str(path)])
    return out.startswith(b"yuv")


def judge_video(source, output, names_loss):
    before, broken = frames_of(source)
    after, _ = frames_of(output, (streams_of(source)[1] or {}).get("pix_fmt"))
    if not broken and [f for f, _ in before] != [f for f, _ in after]:
        return "frames", f"{len(before)} frames became {len(after)}, or their samples changed"
    late = max((abs(a - b) for (_, a), (_, b) in zip(before, after)), default=0)
    # Matroska rounds to milliseconds, the first time too.
    if not broken and late > 0.00101:
        return "frames", f"a frame moved by {late:.4f} s"
    if not names_loss and not same_packets(source, output):
        return "packets", "packets of another stream differ"
    if not names_loss and chapters_of(source) != chapters_of(output):
        return "metadata", "chapters differ"
    return None


def judge_picture(source, output, text):
    if "premultiplied alpha" in text:  # a loss that is named and changes all colors
        return None
    channels = "RGB" if re.search(r"lost: .*(alpha|mask|transparent color)|transparency is lost", text) else "RGBA"
    if "lost: the zeros of the blue channel" in text:
        channels = "RG"
    judges = [imagemagick_difference, pillow_difference, openexr_difference]
    found = [away for judged in judges if (away := judged(source, output, channels)) is not None]
    if not found:
        return "unjudged", "no judge can read it"
    allowed = LOSSY_DIFFERENCE if kind_of(source) in LOSSY or is_subsampled(source) else LEVEL
    return None if min(found) <= allowed else ("pixels", f"mean difference {min(found):.4f}")


def is_kept(tag, after, is_video):
    # "AndroidVersion" of a video stays as "com.android.version".
    name = OTHER_NAMES.get(tag, tag).lower()
    return tag in after or is_video and any(name in other.lower() for other in [*after, ""])


def judge_metadata(source, output, text):
    before, after = tags_of(source), tags_of(output)
    if re.search("metadata of the picture is damaged|cannot be read and are lost|bytes after the picture", text):
        return None
    lost = " ".join(re.findall(f"lost: .*|not kept.*|is converted to.*|{DROPPED}.*|left out.*|cannot (?:store|keep|hold).*", text))
    is_video = kind_of(source) in VIDEO
    missing = [tag for tag, group in before.items() if not is_kept(tag, after, is_video)
               and not (lost if is_video else LOST_GROUPS.get(group, "").lower() in lost.lower())]
    return ("metadata", ", ".join(sorted(missing))) if missing else None


def judge(weft, source):
    is_video = kind_of(source) in VIDEO
    kind = kind_of(source)
    extension = "mkv" if is_video else kind if kind in ("exr", "pfm") else "apng" if kind in ANIMATED else "png"
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
        names_loss = re.search(rf"\blost\b|not kept|is converted to|{DROPPED}|cannot (store|keep|hold)|left out", text)
        found = judge_video(source, output, names_loss) if is_video else judge_picture(source, output, text)
        if not found or found[0] == "unjudged":
            found = judge_metadata(source, output, text) or found
        return (*found, text) if found else ("agrees", "", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", required=True)
    parser.add_argument("--json", help="write the class, the reason and weft's text of every file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only every Nth file")
    parser.add_argument("--offset", type=int, default=0, help="leave out so many files before the first")
    parser.add_argument("places", nargs="+", type=pathlib.Path, help="files, or folders of files")
    options = parser.parse_args()
    found = (f for place in options.places for f in ([place] if place.is_file() else place.rglob("*")))
    files = sorted(f for f in found if f.is_file())[options.offset :: options.every]
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
