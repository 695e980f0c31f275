#include "app/pipeline/progress_meter.h"

#include <algorithm>

namespace weft {

void ProgressMeter::update(std::size_t file, const FileProgress& progress) {
    files_[file].progress = progress;
    files_[file].started = true;
}

void ProgressMeter::finish(std::size_t file) {
    files_[file].done = true;
}

std::optional<double> ProgressMeter::fraction() const {
    double sum = 0;
    for (const File& file : files_) {
        const auto& [frames, estimated, seconds] = file.progress;
        if (file.done)
            sum += 1;
        else if (file.started && estimated <= 0)
            return std::nullopt;
        else if (file.started)
            sum += std::min(1.0, static_cast<double>(frames) / static_cast<double>(estimated));
    }
    return files_.empty() ? 1.0 : sum / static_cast<double>(files_.size());
}

BatchPace ProgressMeter::pace(double elapsed_seconds) const {
    BatchPace pace;
    double media_seconds = 0;
    for (const File& file : files_) {
        pace.files_done += file.done ? 1 : 0;
        pace.frames += file.progress.frames;
        media_seconds += file.progress.media_seconds;
    }
    if (elapsed_seconds > 0) {
        pace.fps = static_cast<double>(pace.frames) / elapsed_seconds;
        pace.speed = media_seconds / elapsed_seconds;
    }
    pace.fraction = fraction();
    if (pace.fraction && *pace.fraction > 0)
        pace.eta_seconds = elapsed_seconds * (1 - *pace.fraction) / *pace.fraction;
    return pace;
}

}  // namespace weft
