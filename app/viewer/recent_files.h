// The files that were opened last, and where people stopped watching.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft {

// Names are kept absolute and without "." and "..". A value type; load and save are below.
class RecentFiles {
 public:
    static constexpr std::size_t kMaxFiles = 20;
    static constexpr std::size_t kMaxPlaces = 200;

    struct File {
        std::string path;
        bool missing = false;  // at the moment; it may be on a disk that is not plugged in
    };

    // Most recent first. Looks at every file.
    std::vector<File> list() const;

    void add(const std::filesystem::path& path);     // becomes the first
    void remove(const std::filesystem::path& path);  // from the list; its place stays
    void clear();                                    // the list and all places

    // Where to go on, in seconds from the start: what `Q` keeps and the next opening takes.
    void set_place(const std::filesystem::path& path, double seconds);
    std::optional<double> place(const std::filesystem::path& path) const;
    void forget_place(const std::filesystem::path& path);

 private:
    friend struct RecentFilesText;

    struct Place {
        std::string path;
        double seconds = 0;
    };

    std::vector<std::string> paths_;
    std::vector<Place> places_;  // the newest first
};

struct LoadedRecentFiles {
    RecentFiles files;
    std::string problem;  // one sentence, or ""
};

// state_folder()/recent.toml; "" where there is no such folder.
std::filesystem::path recent_files_path();

// An empty list if there is no file or a broken one, which is kept as recent.toml.bad; entries that
// make no sense are left out. Never throws.
LoadedRecentFiles load_recent_files(const std::filesystem::path& path);

// Replaces the file in one step. Throws Error(not_written). An empty path saves nothing.
void save_recent_files(const RecentFiles& files, const std::filesystem::path& path);

}  // namespace weft
