#include "app/viewer/view/frame_stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "app/viewer/view/ssim.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

constexpr int kMostRows = 540;

// One component of the picture, of which every row_step-th row is examined.
struct SampleGrid {
    ImageView plane;
    std::size_t channel = 0;
    int row_step = 1;
};

std::size_t channels_of(const ImageView& plane) {
    return static_cast<std::size_t>(plane.channels);
}

// Calls visit(row of samples); the k-th sample is row[k * channels].
template <class Sample, class Visit>
void visit_rows(const SampleGrid& s, const Visit& visit) {
    for (int y = 0; y < s.plane.height; y += s.row_step)
        visit(reinterpret_cast<const Sample*>(s.plane.row(y)) + s.channel);
}

// Calls visit(x, sample) with samples in their own type.
template <class Visit>
void visit_samples(const SampleGrid& s, const Visit& visit) {
    const auto each = [&](const auto* row) {
        const std::size_t channels = channels_of(s.plane);
        for (int x = 0; x < s.plane.width; ++x)
            visit(x, row[static_cast<std::size_t>(x) * channels]);
    };
    with_sample_type(s.plane.type, [&](auto sample) { visit_rows<decltype(sample)>(s, each); });
}

// Calls visit(component, plane number, channel) for each component.
template <class Visit>
void visit_components(const FrameInfo& info, const Visit& visit) {
    for (std::size_t p = 0; p < info.planes.size(); ++p)
        for (std::size_t c = 0; c < info.planes[p].components.size(); ++c)
            visit(info.planes[p].components[c], p, c);
}

// Maps a sample to one of kLevels levels.
class Levels {
 public:
    explicit Levels(const FrameInfo& info) : shift_(std::max(info.depth_bits - 8, 0)) {}

    std::size_t of(std::uint8_t sample) const { return sample; }
    std::size_t of(std::uint16_t sample) const {
        return std::min<std::size_t>(std::size_t{sample} >> static_cast<unsigned>(shift_),
                                     kLevels - 1);
    }
    std::size_t of(float sample) const {
        return static_cast<std::size_t>(std::clamp(sample * kLevels, 0.0F, kLevels - 1.0F));
    }

 private:
    int shift_;
};

template <class Sample>
bool is_number(Sample sample) {
    if constexpr (std::is_floating_point_v<Sample>)
        return !std::isnan(sample);
    else
        return true;
}

// Integers are summed as integers: exact, and several times faster.
template <class Sample>
using SumOf = std::conditional_t<std::is_floating_point_v<Sample>, double, std::uint64_t>;

template <class Sample>
void count_rows(const SampleGrid& s, const Levels& levels, ComponentHistogram& h) {
    Sample least = std::numeric_limits<Sample>::max();
    Sample most = std::numeric_limits<Sample>::lowest();
    SumOf<Sample> sum = 0;
    const std::size_t channels = channels_of(s.plane);
    visit_rows<Sample>(s, [&](const Sample* row) {
        const Sample* end = row + static_cast<std::size_t>(s.plane.width) * channels;
        for (; row != end; row += channels) {
            if (!is_number(*row)) continue;
            least = std::min(least, *row);
            most = std::max(most, *row);
            sum += *row;
            ++h.bins[levels.of(*row)];
        }
    });
    for (const std::uint32_t bin : h.bins) h.samples += bin;
    if (h.samples == 0) return;
    h.min = static_cast<double>(least);
    h.max = static_cast<double>(most);
    h.mean = static_cast<double>(sum) / static_cast<double>(h.samples);
}

ComponentHistogram histogram(const SampleGrid& s, const Levels& levels) {
    ComponentHistogram h;
    with_sample_type(s.plane.type,
                     [&](auto sample) { count_rows<decltype(sample)>(s, levels, h); });
    return h;
}

Waveform waveform(const SampleGrid& s, const Levels& levels, int columns) {
    const int width = s.plane.width;
    Waveform w;
    w.columns = std::clamp(columns, 1, std::max(width, 1));
    w.counts.resize(static_cast<std::size_t>(w.columns) * kLevels);
    std::vector<std::size_t> column_of(static_cast<std::size_t>(width));
    for (int x = 0; x < width; ++x)
        column_of[static_cast<std::size_t>(x)] =
            static_cast<std::size_t>(std::int64_t{x} * w.columns / width);
    const auto row = static_cast<std::size_t>(w.columns);
    visit_samples(s, [&](int x, auto sample) {
        if (is_number(sample))
            ++w.counts[levels.of(sample) * row + column_of[static_cast<std::size_t>(x)]];
    });
    return w;
}

// Distance between two samples, in a type whose sums of squares do not overflow.
template <class Sample>
SumOf<Sample> distance(Sample want, Sample got) {
    if constexpr (std::is_floating_point_v<Sample>) {
        const double apart = std::abs(static_cast<double>(want) - static_cast<double>(got));
        if (!std::isnan(apart)) return apart;
        const bool same = std::isnan(want) ? std::isnan(got) : want == got;  // both infinite
        return same ? 0 : std::numeric_limits<double>::infinity();
    } else {
        return want > got ? SumOf<Sample>{want} - got : SumOf<Sample>{got} - want;
    }
}

template <class Sample>
ComponentError error_of(const SampleGrid& want, const ImageView& got) {
    ComponentError error;
    SumOf<Sample> squares = 0;
    SumOf<Sample> largest = 0;
    std::int64_t count = 0;
    const std::size_t channels = channels_of(want.plane);
    for (int y = 0; y < want.plane.height; ++y) {
        const auto* a = reinterpret_cast<const Sample*>(want.plane.row(y)) + want.channel;
        const auto* b = reinterpret_cast<const Sample*>(got.row(y)) + want.channel;
        for (int x = 0; x < want.plane.width; ++x, a += channels, b += channels) {
            const SumOf<Sample> apart = distance(*a, *b);
            largest = std::max(largest, apart);
            squares += apart * apart;
        }
        count += want.plane.width;
    }
    error.largest = static_cast<double>(largest);
    if (count > 0) error.mean_squared = static_cast<double>(squares) / static_cast<double>(count);
    return error;
}

ComponentError error_of(const SampleGrid& want, const ImageView& got, double max_value) {
    ComponentError error = with_sample_type(
        want.plane.type, [&](auto sample) { return error_of<decltype(sample)>(want, got); });
    error.psnr_db = 10 * std::log10(max_value * max_value / error.mean_squared);
    return error;
}

}  // namespace

int sampled_row_step(const FrameInfo& info) {
    return std::max(1, (info.height + kMostRows - 1) / kMostRows);
}

std::vector<ComponentHistogram> histograms(std::span<const ImageView> planes, const FrameInfo& info,
                                           int row_step) {
    std::vector<ComponentHistogram> result;
    visit_components(info, [&](Component component, std::size_t plane, std::size_t channel) {
        result.push_back(histogram({planes[plane], channel, row_step}, Levels(info)));
        result.back().component = component;
    });
    return result;
}

std::vector<Waveform> waveforms(std::span<const ImageView> planes, const FrameInfo& info,
                                int columns, int row_step) {
    std::vector<Waveform> result;
    visit_components(info, [&](Component component, std::size_t plane, std::size_t channel) {
        result.push_back(waveform({planes[plane], channel, row_step}, Levels(info), columns));
        result.back().component = component;
    });
    return result;
}

std::array<ScaleMark, 5> scale_marks(const FrameInfo& info) {
    std::array<ScaleMark, 5> marks;
    const double most = info.max_value();
    // 64 and 128 of 8 bits are known numbers: integers have quarters of 2^bits.
    const double range = info.sample == SampleType::f32 ? 1 : most + 1;
    for (std::size_t k = 0; k < marks.size(); ++k) {
        const double value = std::min(range * static_cast<double>(k) / 4, most);
        marks[k] = {.place = value / most, .value = value};
    }
    return marks;
}

std::vector<std::uint8_t> log_brightness(std::span<const std::uint32_t> counts) {
    const auto largest = std::ranges::max_element(counts);
    const float most = largest == counts.end() ? 0 : std::log1p(static_cast<float>(*largest));
    std::vector<std::uint8_t> result(counts.size());
    if (most == 0) return result;
    std::ranges::transform(counts, result.begin(), [most](std::uint32_t count) {
        if (count == 0) return std::uint8_t{0};  // the common case; avoids the costly logarithm
        return static_cast<std::uint8_t>(
            std::lround(std::log1p(static_cast<float>(count)) / most * 255));
    });
    return result;
}

std::vector<ComponentError> picture_error(std::span<const ImageView> want,
                                          std::span<const ImageView> got, const FrameInfo& info) {
    std::vector<ComponentError> result;
    visit_components(info, [&](Component component, std::size_t plane, std::size_t channel) {
        const auto max_value = static_cast<double>(info.max_value());
        result.push_back(error_of(SampleGrid{want[plane], channel}, got[plane], max_value));
        result.back().component = component;
        result.back().ssim = mean_ssim(want[plane], got[plane], channel, max_value);
    });
    return result;
}

}  // namespace weft
