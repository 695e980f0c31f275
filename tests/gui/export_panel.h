// The Export panel, found and used on the screen.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/gui/viewer.h"

namespace weft::gui {

inline constexpr std::size_t kFrameBytes = std::size_t{3} * kClipWidth * kClipHeight;
inline constexpr std::string_view kFrameHead = "FRAME\n";

// The pictures of an uncompressed file, three planes each; empty if the file is incomplete.
inline std::vector<std::string> pictures_of(const std::string& y4m) {
    std::vector<std::string> pictures;
    std::size_t at = y4m.find('\n') + 1;
    for (; at < y4m.size(); at += kFrameHead.size() + kFrameBytes) {
        if (y4m.compare(at, kFrameHead.size(), kFrameHead) != 0) return {};
        pictures.push_back(y4m.substr(at + kFrameHead.size(), kFrameBytes));
        if (pictures.back().size() != kFrameBytes) return {};
    }
    return pictures;
}

inline int luma(const std::string& picture, double x, double y) {
    const int column = static_cast<int>(x * kClipWidth);
    const int row = static_cast<int>(y * kClipHeight);
    return static_cast<unsigned char>(picture[std::size_t{1} * row * kClipWidth + column]);
}

using Areas = std::vector<PixelRect>;

class GuiExport : public GuiTest {
 protected:
    // As high as the screen, so that the buttons have room below the filters and the settings.
    Viewer view(std::vector<std::string> words, const Environment& changes = {}) const {
        words.insert(words.end(), {"--window-size", "1280x1024"});
        return GuiTest::view(std::move(words), changes);
    }
    // Exports take a second per frame, on every machine, until end_slowness(). `first_slow`: the
    // number of the frame from which on they do.
    Viewer slow_view(std::vector<std::string> words, int first_slow = 0) const {
        cli::write_file(path("slow"), "");
        std::string libraries = library_for_tests("weft-slow-encoder.so");
        if (cli::kSanitized) libraries += ":" + library_for_tests("weft-kept-libraries.so");
        return view(std::move(words), {{"LD_PRELOAD", libraries},
                                       {"WEFT_SLOW_WHILE", path("slow")},
                                       {"WEFT_SLOW_FROM", std::to_string(first_slow)}});
    }
    void end_slowness() const { std::filesystem::remove(path("slow")); }
    // Waits for the clip first: the panel of an empty window has other buttons. A window opens with
    // the section that was open in the last one.
    static void open_panel(const Viewer& viewer) {
        viewer.hold("e");
        (void)viewer.clip_place();
        viewer.let_go("e");
        const Screenshot shot = Screen::get().shot();
        if (areas_of(shot, viewer.place(), {kOpenSection}).empty()) viewer.press({"ctrl+shift+e"});
        (void)viewer.side_areas({kPrimaryButton}, [&](const Areas& all) {
            return !all.empty() && all.back().y > viewer.section_top();
        });
    }
    // The arrows of lists are square; the words of other buttons make them wide.
    static bool is_wide(const PixelRect& area) { return 2 * area.width > 3 * area.height; }
    static Areas wide_ones(Areas areas) {
        std::erase_if(areas, [](const PixelRect& area) { return !is_wide(area); });
        return areas;
    }
    // All buttons and arrows of the panel, once `accepts` takes them and they have stopped moving.
    static Areas settled(const Viewer& viewer, const std::function<bool(const Areas&)>& accepts) {
        Areas before;
        const auto in_panel = [top = viewer.section_top()](Areas all) {
            std::erase_if(all, [top](const PixelRect& area) { return area.y < top; });
            return all;
        };
        return in_panel(viewer.side_areas({kButton, kPrimaryButton}, [&](const Areas& all) {
            const bool stays = std::exchange(before, all) == all;
            return stays && accepts(in_panel(all));
        }));
    }
    // The first row of wide buttons of full height: "Save video" and "Add to queue", or the two
    // answers to the question before it.
    static Areas main_row(const Areas& all) {
        Areas wide = wide_ones(all);
        if (wide.empty()) return wide;
        const int height = std::ranges::max_element(wide, {}, &PixelRect::height)->height;
        std::erase_if(wide, [height](const PixelRect& area) { return area.height < height - 1; });
        return first_row(wide);
    }
    // Waits for it. `unlike`: the row that was seen before.
    static Areas buttons(const Viewer& viewer, const Areas& unlike = {}) {
        return main_row(settled(viewer, [&](const Areas& all) {
            return main_row(all).size() == 2 && main_row(all) != unlike;
        }));
    }
    // The first row of small ones above it: "Set A" and "Set B".
    static Areas part_row(const Areas& all) {
        Areas small = wide_ones(all);
        const Areas main = main_row(all);
        std::erase_if(
            small, [&](const PixelRect& area) { return main.empty() || area.y >= main.front().y; });
        return small.empty() ? small : first_row(small);
    }
    static Areas part_buttons(const Viewer& viewer) {
        return part_row(
            settled(viewer, [](const Areas& all) { return part_row(all).size() == 2; }));
    }
    static PixelRect save_button(const Viewer& viewer) { return buttons(viewer).at(0); }
    static PixelRect add_button(const Viewer& viewer) { return buttons(viewer).at(1); }
    // Moves the mouse away afterwards: a button has another colour under the mouse.
    static void click(const Viewer& viewer, const PixelRect& button) {
        viewer.click(button.middle());
        const PixelRect window = viewer.place();
        viewer.move_to(window.x + window.width / 4, window.y + window.height / 4);
    }
    std::string output() const { return path("clip-filtered.y4m"); }
    bool is_written() const {
        return std::filesystem::exists(output()) &&
               pictures_of(cli::read_file(output())).size() == std::size_t{kFrames};
    }
};

// The lists above the buttons of the part, by their arrows: container, codec, quality, sound. Lists
// that cannot be used are pale.
class GuiExportSettings : public GuiExport {
 protected:
    static Areas arrows(const Viewer& viewer, std::size_t count) {
        const auto above = [](const Areas& all) {
            const Areas part = part_row(all);
            Areas found;
            for (const PixelRect& area : all)
                if (!part.empty() && area.y < part.front().y && !is_wide(area))
                    found.push_back(area);
            return found;
        };
        return above(settled(viewer, [&](const Areas& all) { return above(all).size() == count; }));
    }
    // Clicks the arrow, then the row of the list that opens.
    static void choose(const Viewer& viewer, const PixelRect& arrow, int row, int rows) {
        viewer.click(arrow.middle());
        PixelRect before;
        const auto tallest = [](const Areas& all) {
            return all.empty() ? PixelRect{}
                               : *std::ranges::max_element(all, {}, &PixelRect::height);
        };
        const Areas all = viewer.side_areas({kPopup}, [&](const Areas& areas) {
            const PixelRect now = tallest(areas);
            return std::exchange(before, now) == now && now.height > rows * arrow.height / 2;
        });
        const PixelRect list = tallest(all);
        const int edge = 8;  // ImGui's WindowPadding
        const int y = list.y + edge + (2 * row + 1) * (list.height - 2 * edge) / (2 * rows);
        click(viewer, {list.x + 2 * edge, y, 1, 1});
    }
    // The file's contents, once it exists.
    std::string bytes_of(const std::string& name) const {
        EXPECT_TRUE(eventually([&] { return std::filesystem::exists(path(name)); })) << name;
        return std::filesystem::exists(path(name)) ? cli::read_file(path(name)) : "";
    }
    static constexpr int kContainers = 9, kMkv = 2;
};

}  // namespace weft::gui
