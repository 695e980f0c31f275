// Pictures on the desktop's clipboard, through wl-copy under Wayland and xclip elsewhere: the
// window's own library passes on text only.
#pragma once

#include <filesystem>

namespace weft {

// Puts a PNG file's contents on the clipboard, where the program keeps them until something else is
// copied; the file may be removed afterwards. Blocks. Throws Error(failed) with what to install.
void copy_picture(const std::filesystem::path& png);

}  // namespace weft
