#!/usr/bin/env bash
# Builds a relocatable archive of this machine's ffmpeg and ffprobe, with tests/bench/video.py, for
# comparisons on a GPU machine without them: package_ffmpeg.sh DIST_DIR.
set -euo pipefail

readonly dist_dir=$1
version=$(dpkg-query -W -f '${Version}' ffmpeg | sed 's/^[0-9]*://')
readonly name=ffmpeg-$version-linux-x86_64
readonly stage=$dist_dir/$name archive=$dist_dir/$name.tar.xz
readonly papers=$stage/share/doc/ffmpeg

# shellcheck source=cmake/package_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/package_lib.sh"

install_programs() {
    local program
    rm -rf "$stage"
    mkdir -p "$stage/bin" "$stage/lib" "$papers/libraries"
    for program in ffmpeg ffprobe; do
        install -m 755 "$(command -v "$program")" "$stage/bin/$program"
        bundle_licence "$(command -v "$program")"
    done
    install -m 755 tests/bench/video.py "$stage/video.py"
}

smoke_test() {
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    tar --extract --file "$archive" --directory "$root"
    env -i "$root/$name/bin/ffmpeg" -v error -f lavfi -i testsrc2=d=0.2 -f null - ||
        die "the unpacked ffmpeg does not work"
}

install_programs
bundle_libraries
make_relocatable
tar --create --sort=name --owner=0 --group=0 --numeric-owner --directory "$dist_dir" "$name" |
    xz -T 0 --x86 --lzma2=preset=6,dict=64MiB >"$archive.part"
mv "$archive.part" "$archive"
smoke_test
printf 'package: %s, %d libraries, %d MB\n' "$archive" "$(find "$stage/lib" -type f | wc -l)" \
    $(($(stat -c %s "$archive") / 1000000))
