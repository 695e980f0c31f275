// State kept from one run to the next.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/shell/key_bindings.h"
#include "app/viewer/shell/recent_files.h"
#include "app/viewer/shell/settings.h"

namespace weft {

struct Remembered {
    Settings settings;
    RecentFiles recent;
    KeyBindings keys;
    std::vector<std::string> problems;  // sentences for the user
};

// Reads the user's folders; uses defaults for missing files. Never throws.
Remembered load_remembered();

// Writes the recent files, so that a crash does not lose the last ones. keep() reports problems.
void keep_recent(const RecentFiles& recent);

}  // namespace weft
