// Decodes a stream with the faster of the GPU and software, each of which decodes a part of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "app/media/read/decoder.h"

namespace weft {

// Takes times and makes the decision: the GPU decodes the first part, software the second, and the
// faster one the rest. Decoders change only where the stream allows it; a stream that never does
// stays on the GPU.
class DecoderTrial {
 public:
    struct Terms {
        // Each decodes at least this many before it is judged, or a second of video if that is
        // more.
        int frames = 30;
        // The first frames of each are not counted: GPU setup, and software's threads filling up.
        int gpu_start = 4;
        int software_start = 16;
    };
    // A decoder that is busy for a smaller share of the time is not the bottleneck.
    static constexpr double kBusy = 0.9;
    // Software takes over if its time per frame is at most this share of the GPU's. A stream that
    // both have decoded then loses at most a nineteenth.
    static constexpr double kFaster = 0.95;

    explicit DecoderTrial(Terms terms) : terms_(terms) {}

    // Adds the current decoder's work since the last call: `busy` of `wall` seconds, for so many
    // frames.
    void add_work(double busy, double wall, int frames);

    // Call where the stream allows a change. Returns the decoder to use from here on.
    DecoderKind at_key();

    // No more calls are needed: at_key() no longer changes.
    bool over() const { return phase_ == Phase::over; }
    // "GPU 596, software 1650 frames/s"; empty until both were measured.
    std::string text() const;

 private:
    enum class Phase : std::uint8_t { gpu, software, over };
    struct Part {
        int seen = 0;
        int frames = 0;
        double busy = 0;
        double wall = 0;
        double per_frame() const { return busy / frames; }
    };
    Part& part() { return phase_ == Phase::gpu ? gpu_ : software_; }
    void judge_gpu();
    void judge_software();

    Terms terms_;
    Phase phase_ = Phase::gpu;
    DecoderKind kind_ = DecoderKind::gpu;
    Part gpu_, software_;
};

// A Decoder that changes to the faster decoder: by a trial if the options ask for one, and to
// software's threads once the GPU has refused a change in mid-stream.
class ComparingDecoder : private Decoder {
 public:
    ComparingDecoder(const AVStream& stream, bool is_image, const ReaderOptions& options);

    // Like those of Decoder; they also measure its time, and send() may change it.
    void send(const AVPacket& packet);
    AVFramePtr receive();
    using Decoder::close;
    using Decoder::errors;
    using Decoder::flush;
    using Decoder::lacks_feature;
    using Decoder::notes;
    using Decoder::read_properties;
    using Decoder::send_end;
    // As Decoder's; `compared` once both were measured.
    Decoding decoding() const;

 private:
    using Clock = std::chrono::steady_clock;

    bool comparing() const { return trial_ && Decoder::decoding().on_gpu; }
    void compare(const AVPacket& packet);
    void account(Clock::time_point began, int frames);

    const AVStream& stream_;
    std::optional<DecoderTrial> trial_;  // from the GPU's first frame to the decision
    double busy_ = 0;                    // seconds in the decoder since its last frame
    Clock::time_point last_frame_ = Clock::now();
    std::string compared_;
};

}  // namespace weft
