#!/usr/bin/env bash
# Makes an archive independent of the host machine, for the packaging scripts in this folder. They
# set $stage, the folder that becomes the archive, and $papers in it.

: "${stage:?}" "${papers:?}"
shopt -s nullglob # not every archive has plug-ins

# Every machine has its own versions of these: bundling them would break its drivers.
readonly from_host='^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|mvec|nss_.*)\.so|libstdc\+\+|libgcc_s|libcuda\.|libnv)'

die() {
    printf 'package: error: %s\n' "$*" >&2
    exit 1
}

# "NAME PATH" of every library that the given files load, directly or not.
loaded_libraries() {
    ldd "$@" | awk '$2 == "=>" { print $1, ($3 == "not" ? "missing" : $3) }' | sort -u
}

bundle_libraries() {
    local soname path
    while read -r soname path; do
        [[ $soname =~ $from_host ]] && continue
        [[ $path != missing ]] || die "$soname is not installed"
        bundle "$path" "$stage/lib"
    done < <(loaded_libraries "$stage"/bin/* "$stage"/lib/warpweft/*)
}

# bundle PATH FOLDER
bundle() {
    install -m 644 "$(readlink -f "$1")" "$2/${1##*/}"
    bundle_licence "$1"
}

# Redistribution requires the licences and the exact source that each library was built from.
bundle_licence() {
    local package real
    real=$(readlink -f "$1")
    # Packages list /usr/lib/… or /lib/…, depending on how they were built; query both.
    package=$({ dpkg-query -S "$real" "${real#/usr}" 2>/dev/null || true; } | sed -n '1s/:.*//p')
    [[ -n $package ]] || die "no package owns $real: its licence is unknown"
    [[ ! -e $papers/libraries/$package.copyright ]] || return 0
    install -m 644 "/usr/share/doc/$package/copyright" "$papers/libraries/$package.copyright"
    dpkg-query -W -f '${Package} ${Version} (source ${source:Package} ${source:Version})\n' \
        "$package" >>"$papers/libraries/VERSIONS"
}

# RPATH rather than RUNPATH: it also applies to the libraries' own libraries, and a CUDA container's
# LD_LIBRARY_PATH cannot override it with another FFmpeg.
make_relocatable() {
    local file
    for file in "$stage"/bin/*; do patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$file"; done
    for file in "$stage"/lib/*.so*; do patchelf --force-rpath --set-rpath "\$ORIGIN" "$file"; done
    for file in "$stage"/lib/warpweft/*; do patchelf --force-rpath --set-rpath "\$ORIGIN/.." "$file"; done
}
