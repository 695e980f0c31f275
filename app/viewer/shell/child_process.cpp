#include "app/viewer/shell/child_process.h"

#include <cerrno>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace weft {
namespace {

class SpawnActions {
 public:
    explicit SpawnActions(ChildStreams streams) {
        posix_spawn_file_actions_init(&actions_);
        add(streams.input, STDIN_FILENO);
        add(streams.output, STDOUT_FILENO);
        add(-1, STDERR_FILENO);
    }
    ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
    void add(int source, int target) {
        if (source < 0)
            posix_spawn_file_actions_addopen(&actions_, target, "/dev/null", O_RDWR, 0);
        else
            posix_spawn_file_actions_adddup2(&actions_, source, target);
    }

    posix_spawn_file_actions_t actions_{};
};

}  // namespace

int start_child(const std::vector<std::string>& command, ChildStreams streams, pid_t& child) {
    std::vector<char*> argv;
    for (const std::string& word : command)
        argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn's old signature
    argv.push_back(nullptr);
    const SpawnActions actions(streams);
    return posix_spawnp(&child, argv.front(), actions.get(), nullptr, argv.data(), environ);
}

pid_t wait_for_child(pid_t child, int flags, int& status) {
    pid_t got = 0;
    do {
        got = waitpid(child, &status, flags);
    } while (got < 0 && errno == EINTR);
    return got;
}

}  // namespace weft
