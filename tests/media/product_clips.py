#!/usr/bin/env python3
"""Makes the clips of the scorecard's corpus in a folder: codecs × containers × odd structures.

  tests/media/product_clips.py FOLDER            about 400 clips of 10 frames
  tests/media/product_clips.py FOLDER --each 30  every thirtieth, and the clips cut from these
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import subprocess

import conformance_clips

# ffmpeg's options for a plain clip of 10 frames per codec, and the containers that store it.
CODECS = {
    "h264": ("-c:v libx264 -preset veryfast -bf 2 -b_strategy 0 -g 5", "mkv mp4 mov ts nut flv"),
    "hevc": ("-c:v libx265 -preset ultrafast -x265-params log-level=none:pools=none:keyint=5",
             "mkv mp4 mov ts"),
    "mpeg2": ("-c:v mpeg2video -bf 2 -g 5", "mkv mp4 ts mpg nut"),
    "mpeg4": ("-c:v mpeg4 -bf 1 -g 5", "mkv mp4 mov nut avi"),
    "vp8": ("-c:v libvpx -deadline realtime -cpu-used 8 -g 5", "mkv webm"),
    "vp9": ("-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 5", "mkv mp4 webm"),
    "av1": ("-c:v libaom-av1 -usage realtime -cpu-used 8 -g 5", "mkv mp4 webm"),
    "ffv1": ("-c:v ffv1 -level 3 -g 5", "mkv avi nut"),
    "prores": ("-c:v prores_ks", "mov mkv"),
    "mjpeg": ("-c:v mjpeg", "mov mkv avi"),
    "png": ("-c:v png", "mov avi nut"),
    "gif": ("-c:v gif", "gif"),
}
EXACT_CLOCKS = "mkv mp4 mov ts nut webm"  # avi, flv and gif store few clocks or none
SIDE_DATA = "mp4 mov"

# Options, size, codecs and containers per structure; None means all.
STRUCTURES = {
    "plain": ("", "64x48", None, None),
    "vfr": ("-vf select=not(eq(mod(n\\,4)\\,2)) -fps_mode vfr", "64x48", None, EXACT_CLOCKS),
    "gap": ("-vf setpts=PTS+gt(N\\,4)*3/TB -fps_mode passthrough", "64x48",
            "h264 mpeg2 mpeg4 vp9 ffv1 prores", EXACT_CLOCKS),
    "late": ("-output_ts_offset 7.3", "64x48", "h264 hevc mpeg2 vp8 av1 mjpeg png", EXACT_CLOCKS),
    "negative": ("-output_ts_offset -0.2", "64x48", "h264 hevc mpeg4 vp9 ffv1 prores",
                 EXACT_CLOCKS),
    "one": ("-frames:v 1", "64x48", None, None),
    "ntsc": ("-r 30000/1001", "64x48", "h264 hevc mpeg2 mpeg4 vp9 av1 prores", None),
    "fast": ("-r 240", "64x48", "h264 mpeg4 vp8 ffv1 mjpeg", EXACT_CLOCKS),
    "odd": ("", "63x47", "mpeg4 vp8 vp9 av1 ffv1 prores mjpeg png gif", None),
    "dot": ("-pix_fmt yuv444p", "1x1", "h264 ffv1", None),
    "wide": ("-vf setsar=4/3", "64x48", "h264 mpeg4 vp9 prores", None),
    "rotated": ("-metadata:s:v rotate=90", "64x48", "h264 hevc mpeg4 prores", SIDE_DATA),
    "interlaced": ("-vf setfield=tff -flags +ildct+ilme", "64x64", "h264 mpeg2 mpeg4", None),
    "fragments": ("-movflags frag_keyframe+empty_moov", "64x48", "h264 hevc vp9 av1 mjpeg",
                  SIDE_DATA),
    "ten_bit": ("-pix_fmt yuv420p10le", "64x48", "h264 hevc av1 ffv1", None),
    "half": ("-pix_fmt yuv422p", "64x48", "h264 mpeg2 ffv1", None),
    "full": ("-pix_fmt yuv444p", "64x48", "h264 vp9 ffv1 av1", None),
    "gray": ("-pix_fmt gray", "64x48", "h264 ffv1 png", None),
    "hdr": ("-pix_fmt yuv420p10le -color_primaries bt2020 -color_trc smpte2084 "
            "-colorspace bt2020nc", "64x48", "hevc av1", None),
}
# Cut from a plain clip without encoding it again: edit lists and starts without a key frame.
COPIES = {
    "edited": "-ss 0.12 -i {} -c copy",
    "ended": "-i {} -t 0.21 -c copy",
}
COPIED = "h264 hevc mpeg4 vp9"


def goes_with(allowed, name):
    return allowed is None or name in allowed.split()


def product():
    """(name, size, options) of each clip that is encoded."""
    for (codec, (options, containers)), structure in itertools.product(CODECS.items(), STRUCTURES):
        more, size, codecs, holders = STRUCTURES[structure]
        for container in containers.split():
            if goes_with(codecs, codec) and goes_with(holders, container):
                yield f"{codec}_{structure}.{container}", size, f"{options} {more}"


def copies():
    """(name, name of the plain clip, options) of each clip that is copied."""
    for codec, (structure, options) in itertools.product(COPIED.split(), COPIES.items()):
        for container in CODECS[codec][1].split():
            yield f"{codec}_{structure}.{container}", f"{codec}_plain.{container}", options


def copy(folder, name, source, options):
    words = options.format(folder / source).split()
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *words, str(folder / name)],
                   check=True)


def make(folder, each):
    folder.mkdir(parents=True, exist_ok=True)
    encoded = list(product())[::each]
    names = {name for name, _, _ in encoded}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda clip: conformance_clips.ffmpeg(folder, *clip), encoded))
        list(pool.map(lambda clip: copy(folder, *clip),
                      (clip for clip in copies() if clip[1] in names)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=1)
    options = parser.parse_args()
    make(options.folder, options.each)


if __name__ == "__main__":
    main()
