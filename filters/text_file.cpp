#include "filters/text_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

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

}  // namespace

std::string read_text_file(const std::filesystem::path& path) {
    check_regular(path);
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path, std::strerror(errno));
    std::string text(kMaxTextFile + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) fail(path, "it cannot be read");
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxTextFile) fail(path, "it is larger than 1 MiB");
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
