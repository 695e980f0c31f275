// Collects the problems found while an input is read and words the final report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

// Problems of the input, complete once next() has returned the end.
// Damage: fewer frames than the container promises, frames that the decoder flags or conceals,
// decode errors, or a file shorter than its index requires. Edit lists, open GOPs at the start, VFR
// and audio longer than video are healthy.
struct DamageReport {
    bool damaged = false;
    std::string reason;  // a sentence with the first bad time and byte, or why nothing is proven
    std::optional<double> first_bad_seconds;
    std::optional<std::int64_t> first_bad_byte;
    std::int64_t corrupt_frames = 0;
    std::int64_t decode_errors = 0;
    std::optional<std::int64_t> frames_expected;  // if the container promises a count
    // The part of the file that proves that no frame is missing, for example "its index". Empty for
    // damaged input and for files without such proof: a raw stream can lose its last frames.
    std::string proven_by;
};

// Where a problem is; either may be unknown.
struct BadPlace {
    std::optional<double> seconds;
    std::optional<std::int64_t> byte;
};

class DamageCollector {
 public:
    void corrupt_frame(BadPlace place);  // flagged or concealed by the decoder
    void decode_error(BadPlace place);
    void missing_frame(BadPlace place);   // a packet that produced no frame
    void corrupt_packet(BadPlace place);  // any stream: cut off, or impossible bytes
    void read_error(BadPlace place);      // the demuxer could not parse the bytes
    // A sentence about the file's structure: "the file ends at byte 7, its index at byte 9".
    void structure(std::string sentence, BadPlace place);
    void set_expected(std::int64_t frames, std::int64_t found);

    // Whether fewer frames were found than expected.
    bool lacks_frames() const { return expected_ && found_ < *expected_; }
    bool any() const;
    DamageReport report() const;

 private:
    struct Tally {
        std::int64_t count = 0;
        std::optional<BadPlace> first;
        void add(BadPlace place);
    };

    std::string wording() const;
    BadPlace first_place() const;

    Tally corrupt_frames_;
    Tally decode_errors_;
    Tally missing_frames_;
    Tally corrupt_packets_;
    Tally read_errors_;
    std::vector<std::string> sentences_;
    std::vector<BadPlace> places_;
    std::optional<std::int64_t> expected_;
    std::int64_t found_ = 0;
};

}  // namespace weft
