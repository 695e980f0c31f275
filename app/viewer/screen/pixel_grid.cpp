#include "app/viewer/screen/pixel_grid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/viewer/view/colour_matrix.h"
#include "filters/planes.h"

namespace weft {
namespace {

// Whole coded pixels: first column, first row and size.
struct CodedArea {
    int x = 0, y = 0, width = 0, height = 0;
};

CodedArea seen_area(const GridRequest& request) {
    const ScreenSize size = request.shape.display_size();
    const Rect& v = request.part.visible;
    const Point a = request.shape.to_coded(screen_to_display({v.x, v.y}, request.placed, size));
    const Point b = request.shape.to_coded(
        screen_to_display({v.x + v.width, v.y + v.height}, request.placed, size));
    const auto cut = [](double p, int most) {
        return std::clamp(static_cast<int>(std::floor(p)), 0, most);
    };
    CodedArea area;
    area.x = cut(std::min(a.x, b.x), request.shape.width);
    area.y = cut(std::min(a.y, b.y), request.shape.height);
    area.width = cut(std::max(a.x, b.x) + 1, request.shape.width) - area.x;
    area.height = cut(std::max(a.y, b.y) + 1, request.shape.height) - area.y;
    return area;
}

// The samples of an area of one picture, or of the difference of two.
class AreaSamples {
 public:
    AreaSamples(const ShownFrame& shown, Side side, std::optional<Side> minus,
                const CodedArea& area)
        : info_(shown.info), is_difference_(minus.has_value()) {
        for (std::size_t p = 0; p < info_.planes.size(); ++p) {
            blocks_.push_back(block_of(shown.side(side), p, area));
            if (!minus) continue;
            const SampleBlock less = block_of(shown.side(*minus), p, area);
            for (std::size_t k = 0; k < less.samples.size(); ++k)
                blocks_[p].samples[k] -= less.samples[k];
        }
    }

    std::vector<ComponentText> at(int x, int y) const {
        std::vector<ComponentText> values;
        visit(x, y, [&](Component component, float value) {
            values.push_back({component, text(value)});
        });
        return values;
    }

    std::array<double, 3> rgb_at(int x, int y) const {
        const ColourTransform colours = to_rgb(info_);
        std::array<double, 3> parts{0, colours.offset[1], colours.offset[2]};  // gray: no chroma
        visit(x, y, [&](Component component, float value) {
            const unsigned k = component_number(component);
            if (k < parts.size()) parts[k] = static_cast<double>(value) / info_.max_value();
        });
        std::array<double, 3> rgb{};
        for (std::size_t row = 0; row < rgb.size(); ++row) {
            double sum = 0;
            for (std::size_t k = 0; k < parts.size(); ++k)
                sum += colours.matrix[3 * row + k] * (parts[k] - colours.offset[k]);
            rgb[row] = std::clamp(sum, 0.0, 1.0);
        }
        return rgb;
    }

 private:
    // All components of a pixel.
    template <class Visitor>
    void visit(int x, int y, const Visitor& visitor) const {
        for (std::size_t p = 0; p < blocks_.size(); ++p) {
            const PlaneInfo& plane = info_.planes[p];
            const SampleBlock& block = blocks_[p];
            const int column = std::min(x * plane.width / info_.width, block.x + block.width - 1);
            const int row = std::min(y * plane.height / info_.height, block.y + block.height - 1);
            for (std::size_t c = 0; c < plane.components.size(); ++c)
                visitor(plane.components[c], block.at(column, row, static_cast<int>(c)));
        }
    }
    // The part of a plane, possibly subsampled, that covers the area.
    SampleBlock block_of(const Picture& picture, std::size_t p, const CodedArea& area) const {
        const PlaneInfo& plane = info_.planes[p];
        const int x = area.x * plane.width / info_.width;
        const int y = area.y * plane.height / info_.height;
        const int right = (area.x + area.width) * plane.width / info_.width + 1;
        const int bottom = (area.y + area.height) * plane.height / info_.height + 1;
        return read_samples(picture.planes[p], x, y, right - x, bottom - y);
    }
    std::string text(float value) const {
        return is_difference_ ? difference_text(info_, value) : sample_text(info_, value);
    }

    const FrameInfo& info_;
    bool is_difference_;
    std::vector<SampleBlock> blocks_;  // one per plane
};

// The visible part of a pixel's place.
Rect place_of(const GridRequest& request, int x, int y) {
    const ScreenSize size = request.shape.display_size();
    const auto on_screen = [&](double cx, double cy) {
        const Point d = request.shape.to_display({cx, cy});
        return Point{request.placed.x + d.x / size.width * request.placed.width,
                     request.placed.y + d.y / size.height * request.placed.height};
    };
    const Point a = on_screen(x, y);
    const Point b = on_screen(x + 1, y + 1);
    const Rect whole{std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x),
                     std::abs(a.y - b.y)};
    return common_part(whole, request.part.visible);
}

}  // namespace

std::string sample_text(const FrameInfo& info, float value) {
    return info.sample == SampleType::f32 ? fmt::format("{:.4f}", value)
                                          : fmt::format("{:.0f}", value);
}

std::string difference_text(const FrameInfo& info, float value) {
    if (value == 0) return "0";
    return (value < 0 ? "−" : "+") + sample_text(info, std::abs(value));
}

PixelValues values_at(const ShownFrame& shown, Side side, std::optional<Side> minus, Point coded) {
    const CodedArea pixel{static_cast<int>(std::floor(coded.x)),
                          static_cast<int>(std::floor(coded.y)), 1, 1};
    if (pixel.x < 0 || pixel.y < 0 || pixel.x >= shown.info.width || pixel.y >= shown.info.height)
        return {};
    const AreaSamples samples(shown, side, minus, pixel);
    return {samples.at(pixel.x, pixel.y), samples.rgb_at(pixel.x, pixel.y)};
}

std::vector<GridCell> pixel_grid(const ShownFrame& shown, const GridRequest& request) {
    std::vector<GridCell> cells;
    const ScreenSize size = request.shape.display_size();
    if (size.width <= 0 || request.placed.width / size.width < kGridScale) return cells;
    const Rect& seen = request.part.visible;
    const CodedArea area = seen_area(request);
    if (seen.width <= 0 || seen.height <= 0 || area.width <= 0 || area.height <= 0) return cells;
    const AreaSamples samples(shown, request.part.side, request.part.minus, area);
    for (int y = area.y; y < area.y + area.height; ++y)
        for (int x = area.x; x < area.x + area.width; ++x)
            cells.push_back({place_of(request, x, y), samples.at(x, y)});
    return cells;
}

}  // namespace weft
