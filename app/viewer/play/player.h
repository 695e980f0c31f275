// Plays a file: decodes in its own thread, caches decoded frames, keeps time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/media/picture/frame.h"
#include "app/viewer/audio/audio_output.h"
#include "app/viewer/audio/playback_clock.h"
#include "app/viewer/play/media_info.h"
#include "app/viewer/play/stage_times.h"

namespace weft {

// A decoded frame on its way to the screen. Its pixels are shared with the cache: never written.
struct PlayedFrame {
    std::shared_ptr<const Frame> frame;
    double seconds = 0;        // due time: from the file's first frame, at speed 1
    double file_seconds = 0;   // the same as -ss counts: from the file's first timestamp
    double duration = 0;       // in seconds; the gap to the next frame, 1/rate if unknown
    std::int64_t number = 0;   // from 0; counted if possible, else estimated from the rate
    bool number_exact = true;  // false: estimated, because earlier frames were never decoded
    std::uint64_t serial = 0;  // of the command that it belongs to: see Player::serial()
};

// Consecutive frames.
using EarlierFrames = std::vector<std::shared_ptr<const Frame>>;

// A snapshot of the player's state.
struct PlayerStatus {
    std::shared_ptr<const MediaInfo> media;  // null: no file is open
    bool opening = false;                    // show a spinner
    bool seeking = false;                    // the requested frame is not available yet
    bool delivered = false;                  // by next(): it is filtered, or already shown
    bool paused = true;
    bool ended = false;
    double speed = 1;
    std::optional<double> loop_begin, loop_end;  // A and B of this file, seconds
    bool loops_file = false;                     // at its end, unless a loop from A to B is set
    double volume = 1;                           // 0 to 1.3
    bool muted = false;
    std::string sound;         // empty while audio works, else the reason for silence
    std::int64_t dropped = 0;  // frames dropped for being late, since the file was opened
    std::size_t cache_bytes = 0, cache_budget = 0;
    std::string damage;                             // a sentence, once the end was reached
    std::vector<double> damaged;                    // times of corrupt frames, as far as decoded
    std::vector<std::pair<double, double>> cached;  // cached time ranges
};

struct PlayerOptions {
    StageTimes* times = nullptr;  // must outlive the player
    Device gpu = {};              // used for decoding if it is a GPU: frames are in its memory
    std::size_t cache_budget = std::size_t{512} << 20;  // bytes of decoded frames
    bool sound = true;
    double loop_below_seconds = 0;  // shorter files loop when they are opened
    // Opens the audio device, in one of the player's threads.
    std::function<std::unique_ptr<AudioOutput>()> open_audio = open_default_audio;
    // Called from any thread when status() changes or a frame is ready. Must not block.
    std::function<void()> on_change;
    // Reports an error of opening or decoding in one sentence. Called from any thread.
    std::function<void(std::string)> on_error;
};

// At the end of a file that does not loop, the last frame stays visible and playback pauses;
// resuming starts over. If decoding cannot keep up with the clock, frames are skipped and counted,
// or the clock is set back. Loops repeat the frames from A up to but excluding B. Audio plays at
// speed 1 only. If a file cannot be opened, the previous one stays, in its previous pause state.
//
// Commands return immediately and are executed in order by the decoding thread; of several pending
// seeks only the last is executed. Every command that changes the frame to show increments
// serial(): frames with an older serial are stale.
class Player {
 public:
    explicit Player(PlayerOptions options);
    ~Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    // `frame_rate`: see ReaderOptions.
    void open(std::string path, double at_seconds = 0, std::optional<double> frame_rate = {});
    // Opens and resumes in one command: open() and set_paused(false) would resume the previous file
    // if the new one were refused between them.
    void play(std::string path, double at_seconds = 0, std::optional<double> frame_rate = {});
    void close();
    void set_paused(bool paused);
    // Shows the exact frame displayed at that time; clamped to the file.
    void seek(double seconds);
    // Hands out the shown frame again, for a changed stack: nothing is decoded and the clock stays.
    // Does nothing if another frame was requested since.
    void refilter(const PlayedFrame& shown);
    // Shows the frame `count` frames after (before, if negative) the last requested one; pauses.
    void step(int count);
    void set_speed(double speed);  // 0.01 to 100; clamped
    // Frames from `begin` to the one before `end`. A player that is at `end` or after it goes to
    // `begin`: at once while playing, otherwise when it is resumed at `end`.
    void set_loop(std::optional<double> begin, std::optional<double> end);
    void set_file_loop(bool loops);  // until another file is opened
    void set_volume(double volume);
    void set_muted(bool muted);
    // Maximum bytes of decoded frames, limited to a quarter of a GPU's memory; evicts the excess
    // immediately.
    void set_cache_budget(std::size_t bytes);

    PlayerStatus status() const;
    std::uint64_t serial() const;
    // Media time that should be on the screen now. Stopped while paused and, after a seek, until
    // started() reports the first frame of the new serial on the screen.
    double clock(SteadyTime now) const;
    void started(const PlayedFrame& frame, SteadyTime now);
    // Counts frames dropped for being late.
    void count_dropped(std::int64_t frames);

    // For a single filter thread. Blocks for the next frame to filter: while playing, in order and
    // ahead of the clock (limited only by how many the caller takes); while paused, only the
    // requested frame. nullopt after a stop request. Frames that end before the clock are dropped
    // and counted instead if a later one is available.
    std::optional<PlayedFrame> next(const std::stop_token& stop);
    // For the same thread and the frame that it got last: the `count` frames before it, oldest
    // first. Blocks until they are decoded. Returns fewer at the beginning of the file, where
    // decoding fails, and where frames were skipped to keep time; none after a stop request or if
    // the frame became stale.
    EarlierFrames before(const PlayedFrame& frame, int count, const std::stop_token& stop);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
