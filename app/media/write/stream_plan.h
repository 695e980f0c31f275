// Decides how each source stream is handled in a given container.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/container_table.h"

namespace weft {

enum class StreamAction : std::uint8_t {
    encode,            // the filtered video
    copy,              // packets as they are
    convert_audio,     // decoded and encoded with `codec`
    convert_subtitle,  // the same for text subtitles
    cover_picture,     // one packet, written at the start
    cover_attachment,  // the picture's bytes as an attachment
    kept_elsewhere,    // chapters or time code that the muxer writes itself
    drop,              // cannot be kept
    not_wanted,        // excluded by the user
    hidden,            // may show what the user hides
};

struct StreamPlan {
    int source_index = 0;
    StreamAction action = StreamAction::drop;
    std::string codec = {};   // encoder for conversions
    std::string reason = {};  // unless copied; if encoded: the quality, if known
};

struct StreamRequest {
    int video_index = 0;           // the filtered stream
    std::string audio_codec = {};  // -c:a; empty or "copy": copy if the container accepts it
    bool audio = true;             // false: the user wants no sound
    bool lossless = false;         // converted lossless audio stays lossless if possible
    bool redacted = false;         // see WriterOptions
};

// Returns one plan per stream of `source`, in its order. Codec support is tested with the
// container's muxer, so exceptions (FLAC in mov) need no list. Throws Error(usage) for an audio
// encoder that does not exist or does not fit.
std::vector<StreamPlan> plan_streams(const Container& container, const AVFormatContext& source,
                                     const StreamRequest& request);

// "video", "audio", "subtitle", "attachment", "data"; "cover" for cover pictures.
std::string stream_kind(const AVStream& stream);

// Returns, for messages, "stream 3 (subtitle, hdmv_pgs_subtitle)".
std::string stream_name(const AVStream& stream);

bool is_cover(const AVStream& stream);

// Opens a decoder for a stream that is converted. Throws MediaError.
CodecContextPtr open_decoder(const AVStream& stream);

// Copies codec parameters for `muxer`; keeps the codec tag only if it has the same meaning there.
void copy_parameters(const AVStream& from, const AVOutputFormat& muxer, AVCodecParameters& to);

}  // namespace weft
