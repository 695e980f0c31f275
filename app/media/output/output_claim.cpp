#include "app/media/output/output_claim.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <climits>
#include <fmt/format.h>

#include "app/media/output/atomic_output.h"
#include "app/media/output/partial_name.h"
#include "kernels/device/cgroup.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

fs::path claim_path(const std::string& output) {
    const fs::path target = follow_links(output);
    return target.parent_path() / claim_name(target.filename().string());
}

// The descriptors of the claims that this process holds, plus one, for a handler; 0: a free place.
constexpr std::size_t kMostMarked = 256;
std::array<std::atomic<int>, kMostMarked>& held_claims() {
    static std::array<std::atomic<int>, kMostMarked> places;
    return places;
}

void exchange_held(int from, int to) {
    for (std::atomic<int>& place : held_claims()) {
        int expected = from;
        if (place.compare_exchange_strong(expected, to)) return;
    }
}

// A claim's text: these numbers in a fixed width each; after a signal "=" and the signal in two
// digits, or "?" if the signal is no proof against the output's input.
struct ClaimNumbers {
    static constexpr std::size_t kDigits = 12;
    static constexpr std::size_t kBytes = 4 * kDigits;

    std::int64_t killed_on_machine = 0;  // because memory ran out
    std::int64_t killed_in_group = 0;
    std::int64_t mib = 0;  // of memory that the process could have
    std::int64_t group = 0;

    static ClaimNumbers now() {
        constexpr std::int64_t kEnd = 1'000'000'000'000;  // the first number with 13 digits
        const MemoryKills kills = memory_kills();
        return {.killed_on_machine = kills.on_machine,
                .killed_in_group = kills.in_group,
                .mib = static_cast<std::int64_t>(available_memory_bytes() >> 20U),
                .group = static_cast<std::int64_t>(kills.group % kEnd)};
    }
    static ClaimNumbers parse(const std::string& text) {
        const auto number = [&](std::size_t k) { return std::atoll(text.c_str() + k * kDigits); };
        return {number(0), number(1), number(2), number(3)};
    }
    std::string text() const {
        return fmt::format("{:<{}}{:<{}}{:<{}}{:<{}}", killed_on_machine, kDigits, killed_in_group,
                           kDigits, mib, kDigits, group, kDigits);
    }
};

std::string read_claim(int fd) {
    std::array<char, ClaimNumbers::kBytes + 4> text{};
    const ssize_t got = pread(fd, text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

}  // namespace

void mark_claims(int signal) noexcept {
    const auto& places = held_claims();
    const auto is_held = [](const std::atomic<int>& place) { return place > 0; };
    const bool is_request = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
    const bool is_proof = !is_request && std::count_if(places.begin(), places.end(), is_held) == 1;
    const std::array<char, 3> mark = {is_proof ? '=' : '?',
                                      static_cast<char>('0' + signal / 10 % 10),
                                      static_cast<char>('0' + signal % 10)};
    for (const std::atomic<int>& place : places)
        if (is_held(place))
            (void)!pwrite(place - 1, mark.data(), mark.size(), ClaimNumbers::kBytes);
}

void remove_claims() noexcept {
    for (const std::atomic<int>& place : held_claims()) {
        if (place <= 0) continue;
        std::array<char, 32> link{};
        std::array<char, PATH_MAX + 1> path{};
        (void)std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", place - 1);
        if (readlink(link.data(), path.data(), PATH_MAX) > 0) unlink(path.data());
    }
}

OutputClaim::OutputClaim(const std::string& output) : path_(claim_path(output)) {
    claim();
}

OutputClaim::OutputClaim(const std::string& output, const std::stop_token& stop)
    : OutputClaim(output) {
    constexpr std::chrono::milliseconds kPause{5};
    while (!held_ && !stop.stop_requested()) {
        (void)file_.close();
        std::this_thread::sleep_for(kPause);
        claim();
    }
}

// Between open and lock the process that held the file may remove it: then create it again.
void OutputClaim::claim() {
    constexpr int kAttempts = 100;  // more than the number of runs that can be here at once
    for (int k = 0; k < kAttempts; ++k)
        if (lock()) break;
    if (file_.is_open() && held_) take_over();
}

void OutputClaim::take_over() {
    found_ = read_claim(file_.get());
    const ClaimNumbers now = ClaimNumbers::now();
    if (found_.size() >= ClaimNumbers::kBytes) {
        const ClaimNumbers then = ClaimNumbers::parse(found_);
        const bool has_signal = found_.size() >= ClaimNumbers::kBytes + 3;
        const int signal = has_signal ? std::atoi(found_.c_str() + ClaimNumbers::kBytes + 1) : 0;
        // A process that was killed elsewhere on the machine may be a neighbour's.
        const bool some_killed = then.group == now.group
                                     ? then.killed_in_group < now.killed_in_group
                                     : then.killed_on_machine < now.killed_on_machine;
        const bool for_memory = signal == 0 && some_killed;
        // Batch systems run a task again with more memory.
        const bool has_more = now.mib > then.mib * 9 / 8;
        fatal_ = (for_memory && !has_more) || (signal != 0 && found_[ClaimNumbers::kBytes] == '=');
        ended_ = signal != 0  ? fmt::format("ended by signal {} ({})", signal, strsignal(signal))
                 : for_memory ? "killed by the system when memory ran out"
                              : "killed";
    }
    const std::string text = now.text();
    if (!found_.empty()) (void)!ftruncate(file_.get(), 0);
    exchange_held(0, file_.get() + 1);  // before the text, so that a claim with text can be marked
    (void)!pwrite(file_.get(), text.data(), text.size(), 0);
}

bool OutputClaim::lock() {
    file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    // If it cannot be opened, creating the output itself will report the error.
    held_ = !file_.is_open() || flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    return !file_.is_open() || !held_ || leads_to(path_, file_.get());
}

OutputClaim::~OutputClaim() {
    if (!file_.is_open()) return;
    exchange_held(file_.get() + 1, 0);
    if (held_ && left_)
        (void)!pwrite(file_.get(), found_.data(), found_.size(), 0);
    else if (held_)
        unlink(path_.c_str());
}

}  // namespace weft
