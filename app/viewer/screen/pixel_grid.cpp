#include "app/viewer/screen/pixel_grid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {
namespace {

// Whole coded pixels: first column, first row and size.
struct CodedArea {
    int x = 0, y = 0, width = 0, height = 0;
};

CodedArea seen_area(const GridRequest& request) {
    const ScreenSize size = request.shape.display_size();
    const Rect& v = request.viewport;
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

// The part of a plane, possibly subsampled, that covers the area.
SampleBlock block_of(const FrameInfo& info, const Picture& picture, std::size_t p,
                     const CodedArea& area) {
    const PlaneInfo& plane = info.planes[p];
    const int x = area.x * plane.width / info.width;
    const int y = area.y * plane.height / info.height;
    const int right = (area.x + area.width) * plane.width / info.width + 1;
    const int bottom = (area.y + area.height) * plane.height / info.height + 1;
    return read_samples(picture.planes[p], x, y, right - x, bottom - y);
}

std::string values_at(const FrameInfo& info, const std::vector<SampleBlock>& blocks, int x, int y) {
    std::string text;
    for (std::size_t p = 0; p < blocks.size(); ++p) {
        const int column =
            std::min(x * info.planes[p].width / info.width, blocks[p].x + blocks[p].width - 1);
        const int row =
            std::min(y * info.planes[p].height / info.height, blocks[p].y + blocks[p].height - 1);
        for (int c = 0; c < blocks[p].channels; ++c) {
            if (!text.empty()) text += '\n';
            text += sample_text(info, blocks[p].at(column, row, c));
        }
    }
    return text;
}

Rect place_of(const GridRequest& request, int x, int y) {
    const ScreenSize size = request.shape.display_size();
    const auto on_screen = [&](double cx, double cy) {
        const Point d = request.shape.to_display({cx, cy});
        return Point{request.placed.x + d.x / size.width * request.placed.width,
                     request.placed.y + d.y / size.height * request.placed.height};
    };
    const Point a = on_screen(x, y);
    const Point b = on_screen(x + 1, y + 1);
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::abs(a.x - b.x), std::abs(a.y - b.y)};
}

}  // namespace

std::string sample_text(const FrameInfo& info, float value) {
    return info.sample == SampleType::f32 ? fmt::format("{:.4f}", value)
                                          : fmt::format("{:.0f}", value);
}

std::vector<GridCell> pixel_grid(const FrameInfo& info, const Picture& picture,
                                 const GridRequest& request) {
    std::vector<GridCell> cells;
    const ScreenSize size = request.shape.display_size();
    if (size.width <= 0 || request.placed.width / size.width < kGridScale) return cells;
    const CodedArea area = seen_area(request);
    if (area.width <= 0 || area.height <= 0) return cells;
    std::vector<SampleBlock> blocks;
    for (std::size_t p = 0; p < info.planes.size(); ++p)
        blocks.push_back(block_of(info, picture, p, area));
    for (int y = area.y; y < area.y + area.height; ++y)
        for (int x = area.x; x < area.x + area.width; ++x)
            cells.push_back({place_of(request, x, y), values_at(info, blocks, x, y)});
    return cells;
}

}  // namespace weft
