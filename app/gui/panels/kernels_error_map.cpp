#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/kernels_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/race/race_report.h"
#include "app/viewer/view/view_parts.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr ImU32 kGround = IM_COL32(0, 0, 0, 235);  // in both themes: the colours are bright

using Rgba = std::array<std::uint8_t, 4>;

// Pixels without an error dim the film; others are opaque, from violet over red to yellow.
Rgba colour_of_level(std::uint8_t level) {
    if (level == 0) return {0, 0, 0, 0xA0};
    const double t = level / 255.0;
    const auto part = [](double value) {
        return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
    };
    return {part(0.45 + t), part(1.6 * t - 0.6), part(0.7 - 1.4 * t), 0xFF};
}

void upload(GlTexture& texture, const ErrorMap& map) {
    if (!texture) texture = make_texture();
    std::vector<std::uint8_t> texels;
    texels.reserve(4 * map.levels.size());
    for (const std::uint8_t level : map.levels) {
        const Rgba colour = colour_of_level(level);
        texels.insert(texels.end(), colour.begin(), colour.end());
    }
    glBindTexture(GL_TEXTURE_2D, texture.name());
    for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
        glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
    for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
        glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, map.width, map.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 texels.data());
    glBindTexture(GL_TEXTURE_2D, 0);
}

// The map has the coded picture's orientation.
void draw_texture(ImDrawList& draw, const GlTexture& texture, const DisplayShape& shape,
                  const Rect& placed) {
    const ScreenSize size = shape.display_size();
    const auto corner = [&](double x, double y) {
        return ImVec2(static_cast<float>(placed.x + x * placed.width),
                      static_cast<float>(placed.y + y * placed.height));
    };
    const auto coded = [&](double x, double y) {
        const Point at = shape.to_coded({x * size.width, y * size.height});
        return ImVec2(static_cast<float>(at.x / shape.width),
                      static_cast<float>(at.y / shape.height));
    };
    draw.AddImageQuad(texture_id<ImTextureID>(texture.name()), corner(0, 0), corner(1, 0),
                      corner(1, 1), corner(0, 1), coded(0, 0), coded(1, 0), coded(1, 1),
                      coded(0, 1));
}

std::string bin_text(std::size_t bin) {
    if (bin == 0) return "0";
    const std::string most = std::to_string(1 << (bin - 1));
    return bin + 1 < ErrorMap::kBins ? most : ">" + std::to_string(1 << (bin - 2));
}

// The level that the largest difference of the bin has in the map.
std::uint8_t level_of_bin(std::size_t bin, double largest) {
    if (bin == 0) return 0;
    const double share = std::min(std::ldexp(1.0, static_cast<int>(bin) - 1) / largest, 1.0);
    return static_cast<std::uint8_t>(1 + std::lround(254 * share));
}

// The bins up to the last one with pixels, with heights by the logarithm of their counts.
void draw_histogram(ImDrawList& draw, const ErrorMap& map, const std::string& title,
                    const WindowLayout& layout) {
    const float font = ImGui::GetFontSize();
    const float bar = 2.2F * font;
    const float height = 4 * font;
    std::size_t bins = 2;
    for (std::size_t k = 0; k < ErrorMap::kBins; ++k)
        if (map.pixels[k] > 0) bins = std::max(bins, k + 1);
    const float width =
        std::max(bar * static_cast<float>(bins), ImGui::CalcTextSize(title.c_str()).x) + font;
    const Rect& area = layout.picture;
    const ImVec2 from{static_cast<float>(area.x) + font,
                      static_cast<float>(area.y + area.height) - height - 4 * font};
    draw.AddRectFilled(from, {from.x + width, from.y + height + 3 * font}, kGround, 4);
    const ImU32 white = IM_COL32(255, 255, 255, 235);
    draw.AddText({from.x + font / 2, from.y + font / 4}, white, title.c_str());
    const auto most = static_cast<double>(*std::ranges::max_element(map.pixels));
    for (std::size_t k = 0; k < bins; ++k) {
        const float left = from.x + font / 2 + bar * static_cast<float>(k);
        const float bottom = from.y + height + 1.6F * font;
        const double share =
            std::log1p(static_cast<double>(map.pixels[k])) / std::log1p(std::max(most, 1.0));
        const Rgba c = colour_of_level(level_of_bin(k, map.largest));
        draw.AddRectFilled({left, bottom - static_cast<float>(share) * height},
                           {left + bar - 2, bottom},
                           k == 0 ? IM_COL32(150, 150, 150, 255) : IM_COL32(c[0], c[1], c[2], 255));
        draw.AddText({left, bottom}, white, bin_text(k).c_str());
    }
}

}  // namespace

void draw_error_map(KernelsPanel& panel, const Playing& playing, const ViewState& view,
                    const WindowLayout& layout) {
    if (panel.settings.map_of.empty()) return;
    const std::shared_ptr<const RaceSnapshot> race = panel.race.snapshot();
    const auto shape = playing.picture_shape();
    if (!race->map || !shape) return;
    if (panel.drawn_map != race->map) upload(panel.map_texture, *race->map);
    panel.drawn_map = race->map;
    const Rect& area = layout.picture;
    ImDrawList& draw = *ImGui::GetBackgroundDrawList();
    draw.PushClipRect(
        {static_cast<float>(area.x), static_cast<float>(area.y)},
        {static_cast<float>(area.x + area.width), static_cast<float>(area.y + area.height)});
    // The right or the lower one of two pictures.
    const Rect viewport = view_parts(view, shape->display_size(), area).back().viewport;
    draw_texture(draw, panel.map_texture, *shape,
                 place_picture(view.zoom, shape->display_size(), viewport));
    draw_histogram(draw, *race->map,
                   fmt::format("|{} − {}|, pixels by levels: largest {}", race->map->kernel,
                               race->step.reference, short_number(race->map->largest)),
                   layout);
    draw.PopClipRect();
}

}  // namespace weft
