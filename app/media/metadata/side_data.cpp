#include "app/media/metadata/side_data.h"

#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "app/media/demux/video_stream.h"

namespace weft {
namespace {

// A block of side data; null if absent.
struct Bytes {
    const std::uint8_t* data = nullptr;
    std::size_t size = 0;
};

Bytes bytes_in(const AVStream& stream, AVPacketSideDataType type) {
    std::size_t size = 0;
    const std::uint8_t* data = av_stream_get_side_data(&stream, type, &size);
    return {data, size};
}

Bytes bytes_in(const AVFrame& frame, AVFrameSideDataType type) {
    const AVFrameSideData* found = av_frame_get_side_data(&frame, type);
    return found == nullptr ? Bytes{} : Bytes{found->data, found->size};
}

bool has(const AVFrame& frame, AVFrameSideDataType type) {
    return av_frame_get_side_data(&frame, type) != nullptr;
}

// A copy: side data is not aligned for its type.
template <class T>
std::optional<T> read(const Bytes& bytes) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes.data == nullptr || bytes.size < sizeof(T)) return std::nullopt;
    T value{};
    std::memcpy(&value, bytes.data, sizeof value);
    return value;
}

// Primaries alone are a PNG's cHRM.
std::optional<AVMasteringDisplayMetadata> mastering(const Bytes& bytes) {
    auto display = read<AVMasteringDisplayMetadata>(bytes);
    if (display && display->has_luminance == 0) display.reset();
    return display;
}

struct DisplayMatrix {
    std::int32_t entries[9];
};

std::optional<int> rotation(const Bytes& bytes) {
    const auto matrix = read<DisplayMatrix>(bytes);
    if (!matrix) return std::nullopt;
    return display_turn_of(matrix->entries).degrees;
}

// 0 for x/0, which damaged files hold.
double number(AVRational value) {
    return value.den == 0 ? 0 : av_q2d(value);
}

std::string point_text(const AVRational (&xy)[2]) {
    return fmt::format("{:.4g}, {:.4g}", number(xy[0]), number(xy[1]));
}

void add_mastering(const AVMasteringDisplayMetadata& display, std::vector<Fact>& to) {
    to.push_back(
        {"Mastering luminance", fmt::format("{:.4g} to {:.5g} cd/m²", number(display.min_luminance),
                                            number(display.max_luminance))});
    if (display.has_primaries == 0) return;
    const auto& [red, green, blue] = display.display_primaries;
    to.push_back({"Mastering red", point_text(red)});
    to.push_back({"Mastering green", point_text(green)});
    to.push_back({"Mastering blue", point_text(blue)});
    to.push_back({"Mastering white", point_text(display.white_point)});
}

std::string dolby_vision_text(const SideData& data) {
    if (!data.dolby_vision) return "present";
    return fmt::format("profile {}, level {}", data.dolby_vision->dv_profile,
                       data.dolby_vision->dv_level);
}

template <class T>
void fill(std::optional<T>& value, const std::optional<T>& other) {
    if (!value) value = other;
}

}  // namespace

SideData side_data_of(const AVStream& stream) {
    SideData data;
    data.mastering = mastering(bytes_in(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA));
    data.light = read<AVContentLightMetadata>(bytes_in(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL));
    data.dolby_vision =
        read<AVDOVIDecoderConfigurationRecord>(bytes_in(stream, AV_PKT_DATA_DOVI_CONF));
    data.rotation_degrees = rotation(bytes_in(stream, AV_PKT_DATA_DISPLAYMATRIX));
    data.stereo = read<AVStereo3D>(bytes_in(stream, AV_PKT_DATA_STEREO3D));
    return data;
}

SideData side_data_of(const AVFrame& frame) {
    SideData data;
    data.mastering = mastering(bytes_in(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA));
    data.light = read<AVContentLightMetadata>(bytes_in(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL));
    data.dolby_vision_frame =
        has(frame, AV_FRAME_DATA_DOVI_METADATA) || has(frame, AV_FRAME_DATA_DOVI_RPU_BUFFER);
    data.hdr10_plus = has(frame, AV_FRAME_DATA_DYNAMIC_HDR_PLUS);
    data.closed_captions = has(frame, AV_FRAME_DATA_A53_CC);
    data.rotation_degrees = rotation(bytes_in(frame, AV_FRAME_DATA_DISPLAYMATRIX));
    data.stereo = read<AVStereo3D>(bytes_in(frame, AV_FRAME_DATA_STEREO3D));
    return data;
}

SideData completed(SideData frame, const SideData& stream) {
    fill(frame.mastering, stream.mastering);
    fill(frame.light, stream.light);
    fill(frame.dolby_vision, stream.dolby_vision);
    fill(frame.stereo, stream.stereo);
    // The container's matrix takes precedence, as for the pixels: see display_turn_of().
    if (stream.rotation_degrees) frame.rotation_degrees = stream.rotation_degrees;
    return frame;
}

std::vector<Fact> facts(const SideData& data) {
    std::vector<Fact> all;
    if (data.mastering) add_mastering(*data.mastering, all);
    if (data.light) {
        all.push_back({"MaxCLL", fmt::format("{} cd/m²", data.light->MaxCLL)});
        all.push_back({"MaxFALL", fmt::format("{} cd/m²", data.light->MaxFALL)});
    }
    if (data.dolby_vision || data.dolby_vision_frame)
        all.push_back({"Dolby Vision", dolby_vision_text(data)});
    if (data.hdr10_plus) all.push_back({"HDR10+", "present"});
    if (data.rotation_degrees)
        all.push_back({"Rotation", fmt::format("{}° clockwise", *data.rotation_degrees)});
    if (data.stereo) all.push_back({"Stereo 3D", av_stereo3d_type_name(data.stereo->type)});
    if (data.closed_captions) all.push_back({"Closed captions", "present"});
    return all;
}

}  // namespace weft
