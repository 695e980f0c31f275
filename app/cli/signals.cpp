#include "app/cli/signals.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/cli/exit_code.h"
#include "app/media/output/output_claim.h"

namespace weft {
namespace {

constexpr int kNoTimeout = -1;

bool is_ignored(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
        if (!is_ignored(signal)) sigaddset(&set, signal);
    return set;
}

[[noreturn]] void refuse_to_watch(int error) {
    const bool too_many = error == EMFILE || error == ENFILE;
    throw Error(
        Outcome::failed,
        fmt::format("signals such as Ctrl-C cannot be watched for: {}{}", std::strerror(error),
                    too_many ? "; allow more open files (ulimit -n)" : ""));
}

Outcome outcome_of(int signal) {
    if (signal == 0) return Outcome::ok;
    return signal == SIGINT ? Outcome::interrupted : Outcome::terminated;
}

// Runs no destructors: threads may be stuck in a read.
[[noreturn]] void leave(int signal, const char* how) {
    (void)std::fprintf(stderr, "%sweft: error: %s by signal %d\n",
                       isatty(STDERR_FILENO) != 0 ? "\n" : "", how, signal);
    remove_claims();
    _exit(exit_code(outcome_of(signal)));
}

// ---- crashes ----

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr int kMostCalls = 48;
// backtrace() and the registers of AVX-512 take 12 KiB.
constexpr std::size_t kHandlerStack = std::size_t{64} << 10;

void write_stderr(std::string_view text) {
    (void)!write(STDERR_FILENO, text.data(), text.size());
}

// Uses async-signal-safe calls only: sigabbrev_np() returns a constant, and report_crashes() has
// made backtrace() load its library. The signal's action is the default one by now.
void report(int signal) {
    mark_claims(signal);
    std::array<void*, kMostCalls> calls{};
    const char* const name = sigabbrev_np(signal);
    write_stderr(isatty(STDERR_FILENO) != 0 ? "\nweft: error: crashed: SIG"
                                            : "weft: error: crashed: SIG");
    write_stderr(name != nullptr ? name : "?");
    write_stderr(
        "; unfinished outputs have not been renamed. Please report this with the lines below.\n");
    backtrace_symbols_fd(calls.data(), backtrace(calls.data(), kMostCalls), STDERR_FILENO);
    (void)raise(signal);
}

bool is_handled(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL;
}

// A stack that has overflowed has no room for the handler. The memory stays until the process ends.
void use_handler_stack() {
    static std::array<std::byte, kHandlerStack> memory;
    stack_t stack{};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    (void)sigaltstack(&stack, nullptr);
}

}  // namespace

SignalWatch::SignalWatch() {
    (void)std::signal(SIGPIPE, SIG_IGN);
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const sigset_t set = watched_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signals_ = FileDescriptor(signalfd(-1, &set, SFD_CLOEXEC));
    if (!signals_.is_open()) refuse_to_watch(errno);
    end_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
    if (!end_.is_open()) refuse_to_watch(errno);
    thread_ = std::thread([this] { watch(); });
}

SignalWatch::~SignalWatch() {
    const std::uint64_t one = 1;
    if (write(end_.get(), &one, sizeof one) == sizeof one) thread_.join();
}

void SignalWatch::on_progress_requested(std::function<void()> handler) {
    const std::scoped_lock lock(mutex_);
    progress_requested_ = std::move(handler);
}

Outcome SignalWatch::outcome() const {
    return outcome_of(signal_);
}

void SignalWatch::watch() {
    if (!wait_for_signal(kNoTimeout)) return;
    const int first = signal_;
    mark_claims(first);
    stop_.request_stop();
    const bool again = wait_for_signal(kGraceMs);
    if (again || !over_) leave(first, again ? "ended" : "stopped");
}

bool SignalWatch::wait_for_signal(int timeout_ms) {
    for (;;) {
        pollfd fds[] = {{signals_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
        const int ready = poll(fds, 2, timeout_ms);
        if (ready < 0 && errno == EINTR) continue;  // a debugger interrupts it
        over_ = ready > 0 && (fds[1].revents & POLLIN) != 0;
        signalfd_siginfo info{};
        if (ready <= 0 || over_ || (fds[0].revents & POLLIN) == 0) return false;
        if (read(signals_.get(), &info, sizeof info) != sizeof info) return false;
        if (info.ssi_signo != SIGUSR1) {
            int none = 0;
            signal_.compare_exchange_strong(none, static_cast<int>(info.ssi_signo));
            return true;
        }
        const std::scoped_lock lock(mutex_);
        if (progress_requested_) progress_requested_();
    }
}

void report_crashes() {
    std::array<void*, 1> caller{};
    (void)backtrace(caller.data(), 1);
    use_handler_stack();
    struct sigaction action {};
    action.sa_handler = report;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK);
    for (const int signal : kFaults)
        if (!is_handled(signal)) (void)sigaction(signal, &action, nullptr);
}

}  // namespace weft
