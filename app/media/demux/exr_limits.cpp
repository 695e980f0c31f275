// The channels, parts and windows of OpenEXR files that libav decodes wrongly or leaves out.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/demux/exr_header.h"
#include "app/media/demux/picture_kinds.h"

namespace weft {
namespace {

constexpr std::uint32_t kIntegers = 0, kHalf = 1;
constexpr std::size_t kAlpha = 3;

// The first part's channels that libav takes for red, green, blue and alpha.
struct Taken {
    std::array<const ExrChannel*, 4> channels{};
    bool luma = false;  // the second one is, and stands for all colors
    std::vector<std::string> others;
};

// As in libav: whichever of these names comes last decides whether the picture is gray.
Taken taken_channels(const ExrPart& part) {
    Taken taken;
    for (const ExrChannel& channel : part.channels) {
        const char name =
            channel.name.size() == 1
                ? static_cast<char>(std::toupper(static_cast<unsigned char>(channel.name.front())))
                : '\0';
        const std::size_t place = std::string_view("RXU-GVY-BZW-A---").find(name) / 4;
        const bool known = name != '\0' && name != '-' && place < taken.channels.size();
        if (known && place != kAlpha) taken.luma = name == 'Y';
        if (known && taken.channels.at(place) == nullptr)
            taken.channels.at(place) = &channel;
        else
            taken.others.push_back(channel.name);
    }
    return taken;
}

// Whether the channel has another name than the color, or luma, that it is taken for.
bool has_other_name(const ExrChannel& channel) {
    return std::string_view("RGBAYrgbay").find(channel.name) == std::string_view::npos;
}

bool is_lossy_dct(unsigned compression) {
    constexpr unsigned kDwaa = 8, kDwab = 9;
    return compression == kDwaa || compression == kDwab;
}

bool overlaps(const ExrWindow& a, const ExrWindow& b) {
    return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

bool holds(const ExrWindow& outer, const ExrWindow& inner) {
    return outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right &&
           outer.bottom >= inner.bottom;
}

// Missing chromaticities stand for those of Rec. 709.
bool are_default(const std::array<float, 8>& chromaticities) {
    constexpr std::array kRec709{0.64F, 0.33F, 0.3F, 0.6F, 0.15F, 0.06F, 0.3127F, 0.329F};
    return std::ranges::equal(chromaticities, kRec709,
                              [](float a, float b) { return std::abs(a - b) < 0.0005F; });
}

}  // namespace

std::string_view wrong_exr(const InputFile& file) {
    const ExrHeader header = read_exr_header(file);
    const ExrPart& part = header.parts.front();
    if (header.deep || part.channels.empty()) return "";  // libav reports these
    const Taken taken = taken_channels(part);
    const auto& [red, green, blue, alpha] = taken.channels;
    if (part.display.left != 0 || part.display.top != 0)
        return "whose display window does not begin at 0,0";
    if (!overlaps(part.data, part.display)) return "whose pixels are all outside its window";
    if (taken.luma && (red != nullptr || blue != nullptr))
        return "of colors and a channel Y, which FFmpeg takes for gray";
    if (green != nullptr && green->type == kIntegers) return "of 32-bit integers";
    const bool halves = std::ranges::all_of(taken.channels, [](const ExrChannel* channel) {
        return channel == nullptr || (channel->type == kHalf && !has_other_name(*channel));
    });
    if (is_lossy_dct(part.compression) &&
        (!halves || taken.luma || !taken.others.empty() || part.data.left < 0 || part.data.top < 0))
        return "with DWA compression of other channels than R, G, B and A in 16 bits";
    if (header.several_parts && !header.tiled && part.type == "tiledimage")
        return "of several parts in tiles";
    return "";
}

std::vector<std::string> lost_of_exr(const InputFile& file) {
    const ExrHeader header = read_exr_header(file);
    const ExrPart& part = header.parts.front();
    const Taken taken = taken_channels(part);
    std::vector<std::string> lost;
    for (const ExrChannel* const channel : taken.channels)
        if (channel != nullptr && has_other_name(*channel))
            lost.push_back(
                fmt::format("the name of channel {}, which is taken for a color", channel->name));
    if (!taken.others.empty())
        lost.push_back(fmt::format("channels {}", fmt::join(taken.others, ", ")));
    for (std::size_t k = 1; k < header.parts.size(); ++k)
        lost.push_back(fmt::format("part {} {}", k + 1, header.parts[k].name));
    if (!holds(part.display, part.data)) lost.emplace_back("pixels outside the display window");
    if (part.chromaticities != std::array<float, 8>{} && !are_default(part.chromaticities))
        lost.emplace_back("chromaticities");
    return lost;
}

}  // namespace weft
