// Waits for events and frames, and redraws when there is something new.
#pragma once

namespace weft {

struct Gui;

// Until the window is closed. An idle window sleeps.
void run_frame_loop(Gui& gui);

}  // namespace weft
