#include "app/viewer/play/frame_facts.h"

#include <fmt/format.h>

#include "app/viewer/view/colour_matrix.h"
#include "app/viewer/view/hdr.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

// Primaries and a transfer without a tag change nothing: the samples go to the screen as they are.
constexpr const char* kUnchanged = "unknown, shown as the screen's";

std::string or_unknown(const char* name) {
    return name == nullptr ? "unknown" : name;
}

std::string type_text(const AVFrame& frame) {
    const std::string type = frame.pict_type == AV_PICTURE_TYPE_NONE
                                 ? "unknown"
                                 : std::string(1, av_get_picture_type_char(frame.pict_type));
    return frame.key_frame != 0 ? type + ", key frame" : type;
}

std::string field_text(const AVFrame& frame) {
    if (frame.interlaced_frame == 0) return "progressive frame in an interlaced stream";
    return frame.top_field_first != 0 ? "top field first" : "bottom field first";
}

std::vector<Fact> timing(const Frame& frame, const MediaInfo& media) {
    std::vector<Fact> all;
    if (!media.still)
        all = {{"Picture type", type_text(*frame.av)},
               {"PTS",
                fmt::format("{} × {}/{} s", frame.pts, media.time_base.num, media.time_base.den)}};
    if (frame.av->interlaced_frame != 0 || media.frame.interlaced)
        all.push_back({"Fields", field_text(*frame.av)});
    return all;
}

std::string range_text(const AVFrame& frame, const FrameInfo& info) {
    const std::string range = info.full_range ? "full" : "limited";
    if (frame.color_range == AVCOL_RANGE_UNSPECIFIED) return "unknown, shown as " + range;
    return fmt::format("{} ({})", range, or_unknown(av_color_range_name(frame.color_range)));
}

// An unknown matrix is no fault, but decides the colours of the picture: so does the choice.
std::string matrix_text(const AVFrame& frame, const FrameInfo& info) {
    if (frame.colorspace == AVCOL_SPC_UNSPECIFIED && info.is_rgb())
        return "none, the samples are RGB";
    if (frame.colorspace == AVCOL_SPC_UNSPECIFIED && info.planes.size() > 1)
        return fmt::format("unknown, shown as {}", name_of_luma(info));
    return or_unknown(av_color_space_name(frame.colorspace));
}

std::string primaries_text(const AVFrame& frame) {
    if (frame.color_primaries == AVCOL_PRI_UNSPECIFIED) return kUnchanged;
    return or_unknown(av_color_primaries_name(frame.color_primaries));
}

std::string transfer_text(const AVFrame& frame) {
    if (frame.color_trc == AVCOL_TRC_UNSPECIFIED) return kUnchanged;
    return or_unknown(av_color_transfer_name(frame.color_trc));
}

std::string aspect_text(AVRational aspect) {
    if (aspect.num <= 0 || aspect.den <= 0) return "unknown, shown as 1:1";
    return fmt::format("{}:{}", aspect.num, aspect.den);
}

std::vector<Fact> colour_tags(const AVFrame& frame) {
    const FrameInfo info = frame_info(frame, 0);
    return {{"Range", range_text(frame, info)},
            {"Matrix", matrix_text(frame, info)},
            {"Primaries", primaries_text(frame)},
            {"Transfer", transfer_text(frame)},
            {"Pixel aspect", aspect_text(frame.sample_aspect_ratio)}};
}

}  // namespace

FrameFacts frame_facts(const Frame& frame, const MediaInfo& media) {
    const SideData side_data = completed(side_data_of(*frame.av), media.side_data);
    std::vector<Fact> colour = colour_tags(*frame.av);
    if (const HdrPicture hdr = hdr_of(*frame.av, side_data))
        colour.push_back({"Shown as", hdr_text(hdr)});
    return {timing(frame, media), std::move(colour), facts(side_data)};
}

}  // namespace weft
