#include "app/media/picture/samples.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "app/media/picture/pixel_traits.h"

namespace weft {

namespace {

using Descriptor = AVPixFmtDescriptor;

static_assert(std::endian::native == std::endian::little);

const Descriptor& descriptor(AVPixelFormat format) {
    return *av_pix_fmt_desc_get(format);
}

bool is_plain(AVPixelFormat format) {
    const Descriptor& desc = descriptor(format);
    constexpr std::uint64_t kOther = AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
                                     AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER |
                                     AV_PIX_FMT_FLAG_FLOAT;
    if ((desc.flags & kOther) != 0) return false;
    return std::all_of(desc.comp, desc.comp + desc.nb_components, [](const auto& comp) {
        return comp.shift == 0 && comp.depth >= 8 && comp.depth <= 16;
    });
}

enum class Role { luma_or_colour, chroma, alpha };

Role role_of(const Descriptor& desc, int component) {
    const bool alpha = (desc.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    if (alpha && component == desc.nb_components - 1) return Role::alpha;
    const bool rgb = (desc.flags & AV_PIX_FMT_FLAG_RGB) != 0;
    return rgb || component == 0 ? Role::luma_or_colour : Role::chroma;
}

// The source component that corresponds to the target's, if any.
std::optional<int> source_component(const Descriptor& from, const Descriptor& to, int component) {
    const Role role = role_of(to, component);
    for (int c = 0; c < from.nb_components; ++c)
        if (role_of(from, c) == role && (role == Role::alpha || c == component)) return c;
    return std::nullopt;
}

struct Lane {
    std::uint8_t* data = nullptr;
    std::ptrdiff_t pitch = 0;
    int step = 0;
    bool swapped = false;  // big-endian
    int width = 0;
    int height = 0;
};

Lane lane_of(const AVFrame& frame, int component) {
    const Descriptor& desc = descriptor(static_cast<AVPixelFormat>(frame.format));
    const AVComponentDescriptor& comp = desc.comp[component];
    const bool chroma = role_of(desc, component) == Role::chroma;
    return {.data = frame.data[comp.plane] + comp.offset,
            .pitch = frame.linesize[comp.plane],
            .step = comp.step,
            .swapped = (desc.flags & AV_PIX_FMT_FLAG_BE) != 0,
            .width = chroma ? AV_CEIL_RSHIFT(frame.width, desc.log2_chroma_w) : frame.width,
            .height = chroma ? AV_CEIL_RSHIFT(frame.height, desc.log2_chroma_h) : frame.height};
}

template <class Sample>
Sample in_order(Sample value, bool swapped) {
    if constexpr (sizeof(Sample) == 2)
        return swapped ? static_cast<Sample>(value << 8U | value >> 8U) : value;
    else
        return value;
}

template <class Sample>
void copy_lane(const Lane& from, const Lane& to) {
    for (int y = 0; y < to.height; ++y) {
        const std::uint8_t* in = from.data + y * from.pitch;
        std::uint8_t* out = to.data + y * to.pitch;
        for (int x = 0; x < to.width; ++x, in += from.step, out += to.step) {
            Sample value{};
            std::memcpy(&value, in, sizeof value);
            value = in_order(in_order(value, from.swapped), to.swapped);
            std::memcpy(out, &value, sizeof value);
        }
    }
}

template <class Sample>
void fill_lane(const Lane& to, unsigned constant) {
    const Sample value = in_order(static_cast<Sample>(constant), to.swapped);
    for (int y = 0; y < to.height; ++y) {
        std::uint8_t* out = to.data + y * to.pitch;
        for (int x = 0; x < to.width; ++x, out += to.step) std::memcpy(out, &value, sizeof value);
    }
}

template <class Sample>
void copy_components(const AVFrame& frame, AVFrame& out) {
    const Descriptor& from = descriptor(static_cast<AVPixelFormat>(frame.format));
    const Descriptor& to = descriptor(static_cast<AVPixelFormat>(out.format));
    const auto depth = static_cast<unsigned>(to.comp[0].depth);
    for (int c = 0; c < to.nb_components; ++c) {
        const Lane lane = lane_of(out, c);
        if (const auto source = source_component(from, to, c))
            copy_lane<Sample>(lane_of(frame, *source), lane);
        else
            fill_lane<Sample>(
                lane, role_of(to, c) == Role::alpha ? (1U << depth) - 1 : 1U << (depth - 1));
    }
}

}  // namespace

bool can_copy_samples(AVPixelFormat from, AVPixelFormat to) {
    return is_exact(from, to) && is_plain(from) && is_plain(to);
}

AVFramePtr copy_samples(const AVFrame& frame, AVPixelFormat to) {
    AVFramePtr out = make_frame();
    av_check(av_frame_copy_props(out.get(), &frame), "copying frame properties", "conversion");
    out->format = to;
    out->width = frame.width;
    out->height = frame.height;
    av_check(av_frame_get_buffer(out.get(), 0), "allocating a frame", "conversion");
    // bgr0 has a byte that belongs to no component.
    const Descriptor& desc = descriptor(to);
    if (desc.comp[0].step > desc.nb_components * sample_bytes(desc))
        std::memset(
            out->data[0], 0,
            static_cast<std::size_t>(out->linesize[0]) * static_cast<std::size_t>(out->height));
    if (sample_bytes(desc) == 2)
        copy_components<std::uint16_t>(frame, *out);
    else
        copy_components<std::uint8_t>(frame, *out);
    return out;
}

namespace {

using Row = std::span<std::uint16_t>;

// Calls `visit` with each row of each plane.
template <class Visit>
void for_each_row(AVFrame& frame, const AVPixFmtDescriptor& format, Visit visit) {
    const auto kind = static_cast<AVPixelFormat>(frame.format);
    for (int plane = 0; plane < av_pix_fmt_count_planes(kind); ++plane) {
        const bool chroma = plane == 1 || plane == 2;
        const int shift = chroma ? format.log2_chroma_h : 0;
        const int rows = AV_CEIL_RSHIFT(frame.height, shift);
        const int bytes = av_image_get_linesize(kind, frame.width, plane);
        if (bytes <= 0) continue;
        for (int y = 0; y < rows; ++y) {
            std::uint8_t* row = frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane];
            visit(Row(reinterpret_cast<std::uint16_t*>(row), static_cast<std::size_t>(bytes) / 2));
        }
    }
}

}  // namespace

void limit_samples(AVFrame& frame) {
    const AVPixFmtDescriptor* format =
        av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    constexpr std::uint64_t kNotPlain =
        AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BE;
    if (!format || (format->flags & kNotPlain) != 0) return;
    const int depth = format->comp[0].depth;
    if (depth < 9 || depth > 15 || format->comp[0].shift != 0) return;

    unsigned bits = 0;
    for_each_row(frame, *format, [&](Row row) {
        for (const std::uint16_t sample : row) bits |= sample;
    });
    if (bits >> static_cast<unsigned>(depth) == 0) return;
    av_check(av_frame_make_writable(&frame), "copying a frame", "sample range");
    const auto most = static_cast<std::uint16_t>((1U << static_cast<unsigned>(depth)) - 1);
    for_each_row(frame, *format, [&](Row row) {
        for (std::uint16_t& sample : row) sample = std::min(sample, most);
    });
}

bool clear_hidden_colors(AVFrame& frame) {
    const Descriptor& desc = descriptor(static_cast<AVPixelFormat>(frame.format));
    const bool alpha = (desc.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    if (!alpha || (desc.flags & AV_PIX_FMT_FLAG_PLANAR) != 0 ||
        !is_plain(static_cast<AVPixelFormat>(frame.format)))
        return false;
    const auto& last = desc.comp[desc.nb_components - 1];
    const auto pixel = static_cast<std::size_t>(last.step);
    const auto colors = static_cast<std::size_t>(last.offset);
    const std::array<std::uint8_t, 8> zeros{};
    if (colors == 0 || pixel > zeros.size()) return false;
    bool found = false;
    for (int y = 0; y < frame.height; ++y) {
        for (int x = 0; x < frame.width; ++x) {
            std::uint8_t* at = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0] +
                               static_cast<std::size_t>(x) * pixel;
            if (std::memcmp(at + colors, zeros.data(), pixel - colors) != 0 ||
                std::memcmp(at, zeros.data(), colors) == 0)
                continue;
            if (!found) av_check(av_frame_make_writable(&frame), "copying a frame", "memory");
            found = true;
            at = frame.data[0] + std::ptrdiff_t{y} * frame.linesize[0] +
                 static_cast<std::size_t>(x) * pixel;
            std::memset(at, 0, colors);
        }
    }
    return found;
}

}  // namespace weft
