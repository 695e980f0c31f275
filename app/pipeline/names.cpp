#include "app/pipeline/names.h"

#include <algorithm>
#include <array>
#include <utility>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "filters/text/nearest.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

std::vector<std::string_view> encoder_names(AVMediaType type) {
    std::vector<std::string_view> names;
    void* position = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&position))
        if (av_codec_is_encoder(codec) != 0 && codec->type == type) names.emplace_back(codec->name);
    return names;
}

// Names that people give to encoders of libav besides their own.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kCalled = {
    {{"h265", "libx265"},
     {"hvc1", "libx265"},
     {"avc", "libx264"},
     {"avc1", "libx264"},
     {"nvenc", "h264_nvenc"},
     {"nvenc_h264", "h264_nvenc"},
     {"nvenc_hevc", "hevc_nvenc"},
     {"svt-av1", "libsvtav1"}}};

// The encoder that is meant by its library's name, "x264", or by another common one; empty: none.
std::string_view meant_encoder(const std::string& name,
                               const std::vector<std::string_view>& names) {
    const auto called = std::ranges::find(kCalled, name, [](const auto& row) { return row.first; });
    const std::string meant =
        called != kCalled.end() ? std::string(called->second) : fmt::format("lib{}", name);
    const auto found = std::ranges::find(names, meant);
    return found == names.end() ? std::string_view() : *found;
}

std::string hint(const std::string& name, const std::vector<std::string_view>& names) {
    const std::string_view meant = meant_encoder(name, names);
    const std::string_view near = meant.empty() ? nearest_name(name, names) : meant;
    return near.empty() ? "" : fmt::format(": did you mean '{}'?", near);
}

}  // namespace

Error unknown_name(std::string_view kind, std::string_view name,
                   const std::vector<std::string_view>& names) {
    return {Outcome::usage, fmt::format("there is no {} {}{} choose from {}", kind, shown(name),
                                        suggestion(name, names), fmt::join(names, ", "))};
}

const ConvKernel& require_kernel(const std::string& name) {
    if (const ConvKernel* kernel = find_kernel(name)) return *kernel;
    std::vector<std::string_view> names;
    for (const ConvKernel& kernel : conv_kernels()) names.push_back(kernel.name);
    throw unknown_name("kernel", name, names);
}

ForcedKernels parse_forced_kernels(std::string_view text) {
    std::vector<std::string> names;
    for (;;) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string& name = names.emplace_back(text.substr(0, comma));
        if (!name.empty() && name != kTableKernels) (void)require_kernel(name);
        if (comma == text.size()) break;
        text.remove_prefix(comma + 1);
    }
    if (names.size() == 1) return {.every_step = names.front()};
    return {.by_step = std::move(names)};
}

const AVCodec* find_encoder(std::string_view name) {
    const std::string text(name);
    if (const AVCodec* encoder = avcodec_find_encoder_by_name(text.c_str())) return encoder;
    const AVCodecDescriptor* codec = avcodec_descriptor_get_by_name(text.c_str());
    return codec == nullptr ? nullptr : avcodec_find_encoder(codec->id);
}

void check_encoder_name(const std::string& option, const std::string& name, AVMediaType type) {
    const AVCodec* encoder = find_encoder(name);
    if (encoder != nullptr && encoder->type == type) return;
    throw Error(Outcome::usage,
                fmt::format("{} {}: no such {} encoder{}", option, shown(name),
                            av_get_media_type_string(type), hint(name, encoder_names(type))));
}

void check_pixel_format_name(const std::string& name) {
    if (av_get_pix_fmt(name.c_str()) != AV_PIX_FMT_NONE) return;
    std::vector<std::string_view> names;
    for (const AVPixFmtDescriptor* format = av_pix_fmt_desc_next(nullptr); format != nullptr;
         format = av_pix_fmt_desc_next(format))
        names.emplace_back(format->name);
    throw Error(Outcome::usage,
                fmt::format("-pix_fmt {}: no such pixel format{}", shown(name), hint(name, names)));
}

std::string why_not_whole_number(std::string_view text, std::int64_t least, std::int64_t most) {
    if (parse_whole_number(text, least, most)) return "";
    return fmt::format("'{}' is not a whole number from {} to {}", shown(text), least, most);
}

std::string why_not_one_of(std::string_view text, std::span<const std::string_view> words) {
    if (std::ranges::find(words, text) != words.end()) return "";
    return fmt::format("'{}' is not one of {}", shown(text), fmt::join(words, ", "));
}

}  // namespace weft
