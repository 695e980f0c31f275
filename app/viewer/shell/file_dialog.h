// The desktop's own file dialog, in a child process: zenity or kdialog, whichever is installed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "filters/text/file_descriptor.h"

namespace weft {

struct DialogFilter {
    std::string label;                  // "Video and pictures"
    std::vector<std::string> patterns;  // "*.mp4"
};

struct DialogRequest {
    enum class Kind { open, save };
    Kind kind = Kind::open;
    std::string title = {};
    std::string start = {};  // a folder, ending in '/', or the suggested name
    bool several = false;    // for Kind::open only
    std::vector<DialogFilter> filters = {};
};

// Full path of zenity or kdialog; KDE desktops prefer kdialog. Empty if neither is on PATH.
std::string find_dialog_program();

// The program's argv. Pure.
std::vector<std::string> dialog_command(const std::string& program, const DialogRequest& request);

// Splits the program's output into names: one per line, except that a line without a leading '/'
// continues the previous name. Pure.
std::vector<std::string> parse_dialog_output(std::string_view text);

struct DialogAnswer {
    std::vector<std::string> paths;  // empty: cancelled, or an error
    std::string error;               // a sentence
};

// One dialog at a time. Never blocks; the destructor kills the child. Not thread-safe.
class FileDialog {
 public:
    FileDialog() = default;
    ~FileDialog();
    FileDialog(const FileDialog&) = delete;
    FileDialog& operator=(const FileDialog&) = delete;

    // Throws Error with a sentence if the program does not start. Does nothing while a dialog is
    // open.
    void open(const std::string& program, const DialogRequest& request);
    bool is_open() const { return child_ > 0; }

    // To be called periodically: returns the answer once, after the user has given it.
    std::optional<DialogAnswer> poll();

 private:
    bool read_available();  // false at the end
    DialogAnswer answer(int status);
    void close();

    std::string program_;
    pid_t child_ = -1;
    FileDescriptor pipe_;
    std::string text_;
};

}  // namespace weft
