#include "app/viewer/shell/path_completion.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

namespace weft {
namespace {

namespace fs = std::filesystem;

bool same_letter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
}

bool begins_with(std::string_view name, std::string_view start, bool any_case) {
    if (!any_case) return name.starts_with(start);
    return name.size() >= start.size() &&
           std::ranges::equal(name.substr(0, start.size()), start, same_letter);
}

std::vector<FolderEntry> entries_with(const std::vector<FolderEntry>& all, std::string_view start,
                                      bool any_case) {
    std::vector<FolderEntry> found;
    std::ranges::copy_if(all, std::back_inserter(found), [&](const FolderEntry& entry) {
        return entry.name == entry.label && begins_with(entry.name, start, any_case);
    });
    return found;
}

bool is_inside_character(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

// Whole characters.
std::string common_start(const std::vector<FolderEntry>& entries) {
    std::string start = entries.front().name;
    for (const FolderEntry& entry : entries) {
        std::size_t length =
            static_cast<std::size_t>(std::ranges::mismatch(start, entry.name).in1 - start.begin());
        while (is_inside_character(start, length) || is_inside_character(entry.name, length))
            --length;
        start.resize(length);
    }
    return start;
}

}  // namespace

bool looks_like_path(std::string_view text) {
    return text.starts_with('~') || text.find('/') != std::string_view::npos;
}

fs::path typed_path(const fs::path& folder, const std::string& typed) {
    const char* const home = std::getenv("HOME");
    const bool from_home = typed == "~" || typed.starts_with("~/");
    return folder / (home != nullptr && from_home ? home + typed.substr(1) : typed);
}

PathCompletion complete_path(const fs::path& folder, const std::string& typed,
                             ListingOptions options) {
    PathCompletion done{.typed = typed, .text = typed == "~" ? "~/" : typed};
    const std::size_t slash = done.text.rfind('/');
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const std::string start = done.text.substr(begin);
    options.hidden = options.hidden || start.starts_with('.');
    done.candidates = list_folder(typed_path(folder, done.text.substr(0, begin)), options);
    std::vector<FolderEntry>& entries = done.candidates.entries;
    std::vector<FolderEntry> found = entries_with(entries, start, false);
    if (found.empty()) found = entries_with(entries, start, true);
    entries = std::move(found);
    if (entries.empty()) return done;
    const std::string common = common_start(entries);
    // Names in other cases may agree in less than was typed.
    if (common.size() < start.size()) return done;
    done.text = done.text.substr(0, begin) + common;
    if (entries.size() == 1 && entries.front().folder) done.text += '/';
    return done;
}

void PathCompleter::ask(const fs::path& folder, const std::string& typed,
                        const ListingOptions& options) {
    if (busy()) return;
    working_ = std::async(std::launch::async, complete_path, folder, typed, options);
}

std::optional<PathCompletion> PathCompleter::poll(std::chrono::milliseconds patience) {
    if (!busy() || working_.wait_for(patience) != std::future_status::ready) return std::nullopt;
    return working_.get();
}

}  // namespace weft
