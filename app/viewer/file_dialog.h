// The desktop's own file dialog, in a child process: zenity or kdialog, whichever is there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace weft {

struct DialogFilter {
    std::string label;                  // "Video and pictures"
    std::vector<std::string> patterns;  // "*.mp4"
};

struct DialogRequest {
    enum class Kind { open, save };
    Kind kind = Kind::open;
    std::string title = {};
    std::string start = {};  // a folder, ending in '/', or the name that is suggested
    bool several = false;    // open only
    std::vector<DialogFilter> filters = {};
};

// "zenity" or "kdialog", a full path; KDE's own on a KDE desktop. Empty: neither is on PATH.
std::string find_dialog_program();

// What the window says where there is none; it then uses its own list.
inline constexpr std::string_view kNoDialogProgram =
    "no file dialog was found (zenity or kdialog): the window's own list is used";

// argv of the program. Pure.
std::vector<std::string> dialog_command(const std::string& program, const DialogRequest& request);

// The names in what the program printed: one for each line, or, where a line does not begin with
// '/', a part of the name before. Pure.
std::vector<std::string> parse_dialog_output(std::string_view text);

struct DialogAnswer {
    std::vector<std::string> paths;  // empty: cancelled, or an error
    std::string error;               // a sentence
};

// One dialog at a time. Nothing blocks; the child is killed when this object goes. Not
// thread-safe.
class FileDialog {
 public:
    FileDialog() = default;
    ~FileDialog();
    FileDialog(const FileDialog&) = delete;
    FileDialog& operator=(const FileDialog&) = delete;

    // Throws Error with a sentence when the program does not start. Without effect while a dialog
    // is open.
    void open(const std::string& program, const DialogRequest& request);
    bool is_open() const { return child_ > 0; }

    // To be called now and then: the answer, once, when the user has given it.
    std::optional<DialogAnswer> poll();

 private:
    bool read_available();  // false at the end
    DialogAnswer answer(int status);
    void close();

    std::string program_;
    pid_t child_ = -1;
    int pipe_ = -1;
    std::string text_;
};

}  // namespace weft
