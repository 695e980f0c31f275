// The Kernels panel: implementations of the selected step race on the shown frame.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/viewer/race/race_rows.h"

namespace weft {

struct Gui;

// State of the panel between redraws.
struct KernelsPanel {
    bool racing = true;  // while the panel is open
    RaceSettings settings;
    RaceOrder order;
    std::optional<std::size_t> pointed;  // the kernel under the mouse, or the previous one
    std::optional<RaceSettings> asked;   // settings of the last frame request
    std::string export_path = "kernels.csv";
    std::string taken_path;            // the export's name if a file had it when Save was pressed
    std::uint64_t drawn_revision = 0;  // revision of `curves`
    std::map<std::size_t, RunningBand> curves;
    std::jthread exporting;
};

// The data for the parts of the panel.
struct RaceView {
    const RaceSnapshot& race;
    const std::vector<RaceRow>& rows;
};

// Passes the panel's settings to the race; requests the frame again if the race needs its pixels.
// Call it once per redraw, whether the panel is open or not.
void hand_on_race(Gui& gui);

void draw_kernels_table(Gui& gui, const RaceView& view);
// Fills the content region.
void draw_race_curves(KernelsPanel& panel, const RaceView& view);
void draw_race_roofline(const KernelsPanel& panel, const RaceView& view);
void draw_stage_times(Gui& gui);

// The colour of a kernel in the table and in the plots: 0xAABBGGRR.
std::uint32_t colour_of(std::size_t kernel);

}  // namespace weft
