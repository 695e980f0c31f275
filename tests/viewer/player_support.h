// Drives a Player as the window does, and knows what a linear decode of the file gives.
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

#include "app/viewer/player.h"
#include "tests/support/frame_hash.h"

namespace weft::test {

// A frame as it is known from decoding the whole file in order.
struct KnownFrame {
    std::int64_t pts = 0;
    double seconds = 0;  // from the first frame
    std::size_t hash = 0;
};

std::vector<KnownFrame> linear_frames(const std::filesystem::path& file);

// Without sound: tests must not need a device.
PlayerOptions silent();

class PlayerProbe {
 public:
    explicit PlayerProbe(PlayerOptions options = silent());

    Player& player() { return *player_; }
    // Opens the file and waits for its first frame.
    std::optional<PlayedFrame> open(const std::filesystem::path& file, double at_seconds = 0);
    // The next frame of the newest command; nothing, and a failed test, if none comes in a minute.
    std::optional<PlayedFrame> next();
    // Tells the player that the frame is on the screen now.
    void show(const PlayedFrame& frame);
    // Waits until the player says so; false after a minute.
    bool wait_for(const std::function<bool(const PlayerStatus&)>& holds);
    std::vector<std::string> errors() const;

 private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t changes_ = 0;
    std::vector<std::string> errors_;
    std::unique_ptr<Player> player_;  // last: its threads use the rest
};

}  // namespace weft::test
