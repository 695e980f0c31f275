#include "kernels/common/conv_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace weft {

namespace {

std::uint32_t border_word(const ConvProblem& p) {
    const float value = p.border_value;
    switch (p.type) {
        case PixelType::u8:
            return static_cast<std::uint32_t>(value) * 0x01010101U;
        case PixelType::u16:
            return static_cast<std::uint32_t>(value) * 0x00010001U;
        case PixelType::f32:
            return std::bit_cast<std::uint32_t>(value);
    }
    return 0;
}

int pitch_of(const ImageView& image) {
    if (image.pitch_bytes > std::numeric_limits<int>::max() ||
        image.pitch_bytes < std::numeric_limits<int>::min())
        throw std::runtime_error("rows of an image lie 2 GiB or more apart");
    return static_cast<int>(image.pitch_bytes);
}

// Rows of `width` factors with zeros between them.
std::vector<float> apart(const std::vector<float>& rows, int width, int channels) {
    const auto count = static_cast<std::size_t>(width);
    const std::size_t spread = (count - 1) * channels + 1;
    std::vector<float> out(rows.size() / count * spread);
    for (std::size_t i = 0; i < rows.size(); ++i)
        out[i / count * spread + i % count * channels] = rows[i];
    return out;
}

}  // namespace

ConvImages conv_images(const ConvProblem& p, BorderTables& borders) {
    const Taps& t = p.taps();
    ConvImages images;
    images.x = {nullptr, p.width, t.anchor_x, t.width - 1 - t.anchor_x};
    images.y = {nullptr, p.height, t.anchor_y, t.height - 1 - t.anchor_y};
    borders.entries = border_table(p.width, images.x.before, images.x.after, p.border.x);
    borders.y_table = borders.entries.size();
    const std::vector<int> y = border_table(p.height, images.y.before, images.y.after, p.border.y);
    borders.entries.insert(borders.entries.end(), y.begin(), y.end());
    images.border_word = border_word(p);
    images.max_value = p.max_value;
    for (int c = 0; c < p.channels; ++c) {
        images.scale[c] = p.channel(c).scale;
        images.bias[c] = p.channel(c).bias;
    }
    return images;
}

void set_axis_of_samples(int channels, ConvImages& images, BorderTables& borders) {
    AxisMap& x = images.x;
    std::vector<int> entries;
    for (int k = 0; k < (x.before + x.after) * channels; ++k) {
        const int pixel = borders.entries[static_cast<std::size_t>(k / channels)];
        entries.push_back(pixel < 0 ? pixel : pixel * channels + k % channels);
    }
    entries.push_back(0);
    const std::size_t y_table = entries.size();
    entries.insert(entries.end(),
                   borders.entries.begin() + static_cast<std::ptrdiff_t>(borders.y_table),
                   borders.entries.end());
    borders = {.entries = std::move(entries), .y_table = y_table};
    for (int* const length : {&x.length, &x.before, &x.after}) *length *= channels;
}

ConvProblem in_one_channel(const ConvProblem& p, const ChannelConv& filter) {
    ConvProblem out = p;
    out.channels = 1;
    out.width = p.width * p.channels;
    out.conv = {filter};
    for (Taps& t : out.conv.front().taps) {
        const int width = (t.width - 1) * p.channels + 1;
        t.weights =
            width <= Taps::kMaxDense ? apart(t.weights, t.width, p.channels) : std::vector<float>();
        t.row = apart(t.row, t.width, p.channels);
        t.width = width;
        t.anchor_x *= p.channels;
    }
    return out;
}

void set_images(const ImageView& src, const ImageView& dst, ConvImages& images) {
    images.src = static_cast<const std::byte*>(src.data);
    images.dst = static_cast<std::byte*>(dst.data);
    images.src_pitch = pitch_of(src);
    images.dst_pitch = pitch_of(dst);
}

bool rows_aligned(const ImageView& image, int alignment_bytes) {
    const auto start = reinterpret_cast<std::uintptr_t>(image.data);
    const auto alignment = static_cast<std::uintptr_t>(alignment_bytes);
    return start % alignment == 0 && image.pitch_bytes % alignment_bytes == 0;
}

int most_shared_bytes(const Device& device) {
    const int capability = device.compute_major * 10 + device.compute_minor;
    if (capability < 80) return 64 * 1024;
    if (capability == 80 || capability == 87) return 163 * 1024;
    return capability < 90 || capability >= 120 ? 99 * 1024 : 227 * 1024;
}

int grid_size(int tiles_x, int tiles_y) {
    const long long blocks = static_cast<long long>(tiles_x) * tiles_y;
    if (blocks > std::numeric_limits<int>::max())
        throw std::runtime_error("the image has too many tiles for one kernel launch");
    return static_cast<int>(blocks);
}

namespace {

// The remainder in 0..period-1, also for negative values.
int positive_remainder(int value, int period) {
    const int r = value % period;
    return r < 0 ? r + period : r;
}

}  // namespace

int border_source(int coordinate, int n, Border border) {
    if (coordinate >= 0 && coordinate < n) return coordinate;
    switch (border) {
        case Border::reflect101: {
            if (n == 1) return 0;
            const int r = positive_remainder(coordinate, 2 * n - 2);
            return r < n ? r : 2 * n - 2 - r;
        }
        case Border::reflect: {
            const int r = positive_remainder(coordinate, 2 * n);
            return r < n ? r : 2 * n - 1 - r;
        }
        case Border::replicate:
            return std::clamp(coordinate, 0, n - 1);
        case Border::wrap:
            return positive_remainder(coordinate, n);
        case Border::constant:
            return -1;
        case Border::ffmpeg: {
            const int r = positive_remainder(coordinate, 2 * n - 1);
            return r < n ? r : 2 * n - 1 - r;
        }
        case Border::ffmpeg_backwards:
            return n - 1 - border_source(n - 1 - coordinate, n, Border::ffmpeg);
    }
    return -1;
}

std::vector<int> border_table(int n, int before, int after, Border border) {
    std::vector<int> table;
    table.reserve(static_cast<std::size_t>(before) + after + 1);
    for (int c = -before; c < 0; ++c) table.push_back(border_source(c, n, border));
    for (int c = n; c <= n + after; ++c) table.push_back(border_source(c, n, border));
    return table;
}

}  // namespace weft
