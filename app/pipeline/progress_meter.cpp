#include "app/pipeline/progress_meter.h"

#include <algorithm>

namespace weft {
namespace {

double ratio(std::int64_t part, std::int64_t whole) {
    return whole <= 0 ? 0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
}

std::int64_t taken_over(const FileProgress& progress) {
    return std::min(progress.frames, progress.frames_stored);
}

// Frames taken over are read, not filtered.
double share_worked(const FileProgress& progress) {
    return 1 - ratio(taken_over(progress), progress.frames);
}

}  // namespace

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
        if (file.done)
            sum += 1;
        else if (file.started && file.progress.frames_estimated <= 0)
            return std::nullopt;
        else if (file.started)
            sum += ratio(file.progress.frames, file.progress.frames_estimated);
    }
    return files_.empty() ? 1.0 : sum / static_cast<double>(files_.size());
}

double ProgressMeter::fraction_taken_over() const {
    double sum = 0;
    for (const File& file : files_) {
        const FileProgress& progress = file.progress;
        sum += ratio(taken_over(progress), file.done ? progress.frames : progress.frames_estimated);
    }
    return files_.empty() ? 0 : sum / static_cast<double>(files_.size());
}

BatchPace ProgressMeter::pace(double elapsed_seconds) const {
    BatchPace pace;
    double frames = 0;
    double media_seconds = 0;
    for (const File& file : files_) {
        const double worked = share_worked(file.progress);
        pace.files_done += file.done ? 1 : 0;
        pace.frames += file.progress.frames;
        frames += static_cast<double>(file.progress.frames) * worked;
        media_seconds += file.progress.media_seconds * worked;
    }
    if (elapsed_seconds > 0) {
        pace.fps = frames / elapsed_seconds;
        pace.speed = media_seconds / elapsed_seconds;
    }
    pace.fraction = fraction();
    const double worked = pace.fraction.value_or(0) - fraction_taken_over();
    if (pace.fraction && worked > 0)
        pace.eta_seconds = elapsed_seconds * (1 - *pace.fraction) / worked;
    return pace;
}

}  // namespace weft
