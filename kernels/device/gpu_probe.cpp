#include "kernels/device/gpu_probe.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "filters/text/file_descriptor.h"

namespace weft {

namespace {

using Clock = std::chrono::steady_clock;

// A healthy driver with eight GPUs answers in about two seconds.
constexpr std::chrono::seconds kProbeLimit{10};
constexpr std::chrono::seconds kKillLimit{1};

// Runs in the child. The driver may print, and may keep handlers that must not run: _exit.
[[noreturn]] void run_child(int out) {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (null >= 0 && fd != out) (void)dup2(null, fd);
    const std::string text = describe_gpus_in_child();
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = write(out, text.data() + done, text.size() - done);
        if (n <= 0) _exit(1);
        done += static_cast<std::size_t>(n);
    }
    _exit(0);
}

// Reads until end of file; false if the deadline passes first.
bool read_all(int fd, Clock::time_point deadline, std::string& text) {
    std::array<char, 4096> chunk{};
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
        const int ready = poll(&waiting, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t n = read(fd, chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0;
        text.append(chunk.data(), static_cast<std::size_t>(n));
    }
}

// A child that hangs inside the driver cannot be reaped: it is abandoned rather than waited for.
class Child {
 public:
    explicit Child(pid_t pid) : pid_(pid) {}
    ~Child() {
        if (pid_ > 0) (void)kill();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Both return the status, or nothing for a child that is abandoned.
    std::optional<int> kill() {
        (void)::kill(pid_, SIGKILL);
        return wait(kKillLimit);
    }
    std::optional<int> wait(std::chrono::seconds limit) {
        const pid_t pid = std::exchange(pid_, -1);
        const Clock::time_point deadline = Clock::now() + limit;
        for (;;) {
            int status = 0;
            const pid_t result = waitpid(pid, &status, WNOHANG);
            if (result == pid) return status;
            if ((result < 0 && errno != EINTR) || Clock::now() > deadline) return std::nullopt;
            (void)poll(nullptr, 0, 2);
        }
    }

 private:
    pid_t pid_;
};

GpuProbe none(std::string why) {
    return {.devices = {}, .why_none = std::move(why)};
}

GpuProbe listen_to_child(Child child, int fd) {
    std::string text;
    const bool complete = read_all(fd, Clock::now() + kProbeLimit, text);
    const std::optional<int> status = complete ? child.wait(kProbeLimit) : child.kill();
    if (!complete)
        return none("the NVIDIA driver did not answer within " +
                    std::to_string(kProbeLimit.count()) + " seconds");
    if (status && WIFSIGNALED(*status))
        return none("the NVIDIA driver crashed: signal " + std::to_string(WTERMSIG(*status)));
    return parse_gpu_description(text);
}

GpuProbe probe_in_child() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return none("no pipe could be made to ask for GPUs");
    const FileDescriptor in(ends[0]);
    FileDescriptor out(ends[1]);
    const pid_t child = fork();
    if (child == 0) run_child(out.get());
    (void)out.close();
    return child < 0 ? none("no process could be started to ask for GPUs")
                     : listen_to_child(Child(child), in.get());
}

void add_line(const std::string& line, GpuProbe& probe) {
    std::istringstream in(line);
    std::string kind;
    std::getline(in, kind, '\t');
    if (kind != "gpu") {
        std::string why;
        std::getline(in, why);
        if (!probe.why_none.empty()) probe.why_none += "; ";
        probe.why_none += why;
        return;
    }
    Device d;
    in >> d.ordinal >> d.multiprocessors >> d.compute_major >> d.compute_minor >> d.memory_bytes >>
        d.l2_bytes >> d.clock_hz >> d.memory_bytes_per_second >> d.driver_version;
    in.ignore(1);
    std::getline(in, d.name);
    if (!d.name.empty()) probe.devices.push_back(std::move(d));
}

}  // namespace

GpuProbe parse_gpu_description(std::string_view text) {
    GpuProbe probe;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) add_line(line, probe);
    if (!probe.devices.empty()) {
        probe.why_none.clear();
    } else if (probe.why_none.empty()) {
        probe.why_none = "the NVIDIA driver sees no GPU";
    }
    return probe;
}

// This runs once per process: after a process has used CUDA, a forked child cannot use it.
GpuProbe probe_gpus() {
    static const GpuProbe probe = probe_in_child();
    return probe;
}

}  // namespace weft
