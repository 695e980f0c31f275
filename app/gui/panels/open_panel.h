// Opens files with the desktop's dialog if available, otherwise from a list in the window. Files
// that users choose become the playlist.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/panels/playing.h"
#include "app/gui/panels/remembered.h"
#include "app/gui/widgets/thumbnail_image.h"
#include "app/gui/window/window.h"
#include "app/viewer/play/file_thumbnails.h"
#include "app/viewer/play/playlist.h"
#include "app/viewer/shell/file_dialog.h"
#include "app/viewer/shell/folder_listing.h"
#include "app/viewer/shell/path_completion.h"
#include "app/viewer/shell/toasts.h"

namespace weft {

// A tile of the first page, which opens the sample, or a film of the user to draw a region in it.
struct Trial {
    const char* name;
    const char* help;
    std::string_view stack;    // as -vf takes it
    std::string_view picture;  // the stack of the tile's picture, which is small
    bool race = false;         // the kernels race, and the picture shows their bars
    bool region = false;       // the user's film is opened, and the picture shows a region
};

struct OpenPanel {
    bool wanted = false;  // poll_open() opens the dialog or the list
    bool open = false;    // the list in the window
    std::string typed;    // the name of a folder or a file
    std::string search;
    std::string sample;                                   // a clip to try, "" if none is installed
    std::map<const Trial*, ThumbnailPtr> trial_pictures;  // made from the sample's thumbnail
    bool takes_first = false;                             // Enter in the search
    FileDialog dialog;
    FolderBrowser browser;
    PathCompleter completer;
    std::optional<PathCompletion> completion;     // the last one
    std::shared_ptr<const MediaInfo> remembered;  // the last file that was opened
    std::vector<RecentFiles::File> listed;        // recent files when a list of them appeared
    FileThumbnails thumbnails{Window::wake};      // of these, while the first page is visible
    ThumbnailTextures textures;
    std::vector<std::string> visible_files;   // of the open list in the last redraw
    std::vector<std::string> pictured_files;  // those that row_thumbnails makes
    FileThumbnails row_thumbnails{Window::wake};
    ThumbnailTextures row_textures;
    bool first_page_shown = false;
    float page_height = 0;  // of its content in the last redraw
    std::string refusal;    // the reason why the last file could not be opened, on the first page

    // Whether poll_open() must be called again soon although no event wakes the window.
    bool waits() const { return dialog.is_open() || browser.busy() || completer.busy(); }
};

// Opens what is wanted; takes the dialog's answer and the folder's contents. Call it once per
// redraw.
void poll_open(OpenPanel& panel, Remembered& remembered, Playlist& playlist, const Playing& playing,
               Toasts& toasts);
// Draws the list of recently opened files and of the contents of a folder, if the list is open.
void draw_open(OpenPanel& panel, const RecentFiles& recent, Playlist& playlist);
// The recent files, one row each, which opens it; missing ones are disabled. Reads the disk when
// the window or menu around it appears.
void draw_recent_files(OpenPanel& panel, const RecentFiles& recent, Playlist& playlist);

// In place of the picture while no file is open (first_page.cpp): opens files, recent ones and the
// sample. The reason why a file was refused is on it in place of a toast, until the next one opens.
// Returns the tile that was chosen, or null.
const Trial* draw_first_page(OpenPanel& panel, const RecentFiles& recent, Playlist& playlist,
                             Toasts& toasts, const Rect& area);
// Ends the work for thumbnails that no longer appear. Call it in every other redraw.
void leave_first_page(OpenPanel& panel);

}  // namespace weft
