// Proves outputs by their receipts: `weft prove`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/media/demux/heartbeat.h"
#include "kernels/device/device.h"

namespace weft {

enum class Verdict {
    proven,
    unproven,  // something that the proof needs is missing or cannot be compared
    wrong,     // the output, the input or the receipt contradicts the others
};

struct ProveOptions {
    // The folder of the inputs, by their names in the batch; empty: the paths in the receipts.
    std::string inputs;
    double sample = 1;  // share of the frames to compute again, in blocks of a second
    Device device;
    int decoder_threads = 0;  // per output that is proven; 0: libav's choice
    // See claims_of(): names the file whose content an output has.
    std::map<std::string, std::string> claims;
};

struct ProveResult {
    std::string output;
    Verdict verdict = Verdict::proven;
    std::vector<std::string> reasons;  // one clause each; none if proven
    std::int64_t frames = 0;           // in the receipt
    std::int64_t recomputed = 0;       // frames computed again from the input
    std::int64_t equal = 0;            // frames of these with the hash in the receipt
    std::int64_t decoded = 0;          // frames of a lossless output that decode to the same hash
    std::optional<std::int64_t> first_different;  // number of a frame
    double allowed_difference = 0;                // between devices, in levels; 0: bit for bit
    // The largest difference of a lossless output from the frames computed again, in levels.
    std::optional<double> difference;
};

// The outputs that `paths` name, sorted; a folder stands for all receipts and media in it.
// Files of a sequence with a receipt count once, by their pattern. Throws Error(failed).
std::vector<std::string> outputs_to_prove(const std::vector<std::string>& paths, bool recursive);

// The outputs by the SHA-256 in their receipts; those without a readable receipt are left out.
std::map<std::string, std::string> claims_of(const std::vector<std::string>& outputs);

// Compares the output with the size and SHA-256 in its receipt, computes the frames again from the
// input, and decodes the output if it is lossless. Reads these three files and the stack's, and
// writes nothing. Errors are verdicts. All readers report to `heart`. Throws Cancelled.
ProveResult prove_output(const std::string& output, const ProveOptions& options,
                         const std::shared_ptr<Heartbeat>& heart, const std::stop_token& stop);

// Returns "proven", "not proven" or "wrong".
const char* verdict_text(Verdict verdict);

}  // namespace weft
