#include "app/media/picture/frame_format.h"

#include <array>
#include <tuple>

#include <fmt/format.h>

#include "app/media/picture/frame.h"
#include "app/media/picture/pixel_traits.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

constexpr int kHdLines = 720;

// It is also libav's name for an unspecified tag.
constexpr std::string_view kUnknown = "unknown";

std::string name_or_unknown(const char* name) {
    return name != nullptr ? name : std::string(kUnknown);
}

struct Row {
    Property property;
    std::string (*text)(const FrameFormat&);
};

constexpr std::array kRows = {
    Row{Property::size,
        [](const FrameFormat& f) { return fmt::format("{}x{}", f.width, f.height); }},
    Row{Property::pixel_format,
        [](const FrameFormat& f) { return name_or_unknown(av_get_pix_fmt_name(f.pixels)); }},
    Row{Property::colour_range,
        [](const FrameFormat& f) { return std::string(f.full_range ? "full" : "limited"); }},
    Row{Property::colour_matrix,
        [](const FrameFormat& f) { return name_or_unknown(av_color_space_name(f.matrix)); }},
    Row{Property::display_aspect,
        [](const FrameFormat& f) { return fmt::format("{}:{}", f.aspect.num, f.aspect.den); }},
    Row{Property::primaries,
        [](const FrameFormat& f) { return name_or_unknown(av_color_primaries_name(f.primaries)); }},
    Row{Property::transfer,
        [](const FrameFormat& f) { return name_or_unknown(av_color_transfer_name(f.transfer)); }},
    Row{Property::scan,
        [](const FrameFormat& f) {
            return std::string(f.interlaced ? "interlaced" : "progressive");
        }},
};

auto values(const FrameFormat& f) {
    return std::tuple(f.width, f.height, f.pixels, f.full_range, f.matrix, f.aspect.num,
                      f.aspect.den, f.primaries, f.transfer, f.interlaced);
}

// BT.601's matrix has two names.
AVColorSpace one_name(AVColorSpace matrix) {
    return matrix == AVCOL_SPC_BT470BG ? AVCOL_SPC_SMPTE170M : matrix;
}

AVRational display_aspect(const AVFrame& frame) {
    const AVRational sample = frame.sample_aspect_ratio;
    const bool square = sample.num <= 0 || sample.den <= 0;
    AVRational aspect{1, 1};
    av_reduce(&aspect.num, &aspect.den, std::int64_t{frame.width} * (square ? 1 : sample.num),
              std::int64_t{frame.height} * (square ? 1 : sample.den), INT32_MAX);
    return aspect;
}

}  // namespace

bool is_full_range(const AVFrame& frame) {
    const AVPixelFormat format = sample_format(frame);
    if (pixel_traits(format).rgb || without_range(format) != format) return true;
    // Gray without a tag is full range, as in libswscale and all image formats.
    const bool untagged_gray =
        pixel_traits(format).gray && frame.color_range == AVCOL_RANGE_UNSPECIFIED;
    return untagged_gray || frame.color_range == AVCOL_RANGE_JPEG;
}

AVColorSpace matrix_of(const AVFrame& frame) {
    if (frame.colorspace != AVCOL_SPC_UNSPECIFIED && frame.colorspace != AVCOL_SPC_RGB &&
        frame.colorspace != AVCOL_SPC_RESERVED)
        return frame.colorspace;
    return frame.height >= kHdLines ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

FrameFormat frame_format(const AVFrame& frame) {
    const AVPixelFormat pixels = without_range(sample_format(frame));
    return {.width = frame.width,
            .height = frame.height,
            .pixels = pixels,
            .full_range = is_full_range(frame),
            .matrix = pixel_traits(pixels).rgb ? AVCOL_SPC_RGB : one_name(matrix_of(frame)),
            .primaries = frame.color_primaries,
            .transfer = frame.color_trc,
            .aspect = display_aspect(frame),
            .interlaced = frame.interlaced_frame != 0};
}

FrameFormat with_tags_of(const FrameFormat& before, FrameFormat now) {
    if (now.primaries == AVCOL_PRI_UNSPECIFIED) now.primaries = before.primaries;
    if (now.transfer == AVCOL_TRC_UNSPECIFIED) now.transfer = before.transfer;
    return now;
}

std::string_view property_name(Property property) {
    switch (property) {
        case Property::size:
            return "size";
        case Property::pixel_format:
            return "pixel format";
        case Property::colour_range:
            return "colour range";
        case Property::colour_matrix:
            return "colour matrix";
        case Property::display_aspect:
            return "display aspect";
        case Property::primaries:
            return "set of colour primaries";
        case Property::transfer:
            return "transfer function";
        case Property::scan:
            return "scan";
        case Property::sample_rate:
            return "sample rate";
        case Property::channels:
            return "number of channels";
    }
    return "";
}

std::vector<Difference> differences(const FrameFormat& from, const FrameFormat& to) {
    std::vector<Difference> found;
    if (values(from) == values(to)) return found;
    for (const Row& row : kRows) {
        std::string before = row.text(from);
        std::string after = row.text(to);
        const bool said = before != kUnknown && after != kUnknown;
        if (said && before != after)
            found.push_back({row.property, std::move(before), std::move(after)});
    }
    return found;
}

std::string change_text(const Difference& difference) {
    return fmt::format("the {} changes from {} to {}", property_name(difference.property),
                       difference.from, difference.to);
}

}  // namespace weft
