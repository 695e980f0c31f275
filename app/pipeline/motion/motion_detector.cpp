#include "app/pipeline/motion/motion_detector.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace weft {
namespace {

// Times of frames are multiples of a tick, whose conversion to seconds rounds.
constexpr double kTimeError = 1e-6;
// Between remembered frames.
constexpr double kApart = MotionDetector::kLagSeconds / 8 - kTimeError;
// The standard deviation of a normal distribution over its median absolute value.
constexpr float kSigmaPerMedian = 1.4826F;
// A residual may always have so many levels, because a picture without noise would otherwise fit
// only the pixels that are exactly the same.
constexpr float kLeastResidual = 1;

// Statistics are of about 8192 pixels. The step is odd, so that it meets all columns.
std::size_t sample_step(std::size_t pixels) {
    return (pixels / 8192) | 1U;
}

float median(std::vector<float>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

PixelRect united(const PixelRect& a, const PixelRect& b) {
    if (a.width == 0) return b;
    if (b.width == 0) return a;
    const int left = std::min(a.left, b.left);
    const int top = std::min(a.top, b.top);
    return {left, top, std::max(a.left + a.width, b.left + b.width) - left,
            std::max(a.top + a.height, b.top + b.height) - top};
}

// The box around all values above the threshold, and their number.
struct Above {
    PixelRect box;
    std::size_t pixels = 0;
};

Above above(const std::vector<float>& values, int width, int height, float threshold) {
    Above found;
    for (int y = 0; y < height; ++y) {
        const float* row = values.data() + static_cast<std::ptrdiff_t>(y) * width;
        const auto is_above = [&](float value) { return value > threshold; };
        const auto count = std::count_if(row, row + width, is_above);
        if (count == 0) continue;
        const auto first = static_cast<int>(std::find_if(row, row + width, is_above) - row);
        int last = width - 1;
        while (!is_above(row[last])) --last;
        found.box = united(found.box, {first, y, last - first + 1, 1});
        found.pixels += static_cast<std::size_t>(count);
    }
    return found;
}

}  // namespace

MotionPoint MotionDetector::add(const ImageView& luma, double seconds) {
    MotionPoint point{.seconds = seconds};
    if (!pictures_.empty()) {
        const std::size_t k = reference(seconds);
        point = measure(luma, seconds, pictures_[k]);
        follow(point, k + 1 < pictures_.size() ? pictures_[k + 1].seconds : seconds);
        pictures_.erase(pictures_.begin(), pictures_.begin() + static_cast<std::ptrdiff_t>(k));
    }
    remember(luma, seconds);
    ++frames_;
    last_seconds_ = seconds;
    return point;
}

// The newest picture that is old enough, or else the oldest.
std::size_t MotionDetector::reference(double seconds) const {
    std::size_t k = pictures_.size() - 1;
    while (k > 0 && seconds - pictures_[k].seconds < kLagSeconds - kTimeError) --k;
    return k;
}

void MotionDetector::remember(const ImageView& luma, double seconds) {
    if (!pictures_.empty() && seconds - pictures_.back().seconds < kApart) return;
    Picture picture{.seconds = seconds, .levels = {}};
    const auto width = static_cast<std::size_t>(luma.width);
    picture.levels.resize(width * static_cast<std::size_t>(luma.height));
    for (int y = 0; y < luma.height; ++y)
        std::memcpy(picture.levels.data() + static_cast<std::size_t>(y) * width, luma.row(y),
                    luma.row_bytes());
    pictures_.push_back(std::move(picture));
}

MotionPoint MotionDetector::measure(const ImageView& luma, double seconds, const Picture& before) {
    subtract(luma, before);
    const GlobalChange global = global_change(before);
    for (std::size_t k = 0; k < change_.size(); ++k) {
        const float g = global.a + global.b * before.levels[k];
        change_[k] -= std::clamp(change_[k], std::min(g, 0.0F), std::max(g, 0.0F));
    }
    smooth(luma.width, luma.height);
    const float threshold = std::max(static_cast<float>(options_.threshold_levels),
                                     static_cast<float>(kNoiseFactor) * noise(seconds));
    const Above found = above(smooth_, luma.width, luma.height, threshold);
    return {.seconds = seconds,
            .area = static_cast<double>(found.pixels) / static_cast<double>(smooth_.size()),
            .box = found.box};
}

void MotionDetector::subtract(const ImageView& luma, const Picture& before) {
    change_.resize(before.levels.size());
    const auto width = static_cast<std::size_t>(luma.width);
    for (int y = 0; y < luma.height; ++y) {
        const auto* now = reinterpret_cast<const float*>(luma.row(y));
        const float* then = before.levels.data() + static_cast<std::size_t>(y) * width;
        float* out = change_.data() + static_cast<std::size_t>(y) * width;
        for (std::size_t x = 0; x < width; ++x) out[x] = now[x] - then[x];
    }
}

MotionDetector::GlobalChange MotionDetector::global_change(const Picture& before) {
    before_sample_.clear();
    change_sample_.clear();
    for (std::size_t k = 0; k < change_.size(); k += sample_step(change_.size())) {
        before_sample_.push_back(before.levels[k]);
        change_sample_.push_back(change_[k]);
    }
    sorted_ = change_sample_;
    GlobalChange global{.a = median(sorted_)};
    const auto residual = [&](std::size_t k) {
        return std::fabs(change_sample_[k] - global.a - global.b * before_sample_[k]);
    };
    for (int round = 0; round < 4; ++round) {
        for (std::size_t k = 0; k < sorted_.size(); ++k) sorted_[k] = residual(k);
        const float most = std::max(3 * kSigmaPerMedian * median(sorted_), kLeastResidual);
        double n = 0, x = 0, y = 0, xx = 0, xy = 0;
        for (std::size_t k = 0; k < change_sample_.size(); ++k) {
            if (residual(k) > most) continue;
            const double level = before_sample_[k];
            n += 1;
            x += level;
            y += change_sample_[k];
            xx += level * level;
            xy += level * change_sample_[k];
        }
        if (n == 0) break;
        const double variance = xx / n - x / n * (x / n);
        // A flat picture has no slope.
        const double b = variance > 1 ? (xy / n - x / n * (y / n)) / variance : 0;
        global = {.a = static_cast<float>(y / n - b * (x / n)), .b = static_cast<float>(b)};
    }
    return global;
}

void MotionDetector::smooth(int width, int height) {
    rows_.resize(change_.size());
    smooth_.resize(change_.size());
    for (int y = 0; y < height; ++y) {
        const float* in = change_.data() + static_cast<std::ptrdiff_t>(y) * width;
        float* out = rows_.data() + static_cast<std::ptrdiff_t>(y) * width;
        for (int x = 1; x + 1 < width; ++x) out[x] = in[x - 1] + in[x] + in[x + 1];
        out[0] = 2 * in[0] + in[std::min(1, width - 1)];
        if (width > 1) out[width - 1] = 2 * in[width - 1] + in[width - 2];
    }
    for (int y = 0; y < height; ++y) {
        const auto row = [&](int k) {
            return rows_.data() + static_cast<std::ptrdiff_t>(std::clamp(k, 0, height - 1)) * width;
        };
        const float* up = row(y - 1);
        const float* in = row(y);
        const float* down = row(y + 1);
        float* out = smooth_.data() + static_cast<std::ptrdiff_t>(y) * width;
        for (int x = 0; x < width; ++x) out[x] = std::fabs(up[x] + in[x] + down[x]) / 9;
    }
}

float MotionDetector::noise(double seconds) {
    sorted_.clear();
    for (std::size_t k = 0; k < smooth_.size(); k += sample_step(smooth_.size()))
        sorted_.push_back(smooth_[k]);
    const float sigma = kSigmaPerMedian * median(sorted_);
    if (noises_.empty() || seconds - noises_.back().seconds >= kApart)
        noises_.push_back({seconds, sigma});
    while (seconds - noises_.front().seconds > kNoiseSeconds) noises_.pop_front();
    sorted_.clear();
    for (const Noise& noise : noises_) sorted_.push_back(noise.sigma);
    const auto quartile = sorted_.begin() + static_cast<std::ptrdiff_t>(sorted_.size() / 4);
    std::ranges::nth_element(sorted_, quartile);
    return std::min(sigma, 2 * *quartile);
}

void MotionDetector::follow(const MotionPoint& point, double still_since) {
    if (point.area <= options_.area_share) {
        if (motion_ && point.seconds - motion_->last_active > kPauseSeconds) close();
        return;
    }
    if (!motion_) {
        const bool since_first = frames_ == 1 && point.seconds - last_seconds_ <= kLagSeconds;
        const double begin = since_first ? last_seconds_ : point.seconds;
        motion_ = Motion{.event = {.begin = begin, .end = begin}};
    }
    MotionEvent& event = motion_->event;
    motion_->last_active = point.seconds;
    event.end = std::max(event.end, still_since);
    event.box = united(event.box, point.box);
    if (point.area > event.area) {
        event.area = point.area;
        event.peak = point.seconds;
    }
}

void MotionDetector::finish(double end_seconds) {
    if (!motion_) return;
    MotionEvent& event = motion_->event;
    // A motion that lasted longer than a cut until the last frame has not ended before it.
    const bool until_last = motion_->last_active == last_seconds_ && event.end > event.begin;
    if (until_last && end_seconds - last_seconds_ <= kLagSeconds)
        event.end = std::max(event.end, end_seconds);
    close();
}

void MotionDetector::close() {
    events_ = events();
    motion_.reset();
}

std::vector<MotionEvent> MotionDetector::events() const {
    std::vector<MotionEvent> events = events_;
    if (!motion_) return events;
    const MotionEvent& last = motion_->event;
    if (last.end - last.begin < options_.min_length_seconds - kTimeError) return events;
    if (events.empty() || last.begin - events.back().end > kGapSeconds + kTimeError) {
        events.push_back(last);
        return events;
    }
    MotionEvent& joined = events.back();
    joined.end = std::max(joined.end, last.end);
    joined.box = united(joined.box, last.box);
    if (last.area > joined.area) {
        joined.area = last.area;
        joined.peak = last.peak;
    }
    return events;
}

}  // namespace weft
