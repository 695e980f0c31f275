#include "app/pipeline/race/kernel_race.h"

#include <algorithm>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "app/pipeline/opened_input.h"
#include "app/pipeline/stage_threads.h"
#include "app/pipeline/stages.h"
#include "kernels/device/stream.h"

namespace weft {
namespace {

constexpr std::int64_t kRoundsOfAStill = 50;

// Returns a frame that shares the pixels of `frame`.
Frame shared(const Frame& frame) {
    AVFramePtr av = make_frame();
    av_check(av_frame_ref(av.get(), frame.av.get()), "sharing a frame's pixels", "memory");
    return {std::move(av), frame.pts, frame.duration, frame.index};
}

// The last stage of a race: it measures where a batch encodes.
class RaceStage {
 public:
    RaceStage(const OpenedInput& opened, const FileJob& job, const RaceOptions& options,
              const RaceProgress& progress)
        : filter_(opened.plans),
          stage_(filter_, opened.reader, {job.reader.path, job.on_change}),
          progress_(&progress),
          tick_(av_q2d(opened.reader.time_base())),
          first_pts_(opened.reader.first_frame().pts),
          limit_(options.frames) {
        filter_.set_masks(opened.masks);
        if (opened.reader.is_still_image()) rounds_ = limit_ > 0 ? limit_ : kRoundsOfAStill;
        describe(opened);
        const std::vector<StepPlan>& steps = filter_.plan().steps;
        report_.steps.resize(steps.size());
        for (std::size_t s = 0; s < steps.size(); ++s)
            races_.emplace_back(steps[s], filter_.device(), options.choice, report_.steps[s]);
    }

    // True at the end of the input, false once enough frames are done or a stop was requested.
    bool run(MediaQueue& in, const std::stop_token& stop) {
        use_device(filter_.device());
        filter_.observe([&](std::size_t step, std::span<const ImageView> sources, StreamView on) {
            races_[step].run(sources, on, stop);
        });
        while (auto item = in.pop(stop)) {
            const auto* frame = std::get_if<Frame>(&*item);
            for (std::int64_t k = 0; frame != nullptr && k < rounds_; ++k) {
                if (stop.stop_requested()) return false;
                take(*frame);
                if (report_.frames == limit_) return false;
            }
        }
        return !stop.stop_requested();
    }

    RaceReport& report() { return report_; }

 private:
    void describe(const OpenedInput& opened) {
        report_.info = filter_.plan().info;
        report_.pixel_format = av_get_pix_fmt_name(opened.reader.first_frame().format());
        report_.notes = opened.notes();
        const std::int64_t estimated = opened.reader.estimated_frames() * rounds_;
        report_.frames_estimated =
            limit_ > 0 && estimated > 0 ? std::min(limit_, estimated) : estimated;
    }

    void take(const Frame& frame) {
        (void)stage_.filter(shared(frame));
        const double end = static_cast<double>(frame.pts + frame.duration - first_pts_) * tick_;
        report_.media_seconds = std::max(report_.media_seconds, end);
        ++report_.frames;
        if (*progress_) (*progress_)(report_);
    }

    StackRunner filter_;
    FilterStage stage_;
    const RaceProgress* progress_;
    double tick_;
    std::int64_t first_pts_;
    std::int64_t limit_;
    std::int64_t rounds_ = 1;  // of every frame
    std::vector<StepRace> races_;
    RaceReport report_;
};

}  // namespace

RaceReport race_kernels(const FileJob& job, const RaceOptions& options, const std::stop_token& stop,
                        const RaceProgress& progress) {
    OpenedInput opened = open_input(job);
    RaceStage race(opened, job, options, progress);
    MediaQueue decoded(queue_capacity(opened.reader.first_frame()));
    Durations decode;
    StageSeconds use;
    StageClock clock(use);
    bool complete = false;
    std::stop_source enough;
    const std::stop_callback on_stop(stop, [&] { enough.request_stop(); });
    StageThreads threads(enough.get_token());
    threads.start([&](const std::stop_token& s) {
        read_stage(opened.reader, decoded, {decode, clock}, s);
    });
    threads.run_here([&](const std::stop_token& s) { complete = race.run(decoded, s); });
    enough.request_stop();
    threads.join();
    if (complete) race.report().damage = opened.reader.damage();
    return std::move(race.report());
}

}  // namespace weft
