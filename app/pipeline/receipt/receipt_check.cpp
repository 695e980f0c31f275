#include "app/pipeline/receipt/receipt_check.h"

#include <algorithm>
#include <charconv>
#include <sys/stat.h>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/demux/input_file.h"
#include "app/media/output/atomic_output.h"
#include "app/media/output/content_hash.h"
#include "app/media/output/file_time.h"
#include "app/media/output/run_files.h"
#include "filters/stack.h"
#include "filters/text/printable.h"

extern "C" {
#include <libavutil/avutil.h>
}

namespace weft {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> input_files(const std::string& path) {
    return is_sequence(path) ? sequence_paths(path) : std::vector{path};
}

// More files of a sequence may be left of a longer one.
std::vector<std::string> output_files(const std::string& path, bool numbered, std::int64_t frames) {
    const auto pattern = numbered ? parse_sequence(path) : std::nullopt;
    if (!pattern) return {path};
    std::vector<std::string> files;
    for (std::int64_t number = 1; number <= frames; ++number)
        files.push_back((fs::path(pattern->folder) / pattern->name(number)).string());
    return files;
}

std::string beginning_of(const std::string& path) {
    constexpr std::int64_t kBeginning = std::int64_t{1} << 20;
    const InputFile file(path);
    std::vector<std::uint8_t> bytes(
        static_cast<std::size_t>(std::clamp<std::int64_t>(file.size(), 0, kBeginning)));
    bytes.resize(file.read_at(0, bytes));
    return hex_text(hash_of(bytes.data(), bytes.size()));
}

// Size and time of all files together, without reading them; nothing if one is missing.
std::optional<ReceiptOutput> attributes_of(const std::vector<std::string>& files) {
    ReceiptOutput facts;
    if (files.empty()) return std::nullopt;
    for (const std::string& file : files) {
        std::error_code error;
        if (!fs::exists(file, error)) return std::nullopt;
        const struct stat info = InputFile(file).opened();  // file servers report its present state
        facts.bytes += info.st_size;
        facts.mtime_ns = std::max(facts.mtime_ns, file_time_ns(info, file));
    }
    return facts;
}

std::string sha256_of(const std::vector<std::string>& files) {
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    std::vector<std::uint8_t> block(kBlock);
    FileHash hash;
    for (const std::string& path : files) {
        const InputFile file(path);
        for (std::int64_t at = 0; at < file.size();) {
            const std::size_t count = file.read_at(at, block);
            if (count == 0) break;  // it became shorter: another hash
            hash.add(block.data(), count);
            at += static_cast<std::int64_t>(count);
        }
    }
    return hash.digest();
}

std::string input_difference(const ReceiptInput& then, const std::string& input) {
    const ReceiptInput now = input_facts(input);
    if (then.bytes != now.bytes)
        return fmt::format("its input had {} bytes, now {}", then.bytes, now.bytes);
    if (then.mtime_ns != now.mtime_ns) return "its input was modified since";
    if (then.beginning != now.beginning) return "the beginning of its input differs";
    return "";
}

std::string output_difference(const Receipt& receipt, const std::string& output, bool numbered) {
    const std::optional<ReceiptOutput>& then = receipt.output;
    const std::vector<std::string> files = output_files(output, numbered, receipt.frames.count);
    const std::optional<ReceiptOutput> now = attributes_of(files);
    if (!then) return output_exists(output, numbered) ? "it is from a run that kept no output" : "";
    if (!now) return "the output is missing";
    if (then->bytes != now->bytes)
        return fmt::format("the output had {} bytes, now {}", then->bytes, now->bytes);
    if (then->mtime_ns == now->mtime_ns || then->sha256 == sha256_of(files)) return "";
    return "the output was changed since";
}

bool is_later(const timespec& one, const timespec& other) {
    return one.tv_sec != other.tv_sec ? one.tv_sec > other.tv_sec : one.tv_nsec > other.tv_nsec;
}

// Whether a file's bytes or attributes were set after the other file was written.
bool was_set_after(const std::string& file, const fs::path& other) {
    struct stat set {};
    struct stat written {};
    return stat(file.c_str(), &set) == 0 && stat(other.c_str(), &written) == 0 &&
           is_later(set.st_ctim, written.st_mtim);
}

ReceiptCheck stale(ReceiptCheck check, std::string reason) {
    check.proof = Proof::stale;
    check.reason = std::move(reason);
    return check;
}

// Receipts of earlier versions leave out the values that were defaults.
std::string resolved_stack(const std::string& text) {
    try {
        return print_resolved(parse_stack(text));
    } catch (const FilterError&) {
        return text;
    }
}

// 1 if the text is no number, as of a fact that is missing.
int definition_number(const std::string& text) {
    int number = 1;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string definition_difference(const std::string& then, const std::string& now) {
    const int before = definition_number(then);
    const int after = definition_number(now);
    if (before == after) return "";
    return fmt::format("made by {} definition of its filters",
                       before < after ? "an older" : "a newer");
}

}  // namespace

std::string job_difference(const JobFacts& then, const JobFacts& now) {
    const auto value_in = [](const JobFacts& facts, const std::string& name) {
        const auto found = std::ranges::find(facts, name, &JobFact::name);
        if (found == facts.end()) return std::string("default");
        return name == "-vf" ? resolved_stack(found->value) : found->value;
    };
    for (const JobFacts* facts : {&now, &then})
        for (const JobFact& fact : *facts) {
            const std::string before = value_in(then, fact.name);
            const std::string after = value_in(now, fact.name);
            if (fact.name == kDefinitionFact) {
                if (std::string other = definition_difference(before, after); !other.empty())
                    return other;
            } else if (before != after)
                return fmt::format("{} was {}, now {}", fact.name, printable_line(before),
                                   printable_line(after));
        }
    return "";
}

bool is_of_a_change(std::string_view reason) {
    return reason.find("changed while it was being read") != std::string_view::npos;
}

// A file may be repaired without a trace in its size, its modification time and its beginning, and
// what one version cannot read is no damage to another.
std::string doubt_of_damage(const Receipt& receipt, const std::string& input,
                            const std::string& output) {
    if (receipt.error.empty() || receipt.retry == Retry::maybe) return "";
    // Such a verdict was final once, even where a link or a rename had changed no byte.
    if (receipt.damage && is_of_a_change(receipt.damage->reason))
        return "its input changed while an earlier run was reading it";
    if (receipt.run.ffmpeg != av_version_info())
        return "another version of FFmpeg found its input damaged";
    for (const std::string& file : input_files(input))
        if (was_set_after(file, receipt_path(output)))
            return "its input was changed, moved or copied after an earlier run found it damaged";
    return "";
}

ReceiptInput input_facts(const std::string& path) {
    const std::vector<std::string> files = input_files(path);
    if (files.empty()) throw Error(Outcome::failed, fmt::format("{}: not a valid file name", path));
    ReceiptInput facts;
    for (const std::string& file : files) {
        const struct stat info = InputFile(file).opened();
        facts.bytes += info.st_size;
        facts.mtime_ns = std::max(facts.mtime_ns, file_time_ns(info, file));
    }
    facts.beginning = beginning_of(files.front());
    return facts;
}

std::optional<ReceiptOutput> output_facts(const std::string& output, bool numbered,
                                          std::int64_t frames) {
    const std::vector<std::string> files = output_files(output, numbered, frames);
    std::optional<ReceiptOutput> facts = attributes_of(files);
    if (facts) facts->sha256 = sha256_of(files);
    return facts;
}

ReceiptCheck check_receipt(const std::string& input, const std::string& output, bool numbered,
                           const JobFacts& job) {
    ReceiptCheck check;
    const fs::path path = receipt_path(output);
    std::error_code error;
    if (!fs::exists(fs::symlink_status(path, error))) {
        check.reason = "it has no receipt";
        return check;
    }
    try {
        check.receipt = read_receipt(path, ReceiptPart::without_hashes);
    } catch (const Error& refused) {
        return stale(std::move(check), refused.what());
    }
    const Receipt& receipt = *check.receipt;
    if (receipt_path((path.parent_path() / receipt.name).string()) != path)
        return stale(std::move(check), fmt::format("its receipt belongs to another file, {}",
                                                   printable_line(receipt.name)));
    const std::string changed = output_difference(receipt, output, numbered);
    check.output_unchanged = receipt.output && changed.empty();
    const std::string other_job = job_difference(receipt.job, job);
    if (!other_job.empty()) return stale(std::move(check), other_job);
    const std::string other_input = input_difference(receipt.input, input);
    if (!other_input.empty()) return stale(std::move(check), other_input);
    if (!changed.empty()) return stale(std::move(check), changed);
    const std::string doubt = doubt_of_damage(receipt, input, output);
    if (!doubt.empty()) return stale(std::move(check), doubt);
    check.proof = Proof::valid;
    return check;
}

}  // namespace weft
