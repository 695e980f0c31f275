// Plays a file: decodes in its own thread, remembers decoded frames, keeps the time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/media/frame.h"
#include "app/viewer/audio_output.h"
#include "app/viewer/media_info.h"
#include "app/viewer/playback_clock.h"
#include "app/viewer/stage_times.h"

namespace weft {

// A decoded frame on its way to the screen. Pixels are shared with the cache: never written.
struct PlayedFrame {
    std::shared_ptr<const Frame> frame;
    double seconds = 0;   // when it is due: from the file's first frame, at speed 1
    double duration = 0;  // seconds; the gap to the next frame, 1/rate where unknown
    std::int64_t number =
        0;  // 0: the file's first frame; counted, not computed from the rate, where possible
    bool number_exact = true;  // false: from the rate, as frames before it were never decoded
    std::uint64_t serial = 0;  // of the command that it answers: see Player::serial()
};

// Frames that follow one another.
using PastFrames = std::vector<std::shared_ptr<const Frame>>;

// A snapshot of what the player does.
struct PlayerStatus {
    std::shared_ptr<const MediaInfo> media;  // null: nothing is open
    bool opening = false;                    // a spinner is due
    bool seeking = false;                    // the frame that was asked for is not there yet
    bool paused = true;
    bool ended = false;
    double speed = 1;
    std::optional<double> loop_begin, loop_end;  // A and B, seconds
    double volume = 1;                           // 0 to 1.3
    bool muted = false;
    std::string sound;         // empty: plays; else the sentence why there is none
    std::int64_t dropped = 0;  // frames that came too late to be shown, since the file was opened
    std::size_t cache_bytes = 0, cache_budget = 0;
    std::string damage;                             // a sentence, once the end was reached
    std::vector<std::pair<double, double>> cached;  // stretches of time that the cache holds
};

struct PlayerOptions {
    StageTimes* times = nullptr;  // must outlive the player
    Device gpu = {};  // where it is one, it decodes what it can: frames lie in its memory
    std::size_t cache_budget = std::size_t{512} << 20;  // bytes of decoded frames
    bool sound = true;
    // Opens the sound's device, in a thread of the player.
    std::function<std::unique_ptr<AudioOutput>()> open_audio = open_default_audio;
    // Called from any thread when status() changed or a frame is waiting. Must not block.
    std::function<void()> on_change;
    // An error of opening or decoding: one sentence. From any thread.
    std::function<void(std::string)> on_error;
};

// A file's end leaves its last frame shown, paused; playing on starts over. Where decoding cannot
// follow the clock, frames are skipped and counted, or the clock is set back. Frames from A to
// before B repeat, B's own is not shown; the speed of the sound is that of the clock at speed 1,
// at any other it is silent. If a file cannot be opened, the one before stays as it was,
// paused or not.
//
// Commands return at once and are carried out in order by the decode thread; of several seeks that
// wait, the last one alone is done. Every command that changes which frame is to be shown raises
// serial(): frames with an older one are stale.
class Player {
 public:
    explicit Player(PlayerOptions options);
    ~Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    void open(std::string path, double at_seconds = 0);
    void close();
    void set_paused(bool paused);
    // The frame that is shown at that time, exactly; clamped to the file.
    void seek(double seconds);
    // The frame `count` frames after (before, if negative) the one that was asked for last; pauses.
    void step(int count);
    void set_speed(double speed);  // 0.01 to 100; clamped
    void set_loop(std::optional<double> begin, std::optional<double> end);
    void set_volume(double volume);
    void set_muted(bool muted);
    // Bytes of decoded frames, at most, and at most a quarter of a GPU's memory; what is beyond is
    // forgotten at once.
    void set_cache_budget(std::size_t bytes);

    PlayerStatus status() const;
    std::uint64_t serial() const;
    // Media time that should be on the screen now. Stands while paused, and after a seek until
    // started() told that the first frame of the new serial is on the screen.
    double clock(SteadyTime now) const;
    void started(const PlayedFrame& frame, SteadyTime now);
    // Counts frames that were given up because they came too late.
    void count_dropped(std::int64_t frames);

    // For one filter thread. Blocks for the next frame that is to be filtered: in order and ahead
    // of the clock while playing (the caller bounds how far by how much it takes), the one frame
    // that was asked for while paused. Nothing when `stop` was requested. Frames whose end lies
    // before the clock are dropped and counted, not returned, if a later one is there already.
    std::optional<PlayedFrame> next(const std::stop_token& stop);
    // For the same thread, of the frame that it got last: the `count` frames before it, the oldest
    // first. Blocks until they are decoded. Fewer where the file begins or cannot be decoded, and
    // where frames were skipped to keep the time; none when `stop` was requested or the frame
    // became stale.
    PastFrames before(const PlayedFrame& frame, int count, const std::stop_token& stop);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
