#!/usr/bin/env python3
"""Draws the pictures of docs/manual.md about linear light and dithering: weft filters made-up
pictures, and this script puts the results next to each other.

usage: assets/light/draw.py WEFT    the program, such as build/release/bin/weft
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT, GAP = 240, 160, 8


def png(path, width, height, rgb):
    """Writes rows of 8-bit r, g, b."""
    rows = b"".join(
        b"\0" + rgb[y * width * 3:(y + 1) * width * 3] for y in range(height))

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" +
                     chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def filtered(weft, rgb, stack):
    """The samples of a picture after a stack."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "source.png"
        result = pathlib.Path(folder) / "result.ppm"
        png(source, WIDTH, HEIGHT, rgb)
        subprocess.run([weft, "batch", "-y", "-vf", stack, "-o", result, source],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return result.read_bytes()[-WIDTH * HEIGHT * 3:]


def pair(path, left, right):
    """Two pictures with a white line between them."""
    rows = []
    for y in range(HEIGHT):
        line = slice(y * WIDTH * 3, (y + 1) * WIDTH * 3)
        rows.append(left[line] + b"\xff" * (GAP * 3) + right[line])
    png(path, 2 * WIDTH + GAP, HEIGHT, b"".join(rows))


def night():
    """Lamps of one to three pixels in the dark."""
    picture = bytearray()
    for y in range(HEIGHT):
        for _ in range(WIDTH):
            picture += bytes((8 + y // 16, 10 + y // 16, 18 + y // 10))
    dice = random.Random(4)
    for _ in range(34):
        colour = dice.choice([(255, 214, 150), (255, 255, 255), (255, 120, 90), (150, 200, 255)])
        size = dice.randint(2, 4)
        left, top = dice.randrange(WIDTH - 4), dice.randrange(HEIGHT - 4)
        for y in range(top, top + size):
            for x in range(left, left + size):
                at = (y * WIDTH + x) * 3
                picture[at:at + 3] = bytes(colour)
    return bytes(picture)


def dusk():
    """Two dark grays that meet in the middle."""
    return bytes(v for _ in range(HEIGHT) for x in range(WIDTH)
                 for v in ((30 if x < WIDTH // 2 else 38,) * 3))


def stretched(rgb):
    """24 times the contrast, which shows single levels."""
    return bytes(min(max((v - 29) * 24, 0), 255) for v in rgb)


def main():
    weft = sys.argv[1]
    stack = "disc=radius=7"
    pair(HERE / "light.png", filtered(weft, night(), stack),
         filtered(weft, night(), stack + ":light=linear"))
    stack = "gaussian=sigma=40"
    pair(HERE / "dither.png", stretched(filtered(weft, dusk(), stack)),
         stretched(filtered(weft, dusk(), stack + ":dither=ordered")))


if __name__ == "__main__":
    main()
