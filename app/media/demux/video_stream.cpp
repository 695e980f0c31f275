#include "app/media/demux/video_stream.h"

extern "C" {
#include <libavutil/display.h>
}

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/media/libav/undecodable.h"

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

bool mirrors(const std::int32_t* matrix) {
    return static_cast<double>(matrix[0]) * matrix[4] - static_cast<double>(matrix[1]) * matrix[3] <
           0;
}

// A point (x, y) maps to (x, y, 1) times the matrix, so its first row is for x.
void mirror_first(std::int32_t* matrix) {
    std::transform(matrix, matrix + 3, matrix, [](std::int32_t value) {
        return static_cast<std::int32_t>(-std::int64_t{value});
    });
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
        throw Undecodable(fmt::format("{}: has no video stream{}", path,
                                      has_cover(context) ? ", only a cover picture" : ""));
    return best;
}

DisplayTurn display_turn_of(const std::int32_t* matrix) {
    DisplayTurn turn;
    std::array<std::int32_t, 9> upright{};
    std::copy_n(matrix, upright.size(), upright.begin());
    turn.mirrored = mirrors(matrix);
    if (turn.mirrored) mirror_first(upright.data());
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

bool mirrors(const AVStream& stream) {
    const std::int32_t* matrix = stream_matrix(stream);
    return matrix != nullptr && mirrors(matrix);
}

bool take_mirroring(AVStream& stream) {
    if (!mirrors(stream)) return false;
    mirror_first(reinterpret_cast<std::int32_t*>(
        av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr)));
    return true;
}

bool take_mirroring(AVFrame& frame) {
    const std::int32_t* matrix = frame_matrix(frame);
    if (matrix == nullptr || !mirrors(matrix)) return false;
    AVFrameSideData& data = *av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
    // Other references to the frame share its side data.
    av_check(av_buffer_make_writable(&data.buf), "copying a display matrix", "memory");
    data.data = data.buf->data;
    mirror_first(reinterpret_cast<std::int32_t*>(data.data));
    return true;
}

bool is_interlaced(const AVStream& stream, const AVFrame& first_frame) {
    const AVFieldOrder order = stream.codecpar->field_order;
    const bool tagged = order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE;
    return tagged || first_frame.interlaced_frame != 0;
}

}  // namespace weft
