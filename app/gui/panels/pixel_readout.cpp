// The values of the pixel under the mouse, on the lower edge of the picture: of both sides and
// their difference.
#include <algorithm>
#include <imgui.h>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/gui/panels/picture_area.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/screen/pixel_grid.h"
#include "filters/planes.h"

namespace weft {
namespace {

constexpr float kMargin = 8;  // at scale 1

// A word, or a square of a colour.
struct Piece {
    std::string text;
    ImU32 colour = 0;
    bool swatch = false;
    bool apart = false;  // a wider gap before it
};

float gap_before(const Piece& piece) {
    return ImGui::GetFontSize() * (piece.apart ? 1.5F : 0.4F);
}

float width_of(const Piece& piece) {
    return piece.swatch ? ImGui::GetFontSize() : ImGui::CalcTextSize(piece.text.c_str()).x;
}

float width_of(const std::vector<Piece>& pieces) {
    float width = 0;
    for (const Piece& piece : pieces) width += gap_before(piece) + width_of(piece);
    return width;
}

void draw(const std::vector<Piece>& pieces, ImVec2 at) {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const float side = ImGui::GetFontSize();
    for (const Piece& piece : pieces) {
        at.x += gap_before(piece);
        if (piece.swatch) {
            list->AddRectFilled(at, {at.x + side, at.y + side}, piece.colour);
            list->AddRect(at, {at.x + side, at.y + side}, packed(kDarkPalette.outline));
        } else {
            list->AddText(at, piece.colour, piece.text.c_str());
        }
        at.x += width_of(piece);
    }
}

// Narrow pictures leave some of it out.
struct Detail {
    bool letters = true;  // of the components
    bool names = true;
    bool difference = true;
};

class Readout {
 public:
    Readout(const PointedPixel& pixel, const ViewState& view, const StackPair& stacks)
        : pixel_(pixel), view_(view), stacks_(stacks) {}

    std::vector<Piece> pieces(const Detail& detail) const {
        std::vector<Piece> all{{fmt::format("x {}  y {}", static_cast<int>(pixel_.coded.x),
                                            static_cast<int>(pixel_.coded.y)),
                                packed(kDarkPalette.text)}};
        const Side left = view_.mode == CompareMode::single ? 0 : view_.left;
        const Side right = view_.right;
        const bool two = left != right && stacks_.has_filters();
        if (two) add(all, detail.letters, detail.names ? stacks_.side_name(left) : "", left, {});
        add(all, detail.letters, two && detail.names ? stacks_.side_name(right) : "", right, {});
        if (two && detail.difference) add(all, detail.letters, "Δ", right, left);
        return all;
    }

 private:
    void add(std::vector<Piece>& all, bool letters, const std::string& name, Side side,
             std::optional<Side> minus) const {
        const PixelValues values = values_at(pixel_.shown, side, minus, pixel_.coded);
        bool apart = true;
        if (!name.empty()) {
            all.push_back({name, packed(kDarkPalette.dim_text), false, true});
            apart = false;
        }
        for (const ComponentText& value : values.texts)
            all.push_back(
                {letters ? fmt::format("{} {}", letter(value.component), value.text) : value.text,
                 component_colour(value.component), false, std::exchange(apart, false)});
        if (minus) return;
        const auto [r, g, b] = shown_colour(pixel_.hdr, values.rgb);
        all.push_back({"",
                       ImGui::GetColorU32({static_cast<float>(r), static_cast<float>(g),
                                           static_cast<float>(b), 1}),
                       true});
    }

    const PointedPixel& pixel_;
    const ViewState& view_;
    const StackPair& stacks_;
};

}  // namespace

void draw_pixel_values(const PointedPixel& pixel, const ViewState& view, const StackPair& stacks,
                       const WindowLayout& layout) {
    const Rect& area = layout.picture;
    const auto margin = static_cast<float>(kMargin * layout.scale);
    const float pad = ImGui::GetStyle().FramePadding.x;
    const Readout readout(pixel, view, stacks);
    for (const Detail& detail :
         {Detail{}, Detail{.letters = false}, Detail{.letters = false, .names = false},
          Detail{.letters = false, .names = false, .difference = false}}) {
        const std::vector<Piece> pieces = readout.pieces(detail);
        const float first = gap_before(pieces.front());
        const float width = width_of(pieces) - first + 2 * pad;
        if (width > static_cast<float>(area.width) - 2 * margin) continue;
        const double bar = view.fullscreen ? layout.transport.height : 0;
        const float height = ImGui::GetTextLineHeight() + pad;
        const auto left = static_cast<float>(area.x + area.width / 2) - width / 2;
        const float top = static_cast<float>(area.y + area.height - bar) - margin - height;
        ImGui::GetBackgroundDrawList()->AddRectFilled({left, top}, {left + width, top + height},
                                                      packed(kDarkPalette.window, 0.9F),
                                                      ImGui::GetStyle().FrameRounding);
        return draw(pieces, {left + pad - first, top + pad / 2});
    }
}

}  // namespace weft
