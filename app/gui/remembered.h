// What the window keeps from one run to the next: settings, recent files, places.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/recent_files.h"
#include "app/viewer/settings.h"

namespace weft {

struct Gui;

struct Remembered {
    Settings settings;
    RecentFiles recent;
    std::vector<std::string> problems;  // sentences for the user
};

// From the user's folders; defaults where there is nothing. Never throws.
Remembered recall();

// Applies the settings to a window that was just made.
void apply(const Remembered& remembered, Gui& gui);

// Writes what has changed. Problems are said on the window, which may be closing: they are in the
// session's report too.
void keep(Gui& gui);

// The file that plays, with its place, for the next time.
void keep_place(Gui& gui);

}  // namespace weft
