// Which of two decoders is the faster on a stream that each decodes a part of.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// Times in, decision out: the GPU decodes the first part, software the second, and the faster one
// the rest. Decoders change only where the stream allows it; a stream that never does stays on the
// GPU.
class DecoderTrial {
 public:
    enum class Who : std::uint8_t { gpu, software };

    struct Terms {
        // What each decodes at least until it is judged; a second of the video.
        int pictures = 30;
        // The first pictures of each are not counted: the GPU is set up, software's threads fill.
        int gpu_start = 4;
        int software_start = 16;
    };
    // A decoder that is at work for less of the time does not bound the run.
    static constexpr double kBusy = 0.9;
    // Software takes over where a picture takes it at most this part of the GPU's time.
    static constexpr double kFaster = 0.9;

    explicit DecoderTrial(Terms terms) : terms_(terms) {}

    // The decoder at work was busy so long for so many pictures, of the wall time since the last
    // call. In seconds.
    void worked(double busy, double wall, int pictures);

    // The stream can be taken over here: who decodes from now on.
    Who at_key();

    // No more calls are needed: at_key() stays as it is.
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
