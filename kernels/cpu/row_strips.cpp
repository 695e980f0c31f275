#include "kernels/cpu/row_strips.h"

#include <atomic>
#include <cstring>

#include "kernels/common/conv_layout.h"
#include "kernels/common/quotient.h"
#include "kernels/device/parallel_slots.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

// Strips per thread: the last ones end together although the threads are not equally fast.
constexpr int kStripsOfThread = 4;

std::vector<int> beyond(const ConvProblem& p, int first_pixel, int pixels) {
    std::vector<int> samples;
    for (int k = 0; k < pixels; ++k) {
        const int source = border_source(first_pixel + k, p.width, p.border.x);
        for (int c = 0; c < p.channels; ++c)
            samples.push_back(source < 0 ? source : source * p.channels + c);
    }
    return samples;
}

// A copy with kSlack bytes in each row.
struct ShortRows {
    std::vector<std::byte> bytes;
    ImageView view;

    explicit ShortRows(const ImageView& like)
        : bytes(static_cast<std::size_t>(like.height) * RowStrips::kSlack * 4), view(like) {
        view.data = bytes.data();
        view.pitch_bytes = RowStrips::kSlack * 4;
    }
};

void copy_rows(const ImageView& from, const ImageView& to) {
    for (int y = 0; y < from.height; ++y) std::memcpy(to.row(y), from.row(y), from.row_bytes());
}

}  // namespace

void with_slack(const ImageView& src, const ImageView& dst,
                const std::function<void(const ImageView& src, const ImageView& dst)>& filter) {
    if (src.row_bytes() >= RowStrips::kSlack * bytes_per_sample(src.type)) return filter(src, dst);
    const ShortRows in(src);
    const ShortRows out(dst);
    copy_rows(src, in.view);
    filter(in.view, out.view);
    ImageView result = out.view;
    result.width = dst.width;
    copy_rows(result, dst);
}

RowStrips::RowStrips(const ConvProblem& p, const Device& device, int unit, int lead)
    : height_(p.height), samples_(p.width * p.channels), border_(p.border.y) {
    const Taps& t = p.taps();
    left_ = beyond(p, -t.anchor_x, t.anchor_x);
    right_ = beyond(p, p.width, t.width - 1 - t.anchor_x);
    const double samples = static_cast<double>(samples_) * p.height;
    const double work = samples * (t.separable() ? t.width + t.height : t.width * t.height);
    const int cores = std::max(1, device.multiprocessors);
    slots_ = std::clamp(static_cast<int>(work / kWorkOfThread), 1, cores);
    // A strip is at least four times its lead, which then costs at most a fifth of the time. All
    // threads have equally many.
    const int most = height_ / (slots_ * 4 * std::max(lead, 1));
    const int strips = slots_ == 1 ? 1 : slots_ * std::clamp(most, 1, kStripsOfThread);
    strip_rows_ = ceil_div(ceil_div(height_, strips), unit) * unit;
    slots_ = std::min(slots_, ceil_div(height_, strip_rows_));
    lost_rows_.resize(slots_);
    for (std::vector<std::byte>& row : lost_rows_)
        row.resize((samples_ + kSlack) * bytes_per_sample(p.type));
    if (border_ != Border::constant) return;
    with_sample_type(p.type, [&](auto zero) {
        const auto value = static_cast<decltype(zero)>(p.border_value);
        border_row_.resize((samples_ + kSlack) * sizeof value);
        auto* const row = reinterpret_cast<decltype(zero)*>(border_row_.data());
        std::fill(row, row + samples_ + kSlack, value);
    });
}

const std::byte* RowStrips::input_row(const ImageView& image, int y) const {
    if (y >= 0 && y < height_) return image.row(y);
    const int source = border_source(y, height_, border_);
    return source < 0 ? border_row_.data() : image.row(source);
}

void RowStrips::run(const ImageView& src, const ImageView& dst,
                    const std::function<void(int slot, const Strip& strip)>& filter) {
    with_slack(src, dst,
               [&](const ImageView& in, const ImageView& out) { run_strips(in, out, filter); });
}

void RowStrips::run_strips(const ImageView& src, const ImageView& dst,
                           const std::function<void(int slot, const Strip& strip)>& filter) {
    std::atomic<int> next = 0;
    parallel_slots(slots_, [&](int slot) {
        for (int y = next.fetch_add(strip_rows_); y < height_; y = next.fetch_add(strip_rows_)) {
            Strip strip;
            strip.begin = y;
            strip.end = std::min(y + strip_rows_, height_);
            strip.strips_ = this;
            strip.image_ = src;
            strip.output_ = dst;
            strip.lost_row_ = lost_rows_[slot].data();
            filter(slot, strip);
        }
    });
}

}  // namespace weft
