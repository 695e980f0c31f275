// Drives a Player as the window does, and provides the frames of a linear decode.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/play/player.h"
#include "tests/support/frame_hash.h"

namespace weft::test {

// A frame from a linear decode of the whole file.
struct KnownFrame {
    std::int64_t pts = 0;
    double seconds = 0;  // from the first frame
    std::size_t hash = 0;
};

std::vector<KnownFrame> linear_frames(const std::filesystem::path& file);

// Without sound: tests must not need an audio device.
PlayerOptions silent();

class PlayerProbe {
 public:
    explicit PlayerProbe(PlayerOptions options = silent());

    Player& player() { return *player_; }
    // Opens the file and waits for its first frame.
    std::optional<PlayedFrame> open(const std::filesystem::path& file, double at_seconds = 0);
    // The next frame of the newest command; if none arrives in a minute, the test fails.
    std::optional<PlayedFrame> next();
    // Informs the player that the frame is now on the screen.
    void show(const PlayedFrame& frame);
    // Waits until `holds` accepts the player's status; false after a minute.
    bool wait_for(const std::function<bool(const PlayerStatus&)>& holds);
    std::vector<std::string> errors() const;

 private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t changes_ = 0;
    std::vector<std::string> errors_;
    std::unique_ptr<Player> player_;  // last: its threads use the other members
};

}  // namespace weft::test
