// Saves one picture to a file: a frame at full depth, or the window's contents.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/media/picture/frame.h"

namespace weft {

struct Shot {
    AVFramePtr picture;        // native format; shares its pixels with other users
    int rotation_degrees = 0;  // clockwise rotation applied by players
    std::filesystem::path folder;
    std::string input;                  // the video's name, used to name the picture
    std::optional<double> seconds = 0;  // position in the video; nothing: not in the name
    std::string extension = "png";      // of an entry in the container table, without the dot
    bool to_clipboard = false;          // as PNG, instead of a file: see copy_picture()
};

// NAME-hh.mm.ss.mmm.EXTENSION, or NAME.EXTENSION without a position, like mpv's screenshots of
// `input` (only its file name without the extension is used). Each `attempt` after the first adds
// "-2", "-3", …
std::string shot_name(const Shot& shot, int attempt = 1);

// Writes the picture and returns its path. Stills use the format that preserves most: PNG and TIFF
// store more than 8 bits as 16, YUV becomes RGB unless the file can hold YUV, and the rotation is
// applied. Video files (mkv, nut, y4m, …) get the planes unchanged and lossless. Never replaces an
// existing file: the name counts up. Blocks on the encoder and the disk. Throws Error.
std::filesystem::path save_shot(const Shot& shot);

// Makes a frame from 8-bit RGB rows without padding, for the window's contents. `bottom_up`: the
// first row is the lowest one, as read by OpenGL. Copies. Throws std::invalid_argument if the size
// is wrong.
AVFramePtr frame_of_rgb(std::span<const std::byte> pixels, int width, int height, bool bottom_up);

// Saves shots in order, in its own thread.
class ShotSaver {
 public:
    struct Outcome {
        std::filesystem::path path;  // empty: not written, or copied
        std::string error;
    };

    // `saved` is called from the thread after each shot, to wake the window.
    explicit ShotSaver(std::function<void()> saved = {});
    // Saves the queued shots, then returns.
    ~ShotSaver();
    ShotSaver(const ShotSaver&) = delete;
    ShotSaver& operator=(const ShotSaver&) = delete;

    void save(Shot shot);
    // The shots finished since the last call, in order.
    std::vector<Outcome> take_outcomes();
    std::size_t waiting() const;  // including the shot being saved

 private:
    void run();

    std::function<void()> saved_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Shot> queue_;         // the first one is being saved
    std::vector<Outcome> outcomes_;  // with room for those of the queue
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace weft
