#include "app/pipeline/pipeline.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <new>
#include <optional>

#include <fmt/format.h>

#include "app/media/libav/shortage.h"
#include "app/media/libav/undecodable.h"
#include "app/media/output/output_claim.h"
#include "app/media/output/write_error.h"
#include "app/media/picture/gpu_jpegs.h"
#include "app/media/write/container_table.h"
#include "app/media/write/segment_store.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/earlier_runs.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/job_receipt.h"
#include "app/pipeline/kept_filters.h"
#include "app/pipeline/opened_input.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/size_estimate.h"
#include "app/pipeline/stack/allowed_difference.h"
#include "app/pipeline/stage_threads.h"
#include "app/pipeline/stages.h"
#include "kernels/device/cuda_error.h"
#include "kernels/device/stream.h"

namespace weft {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
    return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

std::vector<std::string> warnings_of(const Reader& reader, Fields fields) {
    if (reader.interlaced() && fields == Fields::together)
        return {
            "the video is interlaced and is filtered as whole frames, which mixes its fields; "
            "--fields split filters them separately"};
    if (!reader.interlaced() && fields == Fields::split)
        return {"the video is not tagged as interlaced, but --fields split separates its lines"};
    return {};
}

void report_steps(const StackRunner& filter, FileResult& result) {
    const StackTimes& times = filter.times();
    result.stages.upload = times.upload;
    result.stages.kernels = times.kernels;
    result.stages.download = times.download;
    const std::vector<double> differences = stack_differences(filter.plan());
    for (std::size_t s = 0; s < filter.plan().steps.size(); ++s) {
        const StepPlan& step = filter.plan().steps[s];
        result.steps.push_back({step.filter, step.kernel_names(), step.reason(), step.explanation(),
                                times.steps[s].launches, times.steps[s].frames, differences[s]});
    }
}

// For the three threads. The encoder's clock keeps running while the output is finished.
struct StageClocks {
    StageClock decode, filter, encode;
};

// Creates the rows of the trace in the order in which frames pass.
StageClocks start_clocks(Utilisation& use, const FileTrace& trace, StackRunner& frames) {
    const TraceRow decode = trace.row("decode");
    const TraceRow filter = trace.row("filter");
    if (trace.records()) frames.trace(trace);
    const TraceRow encode = trace.row("encode");
    return {StageClock(use.decode, decode), StageClock(use.filter, filter),
            StageClock(use.encode, encode)};
}

// The objects that the stages of one file work on.
struct Stages {
    Reader& reader;
    FilterStage& filter;
    std::optional<Writer>& writer;
    StageClocks& clocks;
    std::optional<std::int64_t> end;  // the frame to stop at
};

// Runs the three stages to their end, a single picture's one after the other. This call owns the
// writer. The unfinished output of work that fails or is stopped is removed before the threads are
// joined, because a read of a stalled pipe may block indefinitely.
void run_stages(const Stages& stages, FileResult& result, const std::stop_token& stop,
                const ProgressCallback& progress) {
    auto& [reader, filter, writer, clocks, end] = stages;
    const std::size_t capacity = queue_capacity(reader.first_frame());
    MediaQueue decoded(capacity);
    MediaQueue filtered(capacity);
    result.frames_out = reader.frames_skipped();
    EncodeStage encode(writer ? &*writer : nullptr, reader, result, progress);
    bool complete = false;

    StageThreads threads(stop);
    const auto start = [&, alone = reader.is_still_image() &&
                                   reader.at_end()](const StageThreads::Stage& stage) {
        if (alone)
            threads.run_here(stage);
        else
            threads.start(stage);
    };
    start([&](const std::stop_token& s) {
        result.frames_in =
            read_stage(reader, decoded, {result.stages.decode, clocks.decode}, s, end);
    });
    start([&](const std::stop_token& s) { filter.run(decoded, filtered, clocks.filter, s); });
    threads.run_here([&](const std::stop_token& s) {
        encode.run(filtered, clocks.encode, s);
        complete = !s.stop_requested();
    });
    if (!complete) writer.reset();
    threads.join();
    if (!complete) throw Cancelled();
}

WriteReport finish_writer(std::optional<Writer>& writer, const FileResult& result,
                          const std::stop_token& stop) {
    if (!writer) {
        WriteReport nothing;
        nothing.frames = result.frames_out;
        return nothing;
    }
    return writer->finish(stop, result.frames_in);
}

// Reports changes of properties that the output stores once, from the first picture.
void report_changes(const FileJob& job, const Reader& reader, FileResult& result) {
    result.changes = reader.changes();
    const std::vector<std::string> unreported = unreported_changes(result.changes);
    if (job.writer.strict && !unreported.empty())
        throw Error(Outcome::usage,
                    fmt::format("{}: --strict: {}", job.reader.path, unreported.front()));
    append(result.warnings, unreported);
}

// Keeps the segments of a part. Whether the input is damaged is found by the run that joins the
// parts: this one may have read only the beginning.
void finish_part(const FileJob& job, std::optional<Writer>& writer, FileResult& result,
                 const std::stop_token& stop) {
    result.part = job.writer.part;
    result.frames_out = std::max<std::int64_t>(result.frames_out - result.part->begin, 0);
    result.written = finish_writer(writer, result, stop);
    result.status = FileStatus::ok;
    result.outcome = Outcome::ok;
    writer.reset();
    append(result.warnings, result.written.warnings);
    append(result.notes, result.written.notes);
}

// A damaged mask counts as a damaged input, whose place in the file is the film's.
void add_damage(DamageReport& film, const DamageReport& mask) {
    film.reason = film.damaged ? fmt::format("{}; {}", film.reason, mask.reason) : mask.reason;
    if (!film.damaged) film.first_bad_seconds = mask.first_bad_seconds;
    film.damaged = true;
    film.corrupt_frames += mask.corrupt_frames;
    film.decode_errors += mask.decode_errors;
    film.proven_by.clear();
}

// Puts the output in place, unless the input was damaged and damaged outputs are not kept.
void finish_output(const FileJob& job, const OpenedInput& opened, std::optional<Writer>& writer,
                   FileResult& result, const std::stop_token& stop) {
    const Reader& reader = opened.reader;
    if (job.writer.part) return finish_part(job, writer, result, stop);
    result.damage = reader.damage();
    for (const std::shared_ptr<MaskSource>& mask : opened.masks)
        if (mask && mask->damage().damaged) add_damage(result.damage, mask->damage());
    report_changes(job, reader, result);
    const bool damaged = result.damage.damaged;
    std::string error;
    if (damaged)
        error = fmt::format("{}: damaged: {}; {}", job.reader.path, result.damage.reason,
                            job.keep_damaged ? "the usable part is in " + job.writer.path
                                             : fmt::format("no output kept ({})",
                                                           job.writer.remedies.damaged_input));
    if (job.writer.strict && !damaged && result.damage.proven_by.empty())
        throw Error(Outcome::usage, fmt::format("{}: --strict: {}", job.reader.path,
                                                completeness_text(result.damage)));
    if (!damaged || job.keep_damaged) result.written = finish_writer(writer, result, stop);
    // The output has its name now, so running out of memory later must not change the status.
    result.status = damaged ? FileStatus::damaged : FileStatus::ok;
    result.outcome = damaged ? Outcome::damaged : Outcome::ok;
    result.error = std::move(error);
    writer.reset();
    append(result.warnings, result.written.warnings);
    append(result.notes, result.written.notes);
}

// The shape of the frames for the Writer if they differ from the reader's, because they are
// composed or are in a GPU's memory; without pixels otherwise.
Frame written_shape(const FileJob& job, const Reader& reader) {
    const Frame& first = reader.first_frame();
    if (job.compose)
        return {job.compose(*first.av, *first.av), first.pts, first.duration, first.index};
    if (in_gpu_memory(*first.av))
        return {new_frame_like(*first.av), first.pts, first.duration, first.index};
    return {};
}

// Composed frames are on the host.
WriterSource writer_source(const FileJob& job, const Reader& reader, const Frame& shape) {
    WriterSource source = source_of(reader);
    if (shape.av) source.first_frame = &shape;
    source.frames_on_gpu = job.device.is_gpu() && !job.compose;
    return source;
}

WriterOptions writer_options(const FileJob& job, const OpenedInput& opened,
                             const Existing& existing) {
    WriterOptions options = job.writer;
    options.gpu = job.device;
    options.redacted = redacts(job.stack);
    const bool encodes_on_gpu = job.reader.hwaccel != Hwaccel::none && !job.receipt;
    if (encodes_on_gpu) options.gpu_jpegs = job.gpu_jpegs;
    if (job.receipt && !job.writer.part) options.proof = ProofMode::with_output;
    if (!job.writer.part && may_be_shared(job) && job.receipt && existing.there)
        options.may_replace = [&job, check = existing.check](WrittenProof& made) {
            return may_replace(job, check, made);
        };
    if (!options.run) options.run = std::make_shared<RunFiles>(job.reader.path);
    if (!options.resume) return options;
    const JobFacts facts = frame_facts(job, opened);
    options.resume->insert(options.resume->end(), facts.begin(), facts.end());
    return options;
}

// The segments of a video's parts, copied to where a run with --resume takes them over. If this run
// fails, they go again: the parts stay.
class CopiedParts {
 public:
    CopiedParts(const FileJob& job, std::size_t most) : output_(job.writer.path) {
        if (job.joined.empty()) return;
        frames_ = join_parts(output_, job.joined, most);
        copied_ = true;
    }
    ~CopiedParts() {
        if (copied_) remove_segment_file(output_);
    }
    CopiedParts(const CopiedParts&) = delete;
    CopiedParts& operator=(const CopiedParts&) = delete;

    const JoinedFrames& frames() const { return frames_; }

 private:
    std::string output_;
    bool copied_ = false;
    JoinedFrames frames_;
};

// All copied frames of joined parts are taken over.
Writer make_writer(const FileJob& job, WriterOptions options, const Reader& reader,
                   const Frame& shape, const JoinedFrames& joined) {
    Writer writer(std::move(options), writer_source(job, reader, shape));
    if (!job.joined.empty() && writer.frames_stored() != joined.copied)
        throw Error(Outcome::failed,
                    fmt::format("{}: its parts do not match this run: join them with the same "
                                "version of weft and on the same kind of device that made them",
                                job.writer.path));
    return writer;
}

// Many of them may wait for the disk at once, because they hold little memory until then.
bool is_small_picture(const Reader& reader) {
    constexpr int kMostPixels = 4'000'000;
    const AVFrame& first = *reader.first_frame().av;
    return reader.is_still_image() && first.width <= kMostPixels / first.height;
}

FilterOrder filter_order(const FileJob& job, const OpenedInput& opened) {
    return {print_stack(job.stack), opened.plans, job.graphs,
            job.device.is_gpu() ? Allocation::pinned : Allocation::host};
}

// Call it after a failure of the job's device.
void free_kept(const FileJob& job) {
    if (job.filters) job.filters->clear(job.device);
    if (job.gpu_jpegs) job.gpu_jpegs->clear(job.device);
}

// If another file's kernel killed the GPU, this file's last frames may have been reported as done.
void require_answer(const Device& device) {
    if (!device_answers(device))
        throw Error(Outcome::failed, fmt::format("{}: no longer answers", device.name),
                    Cause::device);
}

// Creating a GPU's context takes 0.12 s, during which the file can be opened. Errors are reported
// where the context is used.
std::future<void> start_context(const Device& device) {
    if (!device.is_gpu()) return {};
    return std::async(std::launch::async, [device] { use_device(device); });
}

// One file, from the claim on its output to its report. An exception at any place leaves neither an
// output nor a claim: the members are released in reverse order.
class FileRun {
 public:
    FileRun(const FileJob& job, FileResult& result, JobReceipt& receipt, std::size_t most_joined)
        : job_(job), result_(result), receipt_(receipt), most_joined_(most_joined) {}

    void run(const std::stop_token& stop, const ProgressCallback& progress) {
        if (!claim()) return;
        open(progress);
        filter(stop, progress);
        settle(stop);
    }

 private:
    // False: nothing is left to do, or another run does it.
    bool claim() {
        if (job_.writer.path != kNoOutput && job_.writer.path != "-") {
            folder_.emplace(job_.writer.path);
            claim_.emplace(claimed_name(job_));
        }
        if (may_be_shared(job_)) {
            if (job_.writer.run) job_.writer.run->refuse_taken(job_.writer.path);
            existing_ = {output_exists(job_.writer.path, job_.writer.numbered), receipt_.check()};
            if (is_done(job_, existing_, result_)) {
                receipt_.keep();
                return false;
            }
            if (!claim_->held()) {
                skip(result_, "another run is at work on this file");
                return false;
            }
            judge_earlier_run(job_, *claim_, result_);
        }
        receipt_.begin();
        return true;
    }

    void open(const ProgressCallback& progress) {
        context_ = start_context(job_.device);
        opened_.emplace(open_input(job_));
        receipt_.input_is_open();
        notes_ = std::move(result_.notes);
        take_notes();
        result_.decoding = opened_->reader.decoding();
        result_.warnings = warnings_of(opened_->reader, job_.fields);
        result_.device = job_.device;
        loan_.emplace(job_.filters, filter_order(job_, *opened_));
        if (!opened_->compared_plans.empty())
            compared_.emplace(opened_->compared_plans, job_.graphs);
        if (!folder_) folder_.emplace(job_.writer.path);
        const JoinedFrames& joined = parts_.emplace(job_, most_joined_).frames();
        if (joined.left_out > 0)
            result_.warnings.push_back(fmt::format(
                "{} frames of the parts do not match the film's timestamps and are filtered again",
                joined.left_out));
        shape_ = written_shape(job_, opened_->reader);
        if (job_.writer.path == kNoOutput) return;
        WriterOptions options = writer_options(job_, *opened_, existing_);
        if (progress && is_small_picture(opened_->reader))
            options.on_complete = [this, &progress] {
                progress({.frames = result_.frames_out,
                          .frames_estimated = result_.frames_out,
                          .media_seconds = result_.media_seconds,
                          .syncing = true});
            };
        writer_.emplace(make_writer(job_, std::move(options), opened_->reader, shape_, joined));
    }

    void filter(const std::stop_token& stop, const ProgressCallback& progress) {
        StackRunner& frames = (*loan_)->runner;
        frames.set_masks(opened_->masks);
        if (compared_) compared_->set_masks(opened_->compared_masks);
        FilterStage stage(frames, opened_->reader,
                          {.path = result_.input,
                           .on_change = job_.on_change,
                           .compose = job_.compose,
                           .compared = compared_ ? &*compared_ : nullptr,
                           .surfaces = writer_ ? writer_->surfaces() : nullptr,
                           .results = job_.filters ? &(*loan_)->results : nullptr,
                           .begin = job_.writer.part ? job_.writer.part->begin : 0});
        if (writer_) stage.begin_at(writer_->frames_stored());
        started_ = SteadyClock::now();
        clocks_ = start_clocks(result_.utilisation, FileTrace(job_.trace, result_.input), frames);
        const auto end = job_.writer.part ? job_.writer.part->end : std::nullopt;
        run_stages({opened_->reader, stage, writer_, *clocks_, end}, result_, stop, progress);
        result_.decoding = opened_->reader.decoding();
        take_notes();  // including changes in mid-stream
        append(result_.notes, stage.box_counts().sentences());
        require_answer(job_.device);
    }

    // Gives the output its name, and writes its receipt.
    void settle(const std::stop_token& stop) {
        if (!job_.writer.part) receipt_.claim(stop);
        report_steps((*loan_)->runner, result_);
        loan_->give_back();  // other files may use it while this one waits for the disk
        finish_output(job_, *opened_, writer_, result_, stop);
        clocks_->encode.was_busy("finish", -1);
        result_.utilisation.seconds = seconds_since(started_);
        folder_->keep();
        if (result_.written.proof) receipt_.write(result_);
        if (result_.written.bytes > 0) remove_parts(job_.writer.path, job_.joined);
    }

    void take_notes() {
        result_.notes = notes_;
        append(result_.notes, opened_->notes());
    }

    const FileJob& job_;
    FileResult& result_;
    JobReceipt& receipt_;
    const std::size_t most_joined_;
    std::optional<OutputFolder> folder_;
    std::optional<OutputClaim> claim_;
    Existing existing_;
    std::future<void> context_;
    std::optional<OpenedInput> opened_;
    std::vector<std::string> notes_;  // from before the input was opened
    std::optional<FilterLoan> loan_;
    std::optional<StackRunner> compared_;
    Frame shape_;
    std::optional<CopiedParts> parts_;  // outlives the writer, which uses them
    std::optional<Writer> writer_;
    std::optional<StageClocks> clocks_;
    SteadyClock::time_point started_;
};

FileResult begun(const FileJob& job) {
    FileResult result;
    result.input = job.reader.path;
    result.output = job.writer.path;
    return result;
}

// Parts that begin at a key frame count the packets before it. If these make fewer frames, as in a
// damaged film, the later parts do not fit, and the run that joins them filters the rest itself.
void process_all(const FileJob& job, const std::stop_token& stop, const ProgressCallback& progress,
                 FileResult& result, JobReceipt& receipt) {
    std::size_t fitting = std::numeric_limits<std::size_t>::max();
    try {
        return FileRun(job, result, receipt, fitting).run(stop, progress);
    } catch (const SegmentsDiffer& differ) {
        if (job.joined.empty()) throw;
        fitting = differ.fitting();
    }
    result = begun(job);
    FileRun(job, result, receipt, fitting).run(stop, progress);
}

void fail(FileResult& result, Outcome outcome, const std::string& message) {
    result.status = outcome == Outcome::damaged ? FileStatus::damaged : FileStatus::failed;
    result.outcome = outcome;
    result.error = message;
    result.frames_out = 0;
    if (outcome != Outcome::damaged || result.damage.damaged) return;
    result.damage.damaged = true;
    result.damage.reason = message;
}

// Runs after the writer is destroyed. Finished segments are kept after any failure: damage may be
// detected by mistake, and hours of work are deleted only with -y.
void mention_finished_frames(const FileJob& job, FileResult& result) {
    const std::optional<SegmentCounts>& segments = result.written.segments;
    if (!segments || result.status == FileStatus::ok || !job.joined.empty()) return;
    const bool begin_again =
        result.status == FileStatus::damaged && job.writer.overwrite == Overwrite::replace;
    if (begin_again || result.status == FileStatus::skipped)
        return remove_segment_file(job.writer.path, job.writer.part);
    if (segments->frames_finished == 0) return;
    result.error += fmt::format("; {} finished frames are kept: {} continues after them",
                                segments->frames_finished, job.writer.remedies.resume);
}

// After a GPU is lost, decoder errors are unreliable, so probe the device, unless the file failed
// before using it.
DeviceFailure device_failure(const FileJob& job, const FileResult& result, Cause cause) {
    if (result.outcome == Outcome::ok) return DeviceFailure::none;
    const bool used = result.device || result.outcome == Outcome::no_gpu;
    if (used && !device_answers(job.device)) return DeviceFailure::lost;
    switch (cause) {
        case Cause::file:
            return DeviceFailure::none;
        case Cause::device:
            return DeviceFailure::this_file;
        case Cause::encoder_in_use:
            return DeviceFailure::in_use;
    }
    return DeviceFailure::none;
}

// Discards the damage that the decoder of a lost GPU reports: the file is not at fault.
void attribute_to_device(FileResult& result) {
    const bool kept = result.written.bytes > 0;
    if (result.device_failure == DeviceFailure::none || kept) return;
    result.status = FileStatus::failed;
    result.outcome = Outcome::no_gpu;
    result.damage = {};
}

void plan_output(const FileJob& job, const OpenedInput& opened, FilePlan& plan) {
    const Frame shape = written_shape(job, opened.reader);
    const WriterSource source = writer_source(job, opened.reader, shape);
    const Existing existing{.there = output_exists(job.writer.path, job.writer.numbered)};
    plan.written = Writer::plan(writer_options(job, opened, existing), source);
    append(plan.notes, plan.written->notes);
    append(plan.warnings, plan.written->warnings);
    plan.container = find_container(job.writer.path, job.writer.format).name;
    plan.size = estimate_size(job, opened.reader, *plan.written);
}

}  // namespace

FileResult filter_file(const FileJob& job, const std::stop_token& stop,
                       const ProgressCallback& progress) {
    FileResult result = begun(job);
    const auto started = SteadyClock::now();
    Cause cause = Cause::file;
    JobReceipt receipt(job);
    try {
        process_all(job, stop, progress, result, receipt);
    } catch (const Cancelled&) {
        throw;
    } catch (const OutputExists& error) {
        if (may_be_shared(job))
            skip(result, "another run has made the output");
        else
            fail(result, error.outcome(), error.what());
    } catch (const FilterError& error) {
        fail(result, Outcome::usage, error.with_caret());
    } catch (const WriteError& error) {
        fail(result, error.outcome(), error.what());
        result.write_errno = error.errno_code();
    } catch (const Undecodable& error) {
        fail(result, error.outcome(), error.what());
        receipt.is_final();
    } catch (const Error& error) {
        fail(result, error.outcome(), error.what());
        cause = error.cause();
    } catch (const CudaError& error) {
        fail(result, Outcome::failed, fmt::format("{}: {}", job.reader.path, error.what()));
        cause = Cause::device;
    } catch (const std::bad_alloc& error) {
        // An output that has its name is complete, and only its report is not.
        if (result.written.bytes == 0)
            fail(result, Outcome::failed, fmt::format("{}: {}", job.reader.path, reason_of(error)));
    } catch (const std::exception& error) {
        fail(result, Outcome::failed, fmt::format("{}: {}", job.reader.path, reason_of(error)));
    }
    result.device_failure = device_failure(job, result, cause);
    if (result.device_failure != DeviceFailure::none) free_kept(job);
    attribute_to_device(result);
    receipt.write_failure(result);
    if (job.receipt) result.written.proof.reset();  // 16 bytes per frame, of each file of a batch
    mention_finished_frames(job, result);
    result.wall_seconds = seconds_since(started);
    return result;
}

FilePlan plan_file(const FileJob& job) {
    OpenedInput opened = open_input(job);
    FilePlan plan;
    plan.notes = opened.notes();
    plan.warnings = warnings_of(opened.reader, job.fields);
    plan.pixel_format = av_get_pix_fmt_name(opened.reader.first_frame().format());
    plan.frames_estimated = opened.reader.estimated_frames();
    if (job.writer.path != kNoOutput) plan_output(job, opened, plan);
    plan.stack = std::move(opened.plans.front());
    for (const StepPlan& step : plan.stack.steps)
        for (const std::string& object : step.objects)
            plan.notes.push_back(fmt::format("{}: {}", step.filter, object));
    return plan;
}

}  // namespace weft
