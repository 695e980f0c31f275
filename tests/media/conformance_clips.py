#!/usr/bin/env python3
"""Makes the clips of the conformance test with ffmpeg: conformance_clips.py FOLDER.

Each clip is tiny and unusual in one way. ffmpeg cannot write packed B-frames, mixed NAL forms and
files of several pictures, so this script assembles them.
"""

import concurrent.futures
import os
import pathlib
import struct
import subprocess
import sys

PICTURE = "testsrc2=s={size}:r=25:d=0.4,noise=alls=20:allf=t"

# Name, size and the end of ffmpeg's command line.
CLIPS = (
    ("h264_b_frames.mp4", "64x48", "-c:v libx264 -preset veryfast -bf 3 -b_strategy 0"),
    ("h264_open_gop.mkv", "64x48", "-c:v libx264 -bf 3 -g 5 -x264-params open-gop=1"),
    ("h264_open_gop.ts", "64x48", "-c:v libx264 -bf 3 -g 5 -x264-params open-gop=1"),
    ("h264_interlaced.mp4", "64x48", "-c:v libx264 -vf setfield=tff -flags +ildct+ilme"),
    ("h264_paff.ts", "64x64", "-c:v libx264 -x264-params tff=1:fake-interlaced=1"),
    ("h264_fragmented.mp4", "64x48",
     "-c:v libx264 -g 4 -movflags frag_keyframe+empty_moov+default_base_moof"),
    ("h264_faststart.mov", "64x48", "-c:v libx264 -movflags faststart"),
    ("h264_annexb.h264", "64x48", "-c:v libx264 -bf 2"),
    ("h264.avi", "64x48", "-c:v libx264 -bf 0"),
    ("h264.flv", "64x48", "-c:v libx264 -bf 2"),
    ("h264_10bit.mkv", "64x48", "-c:v libx264 -pix_fmt yuv422p10le"),
    ("h264_444.mp4", "63x47", "-c:v libx264 -pix_fmt yuv444p"),
    ("h264_rgb.mkv", "64x48", "-c:v libx264rgb -qp 0"),
    ("h264_gray.mp4", "64x48", "-c:v libx264 -pix_fmt gray"),
    ("h264_one_frame.mp4", "64x48", "-c:v libx264 -frames:v 1"),
    ("h264_vfr.mp4", "64x48",
     "-vf select='not(eq(mod(n\\,4)\\,2))' -fps_mode vfr -c:v libx264 -bf 2"),
    ("h264_vfr.mkv", "64x48", "-vf select='not(eq(mod(n\\,4)\\,2))' -fps_mode vfr -c:v libx264"),
    ("h264_negative_start.mp4", "64x48", "-c:v libx264 -bf 2 -output_ts_offset -0.2"),
    ("h264_late_start.ts", "64x48", "-c:v libx264 -output_ts_offset 90000"),
    ("h264_odd_size.mkv", "63x47", "-vf crop=62:46:1:1 -c:v libx264"),
    ("hevc_b_frames.mp4", "64x64", "-c:v libx265 -preset ultrafast -x265-params log-level=none"),
    ("hevc_10bit.mkv", "64x64",
     "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params log-level=none"),
    ("hevc.ts", "64x64", "-c:v libx265 -preset ultrafast -x265-params log-level=none"),
    ("mpeg4_small_b_frames.avi", "64x48", "-vf noise=alls=0 -c:v mpeg4 -bf 2"),
    ("mpeg4_b_frames.mp4", "64x48", "-c:v mpeg4 -bf 2"),
    ("mpeg4_qpel.mkv", "64x48", "-c:v mpeg4 -flags +qpel+mv4"),
    ("mpeg2_interlaced.mpg", "64x48", "-c:v mpeg2video -flags +ildct+ilme -bf 2"),
    ("mpeg2_422.mxf", "64x48", "-c:v mpeg2video -pix_fmt yuv422p"),
    ("mpeg2.ts", "64x48", "-c:v mpeg2video -bf 2"),
    ("mpeg2.gxf", "720x576", "-c:v mpeg2video -frames:v 4"),
    ("mpeg1.mpg", "64x48", "-c:v mpeg1video -bf 2"),
    ("h261.mkv", "176x144", "-c:v h261"),
    ("h263.3gp", "176x144", "-c:v h263"),
    ("msmpeg4v3.avi", "64x48", "-c:v msmpeg4"),
    ("wmv2.asf", "64x48", "-c:v wmv2"),
    ("rv20.rm", "64x48", "-c:v rv20"),
    ("flv1.flv", "64x48", "-c:v flv"),
    ("theora.ogv", "64x48", "-c:v libtheora"),
    ("vp8_hidden.webm", "64x48", "-c:v libvpx -auto-alt-ref 1 -lag-in-frames 8 -deadline good"),
    ("vp8_hidden.avi", "64x48", "-c:v libvpx -auto-alt-ref 1 -lag-in-frames 8 -deadline good"),
    ("vp8.ivf", "64x48", "-c:v libvpx -deadline realtime"),
    ("vp9_hidden.mp4", "64x48", "-c:v libvpx-vp9 -auto-alt-ref 1 -lag-in-frames 8 -cpu-used 8"),
    ("vp9_444.webm", "63x47", "-c:v libvpx-vp9 -cpu-used 8 -pix_fmt yuv444p"),
    ("vp9_alpha.webm", "64x48",
     "-vf format=yuva420p,colorchannelmixer=aa=0.5,format=yuva420p -c:v libvpx-vp9 -cpu-used 8"),
    ("ffv1_411.nut", "61x48", "-c:v ffv1 -level 1 -pix_fmt yuv411p"),
    ("ffv1_16bit.mkv", "64x48", "-c:v ffv1 -pix_fmt yuv444p16le"),
    ("ffv1_one_row.nut", "64x1", "-c:v ffv1 -level 1 -pix_fmt gray"),
    ("ffv1_one_column.nut", "1x64", "-c:v ffv1 -level 1 -pix_fmt yuv420p"),
    ("ffv1_alpha.mkv", "64x48", "-c:v ffv1 -pix_fmt yuva444p10le"),
    ("huffyuv.avi", "64x48", "-c:v huffyuv -pix_fmt yuv422p"),
    ("utvideo.avi", "64x48", "-c:v utvideo -pix_fmt gbrp"),
    ("prores.mov", "64x48", "-c:v prores_ks"),
    ("dnxhr.mov", "256x128", "-c:v dnxhd -profile:v dnxhr_hq -pix_fmt yuv422p"),
    ("dv_pal.dv", "720x576", "-c:v dvvideo -frames:v 3 -pix_fmt yuv420p"),
    ("dv_ntsc.avi", "720x480", "-c:v dvvideo -r 30000/1001 -frames:v 3 -pix_fmt yuv411p"),
    ("mjpeg.avi", "64x48", "-c:v mjpeg -pix_fmt yuvj422p"),
    ("jpeg2000.mxf", "64x48", "-c:v jpeg2000 -pix_fmt yuv422p"),
    ("qtrle_alpha.mov", "64x48", "-c:v qtrle -pix_fmt argb"),
    ("qtrle_gray.mov", "64x48", "-c:v qtrle -pix_fmt gray"),
    ("raw_uyvy.avi", "64x48", "-c:v rawvideo -pix_fmt uyvy422"),
    ("raw_pal8.nut", "64x48", "-c:v rawvideo -pix_fmt pal8"),
    ("raw_nv12.nut", "64x48", "-c:v rawvideo -pix_fmt nv12"),
    ("raw.y4m", "63x47", "-pix_fmt yuv420p"),
    ("cinepak.avi", "64x48", "-c:v cinepak -frames:v 3"),
    ("roq.roq", "64x64", "-c:v roqvideo -r 30"),
    ("smjpeg.smjpeg", "64x48", "-c:v mjpeg -f smjpeg"),
    ("zmbv.avi", "64x48", "-c:v zmbv"),
    ("flashsv.flv", "64x48", "-c:v flashsv"),
    ("animation.gif", "64x48", ""),
    ("animation.apng", "64x48", "-f apng"),
    ("picture.png", "63x47", "-frames:v 1 -pix_fmt rgba64be"),
    ("picture.jpg", "63x47", "-frames:v 1"),
    ("picture.tiff", "63x47", "-frames:v 1 -pix_fmt rgb48le"),
    ("picture.bmp", "63x47", "-frames:v 1"),
)


def ffmpeg(folder, name, size, options):
    words = options.replace("'", "").split()
    width, height = (int(side) for side in size.split("x"))
    picture = PICTURE.format(size=f"{max(width, 16)}x{max(height, 16)}")  # the minimum of testsrc2
    if min(width, height) < 16:
        picture += f",format=yuv444p,crop={width}:{height}"
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", picture,
                    "-threads", "1", *words, str(folder / name)], check=True)


def chunk(name, body):
    return name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def avi(packets, key, codec, width, height, rate):
    """An AVI 1.0 file of one video stream; `key` has the indices of key frames."""
    header = struct.pack("<14I", 1000000 // rate, 0, 0, 0x10, len(packets), 0, 1, 0, width, height,
                         0, 0, 0, 0)
    stream = b"vids" + codec + struct.pack("<3I8I4H", 0, 0, 0, 1, rate, 0, len(packets), 0,
                                           0xFFFFFFFF, 0, 0, 0, 0, width, height)[:48]
    picture = struct.pack("<3I2H4s5I", 40, width, height, 1, 24, codec, 0, 0, 0, 0, 0)
    lists = chunk(b"LIST", b"hdrl" + chunk(b"avih", header) +
                  chunk(b"LIST", b"strl" + chunk(b"strh", stream) + chunk(b"strf", picture)))
    movie, index = b"movi", b""
    for number, packet in enumerate(packets):
        flags = 0x10 if number in key else 0
        index += struct.pack("<4s3I", b"00dc", flags, len(movie), len(packet))
        movie += chunk(b"00dc", packet)
    return chunk(b"RIFF", b"AVI " + lists + chunk(b"LIST", movie) + chunk(b"idx1", index))


def make_packed(folder):
    """DivX's packed bitstream: a P-picture and the B-picture after it in one packet, and a packet
    that codes "nothing changed" in place of the B-picture."""
    raw = folder / "packed.m4v"
    ffmpeg(folder, raw.name, "64x48", "-c:v mpeg4 -bf 1 -b_strategy 0 -g 100")
    parts = raw.read_bytes().split(b"\0\0\1\xb6")
    raw.unlink()
    pictures = [b"\0\0\1\xb6" + part for part in parts[1:]]
    kinds = [part[0] >> 6 for part in parts[1:]]  # 0: I, 1: P, 2: B
    packets, at = [], 0
    nothing = b"\0\0\1\xb6\x50\x00\x7f"
    while at < len(pictures):
        packed = at + 1 < len(pictures) and kinds[at] != 2 and kinds[at + 1] == 2
        packets.append(pictures[at] + (pictures[at + 1] if packed else b""))
        packets += [nothing] if packed else []
        at += 2 if packed else 1
    packets[0] = parts[0] + b"\0\0\1\xb2DivX503b1393p" + packets[0]
    (folder / "mpeg4_packed.avi").write_bytes(avi(packets, {0}, b"DIVX", 64, 48, 25))


def make_mixed_units(folder):
    """H.264 in mp4 whose packets have one length, and start codes instead of the other lengths."""
    name = folder / "h264_mixed_units.mp4"
    ffmpeg(folder, name.name, "64x48", "-c:v libx264 -x264-params slices=3")
    sizes = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
                            "packet=pos,size", "-of", "csv=p=0", str(name)],
                           check=True, capture_output=True, text=True).stdout.split()
    data = bytearray(name.read_bytes())
    for size, begin in (map(int, line.split(",")[:2]) for line in sizes):
        first = int.from_bytes(data[begin:begin + 4], "big")
        at = begin + 4 + first
        while at < begin + size:
            length = int.from_bytes(data[at:at + 4], "big")
            data[at:at + 4] = b"\0\0\0\1"
            at += 4 + length
        data[begin:begin + 4] = (size - 4).to_bytes(4, "big")
    name.write_bytes(data)


def make_joined(folder, ending):
    """Three pictures, one after the other in one file."""
    ffmpeg(folder, f"joined_%d.{ending}", "64x48", "-frames:v 3")
    parts = [folder / f"joined_{number}.{ending}" for number in (1, 2, 3)]
    (folder / f"joined.{ending}").write_bytes(b"".join(part.read_bytes() for part in parts))
    for part in parts:
        part.unlink()


def make_edited(folder):
    """An edit list that cuts into a group of pictures."""
    ffmpeg(folder, "whole.mp4", "64x48", "-c:v libx264 -bf 2 -g 100")
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-ss", "0.2", "-i",
                    str(folder / "whole.mp4"), "-c", "copy", str(folder / "h264_edit_list.mp4")],
                   check=True)
    (folder / "whole.mp4").unlink()


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tasks = [pool.submit(ffmpeg, folder, *clip) for clip in CLIPS]
        tasks += [pool.submit(make, folder) for make in (make_packed, make_mixed_units,
                                                         make_edited)]
        tasks += [pool.submit(make_joined, folder, ending) for ending in ("png", "dpx", "bmp")]
        for task in tasks:
            task.result()


if __name__ == "__main__":
    main()
