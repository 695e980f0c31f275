// Finds the faster of two decoders, each of which decodes a part of the stream.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// Takes times and makes the decision: the GPU decodes the first part, software the second, and the
// faster one the rest. Decoders change only where the stream allows it; a stream that never does
// stays on the GPU.
class DecoderTrial {
 public:
    enum class Who : std::uint8_t { gpu, software };

    struct Terms {
        // Each decodes at least this many before it is judged, or a second of video if that is
        // more.
        int pictures = 30;
        // The first pictures of each are not counted: GPU setup, and software's threads filling up.
        int gpu_start = 4;
        int software_start = 16;
    };
    // A decoder that is busy for a smaller share of the time is not the bottleneck.
    static constexpr double kBusy = 0.9;
    // Software takes over if its time per picture is at most this share of the GPU's.
    static constexpr double kFaster = 0.9;

    explicit DecoderTrial(Terms terms) : terms_(terms) {}

    // Adds the current decoder's work since the last call: `busy` of `wall` seconds, for so many
    // pictures.
    void worked(double busy, double wall, int pictures);

    // Call where the stream allows a change. Returns the decoder to use from here on.
    Who at_key();

    // No more calls are needed: at_key() no longer changes.
    bool over() const { return phase_ == Phase::over; }
    // "GPU 596, software 1650 frames/s"; empty until both were measured.
    std::string text() const;

 private:
    enum class Phase : std::uint8_t { gpu, software, over };
    struct Part {
        int seen = 0;
        int pictures = 0;
        double busy = 0;
        double wall = 0;
        double per_picture() const { return busy / pictures; }
    };
    Part& part() { return phase_ == Phase::gpu ? gpu_ : software_; }
    void judge_gpu();
    void judge_software();

    Terms terms_;
    Phase phase_ = Phase::gpu;
    Who who_ = Who::gpu;
    Part gpu_, software_;
};

}  // namespace weft
