#include "tests/gui/controls.h"

#include <algorithm>
#include <cstdlib>

namespace weft::gui {
namespace {

constexpr int kLeastSide = 6;

// NVIDIA's blending and Mesa's differ by a level.
bool is_alike(const Rgb& a, const Rgb& b) {
    return std::abs(a.r - b.r) <= 1 && std::abs(a.g - b.g) <= 1 && std::abs(a.b - b.b) <= 1;
}

// Visits areas, each pixel once.
class AreaFinder {
 public:
    AreaFinder(const Screenshot& shot, const PixelRect& within, const Rgb& colour)
        : shot_(shot),
          within_(within),
          colour_(colour),
          seen_(static_cast<std::size_t>(within.width) * within.height) {}

    bool is_new(int x, int y) {
        if (x < within_.x || y < within_.y || x >= within_.x + within_.width ||
            y >= within_.y + within_.height || !is_alike(shot_.at(x, y), colour_))
            return false;
        const std::size_t at = std::size_t{1} * (y - within_.y) * within_.width + (x - within_.x);
        const bool first = !seen_[at];
        seen_[at] = true;
        return first;
    }

    PixelRect area_from(int x, int y) {
        std::vector<std::pair<int, int>> edge = {{x, y}};
        int left = x, right = x, top = y, bottom = y;
        while (!edge.empty()) {
            const auto [px, py] = edge.back();
            edge.pop_back();
            left = std::min(left, px);
            right = std::max(right, px);
            top = std::min(top, py);
            bottom = std::max(bottom, py);
            for (const auto& [dx, dy] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}})
                if (is_new(px + dx, py + dy)) edge.emplace_back(px + dx, py + dy);
        }
        return {left, top, right - left + 1, bottom - top + 1};
    }

 private:
    const Screenshot& shot_;
    PixelRect within_;
    Rgb colour_;
    std::vector<bool> seen_;
};

}  // namespace

std::vector<PixelRect> areas_of(const Screenshot& shot, const PixelRect& within,
                                const std::vector<Rgb>& colours) {
    std::vector<AreaFinder> finders;
    for (const Rgb& colour : colours) finders.emplace_back(shot, within, colour);
    std::vector<PixelRect> found;
    for (int y = within.y; y < within.y + within.height; ++y)
        for (int x = within.x; x < within.x + within.width; ++x)
            for (AreaFinder& finder : finders) {
                if (!finder.is_new(x, y)) continue;
                const PixelRect area = finder.area_from(x, y);
                if (area.width >= kLeastSide && area.height >= kLeastSide) found.push_back(area);
            }
    return found;
}

std::vector<PixelRect> first_row(const std::vector<PixelRect>& areas) {
    std::vector<PixelRect> row;
    for (const PixelRect& area : areas)
        if (std::abs(area.y - areas.front().y) < area.height / 2) row.push_back(area);
    std::ranges::sort(row, {}, &PixelRect::x);
    return row;
}

}  // namespace weft::gui
