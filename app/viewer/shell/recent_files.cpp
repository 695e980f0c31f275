#include "app/viewer/shell/recent_files.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "app/viewer/shell/toml_file.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::string kept_name(const fs::path& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    return (error ? path : absolute).lexically_normal().string();
}

template <class T>
void keep_first(std::vector<T>& list, std::size_t most) {
    if (list.size() > most) list.resize(most);
}

}  // namespace

std::vector<RecentFiles::File> RecentFiles::list() const {
    std::vector<File> files;
    for (const std::string& path : paths_)
        files.push_back({.path = path, .missing = !is_there(path)});
    return files;
}

void RecentFiles::add(const fs::path& path) {
    const std::string name = kept_name(path);
    std::erase(paths_, name);
    paths_.insert(paths_.begin(), name);
    keep_first(paths_, kMaxFiles);
}

void RecentFiles::remove(const fs::path& path) {
    std::erase(paths_, kept_name(path));
}

void RecentFiles::clear() {
    paths_.clear();
    places_.clear();
}

void RecentFiles::set_place(const fs::path& path, double seconds) {
    forget_place(path);
    places_.insert(places_.begin(), {.path = kept_name(path), .seconds = seconds});
    keep_first(places_, kMaxPlaces);
}

std::optional<double> RecentFiles::place(const fs::path& path) const {
    const std::string name = kept_name(path);
    const auto found = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& place) { return place.path == name; });
    return found == places_.end() ? std::nullopt : std::optional(found->seconds);
}

void RecentFiles::forget_place(const fs::path& path) {
    std::erase_if(places_,
                  [name = kept_name(path)](const Place& place) { return place.path == name; });
}

// files = ["/a.mkv", …]; [[place]] path = "/a.mkv", seconds = 12.5
struct RecentFilesText {
    static RecentFiles read(const toml::table& table) {
        RecentFiles files;
        if (const toml::array* paths = table["files"].as_array())
            for (const toml::node& node : *paths)
                if (const auto path = node.value<std::string>(); path && !path->empty())
                    files.paths_.push_back(*path);
        if (const toml::array* places = table["place"].as_array())
            for (const toml::node& node : *places) read_place(node, files);
        keep_first(files.paths_, RecentFiles::kMaxFiles);
        keep_first(files.places_, RecentFiles::kMaxPlaces);
        return files;
    }

    static toml::table write(const RecentFiles& files) {
        toml::array paths;
        for (const std::string& path : files.paths_) paths.push_back(path);
        toml::array places;
        for (const RecentFiles::Place& place : files.places_)
            places.push_back(toml::table{{"path", place.path}, {"seconds", place.seconds}});
        return toml::table{{"files", std::move(paths)}, {"place", std::move(places)}};
    }

 private:
    static void read_place(const toml::node& node, RecentFiles& files) {
        const toml::table* const table = node.as_table();
        if (table == nullptr) return;
        const auto path = (*table)["path"].value<std::string>();
        const auto seconds = (*table)["seconds"].value<double>();
        if (path && seconds && std::isfinite(*seconds) && *seconds >= 0)
            files.places_.push_back({.path = *path, .seconds = *seconds});
    }
};

bool is_there(const fs::path& path) {
    std::error_code error;
    if (fs::exists(path, error)) return true;
    const std::optional<SequencePattern> pattern = parse_sequence(path.string());
    try {
        return pattern && !list_sequence(*pattern).empty();
    } catch (const Error&) {
        return false;
    }
}

fs::path recent_files_path() {
    const fs::path folder = state_folder();
    return folder.empty() ? folder : folder / "recent.toml";
}

LoadedRecentFiles load_recent_files(const fs::path& path) {
    TomlFile file = read_toml_file(path);
    return {.files = RecentFilesText::read(file.table), .problem = std::move(file.problem)};
}

void save_recent_files(const RecentFiles& files, const fs::path& path) {
    write_toml_file(path, RecentFilesText::write(files));
}

}  // namespace weft
