// Checks whether a receipt proves that an output is done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/pipeline/receipt/receipt.h"

namespace weft {

enum class Proof {
    valid,    // of this job on this input, and the output is as it was written
    missing,  // no receipt
    stale,    // unreadable, of another job or input, or the output has changed or is gone
};

struct ReceiptCheck {
    Proof proof = Proof::missing;
    std::string reason;  // a clause, "its input has 4711 bytes, not 4700"; empty if valid
    // The receipt without hashes; nothing if it is missing or refused.
    std::optional<Receipt> receipt;
    // The output on disk is the file that the receipt describes, although the job or the input may
    // have changed: a run of weft made it, and a new run may replace it.
    bool output_unchanged = false;
};

// Compares job, input and output with the receipt of `output`, a pattern if `numbered`; versions,
// device and host do not count. A receipt of a damaged input without an output is valid if that
// input is unchanged and doubt_of_damage() finds nothing. Reads 1 MiB of the input, and all of the
// output only if its size is right and its time is not. Throws Error(failed) if the input or output
// cannot be read.
ReceiptCheck check_receipt(const std::string& input, const std::string& output, bool numbered,
                           const JobFacts& job);

// Whether a reason for damage is that the input changed while it was being read.
bool is_of_a_change(std::string_view reason);

// Why another run should look at the input of `output` again, although a receipt calls it damaged;
// empty if it need not, or if there is an output. Only the times of the files are read.
std::string doubt_of_damage(const Receipt& receipt, const std::string& input,
                            const std::string& output);

// The fact of a job that is its definition_of(); 1 where it is missing.
inline constexpr std::string_view kDefinitionFact = "definition";

// The first fact that differs, as a clause: "-crf was 20, now 30", "made by an older definition of
// its filters"; empty if all are equal.
std::string job_difference(const JobFacts& then, const JobFacts& now);

// Size, time and beginning of a file or of all files of a sequence. Throws Error(failed).
ReceiptInput input_facts(const std::string& path);

// The output as it is now, of a `numbered` sequence its first `frames` files; nothing if one is
// missing. Throws Error(failed).
std::optional<ReceiptOutput> output_facts(const std::string& output, bool numbered,
                                          std::int64_t frames);

}  // namespace weft
