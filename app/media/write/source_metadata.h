// Copies the source's metadata: tags, chapters, dispositions, side data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/container_table.h"
#include "app/media/write/frame_clock.h"

namespace weft {

using Tags = std::map<std::string, std::string>;

Tags tags_of(const AVDictionary* dict);

// The names of the tags that may hold a picture, such as base64.
std::vector<std::string> picture_tags(const AVDictionary* dict);

// The names of those of `given` that `found` lacks, or has with another value. Names differ in case
// between containers. Tags that describe packets, encoders or containers are not missed.
std::vector<std::string> missing_tags(const Tags& given, const AVDictionary* found);

// Global tags, except those that describe the source's container (major_brand, …). A creation time
// without a zone is UTC.
void copy_tags(const AVFormatContext& from, AVFormatContext& to);

// Tags, disposition and language of a stream. `encoded`: omit tags that describe the old packets
// (encoder, Matroska's statistics).
void copy_stream_tags(const AVStream& from, AVStream& to, bool encoded);

// All side data of a copied stream.
void copy_side_data(const AVStream& from, AVStream& to);

// The video's side data that remains valid after encoding: display matrix (unless the pixels were
// rotated), HDR10 mastering display and light level (from the stream or else the first frame),
// stereo and spherical descriptions.
void copy_frame_side_data(const AVStream& from, const AVFrame& first, bool keep_matrix,
                          AVStream& to);

// Copies chapters, moved by `shift`; those outside 0 … length are dropped, others cut to it.
void copy_chapters(const AVFormatContext& from, TimeShift shift,
                   std::optional<std::int64_t> length_us, AVFormatContext& to);

bool has_hdr10(const AVStream& stream, const AVFrame& first);

// Names of the tags that describe the content.
std::vector<std::string> content_tags(const AVFormatContext& from);

// Names of the programs (services) of a transport stream, which no output keeps.
std::vector<std::string> program_names(const AVFormatContext& from);

// Names of the texts in the header of a FITS or DPX picture, which libav hands over with the frame
// and writes to no file. Other kinds' tags are EXIF.
std::vector<std::string> header_texts(const AVStream& stream, const AVFrame& first);

// The tags for which libav's muxer has a place in the iTunes list of an mp4, or the user data of a
// mov, where players look for them.
std::span<const std::string_view> mp4_tags();
std::span<const std::string_view> mov_tags();

// Returns those of `tags` that are not in `names`, ignoring case.
std::vector<std::string> tags_outside(const std::vector<std::string>& tags,
                                      std::span<const std::string_view> names);

// mov files from libav use language codes from an old table ("fra", "ger"): returns that table's
// code for the same language, or an empty string if it has none.
std::string mov_language(const std::string& code);

}  // namespace weft
