#include "app/viewer/edit/box_files.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "filters/params.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFilm = "# film: ";

std::string comments_of(const ObjectTracks& tracks) {
    std::string text = tracks.made_for.empty() ? "" : fmt::format("{}{}\n", kFilm, tracks.made_for);
    for (const ObjectTrack& object : tracks.objects)
        if (!object.name.empty()) text += fmt::format("# {}: {}\n", object.id, object.name);
    return text;
}

void read_comment(std::string_view line, ObjectTracks& tracks) {
    if (line.starts_with(kFilm)) {
        tracks.made_for = line.substr(kFilm.size());
        return;
    }
    std::int64_t id = 0;
    const char* const end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data() + 2, end, id);
    if (error != std::errc() || !std::string_view(rest, end).starts_with(": ")) return;
    for (ObjectTrack& object : tracks.objects)
        if (object.id == id) object.name = std::string(rest + 2, end);
}

void read_comments(const std::string& path, ObjectTracks& tracks) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line) && line.starts_with("# ");)
        read_comment(line, tracks);
}

// On one line.
std::string name_of(const std::string& film) {
    std::string name = fs::path(film).filename().string();
    std::ranges::replace(name, '\n', ' ');
    return name;
}

std::shared_ptr<const BoxFiles::File> read(const std::string& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error || bytes > BoxFiles::kMostBytes) return nullptr;
    try {
        BoxTracks boxes = load_boxes(path);
        ObjectTracks tracks(boxes);
        read_comments(path, tracks);
        return std::make_shared<const BoxFiles::File>(
            BoxFiles::File{std::move(boxes), std::move(tracks)});
    } catch (const FilterError&) {
        return nullptr;  // the step itself reports why
    }
}

}  // namespace

BoxFiles::BoxFiles(fs::path folder) : folder_(std::move(folder)) {}

std::shared_ptr<const BoxFiles::File> BoxFiles::load(const std::string& path) {
    const auto [file, is_new] = files_.try_emplace(path);
    if (is_new) file->second = read(path);
    return file->second;
}

std::string BoxFiles::save(const ObjectTracks& tracks, const std::string& film) {
    fs::path folder = folder_;
    if (folder.empty()) {
        if (state_folder().empty())
            throw Error(Outcome::not_written,
                        "The boxes cannot be stored: set HOME to a folder of yours");
        folder = state_folder() / "boxes";
    }
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const std::string stem =
        fmt::format("{}-{:%Y%m%d-%H%M%S}", fs::path(film).stem().string(), fmt::gmtime(now));
    fs::path path = folder / (stem + ".boxes");
    for (int k = 2; fs::exists(path); ++k) path = folder / fmt::format("{}-{}.boxes", stem, k);
    ObjectTracks named = tracks;
    named.made_for = name_of(film);
    BoxTracks boxes = named.boxes();
    write_file(path, comments_of(named) + print_boxes(boxes));
    files_[path.string()] = std::make_shared<const File>(File{std::move(boxes), std::move(named)});
    return path.string();
}

}  // namespace weft
