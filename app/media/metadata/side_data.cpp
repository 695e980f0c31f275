#include "app/media/metadata/side_data.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "app/media/demux/video_stream.h"

extern "C" {
#include <libavutil/spherical.h>
}

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

// The text follows an identifier of 16 bytes.
bool names_encoder(const AVFrameSideData& data) {
    constexpr std::size_t kIdentifier = 16;
    if (data.type != AV_FRAME_DATA_SEI_UNREGISTERED || data.size <= kIdentifier) return false;
    const std::string_view text(reinterpret_cast<const char*>(data.data) + kIdentifier,
                                data.size - kIdentifier);
    return text.starts_with("x264 - core") || text.starts_with("x265 (build") ||
           text.starts_with("Lavc");
}

// libav hands one over with every MPEG-2 frame.
bool pans(const AVFrameSideData& data) {
    const auto scan = read<AVPanScan>({data.data, data.size});
    if (!scan) return false;
    const auto moves = [](const std::int16_t(&offset)[2]) {
        return offset[0] != 0 || offset[1] != 0;
    };
    return std::ranges::any_of(scan->position, moves);
}

// False for data of sound, of libav's own analysis, and of the stream as a whole.
bool is_of_frame(const AVFrameSideData& data) {
    constexpr std::array kOthers{AV_FRAME_DATA_MATRIXENCODING,
                                 AV_FRAME_DATA_DOWNMIX_INFO,
                                 AV_FRAME_DATA_REPLAYGAIN,
                                 AV_FRAME_DATA_SKIP_SAMPLES,
                                 AV_FRAME_DATA_AUDIO_SERVICE_TYPE,
                                 AV_FRAME_DATA_MOTION_VECTORS,
                                 AV_FRAME_DATA_VIDEO_ENC_PARAMS,
                                 AV_FRAME_DATA_DISPLAYMATRIX,
                                 AV_FRAME_DATA_STEREO3D,
                                 AV_FRAME_DATA_SPHERICAL,
                                 AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
                                 AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
                                 AV_FRAME_DATA_GOP_TIMECODE,
                                 AV_FRAME_DATA_ICC_PROFILE};
    if (std::ranges::find(kOthers, data.type) != kOthers.end()) return false;
    if (data.type == AV_FRAME_DATA_PANSCAN) return pans(data);
    return !names_encoder(data);
}

std::string kind_of(AVFrameSideDataType type) {
    constexpr std::array<std::pair<AVFrameSideDataType, const char*>, 11> kKinds{
        {{AV_FRAME_DATA_A53_CC, "closed captions"},
         {AV_FRAME_DATA_AFD, "active format descriptions"},
         {AV_FRAME_DATA_PANSCAN, "pan and scan offsets"},
         {AV_FRAME_DATA_S12M_TIMECODE, "time codes"},
         {AV_FRAME_DATA_DYNAMIC_HDR_PLUS, "HDR10+ metadata"},
         {AV_FRAME_DATA_DYNAMIC_HDR_VIVID, "HDR Vivid metadata"},
         {AV_FRAME_DATA_DOVI_RPU_BUFFER, "Dolby Vision metadata"},
         {AV_FRAME_DATA_DOVI_METADATA, "Dolby Vision metadata"},
         {AV_FRAME_DATA_SEI_UNREGISTERED, "user data"},
         {AV_FRAME_DATA_FILM_GRAIN_PARAMS, "film grain parameters"},
         {AV_FRAME_DATA_REGIONS_OF_INTEREST, "regions of interest"}}};
    for (const auto& [known, kind] : kKinds)
        if (known == type) return kind;
    const char* name = av_frame_side_data_name(type);
    return name == nullptr ? fmt::format("side data {}", static_cast<int>(type)) : name;
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

std::vector<std::string> layouts_of(const AVStream& stream) {
    std::vector<std::string> layouts;
    if (const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_STEREO3D, nullptr))
        layouts.push_back(
            fmt::format("the stereo mode ({})",
                        av_stereo3d_type_name(reinterpret_cast<const AVStereo3D*>(data)->type)));
    if (const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_SPHERICAL, nullptr))
        layouts.push_back(
            fmt::format("the projection ({})",
                        av_spherical_projection_name(
                            reinterpret_cast<const AVSphericalMapping*>(data)->projection)));
    return layouts;
}

void remove_encoder_names(AVFrame& frame) {
    const std::span all(frame.side_data, static_cast<std::size_t>(frame.nb_side_data));
    if (std::ranges::none_of(all, [](const auto* data) { return names_encoder(*data); })) return;
    std::vector<std::vector<std::uint8_t>> others;  // libav removes all of one type
    for (const AVFrameSideData* data : all)
        if (data->type == AV_FRAME_DATA_SEI_UNREGISTERED && !names_encoder(*data))
            others.emplace_back(data->data, data->data + data->size);
    av_frame_remove_side_data(&frame, AV_FRAME_DATA_SEI_UNREGISTERED);
    for (const auto& bytes : others) {
        AVFrameSideData* made =
            av_frame_new_side_data(&frame, AV_FRAME_DATA_SEI_UNREGISTERED, bytes.size());
        if (made == nullptr) throw_no_memory();
        std::ranges::copy(bytes, made->data);
    }
}

std::vector<std::string> unstored_side_data(const AVFrame& frame,
                                            std::span<const AVFrameSideDataType> stored) {
    std::vector<std::string> kinds;
    const std::span all(frame.side_data, static_cast<std::size_t>(frame.nb_side_data));
    for (const AVFrameSideData* data : all) {
        if (!is_of_frame(*data) || std::ranges::find(stored, data->type) != stored.end()) continue;
        std::string kind = kind_of(data->type);
        if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(std::move(kind));
    }
    return kinds;
}

std::string SideDataLosses::add(const std::vector<std::string>& kinds) {
    std::string first;
    for (const std::string& kind : kinds) {
        const auto known = std::ranges::find(frames_, kind, [](const auto& e) { return e.first; });
        if (known != frames_.end()) {
            ++known->second;
            continue;
        }
        frames_.emplace_back(kind, 1);
        if (first.empty()) first = kind;
    }
    return first;
}

std::vector<std::string> SideDataLosses::sentences(const std::string& encoder) const {
    std::vector<std::string> all;
    for (const auto& [kind, frames] : frames_)
        all.push_back(fmt::format("{} cannot store {}: those of {} {} are lost", encoder, kind,
                                  frames, frames == 1 ? "frame" : "frames"));
    return all;
}

}  // namespace weft
