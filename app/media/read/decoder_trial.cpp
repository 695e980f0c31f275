#include "app/media/read/decoder_trial.h"

#include <fmt/format.h>

namespace weft {

void DecoderTrial::worked(double busy, double wall, int pictures) {
    if (over()) return;
    Part& now = part();
    const int start = phase_ == Phase::gpu ? terms_.gpu_start : terms_.software_start;
    if (now.seen >= start) {
        now.pictures += pictures;
        now.busy += busy;
        now.wall += wall;
    }
    now.seen += pictures;
}

DecoderTrial::Who DecoderTrial::at_key() {
    if (!over() && part().pictures >= terms_.pictures) {
        if (phase_ == Phase::gpu)
            judge_gpu();
        else
            judge_software();
    }
    return who_;
}

// If something else is the bottleneck, software would only take cores away from it.
void DecoderTrial::judge_gpu() {
    const bool bounds = gpu_.busy >= kBusy * gpu_.wall;
    phase_ = bounds ? Phase::software : Phase::over;
    if (bounds) who_ = Who::software;
}

void DecoderTrial::judge_software() {
    phase_ = Phase::over;
    const bool faster = software_.per_picture() <= kFaster * gpu_.per_picture();
    who_ = faster ? Who::software : Who::gpu;
}

std::string DecoderTrial::text() const {
    if (!over() || software_.pictures == 0) return "";
    return fmt::format("GPU {:.0f}, software {:.0f} frames/s", 1 / gpu_.per_picture(),
                       1 / software_.per_picture());
}

}  // namespace weft
