// Size and time of an export, before it starts and while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/latest_task.h"
#include "app/pipeline/size_estimate.h"
#include "app/viewer/export/export_queue.h"
#include "app/viewer/play/stage_times.h"

namespace weft {

// The plan of an export, from the first frame; nothing is written.
struct ExportForecast {
    std::int64_t frames = 0;                 // in the exported part; 0: unknown
    std::optional<SizeEstimate> size = {};   // nothing: unknown
    std::vector<std::string> warnings = {};  // losses: "the output stores no chapters"
    bool lossless = false;                   // the encoder loses nothing
    std::string shortage = {};               // the disk has less free space than the size
    std::string problem = {};                // why it would fail; the rest is then unknown
    // The segments of an interrupted export of this name, if ExportRequest::interrupted is set.
    std::optional<KeptSegments> kept = {};
};

// Blocks: opens the input and the encoder. Never throws.
ExportForecast forecast_of(const ExportRequest& request);

// Makes forecasts in its own thread, one at a time, the newest request only. Call it from one
// thread, the window's. The destructor waits for the forecast that is being made.
class ExportPlanner {
 public:
    // `changed` is called from the thread after each forecast, to wake the window.
    ExportPlanner(Device device, std::function<void()> changed);

    // Returns immediately. Equal requests are planned once, others once they are kSettle old.
    void want(const ExportRequest& request);
    // For the last wanted request; nothing while it is made.
    std::optional<ExportForecast> forecast() const;
    // libav's names of the encoders that the device runs; none before the first forecast.
    std::vector<std::string> gpu_encoders() const;

    static constexpr std::chrono::milliseconds kSettle{200};

 private:
    struct Plan {
        std::optional<ExportForecast> forecast;
        std::optional<std::vector<std::string>> gpu_encoders;  // looked for once
    };
    void plan(const ExportRequest& request, const std::stop_token& superseded);

    Device device_;
    std::string key_;  // identifies the last wanted request
    LatestTask<ExportRequest, Plan> task_;
};

// Speed of decoding and filtering alone, from the frames prepared for the screen.
class FilterPace {
 public:
    // Forgets the frames so far: the input or the stack has changed. Without `filters` frames have
    // no times of kernels.
    void restart(const StageTimes& times, bool filters);
    // Frames per second; nothing before enough frames were seen.
    std::optional<double> fps(const StageTimes& times) const;

 private:
    struct Counts {
        std::int64_t decode = 0;
        std::int64_t kernels = 0;
    };

    Counts before_;
    bool filters_ = false;
};

// A line, and where its number comes from, for a tooltip.
struct EstimateText {
    std::string words;
    std::string basis = {};

    bool operator==(const EstimateText&) const = default;
};

// "Size: about 1.2 MB", "Size: at most 90 MB", "Size: unknown". Exports that were measured give the
// size of their frames.
EstimateText size_text_of(const ExportForecast& forecast,
                          const std::optional<MeasuredExport>& last);

// The expected time, or a lower limit if only the speed of decoding and filtering is known.
std::optional<double> export_seconds(const ExportForecast& forecast,
                                     const std::optional<MeasuredExport>& last,
                                     std::optional<double> filter_fps);
// From here on, an interruption costs more than keeping finished parts.
inline constexpr double kLongExportSeconds = 120;

// "Time: about 0:42", "Time: 0:12 for the filters alone", "Time: unknown".
// `filter_fps`: FilterPace.
EstimateText time_text_of(const ExportForecast& forecast, const std::optional<MeasuredExport>& last,
                          std::optional<double> filter_fps);

// "120 frames, 24.3 frames/s, 0:10 left, 1.2 MB of about 5.1 MB", "…, verifying".
std::string progress_words(const ExportStatus& status);

// "0:42", "1:02:03"
std::string duration_words(double seconds);

}  // namespace weft
