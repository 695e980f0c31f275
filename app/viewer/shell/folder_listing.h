// Folder entries for the window's own file list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct FolderEntry {
    std::string name;   // as stored in the file system: any bytes
    std::string label;  // the name as UTF-8; invalid bytes become U+FFFD
    bool folder = false;
    std::uintmax_t bytes = 0;                    // for files
    std::filesystem::file_time_type modified{};  // likewise
};

struct ListingOptions {
    bool hidden = false;     // include names that start with a dot
    bool all_files = false;  // else only videos, pictures and plans of `weft batch`
};

struct FolderListing {
    std::filesystem::path folder;      // absolute, without "." and ".."
    std::filesystem::path parent;      // empty at the root
    std::vector<FolderEntry> entries;  // folders first, each by natural_less()
    std::string error;                 // a sentence; the entries are empty then
};

// Reads the folder; blocks on the file system. Skips entries that vanish or cannot be accessed.
// Never throws because of the disk's contents.
FolderListing list_folder(const std::filesystem::path& folder, const ListingOptions& options);

// Sorts like file managers: runs of digits by value, letters ignoring ASCII case, ties by bytes.
bool natural_less(std::string_view a, std::string_view b);

// The extensions of videos, pictures and plans, as patterns for file dialogs, which are
// case-sensitive: "*.mp4" and "*.MP4".
std::vector<std::string> media_patterns();

// `bytes` as UTF-8: each byte outside a valid sequence becomes U+FFFD.
std::string valid_utf8(std::string_view bytes);

// UTF-8 text with "…" instead of as little of its middle as `fits` accepts; the text itself if that
// fits. The end of a file's name shows its type.
std::string elided_middle(const std::string& text,
                          const std::function<bool(const std::string&)>& fits);

// The folder shown in the list. A thread reads folders; the window calls poll().
class FolderBrowser {
 public:
    explicit FolderBrowser(ListingOptions options = {}) : options_(options) {}

    // Returns immediately. The old listing stays until the new folder has been read. A folder
    // requested during a read is read afterwards; only the latest request counts.
    void go_to(const std::filesystem::path& folder);
    void set_options(const ListingOptions& options);  // reads the folder again

    // True if there is a new listing to show.
    bool poll();
    bool busy() const { return reading_.valid(); }
    const ListingOptions& options() const { return options_; }
    const FolderListing& shown() const { return shown_; }

 private:
    void read(const std::filesystem::path& folder);

    ListingOptions options_;
    FolderListing shown_;
    std::future<FolderListing> reading_;
    std::optional<std::filesystem::path> next_;
};

}  // namespace weft
