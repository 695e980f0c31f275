#include "app/media/partial_name.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <random>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/media/atomic_output.h"
#include "app/media/ffmpeg.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

void close_folder(DIR* dir) noexcept {
    closedir(dir);
}

constexpr std::string_view kMark = ".weft-";
constexpr std::string_view kEnding = ".partial";
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t kRandomLetters = 6;
constexpr std::size_t kTail = kMark.size() + kRandomLetters + kEnding.size();
constexpr std::size_t kMaxName = 255;

bool same_file(int fd, const fs::path& path) {
    struct stat held {};
    struct stat named {};
    return fstat(fd, &held) == 0 && lstat(path.c_str(), &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

// Removes one leftover unless a live process holds its lock.
void remove_if_stale(const fs::path& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && same_file(fd, path)) {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
    close(fd);
}

}  // namespace

std::string partial_name(std::string_view name) {
    std::random_device random;
    std::uniform_int_distribution<std::size_t> letter(0, kAlphabet.size() - 1);
    std::string result = ".";
    result += name.substr(0, kMaxName - 1 - kTail);
    result += kMark;
    for (std::size_t i = 0; i < kRandomLetters; ++i) result += kAlphabet[letter(random)];
    result += kEnding;
    return result;
}

bool is_partial_name(std::string_view name) {
    if (name.size() < kTail + 1 || name.front() != '.' || !name.ends_with(kEnding)) return false;
    const std::string_view tail = name.substr(name.size() - kTail);
    const std::string_view letters = tail.substr(kMark.size(), kRandomLetters);
    return tail.starts_with(kMark) &&
           letters.find_first_not_of(kAlphabet) == std::string_view::npos;
}

bool lock_partial(int fd, const fs::path& path) {
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    return same_file(fd, path);
}

void remove_stale_partials(const fs::path& folder, const RunFiles* run) noexcept {
    const std::unique_ptr<DIR, CDelete<close_folder>> dir(opendir(folder.c_str()));
    if (!dir) return;
    while (const dirent* entry = readdir(dir.get())) {
        if (!is_partial_name(entry->d_name)) continue;
        const fs::path path = folder / entry->d_name;
        if (run == nullptr || !run->is_source(path)) remove_if_stale(path);
    }
}

}  // namespace weft
