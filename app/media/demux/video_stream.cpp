#include "app/media/demux/video_stream.h"

extern "C" {
#include <libavutil/display.h>
}

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr int kNotTheVideo =
    AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS | AV_DISPOSITION_STILL_IMAGE;

bool is_video(const AVStream& stream) {
    return stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
}

// ffmpeg's own score: the pixel count; default streams rank above all others.
std::int64_t score_of(const AVStream& stream) {
    if ((stream.disposition & kNotTheVideo) != 0) return -1;
    const std::int64_t pixels =
        std::int64_t{stream.codecpar->width} * std::int64_t{stream.codecpar->height};
    const bool is_default = (stream.disposition & AV_DISPOSITION_DEFAULT) != 0;
    return pixels + (is_default ? std::int64_t{1} << 40 : 0);
}

const std::int32_t* stream_matrix(const AVStream& stream) {
    std::size_t size = 0;
    const std::uint8_t* data = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data && size >= 9 * sizeof(std::int32_t) ? reinterpret_cast<const std::int32_t*>(data)
                                                    : nullptr;
}

const std::int32_t* frame_matrix(const AVFrame& frame) {
    const AVFrameSideData* data = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
    return data && data->size >= 9 * sizeof(std::int32_t)
               ? reinterpret_cast<const std::int32_t*>(data->data)
               : nullptr;
}

bool has_cover(const AVFormatContext& context) {
    return std::any_of(context.streams, context.streams + context.nb_streams,
                       [](const AVStream* stream) { return is_video(*stream); });
}

}  // namespace

int find_video_stream(const AVFormatContext& context, const std::string& path) {
    int best = -1;
    std::int64_t best_score = -1;
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        const AVStream& stream = *context.streams[i];
        if (!is_video(stream) || score_of(stream) <= best_score) continue;
        best = static_cast<int>(i);
        best_score = score_of(stream);
    }
    if (best < 0)
        throw MediaError(ExitCode::failed,
                         fmt::format("{}: has no video stream{}", path,
                                     has_cover(context) ? ", only a cover picture" : ""));
    return best;
}

DisplayTurn display_turn_of(const std::int32_t* matrix) {
    DisplayTurn turn;
    std::array<std::int32_t, 9> upright{};
    std::copy_n(matrix, upright.size(), upright.begin());
    const double determinant =
        static_cast<double>(matrix[0]) * matrix[4] - static_cast<double>(matrix[1]) * matrix[3];
    turn.mirrored = determinant < 0;
    if (turn.mirrored) av_display_matrix_flip(upright.data(), 1, 0);
    // libav's angle runs counter-clockwise.
    const double clockwise = -av_display_rotation_get(upright.data());
    if (std::isnan(clockwise)) return turn;
    const long quarters = std::lround(clockwise / 90.0);
    turn.slanted = std::abs(clockwise - 90.0 * static_cast<double>(quarters)) > 0.5;
    turn.degrees = static_cast<int>((quarters % 4 + 4) % 4) * 90;
    return turn;
}

DisplayTurn display_turn_of(const AVStream& stream, const AVFrame& first_frame) {
    if (const std::int32_t* matrix = stream_matrix(stream)) return display_turn_of(matrix);
    if (const std::int32_t* matrix = frame_matrix(first_frame)) return display_turn_of(matrix);
    return {};
}

bool is_interlaced(const AVStream& stream, const AVFrame& first_frame) {
    const AVFieldOrder order = stream.codecpar->field_order;
    const bool tagged = order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE;
    return tagged || first_frame.interlaced_frame != 0;
}

}  // namespace weft
