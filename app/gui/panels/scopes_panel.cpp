#include "app/gui/panels/scopes_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>
#include <optional>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/view/colour_matrix.h"
#include "filters/planes.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

constexpr int kColumns = 256;  // per waveform
constexpr float kHistogramLines = 4;
constexpr float kWaveformLines = 7;
constexpr float kVectorscopeLines = 20;            // at most
constexpr ImU32 kGround = IM_COL32(0, 0, 0, 235);  // in both themes: the traces are bright

struct Colour {
    std::uint8_t red, green, blue;

    ImU32 with_alpha(int alpha) const { return IM_COL32(red, green, blue, alpha); }
};

Colour colour_of(Component component) {
    switch (component) {
        case Component::y:
        case Component::a:
            return {220, 220, 220};
        case Component::u:
        case Component::b:
            return {110, 150, 255};
        case Component::v:
        case Component::r:
            return {255, 110, 100};
        case Component::g:
            return {100, 220, 110};
    }
    return {220, 220, 220};
}

// The full width of the panel, `lines` of text high: its upper left and lower right corners.
struct Plot {
    ImVec2 from, to;

    explicit Plot(float lines) : from(ImGui::GetCursorScreenPos()) {
        const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
        to = {from.x + width, from.y + lines * ImGui::GetTextLineHeight()};
        ImGui::Dummy({width, to.y - from.y});
        ImGui::GetWindowDrawList()->AddRectFilled(from, to, kGround);
    }
};

std::string level_text(const FrameInfo& info, double value) {
    return info.sample == SampleType::f32 ? fmt::format("{:.2f}", value)
                                          : fmt::format("{:.0f}", value);
}

// Where the mouse is in the plot, 0 to 1 from the left and from the bottom.
std::optional<ImVec2> pointed_at(const Plot& plot) {
    if (!ImGui::IsItemHovered()) return std::nullopt;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    return ImVec2{(mouse.x - plot.from.x) / (plot.to.x - plot.from.x),
                  (plot.to.y - mouse.y) / (plot.to.y - plot.from.y)};
}

// Values below a histogram: the outer ones inside its edges, and only those that have room.
void draw_values_below(const Plot& plot, const FrameInfo& info) {
    const UseTextSize small(TextSize::small);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float width = plot.to.x - plot.from.x;
    float free_from = plot.from.x;
    for (const ScaleMark& mark : scale_marks(info)) {
        const std::string text = level_text(info, mark.value);
        const float size = ImGui::CalcTextSize(text.c_str()).x;
        const float x = plot.from.x + static_cast<float>(mark.place) * width;
        const float left =
            std::clamp(x - size / 2, plot.from.x, std::max(plot.to.x - size, plot.from.x));
        if (left < free_from) continue;
        list.AddText({left, plot.to.y}, ImGui::GetColorU32(ImGuiCol_TextDisabled), text.c_str());
        free_from = left + size + ImGui::GetFontSize() / 2;
    }
    ImGui::Dummy({0, ImGui::GetTextLineHeight()});
}

// Lines at the values, with their text at the left end above them, or below the uppermost one.
void draw_value_lines(const Plot& plot, const FrameInfo& info) {
    const UseTextSize small(TextSize::small);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float height = plot.to.y - plot.from.y;
    for (const ScaleMark& mark : scale_marks(info)) {
        const float y = std::round(plot.to.y - static_cast<float>(mark.place) * height);
        list.AddLine({plot.from.x, y}, {plot.to.x, y}, packed(kDarkPalette.text, 0.25F));
        const float above = y - ImGui::GetTextLineHeight();
        list.AddText({plot.from.x + 3, std::max(above, plot.from.y)},
                     packed(kDarkPalette.text, 0.9F), level_text(info, mark.value).c_str());
    }
}

// Heights use the square root, so that small counts are visible next to large ones.
void draw_histogram(const ComponentHistogram& h, const FrameInfo& info) {
    const Plot plot(kHistogramLines);
    if (const auto at = pointed_at(plot)) {
        const auto level = std::min(static_cast<std::size_t>(at->x * kLevels), h.bins.size() - 1);
        const double value = static_cast<double>(level) / (kLevels - 1) * info.max_value();
        tooltip(fmt::format(
            "{}: {:.2f} % of the samples", level_text(info, value),
            100.0 * h.bins[level] / static_cast<double>(std::max<std::int64_t>(h.samples, 1))));
    }
    const std::uint32_t most = *std::ranges::max_element(h.bins);
    if (most == 0) return;
    const float step = (plot.to.x - plot.from.x) / kLevels;
    const ImU32 colour = colour_of(h.component).with_alpha(200);
    for (int level = 0; level < kLevels; ++level) {
        const std::uint32_t count = h.bins[static_cast<std::size_t>(level)];
        if (count == 0) continue;
        const auto share = static_cast<float>(std::sqrt(static_cast<double>(count) / most));
        const float x = plot.from.x + static_cast<float>(level) * step;
        ImGui::GetWindowDrawList()->AddRectFilled(
            {x, plot.to.y - std::max(share * (plot.to.y - plot.from.y), 1.0F)},
            {x + std::max(step, 1.0F), plot.to.y}, colour);
    }
    draw_values_below(plot, info);
}

std::string histogram_text(const ComponentHistogram& h, SampleType sample) {
    const char name = letter(h.component);
    if (sample == SampleType::f32)
        return fmt::format("{}  min {:.4f}  mean {:.4f}  max {:.4f}", name, h.min, h.mean, h.max);
    return fmt::format("{}  min {:.0f}  mean {:.2f}  max {:.0f}", name, h.min, h.mean, h.max);
}

std::string error_text(const ComponentError& error) {
    const char name = letter(error.component);
    if (error.largest == 0) return fmt::format("{}  identical", name);
    const std::string ssim = error.ssim ? fmt::format("  SSIM {:.4f}", *error.ssim) : "";
    return fmt::format("{}  PSNR {:.2f} dB{}  largest {}", name, error.psnr_db, ssim,
                       short_number(error.largest, 4));
}

// One colour, with the frequency of each of kLevels rows of values as opacity.
void fill_texture(GlTexture& texture, const Colour& colour,
                  const std::vector<std::uint8_t>& brightness) {
    if (!texture) texture = make_texture();
    const auto columns = static_cast<GLsizei>(brightness.size() / kLevels);
    std::vector<std::uint8_t> texels;
    texels.reserve(4 * brightness.size());
    for (const std::uint8_t level : brightness)
        texels.insert(texels.end(), {colour.red, colour.green, colour.blue, level});
    glBindTexture(GL_TEXTURE_2D, texture.name());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, columns, kLevels, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 texels.data());
    glBindTexture(GL_TEXTURE_2D, 0);
}

void follow(ScopesPanel& panel) {
    const std::shared_ptr<const Scopes> now = panel.worker.result();
    if (now == panel.drawn || !now) return;
    panel.textures.resize(now->waveforms.size());
    for (std::size_t k = 0; k < now->waveforms.size(); ++k)
        fill_texture(panel.textures[k], colour_of(now->waveforms[k].component), now->brightness[k]);
    if (now->vectorscope)
        fill_texture(panel.vectorscope, colour_of(Component::y), now->vectorscope_brightness);
    panel.drawn = now;
}

// Bright levels are at the top.
void draw_waveform(const GlTexture& texture, const FrameInfo& info) {
    const Plot plot(kWaveformLines);
    if (const auto at = pointed_at(plot))
        tooltip(level_text(info, static_cast<double>(at->y) * info.max_value()));
    ImGui::GetWindowDrawList()->AddImage(texture_id<ImTextureID>(texture.name()), plot.from,
                                         plot.to, {0, 1}, {1, 0});
    draw_value_lines(plot, info);
}

// Where chroma is in a square plot: Cb to the right, Cr upwards.
struct ChromaPlot {
    ImVec2 from;
    float side = 0;

    ImVec2 at(const ChromaPoint& point) const {
        const float bin = side / kLevels;
        return {from.x + (static_cast<float>(point.cb) + 0.5F) * bin,
                from.y + side - (static_cast<float>(point.cr) + 0.5F) * bin};
    }
};

ImU32 mark_colour(float strength) {
    return packed(kDarkPalette.text, strength);
}

void draw_target(const ChromaPlot& plot, const VectorscopeTarget& target) {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImVec2 at = plot.at(target.at);
    const float half = 0.02F * plot.side;
    draw.AddRect({at.x - half, at.y - half}, {at.x + half, at.y + half}, mark_colour(0.8F));
    // The letter is outside of the box as seen from the centre, where few pictures have chroma.
    const ImVec2 centre = plot.at({128, 128});
    const float x = at.x - centre.x;
    const float y = at.y - centre.y;
    const float away = 1 + 0.075F * plot.side / std::hypot(x, y);
    const std::string letter(1, target.letter);
    const ImVec2 size = ImGui::CalcTextSize(letter.c_str());
    draw.AddText({centre.x + x * away - size.x / 2, centre.y + y * away - size.y / 2},
                 mark_colour(1), letter.c_str());
}

void draw_graticule(const ChromaPlot& plot, const Graticule& marks) {
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ImU32 faint = mark_colour(0.35F);
    draw.AddLine(plot.at({0, 128}), plot.at({255, 128}), faint);
    draw.AddLine(plot.at({128, 0}), plot.at({128, 255}), faint);
    draw.AddLine(plot.at({128, 128}), plot.at(marks.skin), faint);
    for (const VectorscopeTarget& target : marks.targets) draw_target(plot, target);
}

void draw_vectorscope(const ScopesPanel& panel, const FrameInfo& info) {
    ImGui::Separator();
    dim_text(fmt::format("Vectorscope, {}{}", info.is_rgb() ? "RGB as " : "", name_of_luma(info)));
    tooltip("Boxes: 75 % colour bars. Slanted line: skin tones of all shades are close to it.");
    const float side = std::clamp(ImGui::GetContentRegionAvail().x, 1.0F,
                                  kVectorscopeLines * ImGui::GetTextLineHeight());
    const ChromaPlot plot{ImGui::GetCursorScreenPos(), side};
    const ImVec2 to{plot.from.x + side, plot.from.y + side};
    ImGui::Dummy({side, side});
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled(plot.from, to, kGround);
    draw.AddImage(texture_id<ImTextureID>(panel.vectorscope.name()), plot.from, to, {0, 1}, {1, 0});
    draw_graticule(plot, graticule(info));
}

void draw_errors(const Scopes& scopes) {
    if (scopes.errors.empty()) return;
    ImGui::Separator();
    dim_text("Error against the original");
    for (const ComponentError& error : scopes.errors) wrapped_text(error_text(error));
}

}  // namespace

void draw_scopes(ScopesPanel& panel, const ShownFramePtr& shown, Side side) {
    if (!shown) {
        wrapped_text("Open a video first.");
        return;
    }
    ImGui::Checkbox("Show the original", &panel.original);
    panel.worker.ask(shown, panel.original ? 0 : side, kColumns);
    follow(panel);
    if (!panel.drawn) return;
    const Scopes& scopes = *panel.drawn;
    if (scopes.row_step > 1) dim_line(fmt::format("1 of {} rows is counted", scopes.row_step));
    dim_text("Histogram");
    tooltip("Bar heights are square roots of the counts.");
    for (const ComponentHistogram& h : scopes.histograms) {
        wrapped_text(histogram_text(h, scopes.info.sample));
        draw_histogram(h, scopes.info);
    }
    ImGui::Separator();
    dim_text("Waveform");
    for (const GlTexture& texture : panel.textures) draw_waveform(texture, scopes.info);
    if (scopes.vectorscope) draw_vectorscope(panel, scopes.info);
    draw_errors(scopes);
}

}  // namespace weft
