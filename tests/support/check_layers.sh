#!/usr/bin/env bash
# Checks that folders are layers: includes point one way, and only one class writes files. Prints
# one line per rule and closes with "N passed, N failed, N skipped"; exits 1 on any failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

passed=0
failed=0

# rule NAME FOUND: FOUND lists the violations, empty if there are no violations.
rule() {
    if [[ -z $2 ]]; then
        passed=$((passed + 1))
        printf 'ok    %s\n' "$1"
    else
        failed=$((failed + 1))
        printf 'FAIL  %s\n%s\n' "$1" "$2"
    fi
}

sources() { find "$@" -regex '.*\.\(h\|cpp\|cu\|cuh\)' | sort; }

# never_includes FOLDER REGEX: include lines below FOLDER whose name matches REGEX.
never_includes() {
    sources "$1" | xargs -r grep -nHE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" || true
}

readonly libav='libav|libsw|libpostproc'
readonly gui='imgui|GLFW|GL/|epoxy'

rule 'filters/ uses no CUDA, OpenCV, FFmpeg, window or higher layer' \
    "$(never_includes filters "cuda|nv|opencv|$libav|$gui|kernels/|app/|tests/")"
rule 'kernels/ uses no FFmpeg, window or higher layer' \
    "$(never_includes kernels "$libav|$gui|app/|tests/|CLI")"
rule 'app/media uses no window or higher layer' \
    "$(never_includes app/media "$gui|app/(pipeline|cli|gui|viewer)|tests/|CLI")"
rule 'app/pipeline uses no window or higher layer' \
    "$(never_includes app/pipeline "$gui|app/(cli|gui|viewer)|tests/|CLI")"
rule 'app/viewer uses no window or higher layer' \
    "$(never_includes app/viewer "$gui|app/(cli|gui)|tests/|CLI")"
rule 'app/gui alone uses the window libraries' \
    "$(never_includes assets "$gui"; never_includes tests "$gui")"
rule 'app/cli uses no window' \
    "$(never_includes app/cli "$gui|app/gui|tests/")"
rule 'the oracle shares no code with the product' \
    "$(sources tests/support | grep oracle | xargs -r grep -nHE '#include "(filters|kernels|app)/' | grep -vE 'conv_problem\.h|image_view\.h|filters/(taps|operation)\.h' || true)"

# Every output is written to a temporary file in its folder, verified and renamed:
# app/media/atomic_output. The segment store that --resume continues from is no output and must be
# found unfinished. Claims on outputs and the probe of a file server's clock hold no data.
readonly writes='fopen[[:space:]]*\(.*"[wa]|std::ofstream|std::fstream|avio_open2?[[:space:]]*\(.*WRITE|O_CREAT|O_WRONLY|O_RDWR|O_TMPFILE|mkstemp|[^_a-z]creat[[:space:]]*\('
rule 'only the atomic writer, the store of segments and claims open files for writing' \
    "$(sources filters kernels app | grep -vE '^app/media/(atomic_[a-z]+|file_sink|segment_store|output_claim|partial_name)\.(h|cpp)$' | xargs -r grep -nHE "$writes" | grep -vE ':[[:space:]]*//|"/dev/null"' || true)"

printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
