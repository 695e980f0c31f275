// A list of files, one of which is playing.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class Playlist {
 public:
    // Starts at the first file.
    void set(std::vector<std::string> files) {
        files_ = std::move(files);
        position_ = 0;
    }
    // Moves `by` files forward, or back. Returns false without moving if that is past either end.
    bool move(int by) {
        const auto to = static_cast<std::ptrdiff_t>(position_) + by;
        if (to < 0 || to >= static_cast<std::ptrdiff_t>(files_.size())) return false;
        position_ = static_cast<std::size_t>(to);
        return true;
    }

    const std::vector<std::string>& files() const { return files_; }
    std::size_t position() const { return position_; }
    // Requires at least one file.
    const std::string& current() const { return files_.at(position_); }

 private:
    std::vector<std::string> files_;
    std::size_t position_ = 0;
};

}  // namespace weft
