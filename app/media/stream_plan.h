// What happens to each stream of the source in a given container.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/container_table.h"
#include "app/media/ffmpeg.h"

namespace weft {

enum class StreamAction : std::uint8_t {
    encode,            // the filtered picture
    copy,              // packets as they are
    convert_audio,     // decoded and encoded with `codec`
    convert_subtitle,  // the same for text subtitles
    cover_picture,     // one packet, written at the start
    cover_attachment,  // the picture's bytes as an attachment
    kept_elsewhere,    // chapters or time code that the muxer writes by itself
    drop,              // cannot be kept
    not_wanted,        // the user asked for it to be left out
};

struct StreamPlan {
    int source_index = 0;
    StreamAction action = StreamAction::drop;
    std::string codec = {};   // encoder of the conversions
    std::string reason = {};  // why, unless encoded or copied
};

struct StreamWish {
    int video_index = 0;           // the stream that is filtered
    std::string audio_codec = {};  // -c:a; empty or "copy": copy where the container takes it
    bool lossless = false;         // lossless audio that must be converted stays lossless if it can
};

// One plan per stream of `source`, in its order. Whether a container takes a codec is tried out on
// its muxer, so measured exceptions (FLAC in mov) need no list. Throws Error(usage) for an audio
// encoder that does not exist or does not fit.
std::vector<StreamPlan> plan_streams(const Container& container, const AVFormatContext& source,
                                     const StreamWish& wish);

// "video", "audio", "subtitle", "attachment", "data"; cover pictures are "cover".
std::string stream_kind(const AVStream& stream);

// "stream 3 (subtitle, hdmv_pgs_subtitle)" for messages.
std::string stream_name(const AVStream& stream);

bool is_cover(const AVStream& stream);

// Copies codec parameters for `muxer`; the codec tag stays only where it means the same there.
void copy_parameters(const AVStream& from, const AVOutputFormat& muxer, AVCodecParameters& to);

}  // namespace weft
