// Functions for the playback keys. Internal to app/gui.
#pragma once

namespace weft {

struct Gui;

void toggle_pause(Gui& gui);
void seek_by(Gui& gui, double seconds);
// Seeks to the beginning of the chapter `by` chapters ahead, or back; in the first second of a
// chapter it goes back to the previous one.
void seek_chapter(Gui& gui, int by);
void scale_speed(Gui& gui, double factor);
// Sets A at the shown frame, then B, then clears both.
void mark_loop(Gui& gui);
void change_volume(Gui& gui, double by);
void toggle_mute(Gui& gui);

}  // namespace weft
