// Recently opened files, and the positions where viewers stopped watching.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft {

// Stores absolute names without "." and "..". A value type; load and save are below.
class RecentFiles {
 public:
    static constexpr std::size_t kMaxFiles = 20;
    static constexpr std::size_t kMaxPlaces = 200;

    struct File {
        std::string path;
        bool missing = false;  // currently; it may be on an unmounted disk
    };

    // Most recent first. Checks whether each is_there().
    std::vector<File> list() const;

    void add(const std::filesystem::path& path);     // moves it to the front
    void remove(const std::filesystem::path& path);  // from the list; its position stays
    void clear();                                    // the list and all positions

    // Position to resume from, in seconds from the start: set by `Q`, used by the next opening.
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
    std::vector<Place> places_;  // newest first
};

// Whether it can be opened again by its name: a file, or numbered pictures ("shot_%03d.png") of
// which one exists. Reads the folder of numbered pictures.
bool is_there(const std::filesystem::path& path);

struct LoadedRecentFiles {
    RecentFiles files;
    std::string problem;  // one sentence, or ""
};

// state_folder()/recent.toml; "" if that folder does not exist.
std::filesystem::path recent_files_path();

// Returns an empty list if the file is missing or broken; broken ones are kept as recent.toml.bad.
// Skips invalid entries. Never throws.
LoadedRecentFiles load_recent_files(const std::filesystem::path& path);

// Replaces the file atomically. Throws Error(not_written). An empty path saves nothing.
void save_recent_files(const RecentFiles& files, const std::filesystem::path& path);

}  // namespace weft
