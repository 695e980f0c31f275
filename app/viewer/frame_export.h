// One picture into one file: a frame in its full depth, or what the window shows.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/media/frame.h"

namespace weft {

struct Shot {
    AVFramePtr picture;        // native format; shares its pixels with whoever else shows them
    int rotation_degrees = 0;  // clockwise turn that a player applies
    std::filesystem::path folder;
    std::string input;              // the name of the video, for the name of the picture
    double seconds = 0;             // where in the video
    std::string extension = "png";  // of a row of the container table, without the dot
};

// NAME-hh.mm.ss.mmm.EXTENSION, as mpv names screenshots of `input` (of which only the file name
// without its ending is used). The `attempt` after the first adds "-2", "-3", …
std::string shot_name(const Shot& shot, int attempt = 1);

// Writes the picture and returns where it is now. Stills get the format that keeps most: PNG and
// TIFF of more than 8 bits have 16, YUV becomes RGB where the file holds no YUV, the turn is
// applied. Video files (mkv, nut, y4m, …) get the planes as they are, without loss. An existing
// file is never replaced: the name counts up. Blocks on the encoder and the disk. Throws Error.
std::filesystem::path save_shot(const Shot& shot);

// A frame of 8-bit RGB rows without gaps, for what the window shows. `bottom_up`: the first row is
// the lowest one, as OpenGL reads them. Copies. Throws std::invalid_argument if the size is wrong.
AVFramePtr frame_of_rgb(std::span<const std::byte> pixels, int width, int height, bool bottom_up);

// Saves shots in order in a thread of its own.
class ShotSaver {
 public:
    struct Outcome {
        std::filesystem::path path;  // empty: not written
        std::string error;
    };

    // `saved` is called from the thread after each shot: to wake the window.
    explicit ShotSaver(std::function<void()> saved = {});
    // Saves what is waiting, then returns.
    ~ShotSaver();
    ShotSaver(const ShotSaver&) = delete;
    ShotSaver& operator=(const ShotSaver&) = delete;

    void save(Shot shot);
    // What has been finished since the last call, in order.
    std::vector<Outcome> take_outcomes();
    std::size_t waiting() const;  // the one being saved included

 private:
    void run();

    std::function<void()> saved_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Shot> queue_;  // its first is being saved
    std::vector<Outcome> outcomes_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace weft
