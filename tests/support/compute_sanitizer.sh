#!/usr/bin/env bash
# compute_sanitizer.sh TEST_PROGRAM [SECONDS]: runs every GPU kernel under the four tools of NVIDIA's
# compute-sanitizer, on small pictures that reach every path of its code, checked by the oracle. A
# process per kernel and tool, as many at once as there are cores; each may take SECONDS [1200].
# Prints one line per run and closes with "N passed, N failed, N skipped"; exits 1 on any failure.
# Needs a GPU and the CUDA toolkit. Took 9 minutes on 16 cores and an H200 before ColourMatrices
# joined; racecheck of shared_tile alone now takes more than five.
set -euo pipefail

readonly tests=$1 seconds=${2:-1200}
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
readonly sanitizer
if [[ ! -x $sanitizer ]]; then
    echo 'compute_sanitizer: error: there is no compute-sanitizer: it is part of the CUDA toolkit' >&2
    exit 1
fi
logs=$(mktemp -d)
readonly logs
trap 'rm -rf "$logs"' EXIT

# check TOOL TEST: "ok" or "FAIL" with the tool's summary.
check() {
    local tool=$1 test=$2 log options=() state=ok
    log=$logs/$tool-${test//\//-}
    [[ $tool != memcheck ]] || options=(--leak-check full --padding 512)
    timeout "$seconds" "$sanitizer" --tool "$tool" "${options[@]}" --error-exitcode 9 \
        "$tests" --gtest_filter="$test" >"$log" 2>&1 || state=FAIL
    # A test that found no GPU, or launched nothing, proves nothing.
    grep -q '\[       OK \]' "$log" || state=FAIL
    printf '%-5s %-9s %s: %s\n' "$state" "$tool" "$test" \
        "$(grep -E '(ERROR|RACECHECK) SUMMARY' "$log" | sed 's/^=* //' | tail -n 1 || true)"
    [[ $state == ok ]] || grep -m 20 '^=========' "$log" || true
}

names() {
    "$tests" --gtest_list_tests --gtest_filter='GpuSanitize*:GpuLayerSanitize*' |
        awk '/^[^ ]/ { suite = $1; next } { print suite $1 }'
}

running() { jobs -rp | wc -l; }

# racecheck is the slowest by far: it begins.
for tool in racecheck memcheck initcheck synccheck; do
    while read -r test; do
        while [[ $(running) -ge $(nproc) ]]; do wait -n || true; done
        check "$tool" "$test" >"$logs/$tool-${test//\//-}.line" &
    done < <(names)
done
wait
cat "$logs"/*.line
passed=$(cat "$logs"/*.line | grep -c '^ok' || true)
failed=$(cat "$logs"/*.line | grep -c '^FAIL' || true)
printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 && $passed -gt 0 ]]
