#include "app/pipeline/stack/mask_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <deque>
#include <optional>
#include <utility>

#include "app/media/picture/frame.h"
#include "app/media/picture/frame_format.h"

namespace weft {
namespace {

constexpr std::int64_t kFull = 65'535;

// dividend / divisor, which is 0 to 65,535.
std::uint16_t divided_half_even(std::int64_t dividend, std::int64_t divisor) {
    // Misses the quotient by less than 1; a division of doubles takes a third of the time of one of
    // whole numbers.
    auto quotient =
        static_cast<std::int64_t>(static_cast<double>(dividend) / static_cast<double>(divisor));
    std::int64_t rest = dividend - quotient * divisor;
    if (rest < 0) {
        --quotient;
        rest += divisor;
    }
    const std::int64_t missing = divisor - rest;
    const bool up = rest > missing || (rest == missing && quotient % 2 == 1);
    return static_cast<std::uint16_t>(quotient + (up ? 1 : 0));
}

using NumberRow = std::vector<std::int64_t>;

// One component of a frame.
class ComponentReader {
 public:
    ComponentReader(const ImageView& plane, std::size_t channel)
        : plane_(plane), channel_(channel) {}

    // Sets the row's numbers, as many as it has, to the samples of line y.
    void read(int y, NumberRow& row) const {
        switch (plane_.type) {
            case PixelType::u8:
                return read_as<std::uint8_t>(y, row);
            case PixelType::u16:
                return read_as<std::uint16_t>(y, row);
            case PixelType::f32:
                return read_as<float>(y, row);
        }
    }

 private:
    static std::int64_t whole(std::integral auto sample) { return sample; }
    static std::int64_t whole(float sample) {
        return sample > 0 ? std::llrint(std::min(static_cast<double>(sample), 1.0) * kFull) : 0;
    }

    template <class Sample>
    void read_as(int y, NumberRow& row) const {
        const auto* const samples = reinterpret_cast<const Sample*>(plane_.row(y)) + channel_;
        const auto step = static_cast<std::size_t>(plane_.channels);
        for (std::size_t x = 0; x < row.size(); ++x) row[x] = whole(samples[x * step]);
    }

    ImageView plane_;
    std::size_t channel_;
};

// In ten thousandths, of R, G and B.
std::array<std::int64_t, 3> luma_coefficients(ColorMatrix matrix) {
    switch (matrix) {
        case ColorMatrix::bt601:
            return {2990, 5870, 1140};
        case ColorMatrix::bt2020:
            return {2627, 6780, 593};
        case ColorMatrix::unspecified:
        case ColorMatrix::bt709:
            break;
    }
    return {2126, 7152, 722};
}

// A frame's luma times its alpha, as fractions of whole numbers.
class LumaReader {
 public:
    explicit LumaReader(const AVFrame& frame)
        : info_(frame_info(frame, 0)), planes_(plane_views(frame)) {
        const std::int64_t max =
            info_.sample == SampleType::f32 ? kFull : (std::int64_t{1} << info_.depth_bits) - 1;
        if (info_.is_rgb()) {
            const auto [r, g, b] = luma_coefficients(luma_matrix(info_));
            parts_ = {{component(Component::r), r},
                      {component(Component::g), g},
                      {component(Component::b), b}};
            white_ = 10'000 * max;
        } else {
            const bool full = is_full_range(frame);
            const std::int64_t step = (max + 1) / 256;
            parts_ = {{component(Component::y), 1}};
            black_ = full ? 0 : 16 * step;
            white_ = full ? max : 219 * step;
        }
        if (has(Component::a)) {
            alpha_ = component(Component::a);
            opaque_ = max;
        }
    }

    // The weight of a white and opaque pixel.
    std::int64_t one() const { return white_ * opaque_; }

    // Sets `row` to the numbers of line y, 0 to one().
    void read(int y, NumberRow& row) {
        samples_.resize(row.size());
        std::ranges::fill(row, -black_);
        for (const Part& part : parts_) {
            part.reader.read(y, samples_);
            for (std::size_t x = 0; x < row.size(); ++x) row[x] += part.factor * samples_[x];
        }
        for (std::int64_t& number : row) number = std::clamp<std::int64_t>(number, 0, white_);
        if (!alpha_) return;
        alpha_->read(y, samples_);
        for (std::size_t x = 0; x < row.size(); ++x) row[x] *= samples_[x];
    }

 private:
    struct Part {
        ComponentReader reader;
        std::int64_t factor;
    };

    bool has(Component wanted) const {
        return std::ranges::any_of(info_.planes, [&](const PlaneInfo& plane) {
            return std::ranges::count(plane.components, wanted) > 0;
        });
    }
    ComponentReader component(Component wanted) const {
        for (std::size_t p = 0;; ++p) {
            const std::vector<Component>& all = info_.planes.at(p).components;
            const auto found = std::ranges::find(all, wanted);
            if (found != all.end())
                return {planes_[p], static_cast<std::size_t>(found - all.begin())};
        }
    }

    FrameInfo info_;
    PlaneViews planes_;
    std::vector<Part> parts_;
    std::optional<ComponentReader> alpha_;
    std::int64_t black_ = 0;
    std::int64_t white_ = 0;
    std::int64_t opaque_ = 1;
    NumberRow samples_;
};

// The whole factors of the mask's pixels for each pixel of a scaled side.
struct ScaledPixel {
    int first = 0;  // pixel of the mask
    std::vector<std::int64_t> factors;
    std::int64_t sum = 0;
};

// In units of 1 / (2 * width) of the mask's pixels, pixel i of the mask is at width * (2 i + 1) and
// pixel x of the result at side * (2 x + 1).
std::vector<ScaledPixel> scaled_side(int side, int result) {
    const std::int64_t from = side;
    const std::int64_t to = result;
    const std::int64_t reach = 2 * std::max(from, to);
    std::vector<ScaledPixel> pixels(static_cast<std::size_t>(result));
    for (std::int64_t x = 0; x < to; ++x) {
        ScaledPixel& pixel = pixels[static_cast<std::size_t>(x)];
        const std::int64_t centre = from * (2 * x + 1);
        const std::int64_t first = std::max<std::int64_t>((centre - reach - to) / (2 * to), 0);
        for (std::int64_t i = first; i < from && to * (2 * i + 1) < centre + reach; ++i) {
            const std::int64_t factor = reach - std::abs(to * (2 * i + 1) - centre);
            if (factor <= 0) continue;
            if (pixel.factors.empty()) pixel.first = static_cast<int>(i);
            pixel.factors.push_back(factor);
            pixel.sum += factor;
        }
    }
    return pixels;
}

NumberRow scaled_row(const MaskWeights& mask, int y, const std::vector<ScaledPixel>& columns) {
    const std::uint16_t* const row =
        &mask.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(mask.width)];
    NumberRow sums(columns.size());
    for (std::size_t x = 0; x < columns.size(); ++x) {
        const ScaledPixel& column = columns[x];
        for (std::size_t k = 0; k < column.factors.size(); ++k)
            sums[x] += column.factors[k] * row[static_cast<std::size_t>(column.first) + k];
    }
    return sums;
}

}  // namespace

MaskWeights mask_weights(const AVFrame& frame) {
    LumaReader luma(frame);
    // Up to 65,536 numbers are divided once and not per pixel.
    std::vector<std::uint16_t> weights(luma.one() <= kFull ? luma.one() + 1 : 0);
    for (std::size_t number = 0; number < weights.size(); ++number)
        weights[number] = divided_half_even(static_cast<std::int64_t>(number) * kFull, luma.one());
    MaskWeights mask{.width = frame.width, .height = frame.height, .values = {}};
    NumberRow row(static_cast<std::size_t>(frame.width));
    mask.values.resize(row.size() * static_cast<std::size_t>(frame.height));
    auto value = mask.values.begin();
    for (int y = 0; y < frame.height; ++y) {
        luma.read(y, row);
        for (const std::int64_t number : row)
            *value++ = weights.empty() ? divided_half_even(number * kFull, luma.one())
                                       : weights[static_cast<std::size_t>(number)];
    }
    return mask;
}

MaskWeights turned(MaskWeights mask, int clockwise_degrees) {
    if (clockwise_degrees == 0) return mask;
    const bool transposes = clockwise_degrees != 180;
    MaskWeights result{.width = transposes ? mask.height : mask.width,
                       .height = transposes ? mask.width : mask.height,
                       .values = {}};
    result.values.reserve(mask.values.size());
    for (int y = 0; y < result.height; ++y)
        for (int x = 0; x < result.width; ++x) {
            const int from_x = clockwise_degrees == 90    ? y
                               : clockwise_degrees == 180 ? mask.width - 1 - x
                                                          : mask.width - 1 - y;
            const int from_y = clockwise_degrees == 90    ? mask.height - 1 - x
                               : clockwise_degrees == 180 ? mask.height - 1 - y
                                                          : x;
            result.values.push_back(mask.values[static_cast<std::size_t>(from_y) *
                                                    static_cast<std::size_t>(mask.width) +
                                                static_cast<std::size_t>(from_x)]);
        }
    return result;
}

MaskWeights scaled(MaskWeights mask, int width, int height) {
    if (mask.width == width && mask.height == height) return mask;
    const std::vector<ScaledPixel> columns = scaled_side(mask.width, width);
    MaskWeights result{.width = width, .height = height, .values = {}};
    result.values.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    auto value = result.values.begin();
    std::deque<NumberRow> rows;  // those of the mask from `first` on
    int first = 0;
    for (const ScaledPixel& line : scaled_side(mask.height, height)) {
        for (; first < line.first; ++first)
            if (!rows.empty()) rows.pop_front();
        while (rows.size() < line.factors.size())
            rows.push_back(scaled_row(mask, first + static_cast<int>(rows.size()), columns));
        NumberRow sums(columns.size());
        for (std::size_t k = 0; k < line.factors.size(); ++k)
            for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += line.factors[k] * rows[k][x];
        for (std::size_t x = 0; x < sums.size(); ++x)
            *value++ = divided_half_even(sums[x], columns[x].sum * line.sum);
    }
    return result;
}

}  // namespace weft
