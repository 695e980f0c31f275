// A receipt: how one output of a batch was made, and hashes that prove it. A hidden JSON file next
// to the output, `.NAME.weft.json`; docs/receipt.schema.json describes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/output/atomic_output.h"
#include "app/media/output/run_files.h"
#include "app/media/write/resume.h"

namespace weft {

// Whether another run may end differently, as it never does for a damaged input.
enum class Retry { never, maybe };

// The input file, or all files of a numbered sequence together.
struct ReceiptInput {
    std::string path;  // relative to the receipt's folder
    std::string name;  // relative to the folder that the batch was given
    std::int64_t bytes = 0;
    std::int64_t mtime_ns = 0;  // since 1970; the latest of a sequence
    std::string beginning;      // XXH3-128 of the first MiB, as hexadecimal digits
};

// The output, as it was when the run gave it its name; a sequence has its files in order.
struct ReceiptOutput {
    std::int64_t bytes = 0;
    std::int64_t mtime_ns = 0;  // the latest of a sequence
    std::string sha256;
};

// The frames that the encoder was given.
struct ReceiptFrames {
    // Readers refuse a longer list; this one lasts for 46 hours at 60 frames per second.
    static constexpr std::size_t kMostHashes = 10'000'000;

    std::int64_t count = 0;
    std::string pixel_format;
    std::string time_base;  // "1/90000", for the display times
    std::string times;      // XXH3-128 of the display times, 8 bytes each, little-endian
    std::string hash;       // frames_hash() of all frames
    // Between any two devices, in levels; 0: all devices give the same bits.
    double largest_difference = 0;
    bool lossless = false;  // the output contains exactly these samples
    // Per frame, in display order: the first 8 bytes of the XXH3-128 of its samples, row by row and
    // plane by plane without padding, as `-f rawvideo` has them. The first kMostHashes frames.
    std::vector<std::uint64_t> hashes;
};

// A source stream that was copied to the output.
struct ReceiptStream {
    int index = 0;  // in the input
    std::string kind;
    std::int64_t packets = 0;
    std::string hash;  // XXH3-128 of the input's packets, one after the other
};

struct ReceiptDamage {
    std::string reason;
    std::optional<double> first_bad_seconds;
    std::optional<std::int64_t> first_bad_byte;
};

// The run that made it, which check_receipt() does not compare.
struct ReceiptRun {
    std::string weft;    // version
    std::string ffmpeg;  // version
    std::string device;
    std::string kernels;  // per step, joined by ", "
    std::string encoder;
    std::string host;
    std::string engine;  // "Slurm array 4711, task 3, attempt 2"; empty: none
    int shard = 1;
    int shards = 1;
    std::string started;  // "2026-11-25T07:12:33Z"
    double seconds = 0;
};

struct Receipt {
    std::string name;   // the output, in the receipt's folder; a pattern for a sequence
    std::string error;  // one sentence, without absolute paths; empty: the output is complete
    Retry retry = Retry::maybe;  // if there is an error
    int attempts = 1;            // runs in a row that failed, with this one, if there is an error
    JobFacts job;                // see receipt_job(); the options that are not defaults
    ReceiptInput input;
    std::optional<ReceiptOutput> output;  // nothing: none was kept
    ReceiptFrames frames;                 // in the output
    std::vector<ReceiptStream> streams;
    std::optional<ReceiptDamage> damage;
    ReceiptRun run;
};

// `.NAME.weft.json` in the folder of `output`, with links resolved. A name that would exceed the
// 255 bytes of a file name is cut and gets a hash of the whole.
std::filesystem::path receipt_path(const std::string& output);
// Whether a file name has the form of a receipt's.
bool is_receipt_name(std::string_view name);

// `path` relative to `folder`, links in folders resolved; the last component stays a link.
std::string relative_path(const std::string& path, const std::filesystem::path& folder);

// XXH3-128 of the hashes, 8 bytes each, big-endian.
std::string frames_hash(const std::vector<std::uint64_t>& hashes);

// Whether to read the hashes, which take megabytes for a film; the rest takes a few kilobytes.
enum class ReceiptPart { all, without_hashes };

// The text of the file, and back. A checksum covers everything but the list of hashes, which
// `frames.hash` covers, so that a torn or edited receipt is refused. parse_receipt() throws
// Error(failed), one sentence that does not name the file: an unknown version or field, a wrong
// type, an absolute path, an output in another folder, any text that receipt_text() does not write.
std::string receipt_text(const Receipt& receipt);
Receipt parse_receipt(std::string_view text, ReceiptPart part = ReceiptPart::all);

// Throws Error(failed) with the path if the file cannot be read, is larger than 256 MiB or is
// refused by parse_receipt().
Receipt read_receipt(const std::filesystem::path& path, ReceiptPart part = ReceiptPart::all);

// Throws Error(usage) if a file that does not begin as a receipt has the name of the receipt of
// `output` and must not be replaced.
void check_receipt_place(const std::string& output, Overwrite overwrite);

// Writes the receipt next to `output`, complete or not at all, and replaces an older one. Throws
// Error(not_written).
// `run` may be null; with it a folder is searched for leftovers of dead runs only once.
void write_receipt(const Receipt& receipt, const std::string& output,
                   std::shared_ptr<RunFiles> run);

}  // namespace weft
