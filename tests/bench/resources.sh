#!/usr/bin/env bash
# Prints the resources of each GPU kernel in the build: resources.sh LIBRARY…. Needs the CUDA
# toolkit's cuobjdump and no GPU. Spilled registers would be local memory; the stack holds arrays
# indexed at run time. Dynamic shared memory comes on top of the static.
set -euo pipefail

cuobjdump=$(command -v cuobjdump || true)
[[ -n $cuobjdump ]] || cuobjdump=/usr/local/cuda/bin/cuobjdump
if [[ ! -x $cuobjdump ]]; then
    echo 'resources: error: there is no cuobjdump: it is part of the CUDA toolkit (cuda-cuobjdump)' >&2
    exit 1
fi

printf '%9s %6s %6s %7s  %s\n' registers stack local shared kernel
"$cuobjdump" --dump-resource-usage "$@" |
    awk '/^ Function / { name = $2; sub(/:$/, "", name); next }
         /^  REG:/ {
             split("", value)
             for (i = 1; i <= NF; i++) { split($i, part, ":"); value[part[1]] = part[2] }
             printf "%9s %6s %6s %7s  %s\n", value["REG"], value["STACK"], value["LOCAL"],
                    value["SHARED"], name
         }' |
    c++filt |
    sed -E 's/\(anonymous namespace\):://g; s/(weft|device_ops):://g; s/void //; s/\([^()]*\)$//' |
    sort -u -k 5
