#include "app/viewer/export/export_estimate.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/gpu_encoder.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/result_text.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// An encoder holds back up to some 160 frames (SVT-AV1), and a muxer up to five seconds of them
// (Matroska): the size made of fewer frames would be far too small.
constexpr std::int64_t kLeastFramesForSize = 1000;
constexpr double kLeastFraction = 0.05;         // the beginning of a film is not like the rest
constexpr std::int64_t kLeastBytes = 16 << 10;  // below, most of a file is its header
constexpr std::int64_t kInFlight = 2;           // frames that were filtered by the previous stack
constexpr std::int64_t kLeastFrames = 8;        // the first ones include the start of a kernel

// Equal for requests with the same forecast.
std::string forecast_key(const ExportRequest& request) {
    return fmt::format("{}|{}|{}|{}|{}", work_key(request), request.output,
                       request.part ? request.part->first : -1,
                       request.part ? request.part->second : -1, request.interrupted);
}

std::vector<std::string> find_gpu_encoders(const Device& device) {
    std::vector<std::string> found;
    if (!device.is_gpu()) return found;
    for (const char* name : {"h264_nvenc", "hevc_nvenc"})
        if (const AVCodec* encoder = avcodec_find_encoder_by_name(name);
            encoder != nullptr && !why_no_gpu_encoder(*encoder, device))
            found.emplace_back(name);
    return found;
}

// The median of the newest samples.
double median_of_latest(const Samples& samples, std::int64_t count) {
    std::vector<double> kept = samples.kept();
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
    if (kept.size() > wanted) kept.erase(kept.begin(), kept.end() - static_cast<long>(wanted));
    if (kept.empty()) return 0;
    const auto middle = kept.begin() + static_cast<long>(kept.size() / 2);
    std::ranges::nth_element(kept, middle);
    return *middle;
}

const Samples& samples_of(const StageTimes::Table& table, Stage stage) {
    return table[static_cast<std::size_t>(stage)];
}

// Only for sizes that are expected: an upper limit would give false alarms.
std::string shortage_of(const ExportRequest& request, const std::optional<SizeEstimate>& size) {
    if (!size || size->basis.starts_with("at most")) return "";
    const fs::path folder = fs::path(request.output).parent_path();
    std::error_code error;
    const fs::space_info space = fs::space(folder.empty() ? "." : folder, error);
    const auto bytes = static_cast<double>(size->bytes) * (request.resumable ? 2 : 1);
    const auto free = static_cast<double>(space.available);
    if (error || free >= bytes) return "";
    return fmt::format(
        "{} are free in {}, but this export may need {}. It pauses if the disk is full.",
        size_text(free), folder.empty() ? "." : folder.string(), size_text(bytes));
}

// The plan compares what an interrupted export has left. An export that cannot be continued, as
// with a GPU's encoder, does not fit.
FilePlan plan_of(const ExportRequest& request, std::optional<KeptSegments>& kept) {
    FileJob job = job_of(request);
    job.writer.overwrite = Overwrite::replace;  // the panel asks about existing files
    if (!request.interrupted) return plan_file(job);
    kept = KeptSegments{.difference = "this export cannot be continued"};
    if (!job.writer.resume) return plan_file(job);
    try {
        FilePlan plan = plan_file(job);
        kept = plan.written->kept;
        return plan;
    } catch (const Error&) {
        job.writer.resume.reset();
        return plan_file(job);
    }
}

}  // namespace

ExportForecast forecast_of(const ExportRequest& request) {
    std::optional<KeptSegments> kept;
    try {
        FilePlan plan = plan_of(request, kept);
        return {.frames = plan.frames_estimated,
                .size = plan.size,
                .warnings = std::move(plan.warnings),
                .lossless = job_of(request).writer.lossless,
                .shortage = shortage_of(request, plan.size),
                .kept = std::move(kept)};
    } catch (const std::exception& error) {
        return {.problem = error.what()};
    }
}

ExportPlanner::ExportPlanner(Device device, std::function<void()> changed)
    : device_(std::move(device)),
      task_([this](const ExportRequest& request,
                   const auto& superseded) { plan(request, superseded); },
            std::move(changed)) {}

void ExportPlanner::want(const ExportRequest& request) {
    std::string key = forecast_key(request);
    if (key == key_) return;
    key_ = std::move(key);
    task_.ask(request, [](Plan& made) { made.forecast.reset(); });
}

std::optional<ExportForecast> ExportPlanner::forecast() const {
    return task_.read(&Plan::forecast);
}

std::vector<std::string> ExportPlanner::gpu_encoders() const {
    return task_.read(&Plan::gpu_encoders).value_or(std::vector<std::string>());
}

void ExportPlanner::plan(const ExportRequest& request, const std::stop_token& superseded) {
    if (!task_.read(&Plan::gpu_encoders)) {
        std::vector<std::string> found = find_gpu_encoders(device_);
        task_.publish({}, [&](Plan& made) { made.gpu_encoders = std::move(found); });
    }
    if (!task_.wait(superseded, kSettle)) return;
    ExportForecast forecast = forecast_of(request);
    task_.publish(superseded, [&](Plan& made) { made.forecast = std::move(forecast); });
}

void FilterPace::restart(const StageTimes& times, bool filters) {
    filters_ = filters;
    const StageTimes::Table table = times.table();
    before_ = {samples_of(table, Stage::decode).count() + kInFlight,
               samples_of(table, Stage::kernels).count() + kInFlight};
}

std::optional<double> FilterPace::fps(const StageTimes& times) const {
    const StageTimes::Table table = times.table();
    const Samples& decode = samples_of(table, Stage::decode);
    const Samples& kernels = samples_of(table, Stage::kernels);
    const std::int64_t decoded = decode.count() - before_.decode;
    const std::int64_t filtered = kernels.count() - before_.kernels;
    if ((filters_ ? filtered : decoded) < kLeastFrames) return std::nullopt;
    const double filter = filters_
                              ? median_of_latest(kernels, filtered) +
                                    median_of_latest(samples_of(table, Stage::upload), filtered)
                              : 0;
    const double slower = std::max(median_of_latest(decode, decoded), filter);
    return slower > 0 ? std::optional(1 / slower) : std::nullopt;
}

EstimateText size_text_of(const ExportForecast& forecast,
                          const std::optional<MeasuredExport>& last) {
    if (last && last->bytes_per_frame > 0 && forecast.frames > 0) {
        const double bytes = last->bytes_per_frame * static_cast<double>(forecast.frames);
        return {fmt::format("Size: about {}", size_text(bytes)),
                "Based on the size per frame of the last export with these settings."};
    }
    if (!forecast.size) return {"Size: unknown", "The length of the input is unknown."};
    const std::string size = size_text(static_cast<double>(forecast.size->bytes));
    if (forecast.size->basis.starts_with("at most"))
        return {fmt::format("Size: at most {}", size), "The size of the uncompressed frames."};
    return {fmt::format("Size: about {}", size),
            "Estimated from the input's size, whatever the quality; the first export gives a "
            "better estimate."};
}

std::optional<double> export_seconds(const ExportForecast& forecast,
                                     const std::optional<MeasuredExport>& last,
                                     std::optional<double> filter_fps) {
    const std::optional<double> fps = last && last->fps > 0 ? last->fps : filter_fps;
    if (forecast.frames <= 0 || !fps) return std::nullopt;
    return static_cast<double>(forecast.frames) / *fps;
}

EstimateText time_text_of(const ExportForecast& forecast, const std::optional<MeasuredExport>& last,
                          std::optional<double> filter_fps) {
    const auto frames = static_cast<double>(forecast.frames);
    if (forecast.frames <= 0) return {"Time: unknown", "The number of frames is unknown."};
    if (last && last->fps > 0)
        return {fmt::format("Time: about {}", duration_words(frames / last->fps)),
                fmt::format("An export with these settings runs or ran at {:.1f} frames/s.",
                            last->fps)};
    if (filter_fps)
        return {fmt::format("Time: {} for the filters alone", duration_words(frames / *filter_fps)),
                fmt::format("Decoding and filters ran at {:.1f} frames/s in this window. The "
                            "encoder's speed is measured when the export starts.",
                            *filter_fps)};
    return {"Time: unknown", "Play some frames with these filters to measure their speed."};
}

std::string progress_words(const ExportStatus& status) {
    const BatchPace& pace = status.pace;
    std::string text = fmt::format("{}, {:.1f} frames/s", frames_text(pace.frames), pace.fps);
    if (pace.fraction && *pace.fraction >= 1) return text + ", verifying";
    if (pace.eta_seconds) text += fmt::format(", {} left", duration_words(*pace.eta_seconds));
    if (status.bytes < kLeastBytes) return text;
    const auto bytes = static_cast<double>(status.bytes);
    text += ", " + size_text(bytes);
    if (pace.fraction && *pace.fraction >= kLeastFraction && pace.frames >= kLeastFramesForSize)
        text += fmt::format(" of about {}", size_text(bytes / *pace.fraction));
    return text;
}

std::string duration_words(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(std::max(seconds, 0.0)));
    const long long hours = whole / 3600;
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace weft
