// Waits for events and frames, and redraws on changes.
#pragma once

namespace weft {

struct Gui;

// Runs until the window is closed. An idle window sleeps.
void run_frame_loop(Gui& gui);

}  // namespace weft
