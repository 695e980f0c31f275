#!/usr/bin/env bash
# check_emulated_kernels.sh BUILD: the tests compile the .cuh files for the CPU, too, and one program
# has both copies. If both define a function weakly, the linker keeps one: the CPU's copy of a
# function that chooses kernels once gave the GPU the CPU's. Such functions are static. Prints one
# line and closes with "N passed, N failed, N skipped"; exits 1 on failure.
set -euo pipefail
readonly objects=$1/kernels models=$1/tests/kernels

# weak_functions FOLDER NAME: our functions in objects called so, as the linker names them; not
# destructors, which are the same for both.
weak_functions() {
    find "$1" -name "$2" -exec nm --defined-only {} + |
        awk '$2 == "W" && $3 ~ /^_ZNK?4weft/ && $3 !~ /D[012]Ev$/ { print $3 }' | sort -u
}

if [[ -z $(find "$objects" -name '*.cu.o' -print -quit) ]]; then
    printf 'built without CUDA\n0 passed, 0 failed, 1 skipped\n'
    exit 0
fi
gpu=$(weak_functions "$objects" '*.cu.o')
cpu=$(weak_functions "$models" '*_lane_model.cpp.o')
shared=$(comm -12 <(printf '%s' "$gpu") <(printf '%s' "$cpu") | c++filt)
if [[ -z $cpu ]]; then
    printf 'FAIL  no kernels for the CPU in %s\n0 passed, 1 failed, 0 skipped\n' "$models"
    exit 1
elif [[ -z $shared ]]; then
    printf 'ok    the kernels for the CPU share no function with those for the GPU\n1 passed, 0 failed, 0 skipped\n'
else
    printf 'FAIL  both define these, make them static:\n%s\n0 passed, 1 failed, 0 skipped\n' "$shared"
    exit 1
fi
