#include "app/cli/crash_report.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <execinfo.h>
#include <string_view>
#include <unistd.h>

namespace weft {
namespace {

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr int kMostCalls = 48;
// backtrace() and the registers of AVX-512 take 12 KiB.
constexpr std::size_t kHandlerStack = std::size_t{64} << 10;

void say(std::string_view text) {
    (void)!write(STDERR_FILENO, text.data(), text.size());
}

// Uses async-signal-safe calls only: sigabbrev_np() returns a constant, and report_crashes() has
// made backtrace() load its library. The signal's action is the default one by now.
void report(int signal) {
    std::array<void*, kMostCalls> calls{};
    const char* const name = sigabbrev_np(signal);
    say(isatty(STDERR_FILENO) != 0 ? "\nweft: error: crashed: SIG" : "weft: error: crashed: SIG");
    say(name != nullptr ? name : "?");
    say("; what was unfinished has no name yet. Please report this with the lines below.\n");
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
