#include "kernels/pixels/sample_means.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "kernels/pixels/sample_means_backend.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

int floor_quotient(int a, int b) {
    return a / b - static_cast<int>(a % b < 0);
}

int ceil_quotient(int a, int b) {
    return -floor_quotient(-a, b);
}

bool alike(const ImageView& a, const ImageView& b) {
    return a.width == b.width && a.height == b.height && a.channels == b.channels &&
           a.type == b.type && a.space == b.space;
}

void check(const MeanPart& part, const MeanPart& first) {
    if (!alike(part.src, part.dst)) throw std::invalid_argument("means: images differ");
    if (part.dst.type != first.dst.type || part.dst.space != first.dst.space)
        throw std::invalid_argument("means: parts differ in their samples or their memory");
    const ImageView& edge = part.edge;
    if (edge.data == nullptr) return;
    if (edge.width != around(part.src.width, part.src.height) || edge.height != 1 ||
        edge.channels != 1 || edge.type != PixelType::u16 || edge.space != part.src.space)
        throw std::invalid_argument("means: the selection does not fit the samples around a part");
}

// The sums of one channel, see take_means().
template <class Sample>
class Mean {
 public:
    // The `number`-th sample; some may be left out.
    void add(std::size_t number, Sample sample) {
        sums_[number % kSums] += sample;
        ++count_;
    }

    std::uint64_t count() const { return count_; }

    // Of at least one sample.
    Sample value() {
        if constexpr (std::is_same_v<Sample, float>) {
            for (std::size_t half = kSums / 2; half > 0; half /= 2)
                for (std::size_t k = 0; k < half; ++k) sums_[k] += sums_[k + half];
            return static_cast<float>(sums_[0] / static_cast<double>(count_));
        } else {
            const std::uint64_t mean = sums_[0] / count_;
            const std::uint64_t twice = 2 * (sums_[0] % count_);
            const bool up = twice > count_ || (twice == count_ && mean % 2 == 1);
            return static_cast<Sample>(mean + static_cast<std::uint64_t>(up));
        }
    }

 private:
    static constexpr std::size_t kSums = std::is_same_v<Sample, float> ? 32 : 1;
    using Sum = std::conditional_t<std::is_same_v<Sample, float>, double, std::uint64_t>;

    std::array<Sum, kSums> sums_{};
    std::uint64_t count_ = 0;
};

template <class Sample>
Sample finished(float value) {
    if constexpr (std::is_same_v<Sample, float>) {
        return value;
    } else {
        const auto most = static_cast<float>(std::numeric_limits<Sample>::max());
        return static_cast<Sample>(std::nearbyint(std::clamp(value, 0.0F, most)));
    }
}

template <class Sample>
Sample* row_of(const ImageView& view, int y) {
    return reinterpret_cast<Sample*>(view.row(y));
}

// Samples from `left` and `top` to before `right` and `bottom`.
struct Block {
    int left = 0, top = 0, right = 0, bottom = 0;
};

template <class Sample>
void fill_block(const ImageView& dst, const Block& block, int channel, Sample value) {
    for (int y = block.top; y < block.bottom; ++y)
        for (int x = block.left; x < block.right; ++x)
            row_of<Sample>(dst, y)[x * dst.channels + channel] = value;
}

template <class Sample>
Sample block_mean(const ImageView& src, const Block& block, int channel) {
    Mean<Sample> mean;
    std::size_t number = 0;
    for (int y = block.top; y < block.bottom; ++y) {
        const Sample* row = row_of<Sample>(src, y);
        for (int x = block.left; x < block.right; ++x)
            mean.add(number++, row[x * src.channels + channel]);
    }
    return mean.value();
}

template <class Sample>
Sample edge_mean(const MeanPart& part, int channel) {
    const ImageView& src = part.src;
    const auto* selected = row_of<std::uint16_t>(part.edge, 0);
    Mean<Sample> mean;
    for (int k = 0; k < part.edge.width; ++k) {
        if (selected[k] == 0) continue;
        const EdgePlace at = edge_place(k, src.width, src.height);
        mean.add(static_cast<std::size_t>(k),
                 row_of<Sample>(src, at.y)[at.x * src.channels + channel]);
    }
    return mean.count() > 0 ? mean.value()
                            : finished<Sample>(part.otherwise[static_cast<std::size_t>(channel)]);
}

template <class Sample>
void copy_channel(const MeanPart& part, int channel) {
    const int channels = part.src.channels;
    for (int y = 0; y < part.src.height; ++y)
        for (int x = 0; x < part.src.width; ++x)
            row_of<Sample>(part.dst, y)[x * channels + channel] =
                row_of<Sample>(part.src, y)[x * channels + channel];
}

template <class Sample>
void take_blocks(const MeanPart& part, int channel) {
    const int width = part.src.width;
    const int height = part.src.height;
    for (int down = part.y.first(); down < part.y.end(height); ++down)
        for (int across = part.x.first(); across < part.x.end(width); ++across) {
            const Block block{part.x.begin(across, width), part.y.begin(down, height),
                              part.x.begin(across + 1, width), part.y.begin(down + 1, height)};
            if (block.left < block.right && block.top < block.bottom)
                fill_block(part.dst, block, channel, block_mean<Sample>(part.src, block, channel));
        }
}

template <class Sample>
void take_part(const MeanPart& part) {
    for (int c = 0; c < part.src.channels; ++c)
        if ((part.channel_mask >> static_cast<unsigned>(c) & 1U) == 0)
            copy_channel<Sample>(part, c);
        else if (part.edge.data != nullptr)
            fill_block(part.dst, {0, 0, part.dst.width, part.dst.height}, c,
                       edge_mean<Sample>(part, c));
        else
            take_blocks<Sample>(part, c);
}

}  // namespace

int BlockAxis::first() const {
    return floor_quotient(-corner, size);
}

int BlockAxis::end(int count) const {
    return floor_quotient(count * pitch - 1 - corner, size) + 1;
}

int BlockAxis::begin(int block, int count) const {
    const int pixel = corner + block * size;
    const int sample = block == 0 ? floor_quotient(pixel, pitch) : ceil_quotient(pixel, pitch);
    return std::clamp(sample, 0, count);
}

void host_ops::take_means(std::span<const MeanPart> parts) {
    for (const MeanPart& part : parts)
        with_sample_type(part.dst.type, [&]<class Sample>(Sample) { take_part<Sample>(part); });
}

int take_means(std::span<const MeanPart> parts, StreamView stream) {
    if (parts.empty()) return 0;
    for (const MeanPart& part : parts) check(part, parts.front());
    if (parts.front().dst.space == MemorySpace::device)
        return device_ops::take_means(parts, stream);
    host_ops::take_means(parts);
    return 1;
}

}  // namespace weft
