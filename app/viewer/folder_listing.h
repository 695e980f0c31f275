// The entries of a folder as the window's own list shows them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct FolderEntry {
    std::string name;   // as the file system has it: any bytes
    std::string label;  // the same as UTF-8: what is none is shown as U+FFFD
    bool folder = false;
    std::uintmax_t bytes = 0;  // of a file
};

struct ListingOptions {
    bool hidden = false;     // names that begin with a dot
    bool all_files = false;  // else those whose ending is_media_name() knows
};

struct FolderListing {
    std::filesystem::path folder;      // absolute, without "." and ".."
    std::filesystem::path parent;      // empty at the root
    std::vector<FolderEntry> entries;  // folders first, each by natural_less()
    std::string error;                 // a sentence; there are no entries then
};

// Reads the folder; blocks on the file system. Entries that vanish or may not be looked at are left
// out. Never throws for what is on disk.
FolderListing list_folder(const std::filesystem::path& folder, const ListingOptions& options);

// As file managers sort: runs of digits by their value, letters without regard to ASCII case;
// equal ones by their bytes.
bool natural_less(std::string_view a, std::string_view b);

// Whether the ending is one of a video or picture that we write or that is common elsewhere.
bool is_media_name(std::string_view name);

// The endings that is_media_name() knows, as patterns for file dialogs, which mind the case:
// "*.mp4" and "*.MP4".
std::vector<std::string> media_patterns();

// `bytes` as UTF-8: each byte that belongs to no valid sequence becomes U+FFFD.
std::string valid_utf8(std::string_view bytes);

// The folder that the list shows. Folders are read in a thread; the window asks with poll().
class FolderBrowser {
 public:
    explicit FolderBrowser(ListingOptions options = {}) : options_(options) {}

    // Returns at once. What is shown stays until the new folder has been read. A folder that is
    // asked for while another one is being read is read after it; only the last such one.
    void go_to(const std::filesystem::path& folder);
    void set_options(const ListingOptions& options);  // reads the folder again

    // True when there is something new to show.
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
