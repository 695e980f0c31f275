// Reads a finished file back before it gets its name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/media/container_table.h"
#include "app/media/frame_hashes.h"
#include "app/media/muxer.h"

namespace weft {

enum class Verify : std::uint8_t { packets, decode };

struct VerifyRequest {
    int fd = -1;       // of the file; its position is left alone
    std::string path;  // for messages
    int picture = 0;   // index of the record whose pts are compared and whose frames are decoded
    Verify verify = Verify::packets;
    // With Verify::decode: what the frames must be; null: any that decode.
    const FrameHashes* frames = nullptr;
};

// Compares every stream's packet count, and the picture's sorted pts, with what was written; with
// Verify::decode every picture is decoded, too, and compared with `frames`. Throws
// MediaError(failed) that names the first difference. Chapters that a muxer writes as a track of
// its own are ignored.
void verify_output(const Container& container, const std::vector<StreamRecord>& written,
                   const VerifyRequest& request);

struct StillRequest {
    int fd = -1;
    std::string path;  // for messages
    AVCodecID codec = AV_CODEC_ID_NONE;
    int width = 0;
    int height = 0;
    const FrameHashes* frames = nullptr;  // null: any picture that decodes
    std::int64_t index = 0;               // of the picture in `frames`
};

// Decodes the one picture in the file and compares its size and, where there are hashes, its
// samples. Throws MediaError(failed).
void verify_still(const StillRequest& request);

}  // namespace weft
