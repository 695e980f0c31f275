// Everything of the source that is neither picture nor packet: tags, chapters, dispositions, side
// data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/container_table.h"
#include "app/media/ffmpeg.h"
#include "app/media/frame_clock.h"

namespace weft {

// Global tags, without those that describe the source's container (major_brand, …).
void copy_tags(const AVFormatContext& from, AVFormatContext& to);

// Tags, disposition and language of one stream. `encoded`: leave out what described the old
// packets (encoder, Matroska's statistics).
void copy_stream_tags(const AVStream& from, AVStream& to, bool encoded);

// All side data of a stream that is copied.
void copy_side_data(const AVStream& from, AVStream& to);

// The side data of the picture that survives encoding: display matrix (unless the pixels were
// turned), HDR10 mastering display and light level (from the stream or else the first frame),
// stereo and spherical descriptions.
void copy_picture_side_data(const AVStream& from, const AVFrame& first, bool keep_matrix,
                            AVStream& to);

// Chapters, moved by `shift`; those outside 0 … length are left out, cut ones shortened.
void copy_chapters(const AVFormatContext& from, TimeShift shift,
                   std::optional<std::int64_t> length_us, AVFormatContext& to);

bool has_hdr10(const AVStream& stream, const AVFrame& first);

// Names of the tags that say something about the content.
std::vector<std::string> content_tags(const AVFormatContext& from);

// The fields of an mp4's usual form. Others need a form that cannot hold a cover picture as well.
std::span<const std::string_view> mp4_tags();

// Those of `tags` that are not in `names`, whatever their case.
std::vector<std::string> tags_outside(const std::vector<std::string>& tags,
                                      std::span<const std::string_view> names);

// mov files from libav spell languages as an old table does ("fra", "ger"): the code of that table
// for the same language, or an empty string where it has none.
std::string mov_language(const std::string& code);

}  // namespace weft
