// Encoder properties that libav does not expose: sensible defaults and measured limits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>
}

struct AVCodec;

namespace weft {

struct EncoderOption {
    std::string_view name;  // as av_opt_set takes it, with search in private options
    std::string_view value;
};

// The numbers of -q:v, as ffmpeg gives them to the encoder. The best one may be the highest.
struct QualityScale {
    double best = 0;
    double worst = 0;
};

struct EncoderTraits {
    std::string_view name;                         // libav's encoder
    std::span<const EncoderOption> defaults = {};  // always set, before the user's
    std::span<const EncoderOption> quality = {};   // unless an option of the quality is given
    std::span<const EncoderOption> lossless = {};  // instead of `quality`
    // The others get frame numbers: most take a unit of the clock for the duration of a frame, and
    // at 1/1000 s drop frames (libtheora) or most of their bits (libvpx-vp9, msmpeg4, snow).
    bool takes_times = false;
    // For bit-identical output on CPUs with AVX-512.
    std::span<const EncoderOption> repeatable_avx512 = {};
    // The option for the number of threads of an encoder that ignores libav's, and its text: {0} is
    // the number, {1} that of frame threads.
    std::string_view thread_params = {};
    std::string_view thread_text = {};
    bool needs_a_frame = false;  // never returns when it is closed before its first frame
    bool always_lossless = false;
    // Formats that we use among the encoder's; empty: all, without gray if `keeps_gray` is false.
    std::span<const AVPixelFormat> formats = {};
    // The same for `lossless`, where that converts the others; empty: no other than `formats`.
    std::span<const AVPixelFormat> lossless_formats = {};
    bool keeps_gray = true;     // gray comes back as gray, not as 4:2:0 with neutral chroma
    bool whole_chroma = false;  // sizes must divide by the chroma subsampling
    // Side data of frames that are in its stream.
    std::span<const AVFrameSideDataType> side_data = {};
    bool takes_icc = true;          // else the profile is taken off its frames
    int only_side = 0;              // the only width and height; 0: any
    std::string_view presets = {};  // for the error message of a wrong one
    std::string_view crf = "crf";   // the encoder's name for -crf
    double least_crf = 0;
    std::optional<double> most_crf = {};  // if libav's option has no limit
    std::optional<QualityScale> scale = {};
    // The frames, by their size in memory, that it keeps before the first one comes out with its
    // medium preset, as its look-ahead and reordering suggest; none was measured. 0 means few.
    int frames_held = 0;
    bool codes_fields = true;        // of interlaced frames, in some sizes
    std::string_view software = {};  // makes the same codec without a GPU; empty: this one does
};

// The encoder's row, or a default one.
const EncoderTraits& encoder_traits(std::string_view name);

// The number for -crf of an encoder that has a scale and no such option. kDefaultCrf gives the
// encoder's default, and every 6 more double the quantisers, as with x264, as far as the scale
// goes.
inline constexpr double kDefaultCrf = 18;
double quality_of_crf(const QualityScale& scale, double crf);

// EncoderTraits::frames_held with this preset; empty: the medium one. The presets of x264 and x265,
// fastest first, look ahead by about ten frames more each.
int frames_held(const EncoderTraits& traits, const std::string& preset);

// Whether the encoder acts on libav's option of this name: one of its own, the profile, or one of
// those for key frames, B-frames, reference frames and the rate that many encoders share.
bool takes_option(const AVCodec& encoder, std::string_view name);

// Whether any video encoder of this libav takes the option.
bool is_encoder_option(std::string_view name);

// The reason of an encoder that refused its settings, from the first line that it logged. Where a
// list of profiles would follow in further lines, the profiles are those of -profile:v.
std::string refusal_reason(const AVCodec& encoder, const std::string& logged);

}  // namespace weft
