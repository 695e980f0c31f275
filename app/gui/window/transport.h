// Parts of the transport bar. Internal to app/gui.
#pragma once

#include "app/viewer/play/player.h"

namespace weft {

struct Gui;

// As wide as the window; `position` is the shown frame's, in seconds.
void draw_timeline(Gui& gui, const PlayerStatus& status, double position);

enum class Icon { play, pause, back, forward, previous, next, sound, muted };

// A square button with an icon; true if it was pressed.
bool icon_button(const char* id, Icon icon, const char* tooltip);

}  // namespace weft
