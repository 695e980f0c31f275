// Opens files: with the desktop's dialog if available, otherwise from a list in the window.
#pragma once

#include <string>
#include <vector>

#include "app/viewer/shell/file_dialog.h"
#include "app/viewer/shell/folder_listing.h"
#include "app/viewer/shell/recent_files.h"

namespace weft {

struct Gui;

struct OpenPanel {
    bool open = false;  // the list in the window
    std::string typed;  // the name of a folder or a file
    std::string search;
    FileDialog dialog;
    FolderBrowser browser;
    std::vector<RecentFiles::File> listed;  // recent files at the time the list was opened

    // Whether tend_open() must be called again soon although no event wakes the window.
    bool waits() const { return dialog.is_open() || browser.busy(); }
};

// Ctrl+O.
void open_files(Gui& gui);

// Takes the dialog's answer and the folder's contents. Call it once per redraw.
void tend_open(Gui& gui);

// Draws the list, if it is open: recently opened files and the contents of a folder.
void draw_open(Gui& gui);

}  // namespace weft
