// State kept from one run to the next: settings, recent files, positions.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/shell/recent_files.h"
#include "app/viewer/shell/settings.h"

namespace weft {

struct Gui;

struct Remembered {
    Settings settings;
    RecentFiles recent;
    std::vector<std::string> problems;  // sentences for the user
};

// Reads the user's folders; uses defaults for missing files. Never throws.
Remembered recall();

// Applies the settings to a new window.
void apply(const Remembered& remembered, Gui& gui);

// Writes all changes. Problems are shown in the window and, as it may be closing, added to the
// session's report.
void keep(Gui& gui);

// Remembers the current file and its position.
void keep_place(Gui& gui);

}  // namespace weft
