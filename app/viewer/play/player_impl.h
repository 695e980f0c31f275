// Implementation of Player. Internal to app/viewer.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/viewer/audio/audio_player.h"
#include "app/viewer/play/decode_head.h"
#include "app/viewer/play/play_target.h"
#include "app/viewer/play/player.h"

namespace weft {

struct PlayerInput {
    std::string path;
    std::optional<double> frame_rate;
};

// The mutex guards everything but `options` and `decoding`.
struct Player::Impl {
    explicit Impl(PlayerOptions given);

    using Lock = std::unique_lock<std::mutex>;

    // ---- commands (player_impl.cpp) ----
    // Changes the state under the mutex, then notifies all threads.
    template <class Change>
    void command(Change change) {
        {
            const std::scoped_lock lock(mutex);
            const SteadyTime now = std::chrono::steady_clock::now();
            change(now);
            ++news;
            sound.follow(clock, now);
        }
        changed();
    }
    std::size_t within_memory(std::size_t budget) const;
    void changed();
    void set_target(PlayTarget wanted);
    void open(PlayerInput input, double at_seconds, SteadyTime now);
    void set_paused(bool now_paused, SteadyTime now);
    void seek_to(double seconds);
    void refilter(const PlayedFrame& shown);
    void step(int count, SteadyTime now);
    void set_loop(std::optional<double> begin, std::optional<double> end);
    bool stands_at_loop_end() const;
    bool stands_at_end() const;
    std::string why_silent() const;

    // ---- handing out (player_impl.cpp) ----
    std::int64_t position() const;
    bool beyond_loop(std::int64_t pts) const;
    // The frame to hand out next while playing.
    std::optional<std::int64_t> follower() const;
    bool can_hand() const;
    void count_skipped(const Frame& reached);
    PlayedFrame hand(std::shared_ptr<const Frame> frame);
    PlayedFrame take_next(SteadyTime now);
    // Whether no frame follows the last one handed out, in the file or the loop.
    bool is_end() const;

    // ---- the decoding thread (player_thread.cpp) ----
    void run(const std::stop_token& stop);
    void wait(Lock& lock, const std::stop_token& stop, std::uint64_t seen);
    enum class Work : std::uint8_t { none, decoded, changed };
    Work work(Lock& lock);
    void report(Lock& lock, Work done);
    bool keep_time(SteadyTime now);
    void pass_end(SteadyTime now);
    bool catch_up(SteadyTime now);
    std::optional<Need> need();
    std::optional<Need> need_past();
    void close_past();
    void keep_loop_begin();
    void decode_toward(const Need& wanted, Lock& lock);
    void take(std::optional<Frame> frame);
    void give_up(const Need& wanted);
    void settle(std::shared_ptr<const Frame> frame);
    void open_next(Lock& lock);
    void keep_present_file(SteadyTime now);
    void open_sound();
    void close_file(Lock& lock);
    template <class Call>
    void unlocked(Lock& lock, Call call);

    const PlayerOptions options;
    mutable std::mutex mutex;
    std::condition_variable_any wake;
    std::uint64_t news = 0;  // number of changes that the decoding thread must look at

    // The file to open next.
    struct Opening {
        std::optional<PlayerInput> input;  // requested, and not begun
        bool pending = false;              // from the request until the file is open or refused
        bool close = false;                // requested
        std::uint64_t requests = 0;        // number of calls to open() and close()
        // The state to return to if no file of several requests opens.
        double seconds_before = 0;
        bool paused_before = false;
    };
    Opening opening;

    std::shared_ptr<const MediaInfo> media;
    FrameStore store;
    PlaybackClock clock;
    PlayTarget target;
    std::uint64_t serial = 0;
    bool handed = false;  // the target was handed out; handed_pts is the latest one handed out
    std::int64_t handed_pts = 0;
    bool fresh = false;  // the decoding thread has not seen the target yet
    // The last request by before().
    struct EarlierFrames {
        std::int64_t pts = 0;
        int count = 0;
        bool is_open = false;  // before() is waiting
        PastFrames frames;     // set on closing: the cache may have evicted them since
    };
    EarlierFrames past;
    bool failed = false;  // nothing more can be decoded until the next command
    bool paused = true;
    bool ended = false;
    std::optional<double> loop_begin, loop_end;
    std::int64_t dropped = 0;
    std::string damage;

    // Audio plays while the clock runs at speed 1, and restarts after each jump.
    struct Sound {
        std::unique_ptr<AudioPlayer> player;  // null: the file has no audio, or it is disabled
        bool plays = false;                   // false after a jump, until follow()
        double volume = 1;
        bool muted = false;

        void follow(const PlaybackClock& picture, SteadyTime now);
        void apply_volume() const;
    };
    Sound sound;

    // Used by the decoding thread only, without the mutex.
    struct Decoding {
        DecodeHead head;
        std::string error;        // to be reported without the mutex
        bool unreported = false;  // frames were decoded without a notification
        SteadyTime reported_at{};
        std::optional<std::int64_t> skipped_from;  // the frame shown when catching up started
        bool behind_done = false;  // no earlier frames can be decoded for stepping back
        int given_up = 0;          // needs given up since the last command
    };
    Decoding decoding;

    std::jthread thread;  // last: stops first
};

}  // namespace weft
