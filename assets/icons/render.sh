#!/usr/bin/env bash
# Draws the icon's PNG sizes from its SVG; run it when the SVG changes. Needs rsvg-convert
# (librsvg2-bin).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for size in 16 22 24 32 48 64 128 256 512; do
    rsvg-convert --width "$size" --height "$size" -o "$size.png" io.github.warpweft.Weft.svg
done
