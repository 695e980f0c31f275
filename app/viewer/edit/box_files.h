// The files with the boxes of moving regions. They begin with comments that name the film and the
// objects: "# film: drive.mp4", "# 3: the red car".
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "app/viewer/edit/object_tracks.h"

namespace weft {

// Every edit writes a file of its own, which is never changed afterwards. So undo and redo are
// those of the step's parameter `boxes`, and a copied command or a preset keeps its boxes after
// later edits. Not thread-safe.
class BoxFiles {
 public:
    // Larger files filter the picture, but are neither shown nor edited.
    static constexpr std::uintmax_t kMostBytes = 16 << 20;

    // The folder is made with the first file; "": the folder `boxes` of state_folder().
    explicit BoxFiles(std::filesystem::path folder = {});

    struct File {
        BoxTracks boxes;
        ObjectTracks tracks;  // the same
    };
    // Null if the file cannot be read or is too large. Each file is read once.
    std::shared_ptr<const File> load(const std::string& path);

    // Returns the path of the new file, whose name begins with the film's. Blocks until the file is
    // on disk. Throws Error(not_written).
    std::string save(const ObjectTracks& tracks, const std::string& film);

 private:
    std::filesystem::path folder_;
    std::map<std::string, std::shared_ptr<const File>> files_;
};

}  // namespace weft
