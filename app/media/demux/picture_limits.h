// Pictures that libav decodes in part or wrongly without an error, or refuses as it does damage.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/demux/input_file.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

struct PictureLimit {
    Outcome outcome = Outcome::failed;
    std::string what;  // after the file's name: "is a TIFF of 2 pages, …"
};

// Whether a PNG is to be played, since acTL promises frames before its pixels.
bool is_animated_png(const InputFile& file);

// "BigTIFF" or "PSB": the form of a TIFF or PSD for files over 4 or 2 GB, which FFmpeg cannot read.
// Otherwise "".
std::string_view large_form(const InputFile& file);

// Whether a TIFF's colors are multiplied by its alpha, which libav does not report.
bool has_associated_alpha(const InputFile& file);

// Whether a TIFF of YCbCr states the limited range of video, which libav does not report.
bool has_limited_range(const InputFile& file);

// Why libav cannot decode the picture file of this codec, or decodes it wrongly; nothing if it is
// right. Reads headers, and the codes of a PSD.
std::optional<PictureLimit> find_picture_limit(const InputFile& file, AVCodecID codec);

// Names the parts of this picture that libav leaves out, such as "channels Z, normal.X".
std::vector<std::string> find_picture_losses(const InputFile& file, AVCodecID codec);

}  // namespace weft
