// Opening files: the desktop's dialog where there is one, else a list in the window.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/file_dialog.h"
#include "app/viewer/folder_listing.h"
#include "app/viewer/recent_files.h"

namespace weft {

struct Gui;

struct OpenPanel {
    bool open = false;  // the list in the window
    std::string typed;  // a folder or a file by its name
    std::string search;
    FileDialog dialog;
    FolderBrowser browser;
    std::vector<RecentFiles::File> listed;  // those opened last, when the list was opened

    // Whether tend_open() must be called again soon, though no event wakes the window.
    bool waits() const { return dialog.is_open() || browser.busy(); }
};

// Ctrl+O.
void open_files(Gui& gui);

// Takes what the dialog answered and what the folder holds. Once a redraw.
void tend_open(Gui& gui);

// The list, if it is open: of the files that were opened last, and of a folder.
void draw_open(Gui& gui);

}  // namespace weft
