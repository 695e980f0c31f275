#include "app/viewer/edit/box_files.h"

#include <chrono>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "filters/params.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const BoxFiles::File> read(const std::string& path) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error || bytes > BoxFiles::kMostBytes) return nullptr;
    try {
        BoxTracks boxes = load_boxes(path);
        ObjectTracks tracks(boxes);
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
    BoxTracks boxes = tracks.boxes();
    write_file(path, print_boxes(boxes));
    files_[path.string()] = std::make_shared<const File>(File{std::move(boxes), tracks});
    return path.string();
}

}  // namespace weft
