// The parsers that read a user's bytes, each as a function that any bytes may be given to. It
// returns, or throws one of the parser's own errors inside; all else is a finding.
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

// A file of this process with these bytes, in a folder of its own that the process removes at its
// end. The same name each time.
std::string file_with(Bytes bytes, std::string_view name);

// Of filters/.
void fuzz_stack(Bytes bytes);
void fuzz_preset(Bytes bytes);
void fuzz_matrix(Bytes bytes);
// Of app/media.
void fuzz_structure(Bytes bytes);
void fuzz_nal(Bytes bytes);
void fuzz_adts(Bytes bytes);
void fuzz_packet(Bytes bytes);
void fuzz_ledger(Bytes bytes);
void fuzz_sequence(Bytes bytes);
// Of app/pipeline, app/viewer and app/cli.
void fuzz_gpus(Bytes bytes);
void fuzz_settings(Bytes bytes);
void fuzz_recent(Bytes bytes);
void fuzz_paste(Bytes bytes);
void fuzz_times(Bytes bytes);
void fuzz_arguments(Bytes bytes);

}  // namespace weft::fuzz
