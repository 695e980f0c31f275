#include "app/cli/batch/plan_command.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/batch/batch_runner.h"
#include "app/batch/plan_files.h"
#include "app/cli/stall_guard.h"
#include "app/cli/terminal/messages.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/resumable.h"
#include "app/pipeline/times.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

// Finds options and stacks that do not fit the files. Other failures are left to the tasks: this
// machine may lack their GPUs.
void try_samples(const CheckedBatch& batch, const std::vector<JobFile>& samples) {
    const Device device = choose_devices(batch.options.gpu).devices.front();
    const bool forced =
        !batch.options.job.forced.every_step.empty() || !batch.options.job.forced.by_step.empty();
    if (forced && !device.is_gpu()) return;
    for (const JobFile& file : samples) {
        FileJob job =
            make_file_job(file, batch.options, batch.fitting.for_output(file.output), device, 1);
        job.stack = batch.stack;
        try {
            StallGuard().run_alone(file.input, job.reader.heartbeat, [&] { (void)plan_file(job); });
        } catch (const FilterError&) {
            throw;
        } catch (const Error& error) {
            if (error.outcome() == Outcome::usage) throw;
        }
    }
}

// Filters that do not fit this picture are left to the tasks, which know theirs.
int frames_before(const CheckedBatch& batch) {
    const FrameInfo small{.width = 64, .height = 64, .planes = {{64, 64, {Component::y}}}};
    try {
        return plan_stack(batch.stack, small, cpu_device()).frames_before();
    } catch (const Error&) {
        return 0;
    }
}

void print_problems(const std::vector<std::string>& problems) {
    constexpr std::size_t kMost = 20;
    for (std::size_t k = 0; k < std::min(problems.size(), kMost); ++k) print_note(problems[k]);
    if (!problems.empty())
        print_note(fmt::format("{} of the files cannot be opened; their tasks will report them",
                               problems.size()));
}

double seconds_in(const std::vector<PlannedFile>& files) {
    double seconds = 0;
    for (const PlannedFile& file : files) seconds += file.seconds;
    return seconds;
}

// A task takes at least as long as its longest film, unless others share that film.
void suggest_split(const BatchOptions& options, const std::vector<PlannedFile>& files) {
    constexpr double kMuch = 1.5;
    const auto longest = std::ranges::max_element(files, {}, &PlannedFile::work);
    if (options.parts > 1 || options.shards == 1 || longest == files.end()) return;
    double all = 0;
    for (const PlannedFile& file : files) all += static_cast<double>(file.work);
    const double times = static_cast<double>(longest->work) * options.shards / all;
    const bool divisible =
        longest->seconds > 0 &&
        why_not_resumable(longest->input, longest->output, options.job.writer.format).empty();
    if (times < kMuch || !divisible) return;
    print_note(
        fmt::format("{} alone takes {:.1f} times as long as the mean of the shards: with "
                    "--split {} several tasks share it",
                    printable_line(longest->input), times, std::ceil(times)));
}

}  // namespace

Outcome make_plan(const CheckedBatch& batch, const SignalWatch& signals) {
    const BatchOptions& options = batch.options;
    check_output_path(follow_links(*options.plan), options.job.writer.overwrite);
    std::vector<JobFile> files = batch.files;
    std::erase_if(files, [](const JobFile& file) { return file.skip; });
    PlannedFiles planned = plan_files({.plan = *options.plan,
                                       .files = std::move(files),
                                       .format = options.job.writer.format,
                                       .shards = options.shards,
                                       .parts = options.parts,
                                       .frames_before = frames_before(batch),
                                       .reader = options.job.reader},
                                      signals.token());
    try_samples(batch, planned.samples);
    print_problems(planned.problems);
    suggest_split(options, planned.files);
    const std::size_t count = planned.files.size();
    const std::string summary = fmt::format(
        "{}: {} file{}{}, {} of video, in {} shard{}; the largest is {:.2f} times the mean",
        *options.plan, count, count == 1 ? "" : "s", options.parts > 1 ? " and parts" : "",
        clock_text(seconds_in(planned.files)), options.shards, options.shards == 1 ? "" : "s",
        imbalance(planned.files, options.shards));
    write_plan(*options.plan,
               plan_text({.stack = store_stack(batch.stack, plan_folder(*options.plan)),
                          .options = options.planned_options,
                          .shards = options.shards,
                          .inputs = std::move(planned.inputs),
                          .definition = definition_of(batch.stack)},
                         std::move(planned.files)),
               options.job.writer.overwrite);
    print_note(summary);
    return Outcome::ok;
}

}  // namespace weft
