// Side data of streams and frames: HDR, Dolby Vision, rotation, stereo,
// captions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

// A property of a stream or frame, as text for people.
struct Fact {
    std::string name, value;
};

// The facts that are present: "MaxCLL", "1000 cd/m²".
std::vector<Fact> facts(const SideData& data);

// The layouts of the picture that the container states, in words: "the stereo mode (top and
// bottom)".
std::vector<std::string> layouts_of(const AVStream& stream);

// Removes the texts with which x264, x265 and libav's encoders name themselves in a video's first
// frame: they do not describe the frames of another encoder.
void remove_encoder_names(AVFrame& frame);

// Kinds of a frame's side data that its encoder has to store, and that are not among `stored`:
// "closed captions", "time codes", … Descriptions of the stream are not among them: rotation,
// HDR10, stereo, ICC profile.
std::vector<std::string> unstored_side_data(const AVFrame& frame,
                                            std::span<const AVFrameSideDataType> stored);

// Counts the frames that lose a kind of side data.
class SideDataLosses {
 public:
    // Returns the first kind that no earlier frame has lost; empty without one.
    std::string add(const std::vector<std::string>& kinds);
    // Returns one sentence for each kind that was lost.
    std::vector<std::string> sentences(const std::string& encoder) const;

 private:
    std::vector<std::pair<std::string, std::int64_t>> frames_;  // by kind
};

}  // namespace weft
