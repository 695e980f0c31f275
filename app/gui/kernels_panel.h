// The Kernels panel: implementations of the selected step race on the frame that is shown.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/viewer/race_rows.h"

namespace weft {

struct Gui;

// What the panel remembers between two redraws.
struct KernelsPanel {
    bool racing = true;  // while the panel is open
    RaceSettings settings;
    RaceOrder order;
    std::optional<std::size_t> pointed;  // the kernel under the mouse, or the one before
    std::optional<RaceSettings> asked;   // what a frame was asked for
    std::string export_path = "kernels.csv";
    std::uint64_t drawn_revision = 0;  // of the curves
    std::map<std::size_t, RunningBand> curves;
    std::jthread exporting;
};

// What the parts of the panel draw.
struct RaceView {
    const RaceSnapshot& race;
    const std::vector<RaceRow>& rows;
};

// Tells the race what the panel wants; asks for the frame again where it needs its pixels. Once a
// redraw, whether the panel is open or not.
void hand_on_race(Gui& gui);

void draw_kernels_table(Gui& gui, const RaceView& view);
// To the size of the content region.
void draw_race_curves(KernelsPanel& panel, const RaceView& view);
void draw_race_roofline(const KernelsPanel& panel, const RaceView& view);
void draw_stage_times(Gui& gui);

// The same for a kernel in the table and in the plots: 0xAABBGGRR.
std::uint32_t colour_of(std::size_t kernel);

}  // namespace weft
