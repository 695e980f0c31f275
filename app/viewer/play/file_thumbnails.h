// One thumbnail per file, for lists of files, made in the background and kept in memory.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/media/demux/heartbeat.h"
#include "app/viewer/play/thumbnails.h"

namespace weft {

// The picture, or a key frame near a tenth of the video, because films begin black. Blocks. Null if
// swscale cannot read the format. Throws Error for files that cannot be read.
ThumbnailPtr thumbnail_of_file(const std::string& path,
                               const std::shared_ptr<Heartbeat>& heartbeat);

class FileThumbnails {
 public:
    // `on_change` is called from another thread after each file. Must not block.
    explicit FileThumbnails(std::function<void()> on_change);
    ~FileThumbnails();
    FileThumbnails(const FileThumbnails&) = delete;
    FileThumbnails& operator=(const FileThumbnails&) = delete;

    // Returns immediately. Makes the thumbnails of these files in this order and drops all others;
    // those that exist are kept. An empty list ends the work.
    void want(std::vector<std::string> paths);
    // Null if not made yet, or if the file cannot be read.
    ThumbnailPtr of(const std::string& path) const;

 private:
    void run();
    // The first wanted file without an entry; null if all have one.
    const std::string* next_path() const;
    void make_next(std::unique_lock<std::mutex>& lock);

    const std::function<void()> on_change_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<std::string> wanted_;
    std::map<std::string, ThumbnailPtr> made_;  // null for files that cannot be read
    std::shared_ptr<Heartbeat> in_work_;        // of the file that is being read
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace weft
