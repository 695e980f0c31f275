// The containers, encoders and qualities that this FFmpeg can write.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/write/container_table.h"
#include "app/media/write/video_choice.h"

namespace weft {

// The properties of the input that limit the choices.
struct ExportSource {
    FrameShape shape = {};
    std::string video_codec = {};  // libav's name
    bool has_audio = false;
    bool still = false;  // one picture
};

// Containers with an encoder in this FFmpeg, in the table's order. A picture, and a numbered
// sequence of them ("shot_%03d.png"), is written as pictures.
std::vector<const Container*> export_containers(OutputKind kind);
OutputKind kind_of(const ExportSource& source, const std::string& output);

// The container that the name's extension selects; null if it selects none.
const Container* container_of(const std::string& output);

// "a/clip.mp4" in Matroska: "a/clip.mkv".
std::string renamed_for(const std::string& output, const Container& container);

struct CodecChoice {
    std::string encoder;  // libav's name; "": the container's default
    std::string label;    // "H.264, as in the source"
};

// The default first, then the encoders that the container accepts. `gpu_encoders` are libav's names
// of those that the GPU runs.
std::vector<CodecChoice> export_codecs(const Container& container, const ExportSource& source,
                                       std::span<const std::string> gpu_encoders);

// The encoder that writes this; "" if none can. `codec` is CodecChoice::encoder.
std::string encoder_of(const Container& container, const FrameShape& shape,
                       const std::string& codec, bool lossless);

enum class ExportQuality : std::uint8_t { smaller, balanced, high, lossless, custom };

struct QualityChoice {
    ExportQuality quality = ExportQuality::high;
    std::string label;    // "Balanced"
    std::string meaning;  // "libx264 at crf 23. …"
};

// At least one. `custom` is offered if the encoder has a scale; see crf_range().
std::vector<QualityChoice> export_qualities(const Container& container, const FrameShape& shape,
                                            const std::string& codec);

// `wanted` if it is offered, otherwise `high`, otherwise the first.
ExportQuality nearest_quality(const std::vector<QualityChoice>& offered, ExportQuality wanted);

struct CrfRange {
    double best = 0;      // the lowest number
    double smallest = 0;  // the highest
    double normal = 0;    // the encoder's default
};

// Nothing for encoders without such a scale.
std::optional<CrfRange> crf_range(std::string_view encoder);

// Nothing: the encoder's default.
std::optional<double> crf_of(ExportQuality quality, std::string_view encoder);

}  // namespace weft
