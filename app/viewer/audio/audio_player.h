// Plays a file's audio in sync with a clock.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "app/viewer/audio/audio_output.h"

namespace weft {

class AudioDecoder;
struct AudioChunk;

struct AudioPlayerOptions {
    std::string path;
    double origin = 0;  // file time in seconds at which media time starts
    // Opens the device; called in the player's thread.
    std::function<std::unique_ptr<AudioOutput>()> open_output = open_default_audio;
    // Called in the player's thread when problem() changes. Must not block.
    std::function<void()> on_change;
};

// Decodes and writes in its own thread. Only the destructor blocks, until the current samples are
// written.
class AudioPlayer {
 public:
    explicit AudioPlayer(AudioPlayerOptions options);
    ~AudioPlayer();
    AudioPlayer(const AudioPlayer&) = delete;
    AudioPlayer& operator=(const AudioPlayer&) = delete;

    // Media time `seconds` is due at `at` and advances from there at speed 1; once the device is
    // ready, playback joins at the position due by then.
    void play(double seconds, SteadyTime at);
    // Silences the output immediately.
    void stop();
    // 0 to 1.3; 0 is silence.
    void set_volume(double volume);

    // Media time of the sample heard at `now`; nullopt during silence.
    std::optional<double> playback_position(SteadyTime now) const;
    // A sentence if audio has failed, else empty.
    std::string problem() const;

 private:
    // The due position is a line through a media time and the moment at which it is due.
    struct Line {
        double seconds = 0;
        SteadyTime at{};

        double due(SteadyTime now) const {
            return seconds + std::chrono::duration<double>(now - at).count();
        }
    };

    void run(const std::stop_token& stop);
    void play_lines(const std::stop_token& stop);
    void play_line(const Line& line, std::uint64_t asked, const std::stop_token& stop);
    bool write_chunk(const AudioChunk& chunk, std::uint64_t asked, const std::stop_token& stop);
    bool write(std::span<const float> stereo, std::uint64_t asked, const std::stop_token& stop);
    bool write_silence(std::size_t frames, std::uint64_t asked, const std::stop_token& stop);
    bool is_asked(std::uint64_t asked) const;

    const AudioPlayerOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::uint64_t command_ = 0;  // counts play() and stop()
    std::optional<Line> wanted_;
    std::optional<Line> heard_;  // as of the latest write
    double written_end_ = 0;     // media time after the last written sample
    std::string problem_;
    std::atomic<float> volume_{1};

    // Used by the thread only.
    std::unique_ptr<AudioDecoder> decoder_;
    std::unique_ptr<AudioOutput> output_;
    std::optional<double> next_;  // media time of the next sample to write; nullopt: the one due
    Line line_;

    std::jthread thread_;  // last: stops first
};

}  // namespace weft
