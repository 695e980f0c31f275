// Reads files to the end for the tests of Reader and Decoder, and damages copies of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/media/read/reader.h"
#include "tests/support/clips.h"

namespace weft::test {

struct ReadResult {
    std::vector<std::int64_t> pts;  // frame times, in the order delivered
    std::vector<double> seconds;
    std::vector<std::size_t> hashes;  // hashes of the visible samples
    std::map<int, int> packets;       // passed through, by stream
    DamageReport damage;
    std::vector<std::string> notes;
    Outcome outcome = Outcome::ok;  // the exception's outcome
    std::string error;

    // Reported as damaged, at once or at the end.
    bool damaged() const { return damage.damaged || outcome == Outcome::damaged; }
};

// The samples of all planes, row by row and without padding, on the host or a GPU. That device must
// be current.
Bytes samples_of(const AVFrame& frame);

ReadResult read_all(ReaderOptions options);
ReadResult read_all(const std::filesystem::path& file);

// best_effort_timestamp of each frame that ffprobe decodes from the video stream;
// AV_NOPTS_VALUE where it has none.
std::vector<std::int64_t> probed_pts(const std::filesystem::path& file);

// "plain.mp4" as a valid test name: plain_mp4.
std::string test_name(std::string text);

using Mutation = std::function<Bytes(Bytes)>;

Mutation cut_to_percent(int percent);
Mutation cut_tail(std::size_t bytes);
Mutation cut_head(int percent);
// Changes `count` bytes between 10 % and 95 % of the file, the same ones in every run.
Mutation flip_bytes(int count);
Mutation zero_block(int at_percent, std::size_t bytes);
Mutation remove_block(int at_percent, std::size_t bytes);
// Cuts the file `after` bytes past the last occurrence of `pattern`.
Mutation cut_at_last(const Bytes& pattern, std::size_t after = 0);
Mutation append(const Bytes& tail);

// Makes an x264 H.264 file claim to be from another version: three digits ("033").
Mutation x264_version(const std::string& digits);

// A damaged copy of `file` in clip_dir().
std::filesystem::path mutate(const std::filesystem::path& file, const std::string& name,
                             const Mutation& mutation);

}  // namespace weft::test
