#include "app/viewer/shell/folder_listing.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "app/pipeline/media_names.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// Of plans of `weft batch`.
constexpr const char* kPlan = "plan";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

// Removes and returns the run of digits at the front, without leading zeros.
std::string_view take_number(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
    return number;
}

// Negative, 0 or positive, like strcmp.
int compare_numbers(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
}

int compare_naturally(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        int order = 0;
        if (is_digit(a.front()) && is_digit(b.front())) {
            order = compare_numbers(take_number(a), take_number(b));
        } else {
            order = static_cast<unsigned char>(lower(a.front())) -
                    static_cast<unsigned char>(lower(b.front()));
            a.remove_prefix(1);
            b.remove_prefix(1);
        }
        if (order != 0) return order;
    }
    return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
}

// Length of the valid UTF-8 sequence at the front, 0 if invalid. Follows the table in RFC 3629.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size()) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(k) & 0xC0U) != 0x80U) return 0;
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
        (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
        return 0;
    return length;
}

bool opens(const std::string& name) {
    return is_media_name(name) || extension_of(name) == kPlan;
}

std::optional<FolderEntry> entry_of(const fs::directory_entry& found,
                                    const ListingOptions& options) {
    FolderEntry entry;
    entry.name = found.path().filename().string();
    if (!options.hidden && entry.name.starts_with('.')) return std::nullopt;
    std::error_code error;
    entry.folder = found.is_directory(error);
    if (!entry.folder) {
        if (!found.is_regular_file(error)) return std::nullopt;
        if (!options.all_files && !opens(entry.name)) return std::nullopt;
        entry.bytes = found.file_size(error);
        if (error) return std::nullopt;
        entry.modified = found.last_write_time(error);
    }
    entry.label = valid_utf8(entry.name);
    return entry;
}

bool shown_before(const FolderEntry& a, const FolderEntry& b) {
    if (a.folder != b.folder) return a.folder;
    return natural_less(a.name, b.name);
}

fs::path absolute_folder(const fs::path& folder) {
    std::error_code error;
    fs::path path = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal();
    return path.has_filename() || path == path.root_path() ? path : path.parent_path();
}

}  // namespace

FolderListing list_folder(const fs::path& folder, const ListingOptions& options) {
    FolderListing listing;
    listing.folder = absolute_folder(folder);
    if (listing.folder.has_relative_path()) listing.parent = listing.folder.parent_path();
    std::error_code error;
    fs::directory_iterator found(listing.folder, error);
    for (; !error && found != fs::directory_iterator(); found.increment(error))
        if (auto entry = entry_of(*found, options)) listing.entries.push_back(std::move(*entry));
    if (error) {
        listing.entries.clear();
        listing.error = fmt::format("{}: cannot read the folder: {}",
                                    valid_utf8(listing.folder.string()), error.message());
    }
    std::ranges::sort(listing.entries, shown_before);
    return listing;
}

bool natural_less(std::string_view a, std::string_view b) {
    const int order = compare_naturally(a, b);
    return order != 0 ? order < 0 : a < b;
}

std::vector<std::string> media_patterns() {
    std::vector<std::string> extensions = media_extensions();
    extensions.emplace_back(kPlan);
    std::vector<std::string> patterns;
    for (const std::string& extension : extensions) {
        patterns.push_back("*." + extension);
        patterns.push_back("*." + upper(extension));
    }
    return patterns;
}

std::string valid_utf8(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = sequence_length(bytes);
        text += length == 0 ? "\xEF\xBF\xBD" : bytes.substr(0, length);
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

std::string elided_middle(const std::string& text,
                          const std::function<bool(const std::string&)>& fits) {
    const auto continues = [&](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    if (fits(text)) return text;
    std::size_t begin = text.size() / 2;
    std::size_t end = begin;
    while (begin > 0 || end < text.size()) {
        if (begin > 0) --begin;
        if (end < text.size()) ++end;
        if (continues(begin) || continues(end)) continue;
        std::string shorter = text.substr(0, begin) + "…" + text.substr(end);
        if (fits(shorter)) return shorter;
    }
    return "…";
}

void FolderBrowser::go_to(const fs::path& folder) {
    if (busy())
        next_ = folder;
    else
        read(folder);
}

void FolderBrowser::set_options(const ListingOptions& options) {
    options_ = options;
    go_to(next_.value_or(shown_.folder));
}

bool FolderBrowser::poll() {
    if (!busy() || reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return false;
    shown_ = reading_.get();
    if (next_) read(*std::exchange(next_, std::nullopt));
    return true;
}

void FolderBrowser::read(const fs::path& folder) {
    reading_ = std::async(std::launch::async, list_folder, folder, options_);
}

}  // namespace weft
