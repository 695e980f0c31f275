#include "app/viewer/export/clipboard_picture.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/viewer/shell/child_process.h"
#include "filters/text/file_descriptor.h"

namespace weft {
namespace {

bool is_wayland() {
    const char* const display = std::getenv("WAYLAND_DISPLAY");  // NOLINT(concurrency-mt-unsafe)
    return display != nullptr && *display != '\0';
}

// Searched on PATH.
std::vector<std::string> command() {
    if (is_wayland()) return {"wl-copy", "--type", "image/png"};
    return {"xclip", "-selection", "clipboard", "-target", "image/png", "-in"};
}

std::string remedy(int error) {
    if (error != ENOENT) return std::strerror(error);
    return is_wayland() ? "copying a picture needs it: install wl-clipboard"
                        : "copying a picture needs it: install xclip";
}

}  // namespace

void copy_picture(const std::filesystem::path& png) {
    const std::vector<std::string> words = command();
    const FileDescriptor input(open(png.c_str(), O_RDONLY | O_CLOEXEC));
    if (!input.is_open())
        throw Error(Outcome::failed, fmt::format("{}: {}", png.string(), std::strerror(errno)));
    pid_t child = -1;
    // Its background process keeps its output and errors open, so that they go nowhere.
    const int error = start_child(words, {.input = input.get()}, child);
    if (error != 0)
        throw Error(Outcome::failed, fmt::format("{}: {}", words.front(), remedy(error)));
    int status = 0;
    (void)wait_for_child(child, 0, status);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw Error(Outcome::failed,
                    fmt::format("{}: it could not copy the picture", words.front()));
}

}  // namespace weft
