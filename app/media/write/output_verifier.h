// Reads a finished file back before it is renamed to its final name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/write/container_table.h"
#include "app/media/write/frame_hashes.h"
#include "app/media/write/muxer.h"
#include "app/media/write/source_metadata.h"

namespace weft {

enum class Verify : std::uint8_t { packets, decode };

struct VerifyRequest {
    int fd = -1;       // open on the file; its position is not changed
    std::string path;  // for messages
    int picture = 0;   // index of the record whose pts are compared and whose frames are decoded
    const AVCodecParameters* parameters = nullptr;  // of the picture; raw files are read by them
    Verify verify = Verify::packets;
    // The frames that Verify::decode expects; null accepts any that decode.
    const FrameHashes* frames = nullptr;
    // The tags that the muxer was given for the file, and for the streams by their records.
    Tags tags = {};
    std::vector<Tags> stream_tags = {};
};

// The names of tags that are not in the file.
struct MissingTags {
    std::vector<std::string> file;
    std::vector<std::vector<std::string>> streams;  // by record
};

// Compares every stream's packet count, and the video's sorted pts, with the records; with
// Verify::decode also decodes every frame and compares it with `frames`. Throws
// MediaError(failed) with the first difference. Chapters that a muxer writes as a separate track
// are ignored. Missing tags are returned, as muxers leave out those that they cannot store.
MissingTags verify_output(const Container& container, const std::vector<StreamRecord>& written,
                          const VerifyRequest& request);

struct StillRequest {
    int fd = -1;
    std::string path;  // for messages
    AVCodecID codec = AV_CODEC_ID_NONE;
    int width = 0;
    int height = 0;
    const FrameHashes* frames = nullptr;  // null: any frame that decodes
    std::int64_t index = 0;               // of the frame in `frames`
};

// Decodes the single picture in the file and compares its size and, if hashes are given, its
// samples. Throws MediaError(failed).
void verify_still(const StillRequest& request);

}  // namespace weft
