#include "app/viewer/export/clipboard_picture.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "app/media/libav/error.h"

extern char** environ;

namespace weft {
namespace {

bool is_wayland() {
    const char* const display = std::getenv("WAYLAND_DISPLAY");  // NOLINT(concurrency-mt-unsafe)
    return display != nullptr && *display != '\0';
}

// Reads the file; its output and errors go nowhere, because its background process keeps them open.
class SpawnActions {
 public:
    explicit SpawnActions(const std::filesystem::path& input) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
        for (const int output : {STDOUT_FILENO, STDERR_FILENO})
            posix_spawn_file_actions_addopen(&actions_, output, "/dev/null", O_WRONLY, 0);
    }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
    posix_spawn_file_actions_t actions_{};
};

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
    std::vector<char*> argv;
    for (const std::string& word : words)
        argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn's old signature
    argv.push_back(nullptr);
    const SpawnActions actions(png);
    pid_t child = -1;
    const int error =
        posix_spawnp(&child, argv.front(), actions.get(), nullptr, argv.data(), environ);
    if (error != 0)
        throw Error(Outcome::failed, fmt::format("{}: {}", words.front(), remedy(error)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw Error(Outcome::failed,
                    fmt::format("{}: it could not copy the picture", words.front()));
}

}  // namespace weft
