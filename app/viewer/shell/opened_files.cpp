#include "app/viewer/shell/opened_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/media/write/container_table.h"
#include "app/viewer/shell/folder_listing.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastPictures = 3;

bool is_picture(const std::string& name) {
    try {
        return find_container(name, "").kind == OutputKind::still;
    } catch (const Error&) {
        return false;
    }
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '%' ? "%%" : std::string(1, c);
    return out;
}

// The pattern that names this picture by its last number. Larger numbers may have more digits.
std::optional<std::string> pattern_of(const fs::path& path) {
    const std::string name = path.filename().string();
    std::size_t end = name.rfind('.');
    while (end != std::string::npos && end > 0 && !is_digit(name[end - 1])) --end;
    if (end == std::string::npos || end == 0) return std::nullopt;
    std::size_t begin = end;
    while (begin > 0 && is_digit(name[begin - 1])) --begin;
    const std::size_t digits = end - begin;
    const std::string number = digits > 1 ? fmt::format("%0{}d", digits) : "%d";
    return (path.parent_path() / (escaped(name.substr(0, begin)) + number)).string() +
           escaped(name.substr(end));
}

bool is_without_gap(const std::vector<SequenceFile>& files) {
    return std::ranges::adjacent_find(files, [](const SequenceFile& a, const SequenceFile& b) {
               return b.number != a.number + 1;
           }) == files.end();
}

// The pattern if the paths are all of its files.
std::optional<std::string> film_of(const std::vector<std::string>& paths) {
    if (paths.size() < kLeastPictures || !std::ranges::all_of(paths, is_picture))
        return std::nullopt;
    const std::optional<std::string> text =
        pattern_of(*std::ranges::min_element(paths, {}, &std::string::size));
    const auto pattern = text ? parse_sequence(*text) : std::nullopt;
    if (!pattern ||
        !std::ranges::all_of(paths, [&](const auto& path) { return pattern->names(path); }))
        return std::nullopt;
    const std::vector<SequenceFile> files = list_sequence(*pattern);
    return files.size() == paths.size() && is_without_gap(files) ? text : std::nullopt;
}

std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> files;
    for (const FolderEntry& entry : list_folder(folder, {}).entries)
        if (!entry.folder) files.push_back((fs::path(folder) / entry.name).string());
    return files;
}

// As one film, or as they are.
void append(std::vector<std::string>& all, std::vector<std::string> paths) {
    if (const std::optional<std::string> film = film_of(paths)) paths = {*film};
    all.insert(all.end(), paths.begin(), paths.end());
}

}  // namespace

std::vector<std::string> opened_files(const std::vector<std::string>& paths) {
    std::vector<std::string> all, named;
    for (const std::string& path : paths) {
        std::error_code error;
        std::vector<std::string> inside;
        if (fs::is_directory(path, error)) inside = files_in(path);
        if (inside.empty())
            named.push_back(path);
        else
            append(all, std::move(inside));
    }
    append(all, std::move(named));
    return all;
}

}  // namespace weft
