#include "app/media/output/partial_name.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/output/atomic_output.h"
#include "app/media/output/write_error.h"
#include "filters/text/file_descriptor.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

void close_folder(DIR* dir) noexcept {
    closedir(dir);
}
using Folder = std::unique_ptr<DIR, CDelete<close_folder>>;

constexpr std::string_view kMark = ".weft-";
constexpr std::string_view kEnding = ".partial";
constexpr std::string_view kClaim = ".claim";
constexpr std::string_view kReceipt = ".weft.json";
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kHostDigits = 16;
constexpr std::size_t kRandomLetters = 6;
constexpr std::size_t kTail = kMark.size() + kHostDigits + 1 + kRandomLetters + kEnding.size();
constexpr std::size_t kClaimTail = kMark.size() + kHostDigits + 1 + kHostDigits + kClaim.size();
constexpr std::size_t kMaxName = 255;

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// FNV-1a: stable across builds, which std::hash need not be.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

// Cloned machines share the machine id, but not the boot id. Empty if the boot id is unknown: then
// no file counts as this machine's own.
std::string own_host() {
    const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
    if (boot.empty()) return {};
    return fmt::format("{:016x}", hash_of(first_line("/etc/machine-id") + "\n" + boot));
}

const std::string& host() {
    static const std::string id = own_host();
    return id;
}

// Removes one leftover unless a live process holds its lock.
bool remove_if_stale(const fs::path& path) {
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.is_open() || flock(file.get(), LOCK_EX | LOCK_NB) != 0 || !leads_to(path, file.get()))
        return false;
    std::error_code error;
    return fs::remove_all(path, error) > 0 && !error;
}

// The output that a claim from any machine belongs to; empty for other names.
std::string_view claimed_name(std::string_view name) {
    if (name.size() < kClaimTail + 2 || name.front() != '.' || !name.ends_with(kClaim)) return {};
    const std::string_view tail = name.substr(name.size() - kClaimTail);
    const std::string_view digits = tail.substr(kMark.size(), kHostDigits);
    const bool form = tail.starts_with(kMark) && tail[kMark.size() + kHostDigits] == '-' &&
                      digits.find_first_not_of(kHexDigits) == std::string_view::npos;
    return form ? name.substr(1, name.size() - 1 - kClaimTail) : std::string_view();
}

// A claim may be removed once its output exists: a run that fails to lock it at this moment skips
// the output anyway.
bool is_settled_claim(const fs::path& folder, std::string_view name) {
    const std::string_view output = claimed_name(name);
    std::error_code error;
    return !output.empty() && claim_name(output) == name && fs::exists(folder / output, error);
}

// Time of the last write in whole seconds; for a folder, including its files.
std::int64_t written_at(const fs::path& path) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return std::numeric_limits<std::int64_t>::max();
    std::int64_t latest = info.st_mtim.tv_sec;
    if (!S_ISDIR(info.st_mode)) return latest;
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
        if (lstat(it->path().c_str(), &info) == 0)
            latest = std::max<std::int64_t>(latest, info.st_mtim.tv_sec);
    return latest;
}

// Returns the time by the file server's clock, which may differ from ours.
std::int64_t server_time(const fs::path& folder) {
    const fs::path probe = folder / partial_name("clock");
    const FileDescriptor file(open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    struct stat info {};
    // Some servers set the time when a file is written, not when it is created.
    const bool marked = file.is_open() && write(file.get(), "?", 1) == 1 &&
                        fsync(file.get()) == 0 && fstat(file.get(), &info) == 0;
    const int error = errno;
    if (file.is_open()) unlink(probe.c_str());
    if (!marked) throw WriteError(folder.string(), error);
    return info.st_mtim.tv_sec;
}

}  // namespace

std::string partial_name(std::string_view name) {
    std::string result = ".";
    result += name.substr(0, kMaxName - 1 - kTail);
    result += fmt::format("{}{:0>{}}-", kMark, host(), kHostDigits);
    for (std::size_t i = 0; i < kRandomLetters; ++i)
        result += kAlphabet[arc4random_uniform(kAlphabet.size())];
    result += kEnding;
    return result;
}

bool is_partial_name(std::string_view name) {
    if (name.size() < kTail + 1 || name.front() != '.' || !name.ends_with(kEnding)) return false;
    const std::string_view tail = name.substr(name.size() - kTail);
    const std::string_view digits = tail.substr(kMark.size(), kHostDigits);
    const std::string_view letters = tail.substr(kMark.size() + kHostDigits + 1, kRandomLetters);
    return tail.starts_with(kMark) && tail[kMark.size() + kHostDigits] == '-' &&
           digits.find_first_not_of(kHexDigits) == std::string_view::npos &&
           letters.find_first_not_of(kAlphabet) == std::string_view::npos;
}

bool is_own_partial_name(std::string_view name) {
    return !host().empty() && is_partial_name(name) &&
           name.substr(name.size() - kTail + kMark.size(), kHostDigits) == host();
}

std::string claim_name(std::string_view name) {
    return fmt::format(".{}{}{:0>{}}-{:016x}{}", name.substr(0, kMaxName - 1 - kClaimTail), kMark,
                       host(), kHostDigits, hash_of(name), kClaim);
}

bool is_name_of_ours(std::string_view name) {
    return name.starts_with('.') &&
           (name.find(kMark, 1) != std::string_view::npos || name.ends_with(kReceipt));
}

bool leads_to(const fs::path& path, int fd) {
    struct stat held {};
    struct stat named {};
    return fstat(fd, &held) == 0 && lstat(path.c_str(), &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool lock_partial(int fd, const fs::path& path) {
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return leads_to(path, fd);
}

HiddenName::~HiddenName() {
    if (path.empty() || unlink(path.c_str()) == 0) return;
    try {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    } catch (const std::bad_alloc&) {
        // The next run into this folder removes it.
    }
}

void remove_stale_partials(const fs::path& folder, RunFiles* run) {
    if (run != nullptr && !run->first_output_in(folder)) return;
    const Folder dir(opendir(folder.c_str()));
    if (!dir) return;
    while (const dirent* entry = readdir(dir.get())) {
        if (is_moving_name(entry->d_name)) (void)finish_move(folder / entry->d_name);
        if (!is_own_partial_name(entry->d_name) && !is_settled_claim(folder, entry->d_name))
            continue;
        const fs::path path = folder / entry->d_name;
        if (run == nullptr || !run->source_at(path)) (void)remove_if_stale(path);
    }
}

std::vector<fs::path> remove_old_partials(const fs::path& folder, std::chrono::seconds age) {
    const Folder dir(opendir(folder.c_str()));
    if (!dir) throw WriteError(folder.string(), errno);
    std::vector<fs::path> removed;
    std::optional<std::int64_t> now;
    while (const dirent* entry = readdir(dir.get())) {
        if (!is_partial_name(entry->d_name) && claimed_name(entry->d_name).empty()) continue;
        if (!now) now = server_time(folder);
        const fs::path path = folder / entry->d_name;
        if (written_at(path) <= *now - age.count() && remove_if_stale(path))
            removed.push_back(path);
    }
    std::ranges::sort(removed);
    return removed;
}

}  // namespace weft
