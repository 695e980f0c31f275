// Recognises inputs whose pictures are encrypted: their bytes are sound, and mean nothing without
// a key.
#pragma once

#include <string>
#include <string_view>

#include "app/media/demux/demuxer.h"

namespace weft {

// A clause on how the input is encrypted: "its samples have the type encv"; empty if it is not.
// Mp4, Matroska, ASF, MPEG-TS and -PS, MXF and FLV are known. Recorders that decrypt a broadcast
// may leave its marks in place, so ask only about a file that cannot be decoded. Reads the headers,
// or up to 32 MiB of a stream. Throws MediaError on I/O errors.
std::string find_encryption(const Demuxer& demuxer);
// The same for a file that libav cannot open in the format that it is in, by libav's name.
std::string find_encryption(const InputFile& file, std::string_view format);

// The sentence after the file's name: how, and the remedy.
std::string encrypted_text(const std::string& how);

// Whether libav's demuxer found a packet of a stream to be encrypted.
bool is_encrypted(const AVPacket& packet, const AVStream& stream);

}  // namespace weft
