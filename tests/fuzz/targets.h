// The parsers that read a user's bytes, each as a function that takes any bytes. It returns and
// handles the parser's own errors; anything else is a finding.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
    std::string_view name;  // its corpus is tests/fuzz/corpus/NAME
    void (*run)(Bytes);
};

const std::vector<Target>& targets();

inline std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void require(bool holds) {
    if (!holds) std::abort();
}

// Writes a file with these bytes in a folder of this process, which is removed at exit. Each call
// with a name returns the same path.
std::string file_with(Bytes bytes, std::string_view name);

// libFuzzer's dictionary for texts of stacks: the grammar's signs and every registered name.
std::string stack_dictionary();

// These targets fuzz the parsers in filters/.
void fuzz_stack(Bytes bytes);
void fuzz_preset(Bytes bytes);
void fuzz_matrix(Bytes bytes);
void fuzz_boxes(Bytes bytes);
// These targets fuzz the parsers in app/media/.
void fuzz_structure(Bytes bytes);
void fuzz_chunks(Bytes bytes);
void fuzz_jpeg(Bytes bytes);
void fuzz_nal(Bytes bytes);
void fuzz_adts(Bytes bytes);
void fuzz_packet(Bytes bytes);
void fuzz_ledger(Bytes bytes);
void fuzz_sequence(Bytes bytes);
// Parsers in app/pipeline, app/viewer and app/cli.
void fuzz_gpus(Bytes bytes);
void fuzz_receipt(Bytes bytes);
void fuzz_settings(Bytes bytes);
void fuzz_recent(Bytes bytes);
void fuzz_keys(Bytes bytes);
void fuzz_paste(Bytes bytes);
void fuzz_times(Bytes bytes);
void fuzz_arguments(Bytes bytes);
void fuzz_plan(Bytes bytes);

}  // namespace weft::fuzz
