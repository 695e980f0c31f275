// How an input is opened and decoded: see Reader.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/media/demux/heartbeat.h"
#include "kernels/device/device.h"

namespace weft {

class GpuJpegs;

struct ReaderLimits {
    std::int64_t max_pixels = 256LL << 20;  // per frame, checked before allocation
    int max_side = 65535;
    int max_streams = 64;
};

// The values of -hwaccel, which chooses hardware decoding.
enum class Hwaccel : std::uint8_t {
    none,       // FFmpeg's software decoders
    automatic,  // the GPU if it can, else software
    cuda,       // the GPU; an error if it cannot
};

struct ReaderOptions {
    std::string path;                      // "-" is standard input; "img_%03d.png" is a sequence
    std::string format;                    // -f: demuxer name, for standard input; empty: probe
    std::optional<std::int64_t> start_us;  // -ss: earlier frames are dropped, exactly
    std::optional<std::int64_t> end_us;    // -to, or -ss plus -t: in the file's own time
    bool audio = true;                     // -an clears
    bool subtitles = true;                 // -sn clears
    // -framerate: frames per second of an input without times: numbered pictures, pictures from a
    // pipe, raw streams. Others are refused. Not set: 25.
    std::optional<double> frame_rate;
    // -metadata: these replace the source's tags, and empty ones remove them: see set_tags().
    std::map<std::string, std::string> tags = {};
    int decoder_threads = 0;  // 0: one per core
    Hwaccel hwaccel = Hwaccel::none;
    // Hwaccel::automatic: after one second of video, software decodes one second as well, and the
    // faster decoder is used from then on, unless decoding is not the bottleneck.
    bool compare_decoders = false;
    // -ss reads from the file's beginning instead of seeking, so that frames_before_start() is
    // known.
    bool counts_frames = false;
    // For a Demuxer alone: does not look for what only packets show, such as the duration of
    // transport streams and raw video.
    bool headers_only = false;
    // Target GPU. Decodes if `hwaccel` allows; software frames are placed in page-locked memory.
    // The CPU device means none.
    Device gpu;
    // Null: JPEG is decoded in software. Otherwise `gpu` decodes stills of it if `hwaccel` allows
    // and their data are whole, whose samples may then differ by one level.
    std::shared_ptr<GpuJpegs> gpu_jpegs = nullptr;
    ReaderLimits limits;
    // Beats while the reader makes progress; copies of the options share it.
    std::shared_ptr<Heartbeat> heartbeat = std::make_shared<Heartbeat>();
};

}  // namespace weft
