#!/usr/bin/env bash
# Checks that folders are layers: includes point one way, only one class writes files, and every test
# belongs to a tier. Prints one line per rule and closes with "N passed, N failed, N skipped"; exits 1
# on any failure.
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
    "$(never_includes app/media "$gui|app/(pipeline|batch|cli|gui|viewer)|tests/|CLI")"
rule 'app/pipeline uses no window or higher layer' \
    "$(never_includes app/pipeline "$gui|app/(batch|cli|gui|viewer)|tests/|CLI")"
rule 'app/batch uses no window or higher layer' \
    "$(never_includes app/batch "$gui|app/(cli|gui|viewer)|tests/|CLI")"
rule 'app/viewer uses no window or higher layer' \
    "$(never_includes app/viewer "$gui|app/(batch|cli|gui)|tests/|CLI")"
# The test's part of a plug-in is linked around the library's functions.
rule 'app/gui alone uses the window libraries' \
    "$(never_includes assets "$gui"; never_includes tests "$gui" |
        grep -v '^tests/gui/watched_texts.cpp:')"
rule 'app/gui uses no command line' "$(never_includes app/gui 'app/(batch|cli)|CLI')"
rule 'app/cli uses no window' \
    "$(never_includes app/cli "$gui|app/gui|tests/")"
# Files next to the headers that all kernels include, but above all kernels.
readonly roof='^kernels/(conv_kernels|no_cuda|planner[a-z_]*)[.]'
# ordered TREE FOLDER…: include lines of a folder of TREE for a folder that is listed later, or for
# another one of its own group (a,b,c). TREE itself is ".", "roof" are the files above; every folder
# must be listed.
ordered() {
    local tree=$1
    shift
    sources "$tree" | xargs -r grep -nHE "^#include \"$tree/" | awk -v tree="$tree" -v order="$*" -v roof="$roof" '
        BEGIN {
            groups = split(order, group, " ")
            for (g = 1; g <= groups; ++g)
                for (n = split(group[g], name, ","); n > 0; --n) rank[name[n]] = g
        }
        function folder(path) {
            if (path ~ roof) return "roof"
            path = substr(path, length(tree) + 2)
            return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "."
        }
        {
            split($0, field, ":")
            split($0, quoted, "\"")
            from = folder(field[1])
            to = folder(quoted[2])
            if (!(from in rank) || !(to in rank)) print $0 " (a folder without a place here)"
            else if (from != to && rank[to] >= rank[from]) print
        }'
}

rule 'kernels/: families use the public headers, device/, common/ and pixels/ alone, layers/ all' \
    "$(ordered kernels . device common pixels box,cpu,direct,fft,reuse,separable,sparse,tensor layers roof |
        grep -vE '^kernels/(layer_problem[.]cpp|(conv_kernel|plane_views)[.]h):' || true)"
rule 'filters/ has no include upwards' "$(ordered filters text . light)"
rule 'app/media has no include upwards' \
    "$(ordered app/media libav demux,picture structure metadata check read output write)"
rule 'app/pipeline has no include upwards' "$(ordered app/pipeline report stack,receipt . race,motion,track)"
rule 'app/viewer has no include upwards' \
    "$(ordered app/viewer audio,plan,view play race screen shell edit,export)"
rule 'app/gui has no include upwards' "$(ordered app/gui picture window widgets panels .)"
rule 'app/cli has no include upwards' \
    "$(ordered app/cli terminal . batch,info,list view |
        grep -vE '^app/cli/program\.cpp:' || true)"
# Otherwise a folder could use one above it through a header of its own.
# shellcheck disable=SC2016 # The dollars are Perl's.
rule 'a source is in the folder of the header of its name' \
    "$(sources filters kernels app | xargs perl -ne '
        my ($header, $folder, $name) = m{^#include "((.+)/(\w+)\.h)"} or next;
        print "$ARGV: $header\n" if $ARGV =~ m{/$name\.\w+$} and $ARGV !~ m{^$folder/$name\.}')"

rule 'no folder has more than 50 sources' \
    "$(sources filters kernels app tests assets | xargs -n1 dirname | sort | uniq -c | awk '$1 > 50')"

# ./dev test chooses a tier's tests by their names: a name that begins with no tier would never run.
names_without_tier() {
    # shellcheck disable=SC2016 # The dollars are Perl's.
    sources tests | xargs perl -0777 -ne '
        my $tier = qr/^(Filters|Kernels|Media|Pipeline|Viewer|Cli|Fuzz|Gui|Gpu)/;
        while (/^(TEST|TEST_F|INSTANTIATE_TEST_SUITE_P)\(\s*(\w*),\s*(\w+)/mg) {
            my ($macro, $name, $second) = ($1, $2, $3);
            next if $name =~ $tier or $macro =~ /^INST/ and $second =~ $tier;
            print "$ARGV: $name\n";
        }'
}
rule 'the name of every test begins with the name of a tier' "$(names_without_tier)"

# ./dev test --quick leaves out tests by parts of their names: a renamed test would be back in it.
unknown_slow_tests() {
    local known part
    # shellcheck disable=SC2016 # The dollars are Perl's.
    known=$(sources tests | xargs perl -0777 -ne \
        'print "$1.$2\n" while /^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)/mg')
    while read -r part; do
        grep -qF -- "$part" <<<"$known" || printf '%s\n' "$part"
    done <tests/support/slow_tests.txt
}
rule 'every line of slow_tests.txt names a test' "$(unknown_slow_tests)"

rule 'the oracle shares no code with the product' \
    "$(sources tests/support | grep oracle | xargs -r grep -nHE '#include "(filters|kernels|app)/' | grep -vE 'conv_problem\.h|image_view\.h|filters/(taps|operation)\.h' || true)"

# Every output is written to a temporary file in its folder, verified and renamed:
# app/media/output/atomic_output. The segment store that --resume continues from is no output and must be
# found unfinished. Claims on outputs and the probes of file servers hold no data.
readonly writes='fopen[[:space:]]*\(.*"[wa]|std::ofstream|std::fstream|avio_open2?[[:space:]]*\(.*WRITE|O_CREAT|O_WRONLY|O_RDWR|O_TMPFILE|mkstemp|[^_a-z]creat[[:space:]]*\('
rule 'only the atomic writer, the store of segments and claims open files for writing' \
    "$(sources filters kernels app | grep -vE '^app/media/(output/(atomic_[a-z]+|file_sink|output_claim|partial_name|run_files)|write/segment_store)\.(h|cpp)$' | xargs -r grep -nHE "$writes" | grep -vE ':[[:space:]]*//|"/dev/null"' || true)"

printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
