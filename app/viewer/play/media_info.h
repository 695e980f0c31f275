// Properties of an open file, as reported by the player, and times as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/media/metadata/side_data.h"
#include "app/media/read/reader.h"
#include "filters/frame_info.h"

namespace weft {

struct Chapter {
    double seconds = 0;  // from the file's first frame
    std::string title;
};

// Constant while the file is open.
struct MediaInfo {
    std::string path;
    std::string video_codec, pixel_format;
    Decoding decoding;
    FrameInfo frame;           // format of its first frame
    AVRational time_base{};    // the unit of Frame::pts
    SideData side_data;        // the stream's, and what its first frame adds
    double sample_aspect = 1;  // width over height of a pixel
    int rotation_degrees = 0;
    double origin = 0;  // when the first frame is due, in file time; all times count from it
    double first_frame_seconds = 0;     // from the file's first timestamp, as counted by -ss
    double duration = 0;                // seconds, 0: unknown
    double frame_rate = 0;              // frames per second, 0: unknown
    std::optional<double> wanted_rate;  // ReaderOptions::frame_rate
    std::int64_t frames = 0;            // estimated, 0: unknown
    bool still = false;                 // one picture
    bool has_audio = false;
    std::vector<Chapter> chapters;
    std::vector<std::string> notes;
};

// Start of the chapter `by` chapters after (or before) the one at `seconds`; the first second of a
// chapter counts as the previous one. nullopt past the last chapter.
std::optional<double> chapter_from(const std::vector<Chapter>& chapters, double seconds, int by);

// `reader` must be at the file's beginning.
MediaInfo media_info(const Reader& reader, const std::string& path);

// The format of a still picture as its files are called, "JPEG"; libav's name of a video's codec.
std::string codec_text(const MediaInfo& media);

// "1:23.456", or "1:01:23.456" for an hour or more. Negative times are shown as 0.
std::string time_text(double seconds);

}  // namespace weft
