#include "app/pipeline/motion/luma_shrinker.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft {
namespace {

int parts(int length, int factor) {
    return (length + factor - 1) / factor;
}

// The smallest factor that leaves at most kMostPixels. Sums of 8-bit columns fit 16 bits up to 257.
int factor_for(const PixelRect& part) {
    int factor = 1;
    while (static_cast<std::int64_t>(parts(part.width, factor)) * parts(part.height, factor) >
           LumaShrinker::kMostPixels)
        ++factor;
    return factor;
}

float weight_of(Component component) {
    switch (component) {
        case Component::y:
            return 1;
        case Component::r:
            return 0.2126F;
        case Component::g:
            return 0.7152F;
        case Component::b:
            return 0.0722F;
        case Component::u:
        case Component::v:
        case Component::a:
            return 0;
    }
    return 0;
}

}  // namespace

PixelRect turned(PixelRect rect, int width, int height, int degrees) {
    for (; degrees > 0; degrees -= 90) {
        rect = {height - rect.top - rect.height, rect.left, rect.height, rect.width};
        std::swap(width, height);
    }
    return rect;
}

LumaShrinker::LumaShrinker(const FrameInfo& info, PixelRect part)
    : part_(part),
      factor_(factor_for(part)),
      width_(parts(part.width, factor_)),
      height_(parts(part.height, factor_)),
      levels_per_step_(255 / info.max_value()),
      out_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {
    for (std::size_t p = 0; p < info.planes.size(); ++p)
        for (std::size_t c = 0; c < info.planes[p].components.size(); ++c)
            if (const float weight = weight_of(info.planes[p].components[c]); weight > 0)
                sources_.push_back({static_cast<int>(p), static_cast<int>(c), weight});
}

template <class Sample, class Sum>
void LumaShrinker::add(const ImageView& plane, const Source& source, std::vector<Sum>& sums) {
    const int channels = plane.channels;
    const auto samples = static_cast<std::size_t>(part_.width) * channels;
    for (int y = 0; y < height_; ++y) {
        const int begin = y * factor_;
        const int end = std::min(begin + factor_, part_.height);
        sums.assign(samples, Sum{});
        for (int row = begin; row < end; ++row) {
            const auto* in = reinterpret_cast<const Sample*>(plane.row(part_.top + row)) +
                             static_cast<std::ptrdiff_t>(part_.left) * channels;
            for (std::size_t k = 0; k < samples; ++k) sums[k] = static_cast<Sum>(sums[k] + in[k]);
        }
        float* out = out_.data() + static_cast<std::ptrdiff_t>(y) * width_;
        for (int x = 0; x < width_; ++x) {
            const int left = x * factor_;
            const int right = std::min(left + factor_, part_.width);
            float sum = 0;
            for (int k = left; k < right; ++k)
                sum += static_cast<float>(sums[k * channels + source.channel]);
            const auto pixels = static_cast<float>((right - left) * (end - begin));
            const float mean = sum * levels_per_step_ / pixels;
            if (std::isfinite(mean)) out[x] += source.weight * mean;
        }
    }
}

ImageView LumaShrinker::shrink(const PlaneViews& planes) {
    std::ranges::fill(out_, 0.0F);
    for (const Source& source : sources_) {
        const ImageView& plane = planes[source.plane];
        switch (plane.type) {
            case PixelType::u8:
                add<std::uint8_t>(plane, source, sums_u8_);
                break;
            case PixelType::u16:
                add<std::uint16_t>(plane, source, sums_u16_);
                break;
            case PixelType::f32:
                add<float>(plane, source, sums_f32_);
                break;
        }
    }
    return {.data = out_.data(),
            .width = width_,
            .height = height_,
            .pitch_bytes = static_cast<std::ptrdiff_t>(sizeof(float)) * width_,
            .type = PixelType::f32};
}

}  // namespace weft
