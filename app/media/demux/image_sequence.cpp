#include "app/media/demux/image_sequence.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/media/libav/ffmpeg.h"
#include "filters/text/number_text.h"

namespace weft {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Reads "%d", "%05d" or "%%" at `at`; returns its length, 0 if it is none of them.
std::size_t placeholder(std::string_view text, std::size_t at, int& digits) {
    std::size_t end = at + 1;
    if (end < text.size() && text[end] == '%') return 2;
    digits = 0;
    if (end < text.size() && text[end] == '0')
        while (end < text.size() && is_digit(text[end]) && digits < 100)
            digits = digits * 10 + (text[end++] - '0');
    return end < text.size() && text[end] == 'd' ? end + 1 - at : 0;
}

std::optional<std::int64_t> number_between(std::string_view name, const SequencePattern& pattern) {
    if (name.size() <= pattern.prefix.size() + pattern.suffix.size()) return std::nullopt;
    if (!name.starts_with(pattern.prefix) || !name.ends_with(pattern.suffix)) return std::nullopt;
    name.remove_prefix(pattern.prefix.size());
    name.remove_suffix(pattern.suffix.size());
    return parse_whole_number(name);
}

struct CloseFolder {
    void operator()(DIR* folder) const noexcept { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

constexpr std::string_view kMoving = ".weft-moving";

// Each call has its own DIR, so readdir is safe here.
bool holds_file_of(const std::string& folder, const SequencePattern& pattern) {
    const std::string base = pattern.folder == "." ? "" : pattern.folder;
    const Folder moving(opendir(folder.c_str()));
    while (const dirent* entry = moving ? readdir(moving.get()) : nullptr)
        if (pattern.names(base + entry->d_name)) return true;
    return false;
}

}  // namespace

std::string SequencePattern::name(std::int64_t number) const {
    return fmt::format("{}{:0{}}{}", prefix, number, digits, suffix);
}

bool SequencePattern::names(std::string_view path) const {
    const std::size_t slash = path.rfind('/');
    const std::string_view parent =
        slash == std::string_view::npos ? "." : path.substr(0, slash + 1);
    const std::string_view file = slash == std::string_view::npos ? path : path.substr(slash + 1);
    const auto number = number_between(file, *this);
    // "7" and "007" both read as 7: only the pattern's own spelling counts.
    return parent == folder && number && name(*number) == file;
}

std::optional<SequencePattern> parse_sequence(std::string_view path) {
    SequencePattern pattern;
    const std::size_t slash = path.rfind('/');
    pattern.folder = slash == std::string_view::npos ? "." : std::string(path.substr(0, slash + 1));
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    bool numbered = false;
    for (std::size_t at = 0; at < name.size();) {
        std::string& part = numbered ? pattern.suffix : pattern.prefix;
        int digits = 0;
        const std::size_t length = name[at] == '%' ? placeholder(name, at, digits) : 0;
        if (length == 0 || name[at + 1] == '%') {
            part += name[at];
            at += std::max<std::size_t>(length, 1);
            continue;
        }
        if (numbered) return std::nullopt;
        numbered = true;
        pattern.digits = digits;
        at += length;
    }
    return numbered ? std::optional(pattern) : std::nullopt;
}

std::string moving_name(std::string_view name) {
    constexpr std::size_t kMostBytes = 255;  // in a file name
    return fmt::format(".{}{}", name.substr(0, kMostBytes - 1 - kMoving.size()), kMoving);
}

bool is_moving_name(std::string_view name) {
    return name.starts_with('.') && name.ends_with(kMoving);
}

std::string unfinished_move(const SequencePattern& pattern) {
    const std::string base = pattern.folder == "." ? "" : pattern.folder;
    const Folder folder(opendir(pattern.folder.c_str()));
    while (const dirent* entry = folder ? readdir(folder.get()) : nullptr)
        if (is_moving_name(entry->d_name) && holds_file_of(base + entry->d_name, pattern))
            return base + entry->d_name;
    return "";
}

std::vector<SequenceFile> list_sequence(const SequencePattern& pattern) {
    const Folder folder(opendir(pattern.folder.c_str()));
    if (!folder)
        throw MediaError(Outcome::failed, fmt::format("{}: cannot be read: {}", pattern.folder,
                                                      std::strerror(errno)));
    const std::string base = pattern.folder == "." ? "" : pattern.folder;
    std::vector<SequenceFile> files;
    while (const dirent* entry = readdir(folder.get()))
        if (pattern.names(base + entry->d_name))
            files.push_back({*number_between(entry->d_name, pattern), base + entry->d_name});
    std::sort(files.begin(), files.end(),
              [](const SequenceFile& a, const SequenceFile& b) { return a.number < b.number; });
    return files;
}

bool is_sequence(const std::filesystem::path& path) {
    std::error_code error;
    return parse_sequence(path.string()) && !std::filesystem::exists(path, error);
}

}  // namespace weft
