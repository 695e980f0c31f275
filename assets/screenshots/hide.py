#!/usr/bin/env python3
"""Takes the pictures of docs/manual.md about hiding a plate and about finding motion: weft shows a
made-up film on a display of its own.

usage: assets/screenshots/hide.py WEFT    the program, such as build/release/bin/weft

Needs ffmpeg, Xvfb, xdotool and ImageMagick.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
DISPLAY = ":93"
SIZE = "1120x640"
COLOURS = 96

# Two cars drive in front of houses, one after the other. A post hides the first one's plate for a
# while.
SCENE = (
    "color=0xA8C4DC:s=960x540:r=25:d=8,drawbox=0:110:960:200:0xB89F8A:fill,"
    "drawbox=40:150:70:60:0x54606C:fill,drawbox=190:150:70:60:0x54606C:fill,"
    "drawbox=420:150:70:60:0x54606C:fill,drawbox=640:150:70:60:0x54606C:fill,"
    "drawbox=820:150:70:60:0x54606C:fill,drawbox=0:310:960:230:0x6B6E72:fill,"
    "drawbox=0:420:960:8:0xE8E8E0:fill,fps=25")
CAR = ("color={colour}:s=220x110:r=25:d=8,drawbox=24:10:172:38:0x22303C:fill,"
       "drawbox=8:66:26:16:0xD03020:fill,drawbox=186:66:26:16:0xD03020:fill,"
       "drawbox=62:62:96:28:0xF2F2EA:fill,drawbox=62:62:96:28:0x202020:2,"
       "drawtext=text='{plate}':fontsize=18:x=70:y=68:fontcolor=0x101010")
BOXES = {"red car": ("90x26+105+278", 0), "van": ("90x26+765+398", 0)}


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def make_film(path):
    first = "40+200*clip(t-1\\,0\\,3)"
    second = "700-140*clip(t-6.5\\,0\\,1.5)"
    run("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", SCENE,
        "-f", "lavfi", "-i", CAR.format(colour="0xB02A2A", plate="KJ 47 RX"),
        "-f", "lavfi", "-i", CAR.format(colour="0x2F5F8F", plate="WQ 82 ZL"),
        "-filter_complex",
        f"[0][1]overlay=x={first}:y=214:eval=frame[a];"
        "[a]drawbox=420:100:40:300:0x3A3A3A:fill[b];"
        f"[b][2]overlay=x={second}:y=334:eval=frame",
        "-t", 8, "-c:v", "libx264", "-crf", 16, "-pix_fmt", "yuv420p", path)


def track(weft, film, boxes):
    """All objects in one file, with the comments by which the window knows their names."""
    lines = [f"# film: {film.name}"]
    tables = []
    for number, (name, (box, at)) in enumerate(BOXES.items(), 1):
        single = boxes.with_suffix(f".{number}")
        run(weft, "track", film, "--box", box, "--at", at, "-o", single)
        drawn = True
        lines.append(f"# {number}: {name}")
        for line in single.read_text().splitlines():
            fields = line.split(",")
            if not drawn:  # a confidence of 1 stands for a box that was drawn by hand
                fields[6] = f"{min(float(fields[6]), 0.999)}"
            drawn = False
            tables.append(",".join([fields[0], str(number)] + fields[2:]))
    boxes.write_text("\n".join(lines + tables) + "\n")


def take(weft, folder, words, keys, name):
    home = {key: str(folder) for key in
            ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")}
    environment = {**os.environ, **home, "DISPLAY": DISPLAY}
    environment.pop("WAYLAND_DISPLAY", None)
    window = subprocess.Popen([weft, "view", "--gpu", "off", *words], cwd=folder, env=environment)
    try:
        found = run("xdotool", "search", "--sync", "--onlyvisible", "--name", "weft",
                    env=environment, capture_output=True, text=True).stdout.split()[0]
        width, height = SIZE.split("x")
        run("xdotool", "windowmove", found, 0, 0, "windowsize", found, width, height,
            env=environment)
        for key in keys:
            time.sleep(1)
            run("xdotool", *key.split(), env=environment)
        time.sleep(3)
        run("import", "-window", found, "-colors", COLOURS, f"PNG8:{HERE / name}",
            env=environment)
    finally:
        window.terminate()
        window.wait()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    weft = str(pathlib.Path(sys.argv[1]).resolve())
    display = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", f"{SIZE}x24"])
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            film, boxes = folder / "street.mp4", folder / "plates.boxes"
            make_film(film)
            track(weft, film, boxes)
            settings = folder / "warpweft" / "settings.toml"
            settings.parent.mkdir()
            settings.write_text("loop_below_seconds = 0\n")
            take(weft, folder, ["street.mp4", "-vf", "fill=boxes=plates.boxes:grow=4"],
                 ["key space", "key Home", "key o", "mousemove 890 73 click 1"] +
                 ["key shift+Right"] * 3, "hide-plate.png")
            take(weft, folder, ["street.mp4"],
                 ["key space", "key Home", "key F2", "key M", "mousemove 400 560"],
                 "find-motion.png")
    finally:
        display.terminate()
        display.wait()


if __name__ == "__main__":
    main()
