// Implementation of Player. Internal to app/viewer.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
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
            ++changes;
            sound.follow(clock, now);
        }
        changed();
    }
    // The budget, limited to a quarter of a GPU's memory if frames are decoded there.
    std::size_t within_memory(std::size_t budget) const;
    // Notifies all threads and the owner. Called without the mutex.
    void changed();
    // Replaces the requested frame. Those delivered before are stale from now on.
    void set_target(PlayTarget wanted);
    // Requests a file, which the decoding thread opens in open_next().
    void open(PlayerInput input, double at_seconds, SteadyTime now);
    void set_paused(bool now_paused, SteadyTime now);
    // The clock waits at `seconds` until the frame is on the screen.
    void seek_to(double seconds);
    void refilter(const PlayedFrame& shown);
    void step(int count, SteadyTime now);
    void set_loop(std::optional<double> begin, std::optional<double> end);
    // Whether the latest frame delivered is the one that is shown at the loop's end.
    bool is_at_loop_end() const;
    // Whether resuming has to start over.
    bool is_at_end() const;
    // Empty while audio works.
    std::string why_silent() const;

    // ---- delivery (player_impl.cpp) ----
    // The latest frame delivered, or about the requested one, as pts.
    std::int64_t position() const;
    // Whether a loop is set and ends at `pts` or before it.
    bool beyond_loop(std::int64_t pts) const;
    // Where playback continues after the end of the loop or the file; nullopt: it pauses there.
    std::optional<double> loop_start() const;
    std::optional<PlayLoop> loop() const;
    // The frame to deliver next while playing; nullopt at a loop's end and if it is not cached.
    std::optional<std::int64_t> follower() const;
    // Whether next() has a frame to return.
    bool can_deliver() const;
    void count_skipped(const Frame& reached);
    PlayedFrame deliver(std::shared_ptr<const Frame> frame);
    // Delivers the requested frame or its follower; drops late frames if a later one is cached.
    PlayedFrame take_next(SteadyTime now);
    // Whether no frame follows the latest one delivered, in the file or the loop.
    bool delivered_last() const;

    // ---- the decoding thread (player_thread.cpp) ----
    // Functions that take the lock release it while they decode, open, close or report.
    void run(const std::stop_token& stop);
    // Returns once `changes` is not `seen` any more, or follow_clock() is due.
    void wait(Lock& lock, const std::stop_token& stop, std::uint64_t seen);
    enum class Work : std::uint8_t { none, decoded, changed };
    // Performs one step of the pending work.
    Work work(Lock& lock);
    void report(Lock& lock, Work done);
    // Follows the audio, wraps around at the end, skips late frames. True if anything changed.
    bool follow_clock(SteadyTime now);
    void restart_loop_or_pause(SteadyTime now);
    // Skips to a key frame or sets the clock back if decoding trails it. Returns whether it did.
    bool catch_up(SteadyTime now);
    // Returns the frame to decode next. The requested one comes first, then those that before()
    // waits for, those ahead of the position and, after a step back, those before it.
    std::optional<Need> need();
    // nullopt once before() has all of its frames: the request is then closed.
    std::optional<Need> need_earlier();
    // Answers before() with the frames that are cached.
    void close_earlier();
    void keep_loop_begin();
    // Seeks, or decodes one frame.
    void decode_toward(const Need& wanted, Lock& lock);
    // Caches a decoded frame. nullopt means that the file has ended.
    void take(std::optional<Frame> frame);
    void give_up(const Need& wanted);
    // Shows `frame` for the requested one.
    void settle(std::shared_ptr<const Frame> frame);
    // The opened file is dropped if open() or close() was called meanwhile.
    void open_next(Lock& lock);
    // Returns to the state before the request, because no file could be opened.
    void keep_present_file(SteadyTime now);
    void open_sound();
    void close_file(Lock& lock);
    // Runs a call without the mutex. An exception sets decoding.error, which stops decoding.
    template <class Call>
    void unlocked(Lock& lock, Call call);

    const PlayerOptions options;
    mutable std::mutex mutex;
    std::condition_variable_any wake;
    std::uint64_t changes = 0;  // counts what the decoding thread must look at

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
    bool delivered = false;          // the requested frame was
    std::int64_t delivered_pts = 0;  // the latest one, also of an earlier request
    bool target_is_unseen = false;   // by the decoding thread
    // The last request by before().
    struct EarlierRequest {
        std::int64_t pts = 0;
        int count = 0;
        bool is_open = false;  // before() is waiting
        EarlierFrames frames;  // set on closing: the cache may have evicted them since
    };
    EarlierRequest earlier;
    bool failed = false;  // nothing more can be decoded until the next command
    bool paused = true;
    bool ended = false;
    std::optional<double> loop_begin, loop_end;
    bool loops_file = false;
    std::int64_t dropped = 0;
    std::string damage;
    std::set<std::int64_t> damaged;  // corrupt frames

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
        bool earlier_frames_exhausted = false;     // none before the position can be decoded
        int given_up = 0;                          // needs given up since the last command
    };
    Decoding decoding;

    std::jthread thread;  // last: stops first
};

}  // namespace weft
