#include <array>

#include <fmt/format.h>

#include "filters/common.h"
#include "filters/ffmpeg_text.h"

namespace weft {
namespace {

constexpr std::array<ParamDef, 1> kPixelateParams{{
    {.name = "size",
     .help = "the side of the squares, which begin at the left upper corner of a region",
     .unit = "px",
     .kind = ParamKind::integer,
     .def = 16,
     .min = 2,
     .max = 1024},
}};

constexpr std::array<std::string_view, 3> kWords{"mosaic", "pixelize", "pixelise"};

// Of every component: an object shows in any of them, and in alpha by its outline.
Operation make_pixelate(const Params& params, const FrameInfo& info) {
    Operation operation;
    operation.selection = selected(params, info, operation.notes);
    operation.compute = SampleMeans{.block_px = params.integer("size")};
    return operation;
}

FfmpegText pixelate_in_ffmpeg(const Params& params) {
    return {.chain = fmt::format("pixelize=width={0}:height={0}", params.integer("size")),
            .remarks = {"pixelize rounds means down"}};
}

}  // namespace

extern constinit const FilterDef kPixelateFilter{
    .name = "pixelate",
    .summary = "squares of one colour each; fill hides more",
    .group = FilterGroup::blur,
    .customary_for = kWords,
    .params = kPixelateParams,
    .make = make_pixelate,
    .ffmpeg = pixelate_in_ffmpeg,
    .redacts = true};

}  // namespace weft
