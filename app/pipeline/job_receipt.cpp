#include "app/pipeline/job_receipt.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/output/atomic_output.h"
#include "app/media/output/content_hash.h"
#include "app/pipeline/earlier_runs.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/job_options.h"
#include "app/pipeline/opened_input.h"
#include "app/pipeline/stored_stack.h"
#include "app/pipeline/version.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

// The stack as text without absolute paths, and the hashes of its files.
JobFacts stack_facts(const Stack& stack, const std::string& output) {
    StoredStack stored = store_stack(stack, receipt_path(output).parent_path());
    JobFacts facts = {{"-vf", std::move(stored.text)}};
    if (!stored.files.empty()) facts.push_back({"files", std::move(stored.files)});
    if (const int definition = definition_of(stack); definition > 1)
        facts.push_back({std::string(kDefinitionFact), std::to_string(definition)});
    return facts;
}

// ---- receipts of jobs ----

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string utc_text(std::chrono::system_clock::time_point time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm utc{};
    std::array<char, 32> text{};
    if (gmtime_r(&seconds, &utc) == nullptr) return "";
    return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &utc)};
}

ReceiptFrames frames_of(const WrittenProof& proof, const FileResult& result) {
    constexpr double kMostLevels = 1e9;  // JSON has no infinity
    ReceiptFrames frames{.count = static_cast<std::int64_t>(proof.frames.size()),
                         .pixel_format = proof.pixel_format,
                         .time_base = time_base_text(proof),
                         .times = hex_text(proof.times),
                         .hash = "",
                         .lossless = proof.lossless,
                         .hashes = {}};
    if (!result.steps.empty())
        frames.largest_difference =
            std::clamp(result.steps.back().largest_difference, 0.0, kMostLevels);
    frames.hashes.reserve(proof.frames.size());
    for (const Hash128& hash : proof.frames) frames.hashes.push_back(first_half(hash));
    frames.hash = frames_hash(frames.hashes);
    frames.hashes.resize(std::min(frames.hashes.size(), ReceiptFrames::kMostHashes));
    return frames;
}

std::string kernels_of(const FileResult& result) {
    std::vector<std::string> names;
    for (const StepReport& step : result.steps) names.push_back(step.kernel);
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string time_base_text(const WrittenProof& proof) {
    return fmt::format("{}/{}", proof.time_base.num, proof.time_base.den);
}

JobFacts receipt_job(const FileJob& job) {
    JobFacts facts = stack_facts(job.stack, job.writer.path);
    for (JobFact& fact : option_facts(job, Affects::file))
        if (!fact.value.empty()) facts.push_back(std::move(fact));
    return facts;
}

FileJob job_of_receipt(const Receipt& receipt, const std::string& input,
                       const std::string& output) {
    JobFacts left = receipt.job;
    const auto take = [&](std::string_view name) {
        const auto found = std::ranges::find(left, name, &JobFact::name);
        if (found == left.end()) return std::string();
        std::string value = std::move(found->value);
        left.erase(found);
        return value;
    };
    FileJob job;
    job.reader.path = input;
    job.writer.path = output;
    const std::string stack = take("-vf");
    job.stack = load_stored_stack({stack, take("files")}, receipt_path(output).parent_path());
    const JobFact then{std::string(kDefinitionFact), take(kDefinitionFact)};
    const JobFact now{then.name, std::to_string(definition_of(job.stack))};
    if (const std::string other = job_difference({then}, {now}); !other.empty())
        throw Error(Outcome::failed, other);
    for (const JobOption& option : job_options()) {
        const std::string value = option.affects == Affects::nothing ? "" : take(option.name);
        if (value.empty()) continue;
        try {
            option.parse(job, value);
        } catch (const Error&) {
            throw Error(Outcome::failed,
                        fmt::format("its job has {} {}", option.name, printable_line(value)));
        }
    }
    if (!left.empty())
        throw Error(Outcome::failed,
                    fmt::format("its job has {}, which this version of weft does not know",
                                printable_line(left.front().name)));
    return job;
}

JobReceipt::JobReceipt(const FileJob& job)
    : job_(job),
      started_(std::chrono::system_clock::now()),
      clock_(std::chrono::steady_clock::now()) {}

ReceiptCheck JobReceipt::check() const {
    if (!job_.receipt) return {};
    return check_receipt(job_.reader.path, job_.writer.path, job_.writer.numbered,
                         receipt_job(job_));
}

ReceiptInput JobReceipt::input() const {
    return named(input_facts(job_.reader.path));
}

ReceiptInput JobReceipt::named(ReceiptInput input) const {
    input.path = relative_path(job_.reader.path, receipt_path(job_.writer.path).parent_path());
    input.name = job_.receipt->name;
    return input;
}

void JobReceipt::input_was_planned(std::int64_t bytes, std::int64_t mtime_ns) {
    if (!job_.receipt) return;
    ReceiptInput planned;
    planned.bytes = bytes;
    planned.mtime_ns = mtime_ns;
    planned.beginning = hex_text(hash_of("", 0));  // nothing was read
    input_ = named(std::move(planned));
}

void JobReceipt::begin() {
    if (!job_.receipt) return;
    check_receipt_place(job_.writer.path, job_.writer.overwrite);
    facts_ = receipt_job(job_);
}

void JobReceipt::input_is_open() {
    if (!job_.receipt) return;
    input_ = input();
    if (const std::string other = job_difference(*facts_, receipt_job(job_)); !other.empty())
        throw Error(Outcome::failed,
                    fmt::format("{}: a file of the stack changed while it was being read ({}): run "
                                "it again",
                                job_.reader.path, other));
}

void JobReceipt::claim(const std::stop_token& stop) {
    if (!job_.receipt) return;
    claim_.emplace(receipt_path(job_.writer.path).string(), stop);
    if (!claim_->held()) throw Cancelled();
}

std::string JobReceipt::without_paths(std::string text) const {
    const auto replace = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos;
             at += to.size())
            text.replace(at, from.size(), to);
    };
    replace(job_.writer.path, std::filesystem::path(job_.writer.path).filename().string());
    replace(job_.reader.path, job_.receipt->name);
    return text;
}

Receipt JobReceipt::receipt(const FileResult& result) const {
    const ReceiptRequest& request = *job_.receipt;
    Receipt receipt;
    receipt.name = follow_links(job_.writer.path).filename().string();
    receipt.error = without_paths(result.error);
    // Bytes that change while they are read may be whole the next time.
    const bool damaged =
        result.outcome == Outcome::damaged && !is_of_a_change(result.damage.reason);
    receipt.retry = damaged || final_ ? Retry::never : Retry::maybe;
    receipt.job = facts_ ? *facts_ : receipt_job(job_);
    receipt.input = input_ ? *input_ : input();
    const WrittenProof proof = result.written.proof.value_or(WrittenProof{});
    if (result.written.proof)
        receipt.output = {
            {.bytes = proof.bytes, .mtime_ns = proof.mtime_ns, .sha256 = proof.sha256}};
    receipt.frames = frames_of(proof, result);
    for (const CopiedStream& stream : proof.streams)
        receipt.streams.push_back(
            {stream.index, stream.kind, stream.packets, hex_text(stream.hash)});
    if (result.damage.damaged)
        receipt.damage = {{.reason = without_paths(result.damage.reason),
                           .first_bad_seconds = result.damage.first_bad_seconds,
                           .first_bad_byte = result.damage.first_bad_byte}};
    receipt.run = {
        .weft = kVersion,
        .ffmpeg = av_version_info(),
        .device = result.device ? result.device->name : "",
        .kernels = kernels_of(result),
        .encoder = result.written.video_codec,
        .host = host_name(),
        .engine = request.engine,
        .shard = request.shard,
        .shards = request.shards,
        .started = utc_text(started_),
        .seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_).count()};
    return receipt;
}

void JobReceipt::write(const FileResult& result) {
    if (!job_.receipt) return;
    try {
        write_receipt(receipt(result), job_.writer.path, job_.writer.run);
        written_ = true;
        claim_.reset();
    } catch (const Error& error) {
        throw Error(Outcome::not_written, fmt::format("{}: complete, but has no receipt: {}",
                                                      job_.writer.path, error.what()));
    }
}

int JobReceipt::earlier_attempts(const Receipt& receipt) const {
    try {
        const Receipt before =
            read_receipt(receipt_path(job_.writer.path), ReceiptPart::without_hashes);
        const bool same = job_difference(before.job, receipt.job).empty() &&
                          before.input.bytes == receipt.input.bytes &&
                          before.input.mtime_ns == receipt.input.mtime_ns;
        return same && !before.error.empty() ? before.attempts : 0;
    } catch (const Error&) {  // no valid receipt exists
        return 0;
    }
}

void JobReceipt::write_failure(FileResult& result) {
    // A shared batch tries a file again until its receipt shows that this does not help.
    const bool of_command = result.outcome == Outcome::usage && may_be_shared(job_);
    const bool of_input = result.outcome == Outcome::damaged || result.outcome == Outcome::failed;
    if (!job_.receipt || written_ || (!of_input && !of_command) ||
        result.device_failure != DeviceFailure::none || result.written.bytes > 0)
        return;
    try {
        if (output_exists(job_.writer.path, job_.writer.numbered)) return;
        check_receipt_place(job_.writer.path, job_.writer.overwrite);
        OutputFolder folder(job_.writer.path);
        Receipt failed = receipt(result);
        failed.attempts = earlier_attempts(failed) + 1;
        write_receipt(failed, job_.writer.path, job_.writer.run);
        folder.keep();
    } catch (const Error& error) {
        result.notes.push_back(fmt::format("no receipt was written: {}", error.what()));
    }
}

}  // namespace weft
