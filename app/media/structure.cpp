#include "app/media/structure.h"

#include <algorithm>
#include <array>

namespace weft {

namespace {

struct Check {
    std::string_view kind;
    StructureReport (*check)(const InputFile&, ByteRange);
};

template <StructureReport (*Whole)(const InputFile&)>
StructureReport whole_file(const InputFile& file, ByteRange /*range*/) {
    return Whole(file);
}

constexpr std::array kChecks = {
    Check{"image png", whole_file<check_png>},
    Check{"apng", whole_file<check_png>},
    Check{"gif", whole_file<check_gif>},
    Check{"image mjpeg", whole_file<check_jpeg>},
    Check{"mjpeg", whole_file<check_motion_jpeg>},
    Check{"image webp", whole_file<check_riff>},
    Check{"avi", whole_file<check_riff>},
    Check{"mov,mp4,m4a,3gp,3g2,mj2", whole_file<check_mp4>},
    Check{"mpegts", whole_file<check_mpegts>},
    Check{"mpeg", whole_file<check_mpegps>},
    Check{"flv", whole_file<check_flv>},
    Check{"ivf", whole_file<check_ivf>},
    Check{"asf", whole_file<check_asf>},
    Check{"ogg", whole_file<check_ogg>},
    Check{"nut", check_nut},
    Check{"matroska,webm", check_matroska},
};

}  // namespace

StructureReport check_structure(const InputFile& file, std::string_view kind, ByteRange range) {
    const auto* const found = std::find_if(kChecks.begin(), kChecks.end(),
                                           [&](const Check& row) { return row.kind == kind; });
    if (!file.seekable() || found == kChecks.end()) return {};
    return found->check(file, range);
}

}  // namespace weft
