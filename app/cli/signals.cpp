#include "app/cli/signals.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace weft {
namespace {

constexpr int kForEver = -1;

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
    return set;
}

ExitCode code_of(int signal) {
    if (signal == 0) return ExitCode::ok;
    return signal == SIGINT ? ExitCode::interrupted : ExitCode::terminated;
}

// Runs no destructors: threads may be stuck in a read.
[[noreturn]] void leave(int signal, const char* how) {
    (void)std::fprintf(stderr, "%sweft: error: %s by signal %d\n",
                       isatty(STDERR_FILENO) != 0 ? "\n" : "", how, signal);
    _exit(static_cast<int>(code_of(signal)));
}

}  // namespace

SignalWatch::SignalWatch() {
    (void)std::signal(SIGPIPE, SIG_IGN);
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const sigset_t set = watched_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_fd_ = signalfd(-1, &set, SFD_CLOEXEC);
    end_fd_ = eventfd(0, EFD_CLOEXEC);
    if (signals_fd_ < 0 || end_fd_ < 0)
        throw Error(ExitCode::failed, "no descriptors are left to watch for signals");
    thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
    const std::uint64_t one = 1;
    if (write(end_fd_, &one, sizeof one) == sizeof one) thread_.join();
    close(signals_fd_);
    close(end_fd_);
}

void SignalWatch::on_progress_requested(std::function<void()> handler) {
    const std::scoped_lock lock(mutex_);
    progress_requested_ = std::move(handler);
}

ExitCode SignalWatch::exit_code() const {
    return code_of(signal_);
}

void SignalWatch::watch() {
    if (!wait_for_signal(kForEver)) return;
    stop_.request_stop();
    const int first = signal_;
    const bool again = wait_for_signal(kGraceMs);
    if (again || !over_) leave(first, again ? "ended" : "stopped");
}

bool SignalWatch::wait_for_signal(int timeout_ms) {
    pollfd fds[] = {{signals_fd_, POLLIN, 0}, {end_fd_, POLLIN, 0}};
    int ready = 0;
    do {
        ready = poll(fds, 2, timeout_ms);
    } while (ready < 0);  // interrupted by a debugger
    over_ = (fds[1].revents & POLLIN) != 0;
    signalfd_siginfo info{};
    if (over_ || (fds[0].revents & POLLIN) == 0) return false;
    if (read(signals_fd_, &info, sizeof info) != sizeof info) return false;
    if (info.ssi_signo == SIGUSR1) {
        {
            const std::scoped_lock lock(mutex_);
            if (progress_requested_) progress_requested_();
        }
        return wait_for_signal(timeout_ms);
    }
    int none = 0;
    signal_.compare_exchange_strong(none, static_cast<int>(info.ssi_signo));
    return true;
}

}  // namespace weft
