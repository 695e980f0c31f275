#!/bin/bash
# Filters a file of an object store, or of any other place that a copy command reaches:
#
#   export COPY='aws s3 cp --only-show-errors'
#   stage.sh s3://bucket/films/a.mkv s3://bucket/soft/a.mkv -vf gaussian=sigma=2
#
# It fetches the file, filters it, and stores the output, which it fetches again to compare it. The
# receipt is stored last: an output without one does not count, and a target with one is done, so the
# same command may run again at any time. COPY is a command that takes SOURCE and TARGET, both of
# which may be a file of this machine: cp (the default), rclone copyto, gcloud storage cp, azcopy copy.
# The names end in that of a file, without a query.
# $TMPDIR needs room for the input and twice the output. The exit codes are those of weft batch, and
# 1 if a file cannot be copied.
set -euo pipefail
if [[ $# -lt 3 || $1 == -* || $2 == -* ]]; then
    echo "usage: stage.sh SOURCE TARGET OPTION…, with the options of weft batch, and COPY='aws s3 cp'" >&2
    exit 2
fi
source=$1 target=$2
shift 2
read -ra copy <<<"${COPY:-cp}"

name=${target##*[/:]} input=${source##*[/:]}
receipt=.$name.weft.json
stored_receipt=${target%"$name"}$receipt
work=$(mktemp -d "${TMPDIR:-/tmp}/weft-stage-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/in" "$work/out"

# copy_file FROM TO
copy_file() {
    "${copy[@]}" "$1" "$2" >&2 && return
    echo "stage.sh: error: $1: '${copy[*]}' cannot copy it to $2" >&2
    exit 1
}

# Most stores give no other answer than a failure for a file that is not there.
if "${copy[@]}" "$stored_receipt" "$work/$receipt" >/dev/null 2>&1; then
    if grep -q '^  "error": null,$' "$work/$receipt"; then
        echo "stage.sh: $target: has a receipt, so it is done" >&2
        exit 0
    fi
    if grep -q '^  "retry": "never",$' "$work/$receipt"; then
        echo "stage.sh: error: $target: an earlier run found:$(sed -n 's/^  "error"://p' "$work/$receipt")" >&2
        if grep -q '^  "damage": null,$' "$work/$receipt"; then exit 1; else exit 4; fi
    fi
fi

copy_file "$source" "$work/in/$input"

# weft gets the signals that end this task, and this script waits until it has removed its output.
weft batch --receipts "$@" -o "$work/out/$name" "$work/in/$input" &
trap 'kill -TERM $!' TERM INT
code=0
wait $! || code=$?
while kill -0 $! 2>/dev/null; do
    code=0
    wait $! || code=$?
done
trap - TERM INT

if [[ -e $work/out/$name ]]; then
    copy_file "$work/out/$name" "$target"
    copy_file "$target" "$work/stored"
    if ! cmp "$work/out/$name" "$work/stored" >&2; then
        echo "stage.sh: error: $target: has other bytes than the file that was stored there" >&2
        exit 1
    fi
fi
if [[ -e $work/out/$receipt ]]; then copy_file "$work/out/$receipt" "$stored_receipt"; fi
exit "$code"
