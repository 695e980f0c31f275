#!/usr/bin/env bash
# check_scorecard.sh TEST_PROGRAM: checks that tests/scorecard.md has rows R01 to R30, and that
# every test, script and command named in a row exists: a renamed test needs its row updated. Prints
# one line per row with the number of its tests and closes with "N passed, N failed, N skipped";
# exits 1 on any failure.
set -euo pipefail

readonly tests=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly card=tests/scorecard.md states='^(met|partly: .+|missing)$'

passed=0
failed=0

# count_of NAME: the number of tests that match a GoogleTest pattern; 1 for an existing script or
# command.
count_of() {
    case $1 in
        ./dev\ *) ./dev help | grep -cm 1 -- "${1##* }" || true ;;
        tests/*) if [[ -x $1 ]]; then echo 1; else echo 0; fi ;;
        *) "$tests" --gtest_list_tests --gtest_filter="$1:*/$1" | grep -c '^  ' || true ;;
    esac
}

# check_row ROW NAMES STATE: NAMES one per line.
check_row() {
    local row=$1 names=$2 state=$3 name count sum=0 problem=''
    while read -r name; do
        [[ -n $name ]] || continue
        count=$(count_of "$name")
        [[ $count -gt 0 ]] || problem+=" '$name' does not exist;"
        sum=$((sum + count))
    done <<<"$names"
    [[ $state =~ $states ]] || problem+=" '$state' is no state;"
    [[ $sum -gt 0 || $state == missing ]] || problem+=" no test;"
    if [[ -z $problem ]]; then
        passed=$((passed + 1))
        printf 'ok    %s %d\n' "$row" "$sum"
    else
        failed=$((failed + 1))
        printf 'FAIL  %s:%s\n' "$row" "$problem"
    fi
}

for row in R{01..30}; do
    line=$(grep "^| $row |" "$card" || true)
    if [[ $(grep -c . <<<"$line") -ne 1 ]]; then
        failed=$((failed + 1))
        printf 'FAIL  %s: it needs one line in %s\n' "$row" "$card"
        continue
    fi
    IFS='|' read -r _ _ _ named _ _ state _ <<<"$line"
    # shellcheck disable=SC2016 # backticks of Markdown
    check_row "$row" "$(grep -o '`[^`]*`' <<<"$named" | tr -d '`' || true)" \
        "$(sed 's/^ *//; s/ *$//' <<<"$state")"
done

printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
