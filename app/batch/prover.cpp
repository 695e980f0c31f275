#include "app/batch/prover.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <set>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/output/content_hash.h"
#include "app/media/output/partial_name.h"
#include "app/media/output/run_files.h"
#include "app/media/picture/pixel_formats.h"
#include "app/media/picture/pixel_traits.h"
#include "app/media/picture/samples.h"
#include "app/media/write/frame_hashes.h"
#include "app/pipeline/job_receipt.h"
#include "app/pipeline/media_names.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/stack/allowed_difference.h"
#include "filters/filter.h"
#include "filters/text/printable.h"
#include "kernels/pixels/image_difference.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint64_t> halves(const std::vector<Hash128>& hashes) {
    std::vector<std::uint64_t> result;
    std::ranges::transform(hashes, std::back_inserter(result), first_half);
    return result;
}

// The frames of an output, in order.
class OutputFrames {
 public:
    explicit OutputFrames(const ReaderOptions& options) : reader_(options) {}

    // Returns null after the last frame.
    AVFramePtr next() {
        for (;;) {
            MediaItem item = reader_.next();
            if (auto* frame = std::get_if<Frame>(&item)) return std::move(frame->av);
            if (std::holds_alternative<EndOfInput>(item)) return nullptr;
        }
    }

 private:
    Reader reader_;
};

// Counts the frames of a lossless output that have the hashes in the receipt, and their largest
// difference from the frames that were computed again.
class OutputComparison {
 public:
    OutputComparison(const ReaderOptions& output, const Receipt& receipt)
        : frames_(output), receipt_(receipt) {}

    void compare(const AVFrame& computed) {
        const auto format = static_cast<AVPixelFormat>(computed.format);
        const AVFramePtr decoded = next(format);
        if (!decoded || sample_hash(*decoded, format) == sample_hash(computed, format)) return;
        if (decoded->width != computed.width || decoded->height != computed.height) {
            difference_.largest = std::numeric_limits<double>::infinity();
            return;
        }
        const AVPixelFormat native = native_target(format);
        const AVFramePtr want_samples = samples_in(computed, native);
        const AVFramePtr got_samples = samples_in(*decoded, native);
        const PlaneViews want = plane_views(want_samples ? *want_samples : computed);
        const PlaneViews got = plane_views(got_samples ? *got_samples : *decoded);
        for (std::size_t plane = 0; plane < want.size(); ++plane)
            difference_.add(want[plane], got[plane]);
    }

    void finish(AVPixelFormat format) {
        while (next(format)) {
        }
    }

    std::int64_t equal() const { return equal_; }
    std::int64_t decoded() const { return decoded_; }
    double difference() const { return difference_.largest; }

 private:
    // Null: the frame has them in that format.
    static AVFramePtr samples_in(const AVFrame& frame, AVPixelFormat format) {
        if (without_range(sample_format(frame)) == without_range(format)) return nullptr;
        return copy_samples(frame, format);
    }

    AVFramePtr next(AVPixelFormat format) {
        AVFramePtr frame = frames_.next();
        if (!frame) return nullptr;
        const auto& hashes = receipt_.frames.hashes;
        const auto index = static_cast<std::size_t>(decoded_++);
        if (index < hashes.size() && hashes[index] == first_half(sample_hash(*frame, format)))
            ++equal_;
        return frame;
    }

    OutputFrames frames_;
    const Receipt& receipt_;
    std::int64_t equal_ = 0;
    std::int64_t decoded_ = 0;
    ImageDifference difference_;
};

// One output on its way to a verdict.
class Prover {
 public:
    Prover(const std::string& output, const ProveOptions& options,
           const std::shared_ptr<Heartbeat>& heart, const std::stop_token& stop)
        : options_(options), heart_(heart), stop_(stop) {
        result_.output = output;
    }

    ProveResult prove() {
        try {
            run();
        } catch (const FilterError& error) {
            unproven(error.what());
        } catch (const Error& error) {
            unproven(error.what());
        }
        return std::move(result_);
    }

 private:
    void run() {
        if (!read()) return;
        check_output();
        const std::string input = find_input();
        if (input.empty()) return;
        job_ = job_of_receipt(receipt_, input, result_.output);
        job_.device = options_.device;
        job_.reader.gpu = options_.device;
        job_.reader.heartbeat = heart_;
        job_.reader.decoder_threads = options_.decoder_threads;
        job_.keep_damaged = true;  // the receipt may be of one
        job_.writer.proof = ProofMode::alone;
        job_.writer.run = std::make_shared<RunFiles>();
        if (!receipt_.output) return check_failure();
        if (options_.sample < 1 && receipt_.frames.count > kLeastFrames && !receipt_.damage)
            return check_blocks();
        check_frames();
    }

    void wrong(std::string reason) { add(Verdict::wrong, std::move(reason)); }
    void unproven(std::string reason) { add(Verdict::unproven, std::move(reason)); }
    void add(Verdict verdict, std::string reason) {
        result_.verdict = std::max(result_.verdict, verdict);
        result_.reasons.push_back(std::move(reason));
    }

    // ---- the receipt, the output and the input as files ----

    bool read() {
        const fs::path path = receipt_path(result_.output);
        std::error_code error;
        if (!fs::exists(fs::symlink_status(path, error))) {
            unproven(output_exists(result_.output, is_sequence(result_.output))
                         ? "it has no receipt, which weft batch --receipts writes"
                         : "neither the output nor a receipt of it exists");
            return false;
        }
        try {
            receipt_ = read_receipt(path);
        } catch (const Error& refused) {
            wrong(refused.what());
            return false;
        }
        result_.frames = receipt_.frames.count;
        if (receipt_path((path.parent_path() / receipt_.name).string()) == path) return true;
        wrong(fmt::format("its receipt belongs to {}", printable_line(receipt_.name)));
        return false;
    }

    void check_output() {
        if (!receipt_.output) {
            if (output_exists(result_.output, is_sequence(result_.output)))
                wrong("its receipt is from a run that kept no output");
            return;
        }
        const bool numbered = is_sequence(result_.output);
        if (numbered && !unfinished_move(*parse_sequence(result_.output)).empty())
            return unproven(
                "a run was killed while it moved its pictures into place: weft clean moves the "
                "rest");
        const auto now = output_facts(result_.output, numbered, receipt_.frames.count);
        if (!now) return wrong("the output is missing");
        is_there_ = true;
        if (now->sha256 == receipt_.output->sha256) return;
        const auto owner = options_.claims.find(now->sha256);
        if (owner != options_.claims.end())
            wrong(fmt::format("it has the content of {}", printable_line(owner->second)));
        else if (now->bytes != receipt_.output->bytes)
            wrong(fmt::format("the output has {} bytes, but {} were written", now->bytes,
                              receipt_.output->bytes));
        else
            wrong("the output differs from the file that was written (SHA-256)");
    }

    // Empty with a verdict, if the proof ends here.
    std::string find_input() {
        const fs::path folder = receipt_path(result_.output).parent_path();
        const fs::path path = options_.inputs.empty()
                                  ? folder / receipt_.input.path
                                  : options_.inputs / fs::path(receipt_.input.name);
        std::string input = path.lexically_normal().string();
        std::error_code error;
        if (!is_sequence(input) && !fs::exists(input, error)) {
            unproven(
                fmt::format("its input {} is missing{}", printable_line(input),
                            options_.inputs.empty() ? " (--inputs names another folder)" : ""));
            return "";
        }
        const ReceiptInput now = input_facts(input);
        if (now.bytes == receipt_.input.bytes && now.beginning == receipt_.input.beginning)
            return input;
        unproven(fmt::format("its input {} is now a different file", printable_line(input)));
        return "";
    }

    // ---- the frames ----

    FileResult compute(const FileJob& job) const { return filter_file(job, stop_, {}); }

    // A receipt without an output, which proves nothing; but the input must still fail.
    void check_failure() {
        const FileResult result = compute(job_);
        const bool damaged = result.outcome == Outcome::damaged;
        if (result.outcome == Outcome::ok && receipt_.retry == Retry::never)
            return wrong(fmt::format("its input is healthy here, but the receipt has an error: {}",
                                     printable_line(receipt_.error)));
        unproven(fmt::format("there is no output: {}", printable_line(receipt_.error)));
        if (result.outcome == Outcome::ok)
            unproven("its input is healthy here: run it again");
        else if (damaged != receipt_.damage.has_value())
            unproven(fmt::format("its input fails with a different error here: {}", result.error));
    }

    void check_frames() {
        std::unique_ptr<OutputComparison> output;
        const bool decodes = receipt_.frames.lossless && is_there_;
        if (decodes) output = std::make_unique<OutputComparison>(output_options(), receipt_);
        if (output) job_.writer.on_frame = [&](const AVFrame& frame) { output->compare(frame); };
        const FileResult result = compute(job_);
        if (!result.written.proof) return unproven(result.error);
        if (!result.steps.empty())
            result_.allowed_difference = result.steps.back().largest_difference;
        const WrittenProof& proof = *result.written.proof;
        if (output) output->finish(av_get_pix_fmt(proof.pixel_format.c_str()));
        compare_hashes(halves(proof.frames));
        compare_rest(proof, result);
        if (output) compare_output(*output);
        judge_frames(output.get());
    }

    ReaderOptions output_options() const {
        ReaderOptions options;
        options.path = result_.output;
        options.audio = options.subtitles = false;
        options.heartbeat = heart_;
        options.decoder_threads = options_.decoder_threads;
        return options;
    }

    void compare_hashes(const std::vector<std::uint64_t>& computed) {
        const std::vector<std::uint64_t>& claimed = receipt_.frames.hashes;
        result_.recomputed = static_cast<std::int64_t>(computed.size());
        for (std::size_t k = 0; k < std::min(computed.size(), claimed.size()); ++k)
            if (computed[k] == claimed[k])
                ++result_.equal;
            else if (!result_.first_different)
                result_.first_different = static_cast<std::int64_t>(k);
    }

    void compare_rest(const WrittenProof& proof, const FileResult& result) {
        const ReceiptFrames& frames = receipt_.frames;
        if (result_.recomputed != frames.count)
            wrong(fmt::format("the input gives {}, but the receipt has {}",
                              frames_text(result_.recomputed), frames.count));
        compare_format(proof);
        if (hex_text(proof.times) != frames.times)
            wrong("the display times of the frames differ from the receipt");
        compare_streams(proof.streams);
        if (result.damage.damaged != receipt_.damage.has_value())
            wrong(result.damage.damaged
                      ? "its input is damaged, but not according to the receipt"
                      : "its input is healthy, but damaged according to the receipt");
    }

    void compare_format(const WrittenProof& proof) {
        const ReceiptFrames& frames = receipt_.frames;
        const std::string time_base = time_base_text(proof);
        if (proof.pixel_format != frames.pixel_format)
            wrong(fmt::format("the frames are {}, but {} in the receipt", proof.pixel_format,
                              printable_line(frames.pixel_format)));
        if (time_base != frames.time_base)
            wrong(fmt::format(
                "the display times are in units of {} s, but the receipt has units of {} s",
                time_base, printable_line(frames.time_base)));
        if (proof.lossless != frames.lossless)
            wrong(fmt::format("the output is {}lossless, but not according to the receipt",
                              proof.lossless ? "" : "not "));
    }

    void compare_streams(const std::vector<CopiedStream>& copied) {
        if (receipt_.streams.size() != copied.size())
            return wrong(fmt::format("{} streams are copied, but {} in the receipt", copied.size(),
                                     receipt_.streams.size()));
        for (std::size_t k = 0; k < copied.size(); ++k) {
            const ReceiptStream& claimed = receipt_.streams[k];
            if (copied[k].index != claimed.index || copied[k].kind != claimed.kind)
                wrong(fmt::format(
                    "stream {} is {}, but the receipt has stream {} ({}) in its place",
                    copied[k].index, copied[k].kind, claimed.index, printable_line(claimed.kind)));
            else if (copied[k].packets != claimed.packets ||
                     hex_text(copied[k].hash) != claimed.hash)
                wrong(fmt::format("the packets of stream {} differ from the receipt",
                                  copied[k].index));
        }
    }

    void compare_output(const OutputComparison& output) {
        result_.decoded = output.equal();
        if (result_.recomputed == result_.frames) result_.difference = output.difference();
        if (output.decoded() != receipt_.frames.count)
            wrong(fmt::format("the output has {}, but the receipt {}",
                              frames_text(output.decoded()), receipt_.frames.count));
        else if (output.equal() != output.decoded())
            wrong(fmt::format("{} of the output differ from the receipt",
                              frames_text(output.decoded() - output.equal())));
    }

    // Where devices may differ, a lossless output must be near enough.
    void judge_frames(const OutputComparison* output) {
        if (!result_.first_different) return;
        const std::string which =
            fmt::format("{} computed here, the first one number {}",
                        frames_text(result_.recomputed - result_.equal), *result_.first_different);
        if (result_.allowed_difference == 0) return wrong(which + ", differ from the receipt");
        if (output == nullptr)
            return unproven(
                fmt::format("{}, differ from the receipt; devices may differ by {:.3g} levels in "
                            "this stack, and the output is not lossless",
                            which, result_.allowed_difference));
        if (output->difference() > result_.allowed_difference)
            wrong(
                fmt::format("{}, differ from the output by up to {:.3g} levels, and devices by at "
                            "most {:.3g}",
                            which, output->difference(), result_.allowed_difference));
    }

    // ---- a sample: blocks at random places ----

    static constexpr std::int64_t kBlock_us = 1'000'000;
    static constexpr std::int64_t kLeastFrames = 100;

    void check_blocks() {
        const Reader reader(job_.reader);
        const AVFormatContext& source = reader.source();
        const std::int64_t begin = job_.reader.start_us.value_or(0);
        std::int64_t end = source.duration == AV_NOPTS_VALUE ? 0 : source.duration;
        if (job_.reader.end_us) end = std::min(end, *job_.reader.end_us);
        const std::int64_t room = end - begin - kBlock_us;
        if (room <= 0 || job_.on_change == OnChange::scale) return check_frames();
        const int before = plan_before();
        std::mt19937_64 random(std::random_device{}());
        const double blocks = options_.sample * static_cast<double>(end - begin) / kBlock_us;
        for (long k = 0; k < std::max(1L, std::lround(blocks)); ++k)
            check_block(
                begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(room)),
                before);
    }

    int plan_before() {
        const FilePlan plan = plan_file(job_);
        const std::vector<double> differences = stack_differences(plan.stack);
        if (!differences.empty()) result_.allowed_difference = differences.back();
        return plan.stack.frames_before();
    }

    // The frames of a block must follow each other somewhere in the receipt.
    void check_block(std::int64_t start_us, int before) {
        FileJob job = job_;
        job.reader.start_us = start_us;
        job.reader.end_us = start_us + kBlock_us;
        job.reader.audio = job.reader.subtitles = false;
        const FileResult result = compute(job);
        if (!result.written.proof) return unproven(result.error);
        if (result_.recomputed == 0) compare_format(*result.written.proof);
        std::vector<std::uint64_t> block = halves(result.written.proof->frames);
        block.erase(block.begin(),
                    block.begin() + std::min<std::ptrdiff_t>(before, std::ssize(block)));
        const auto& claimed = receipt_.frames.hashes;
        const auto count = static_cast<std::int64_t>(block.size());
        result_.recomputed += count;
        if (std::ranges::search(claimed, block).begin() != claimed.end() || block.empty()) {
            result_.equal += count;
            return;
        }
        const std::string text =
            fmt::format("{} from {:.3f} s on are not in the receipt", frames_text(count),
                        static_cast<double>(start_us) / 1e6);
        if (result_.allowed_difference == 0) return wrong(text);
        unproven(
            fmt::format("{}; devices may differ by {:.3g} levels in this stack: prove it "
                        "without --sample",
                        text, result_.allowed_difference));
    }

    const ProveOptions& options_;
    std::shared_ptr<Heartbeat> heart_;
    std::stop_token stop_;
    ProveResult result_;
    Receipt receipt_;
    bool is_there_ = false;  // the output
    FileJob job_;
};

// ---- the list ----

std::string output_of(const fs::path& receipt) {
    try {
        const Receipt read = read_receipt(receipt, ReceiptPart::without_hashes);
        return (receipt.parent_path() / read.name).lexically_normal().string();
    } catch (const Error&) {
        // By its name, so that the verdict is about the output.
        const std::string name = receipt.filename().string();
        const std::size_t ending = std::string_view(".weft.json").size();
        return (receipt.parent_path() / name.substr(1, name.size() - 1 - ending)).string();
    }
}

void list_folder(const fs::path& folder, bool recursive, std::set<std::string>& outputs) {
    std::set<std::string> media;
    std::vector<SequencePattern> sequences;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const fs::path& path = it->path();
        const std::string name = path.filename().string();
        if (is_moving_name(name) || is_partial_name(name)) continue;
        if (is_receipt_name(name)) {
            const std::string output = output_of(path);
            outputs.insert(output);
            if (is_sequence(output)) sequences.push_back(*parse_sequence(output));
        } else if (recursive && it->is_directory(error) && !it->is_symlink(error)) {
            list_folder(path, recursive, outputs);
        } else if (!name.starts_with('.') && is_media_name(path)) {
            media.insert(path.string());
        }
    }
    if (error)
        throw Error(Outcome::failed, fmt::format("{}: cannot list the folder: {}", folder.string(),
                                                 error.message()));
    for (const std::string& path : media)
        if (std::ranges::none_of(sequences, [&](const auto& known) { return known.names(path); }))
            outputs.insert(path);
}

}  // namespace

std::vector<std::string> outputs_to_prove(const std::vector<std::string>& paths, bool recursive) {
    std::set<std::string> outputs;
    for (const std::string& path : paths) {
        std::error_code error;
        if (path.ends_with('/') && !fs::is_directory(path, error))
            throw Error(Outcome::usage, path + ": there is no folder of this name");
        if (fs::is_directory(path, error))
            list_folder(path, recursive, outputs);
        else if (is_receipt_name(fs::path(path).filename().string()))
            outputs.insert(output_of(path));
        else
            outputs.insert(path);
    }
    return {outputs.begin(), outputs.end()};
}

std::map<std::string, std::string> claims_of(const std::vector<std::string>& outputs) {
    std::map<std::string, std::string> claims;
    for (const std::string& output : outputs) try {
            const Receipt receipt = read_receipt(receipt_path(output), ReceiptPart::without_hashes);
            if (receipt.output) claims.emplace(receipt.output->sha256, output);
        } catch (const Error&) {
            continue;  // prove_output() reports it
        }
    return claims;
}

ProveResult prove_output(const std::string& output, const ProveOptions& options,
                         const std::shared_ptr<Heartbeat>& heart, const std::stop_token& stop) {
    return Prover(output, options, heart, stop).prove();
}

const char* verdict_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::proven:
            return "proven";
        case Verdict::unproven:
            return "not proven";
        case Verdict::wrong:
            return "wrong";
    }
    return "";
}

}  // namespace weft
