// Side data of streams and frames: HDR, Dolby Vision, rotation, stereo,
// captions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"

extern "C" {
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/stereo3d.h>
}

namespace weft {

struct SideData {
    std::optional<AVMasteringDisplayMetadata> mastering;           // only with luminance
    std::optional<AVContentLightMetadata> light;                   // MaxCLL and MaxFALL in cd/m²
    std::optional<AVDOVIDecoderConfigurationRecord> dolby_vision;  // streams only
    bool dolby_vision_frame = false;                               // metadata of this frame
    bool hdr10_plus = false;                                       // of this frame
    bool closed_captions = false;                                  // of this frame: CEA-608, -708
    std::optional<int> rotation_degrees;  // clockwise: 0, 90, 180 or 270; none without a matrix
    std::optional<AVStereo3D> stereo;
};

// Side data that is too short for its type is ignored.
SideData side_data_of(const AVStream& stream);
SideData side_data_of(const AVFrame& frame);

// A frame's side data, completed by its stream's: decoders repeat some of it, containers store the
// rest once.
SideData completed(SideData frame, const SideData& stream);

// A property as text for people.
struct Fact {
    std::string name, value;
};

// The facts that are present: "MaxCLL", "1000 cd/m²".
std::vector<Fact> facts(const SideData& data);

}  // namespace weft
