#include "filters/text/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "filters/text/file_descriptor.h"

namespace weft {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
    throw std::runtime_error(fmt::format("{}: {}", path.string(), why));
}

void check_regular(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) fail(path, "there is no such file");
    if (error) fail(path, error.message());
    if (status.type() != std::filesystem::file_type::regular)
        fail(path, "it is not a regular file");
}

// Reads at most one byte more than the limit. `expected` is the size that the file states.
std::string read_all(int fd, const std::filesystem::path& path, std::size_t expected,
                     std::size_t most) {
    std::string text(std::min(expected, most) + 1, '\0');
    std::size_t size = 0;
    while (true) {
        if (size == text.size() && size <= most)
            text.resize(std::min(std::max(2 * size, kMaxTextFile), most + 1));
        if (size == text.size()) break;
        const ssize_t count = read(fd, text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(path, fmt::format("it cannot be read: {}", std::strerror(errno)));
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    return text;
}

}  // namespace

std::string read_text_file(const std::filesystem::path& path, std::size_t most) {
    check_regular(path);
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.is_open()) fail(path, std::strerror(errno));
    struct stat info {};
    if (fstat(file.get(), &info) != 0) fail(path, std::strerror(errno));
    if (!S_ISREG(info.st_mode)) fail(path, "it is not a regular file");
    std::string text = read_all(file.get(), path, static_cast<std::size_t>(info.st_size), most);
    if (text.size() > most) fail(path, fmt::format("it is larger than {} MiB", most >> 20));
    return text;
}

TextPlace place_in(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t newline = before.rfind('\n');
    const std::string_view line =
        newline == std::string_view::npos ? before : before.substr(newline + 1);
    const auto characters = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    });
    return {.line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1,
            .column = static_cast<std::size_t>(characters) + 1};
}

}  // namespace weft
