#include "app/media/output/output_claim.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <limits>
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

// The processes that the system has killed since its start because memory ran out.
std::int64_t killed_for_memory() {
    std::ifstream file("/proc/vmstat");
    for (std::string name; file >> name;) {
        std::int64_t count = 0;
        if (name == "oom_kill" && file >> count) return count;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

// A claim's text: the count of killed processes and the MiB of memory that the process could have,
// in a fixed width each; after a fault "=" and the signal in two digits, or "?" if the process held
// other claims too.
constexpr std::size_t kCountDigits = 12;
constexpr std::size_t kNumbers = 2 * kCountDigits;

std::int64_t available_mib() {
    return static_cast<std::int64_t>(available_memory_bytes() >> 20U);
}

std::string read_claim(int fd) {
    std::array<char, 40> text{};
    const ssize_t got = pread(fd, text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

}  // namespace

void mark_claims(int signal) noexcept {
    const auto& places = held_claims();
    const auto is_held = [](const std::atomic<int>& place) { return place > 0; };
    const bool alone = std::count_if(places.begin(), places.end(), is_held) == 1;
    const std::array<char, 3> mark = {alone ? '=' : '?', static_cast<char>('0' + signal / 10 % 10),
                                      static_cast<char>('0' + signal % 10)};
    for (const std::atomic<int>& place : places)
        if (is_held(place)) (void)!pwrite(place - 1, mark.data(), mark.size(), kNumbers);
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
    const std::int64_t killed = killed_for_memory();
    const std::int64_t mib = available_mib();
    if (found_.size() >= kNumbers) {
        const int signal =
            found_.size() >= kNumbers + 3 ? std::atoi(found_.c_str() + kNumbers + 1) : 0;
        const bool for_memory = signal == 0 && std::atoll(found_.c_str()) < killed;
        // Batch systems run a task again with more memory.
        const bool has_more = mib > std::atoll(found_.c_str() + kCountDigits) * 9 / 8;
        fatal_ = (for_memory && !has_more) || (signal != 0 && found_[kNumbers] == '=');
        ended_ = signal != 0  ? fmt::format("ended by signal {} ({})", signal, strsignal(signal))
                 : for_memory ? "killed by the system when memory ran out"
                              : "killed";
    }
    const std::string text = fmt::format("{:<{}}{:<{}}", killed, kCountDigits, mib, kCountDigits);
    if (!found_.empty()) (void)!ftruncate(file_.get(), 0);
    (void)!pwrite(file_.get(), text.data(), text.size(), 0);
    exchange_held(0, file_.get() + 1);
}

bool OutputClaim::lock() {
    file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_.is_open()) return true;  // creating the output itself will report the error
    held_ = flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (!held_ || leads_to(path_, file_.get())) return true;
    return false;
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
