// A list of files, one of which is playing; the window opens the one that it requests.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class Playlist {
 public:
    // Requests the first file. An empty list changes nothing.
    void set(std::vector<std::string> files) {
        if (files.empty()) return;
        files_ = std::move(files);
        position_ = 0;
        requested_ = true;
    }
    // Requests the file `by` places forward, or back. Returns false without moving if that is past
    // either end.
    bool move(int by) {
        const auto to = static_cast<std::ptrdiff_t>(position_) + by;
        if (to < 0 || to >= static_cast<std::ptrdiff_t>(files_.size())) return false;
        position_ = static_cast<std::size_t>(to);
        requested_ = true;
        return true;
    }
    // The requested file, once; null without a request.
    const std::string* take_request() {
        return std::exchange(requested_, false) ? &current() : nullptr;
    }

    const std::vector<std::string>& files() const { return files_; }
    std::size_t position() const { return position_; }
    // Requires at least one file.
    const std::string& current() const { return files_.at(position_); }

 private:
    std::vector<std::string> files_;
    std::size_t position_ = 0;
    bool requested_ = false;
};

}  // namespace weft
