#!/usr/bin/env bash
# Writes the man page: make_man.sh WEFT MANUAL OUTPUT. Its text is the template next to this script,
# the help pages and lists of the program, and the exit codes of docs/manual.md.
set -euo pipefail
readonly weft=$1 manual=$2 output=$3
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
export LC_ALL=C
export XDG_CONFIG_HOME=/  # the keys of whoever builds are not the program's

to_mdoc() { awk -v page="$1" -f "$here/help_to_mdoc.awk"; }

# One section per command, with the options on its help page.
command_sections() {
    local name summary help
    "$weft" --help | sed -n '/^Commands:/,/^  --/ s/^  \([a-z]*\)  */\1 /p' |
        while read -r name summary; do
            printf '.Ss weft %s\n%s.\n' "$name" "$summary"
            help=$("$weft" "$name" --help) || continue
            to_mdoc options <<<"$help"
        done
}

section() {
    case $1 in
        @COMMANDS@) command_sections ;;
        @FILTERS@) "$weft" list filters | to_mdoc table ;;
        @KERNELS@) "$weft" list kernels | to_mdoc table ;;
        @KEYS@) "$weft" list keys | to_mdoc table ;;
        @CODES@) to_mdoc codes <"$manual" ;;
        .Dd*) printf '.Dd %s\n' "$(date -u -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$manual")}" '+%B %-d, %Y')" ;;
        *) printf '%s\n' "$1" ;;
    esac
}

while IFS= read -r line; do section "$line"; done <"$here/weft.1.in" >"$output.part"
mv "$output.part" "$output"
