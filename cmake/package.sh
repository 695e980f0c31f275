#!/usr/bin/env bash
# Builds the relocatable archive: package.sh BUILD_DIR DIST_DIR SAMPLE_CLIP. It contains the
# program, the tests, the benchmark and every shared library that they load except those of glibc,
# the GCC runtime and NVIDIA's driver, so it runs on any x86-64 machine that has these. Next to it
# are a small archive with glibc and the GCC runtime, which is unpacked over the first where the
# host's are too old; both as one file that unpacks itself (.run); the list of their parts
# (.spdx.json); and the checksums. As a last check the unpacked program filters SAMPLE_CLIP.
set -euo pipefail

readonly build_dir=$1 dist_dir=$2 sample=$3
# Three quarters of the archive are the distribution's libraries, whose updates change its size.
readonly max_bytes=90000000 max_glibc=2.36

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build_dir/CMakeCache.txt")
readonly name=warpweft-$version-linux-x86_64
readonly stage=$dist_dir/$name archive=$dist_dir/$name.tar.xz runner=$dist_dir/$name.run
readonly glibc_archive=$dist_dir/$name-glibc.tar.xz
readonly papers=$stage/share/doc/warpweft library_dir=/lib/x86_64-linux-gnu

# shellcheck source=cmake/package_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/package_lib.sh"

install_programs() {
    rm -rf "$stage"
    cmake --install "$build_dir" --prefix "$stage" --strip >/dev/null
    cmake --install "$build_dir" --prefix "$stage" --strip --component tests >/dev/null
    mkdir -p "$stage/lib" "$papers/libraries"
}

# The host's libGL numbers OpenGL's functions by its own version, and so does libGLdispatch, which
# OpenCV brings: mixed, they call each other's wrong functions. The driver below them is the host's.
bundle_opengl() { bundle "$library_dir/libGL.so.1" "$stage/lib"; }

check_glibc() {
    needed=$(objdump -T "$stage"/bin/* "$stage"/lib/*.so* "$stage"/lib/warpweft/* | grep -oE 'GLIBC_[0-9.]+' | cut -c 7- |
        sort -uV | tail -n 1)
    printf 'package: needs glibc %s or newer\n' "$needed"
    [[ $(printf '%s\n' "$needed" "$max_glibc" | sort -V | tail -n 1) == "$max_glibc" ]] ||
        printf 'package: warning: made on Debian 12 it would need only %s\n' "$max_glibc" >&2
}

# A script in bin starts each program, which looks for its plug-in in its own folder or the loader's.
move_programs() {
    local program
    mv "$stage/bin" "$stage/libexec"
    mkdir "$stage/bin"
    for program in weft weft-bench weft-tests; do
        sed "s/@minor@/${needed#2.}/; s/@name@/$name/" "$(dirname "${BASH_SOURCE[0]}")/start.sh.in" >"$stage/bin/$program"
        chmod 755 "$stage/bin/$program"
    done
    for program in "$stage"/libexec/*.so; do ln -s "../libexec/${program##*/}" "$stage/bin"; done
}

# The two blocks of zeros that end a tar archive.
tar_end() { head -c 1024 /dev/zero | xz; }

# Three xz streams in one file, which xz and tar read as one. Code packs 4 % better with jump targets
# made absolute, and the programs share their kernels; the codebooks of libcodec2, 17 MB of floats,
# pack 8 % better in steps of four bytes. Without the last, the end, another archive may follow.
make_archive() {
    local bytes code tarball=$dist_dir/$name.tar
    local -a tar_options=(--sort=name --owner=0 --group=0 --numeric-owner --blocking-factor=1
        --directory "$dist_dir" --file "$tarball")
    tar --create "${tar_options[@]}" --exclude="$name/lib/libcodec2.so*" "$name"
    code=$(($(stat -c %s "$tarball") - 1024)) # without tar's two blocks of zeros, which go
    (cd "$dist_dir" && printf '%s\n' "$name"/lib/libcodec2.so*) |
        tar --append "${tar_options[@]}" --files-from -
    {
        head -c "$code" "$tarball" | xz -T 0 --x86 --lzma2=preset=9e,dict=128MiB
        tail -c "+$((code + 1))" "$tarball" | head -c -1024 | xz -T 0 --lzma2=preset=9e,lc=1,lp=2
        tar_end
    } >"$archive.part"
    rm "$tarball"
    bytes=$(stat -c %s "$archive.part")
    [[ $bytes -le $max_bytes ]] || die "the archive has $bytes bytes, the limit is $max_bytes"
    mv "$archive.part" "$archive"
    printf 'package: %s, %d libraries, %d.%d MB\n' "$archive" "$(find "$stage/lib" -type f | wc -l)" \
        $((bytes / 1000000)) $((bytes / 100000 % 10))
}

# Loader and libraries must be of one build. Libraries of the host may need any of them.
make_glibc_archive() {
    local soname
    mkdir "$stage/lib/glibc"
    install "$(readlink -f /lib64/ld-linux-x86-64.so.2)" "$stage/bin/weft-loader"
    for soname in lib{c.so.6,m.so.6,mvec.so.1,dl.so.2,pthread.so.0,rt.so.1,util.so.1,anl.so.1,resolv.so.2} \
        libstdc++.so.6 libgcc_s.so.1; do
        bundle "$library_dir/$soname" "$stage/lib/glibc"
    done
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --directory "$dist_dir" \
        "$name"/{bin/weft-loader,lib/glibc} \
        "$name"/share/doc/warpweft/libraries/{VERSIONS,{libc6,libgcc-s1,libstdc++6}.copyright} |
        xz --x86 --lzma2=preset=9e >"$glibc_archive.part"
    mv "$glibc_archive.part" "$glibc_archive"
    printf 'package: %s, %d.%d MB, for hosts with an older glibc\n' "$glibc_archive" \
        $(($(stat -c %s "$glibc_archive") / 1000000)) $(($(stat -c %s "$glibc_archive") / 100000 % 10))
}

# A shell script followed by both archives. AppImages need FUSE, which containers and clusters lack.
make_runner() {
    local hash script payload=$runner.payload
    { head -c "-$(tar_end | wc -c)" "$archive" && cat "$glibc_archive"; } >"$payload"
    hash=$(sha256sum "$payload" | cut -c 1-64)
    script=$(sed -e "s/@version@/$version/; s/@name@/$name/; s/@hash@/$hash/; s/@short_hash@/${hash:0:12}/" \
        -e "s/@megabytes@/$(du -sm "$stage" | cut -f 1)/" "$(dirname "${BASH_SOURCE[0]}")/single_file.sh.in")
    # Eight digits, as long as the mark. After the script comes a newline, and tail counts from 1.
    script=${script//@offset@/$(printf '%08d' $((${#script} + 2)))}
    { printf '%s\n' "$script" && cat "$payload"; } >"$runner.part"
    rm "$payload"
    chmod 755 "$runner.part"
    mv "$runner.part" "$runner"
}

list_contents() {
    "$(dirname "${BASH_SOURCE[0]}")/write_spdx.py" "$stage" "$name" "$version" >"$dist_dir/$name.spdx.json"
    (cd "$dist_dir" && sha256sum "$name"{,-glibc}.tar.xz "$name.run" "$name.spdx.json" >"$name.sha256")
}

# Unpacks the archive elsewhere and runs it without an environment: it must start, load only the
# libraries that the archive leaves to the host, and filter a video.
smoke_test() {
    local soname path said
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    tar --extract --file "$archive" --directory "$root"
    while read -r soname path; do
        [[ $soname =~ $from_host || $path == "$root"/* ]] || die "$soname is loaded from $path"
    done < <(env -i ldd "$root/$name"/libexec/* "$root/$name"/lib/warpweft/* | awk '$2 == "=>" { print $1, $3 }')
    cp "$sample" "$root/in.mp4"
    env -i "$root/$name/bin/weft" --version
    env -i "$root/$name/bin/weft" batch -t 0.5 -vf gaussian=sigma=2 -o "$root/out.mkv" "$root/in.mp4"
    env -i "$root/$name/bin/weft" list presets >/dev/null
    # The window is loaded, and gets as far as requesting a display that does not exist.
    said=$(env -i DISPLAY=:4242 "$root/$name/bin/weft" view --gpu off 2>&1 || true)
    [[ $said == *"Failed to open display :4242"* ]] || die "the unpacked window does not load: $said"
    [[ -s $root/out.mkv ]] || die "the unpacked program wrote no file"
    smoke_test_glibc
    env -i HOME="$root" PATH="$PATH" "$runner" list devices >/dev/null
    [[ -x $(echo "$root"/.cache/warpweft/*/bin/weft) ]] || die "$runner did not unpack itself"
    printf 'package: the unpacked program and %s work\n' "$runner"
}

# The carried loader loads nothing but the archive, and the program starts on a host that claims an
# older glibc, and on this one.
smoke_test_glibc() {
    local soname path top=$root/$name
    tar --extract --file "$glibc_archive" --directory "$root"
    while read -r soname path; do
        [[ $path == "$root"/* ]] || die "with the archive's loader, $soname is loaded from $path"
    done < <(env -i "$top/bin/weft-loader" --library-path "$top/lib/glibc" --list "$top/libexec/weft" |
        awk '$2 == "=>" { print $1, $3 }')
    mkdir "$root/old"
    printf '#!/bin/sh\necho glibc 2.28\n' >"$root/old/getconf"
    chmod 755 "$root/old/getconf"
    env -i PATH="$root/old:$PATH" "$top/bin/weft" batch -t 0.1 -vf box -o "$root/old.mkv" "$root/in.mp4"
    for path in "$root/old:$PATH" "$PATH"; do env -i PATH="$path" "$top/bin/weft" list presets >/dev/null; done
}

mkdir -p "$dist_dir"
install_programs
bundle_libraries
bundle_opengl
make_relocatable
check_glibc
move_programs
make_archive
make_glibc_archive
make_runner
list_contents
smoke_test
