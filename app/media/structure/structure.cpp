#include "app/media/structure/structure.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace weft {

namespace {

using Begin = std::unique_ptr<StructureWalk> (*)(const InputFile&);

struct Check {
    std::string_view kind;
    Begin begin;
};

// A kind that is checked in a single pass.
template <auto Function>
class EndWalk : public StructureWalk {
 public:
    explicit EndWalk(const InputFile& file) : file_(file) {}
    void follow(std::int64_t /*byte*/) override {}
    StructureReport finish(ByteRange /*range*/) override { return Function(file_); }

 private:
    const InputFile& file_;
};

template <auto Function>
std::unique_ptr<StructureWalk> in_the_end(const InputFile& file) {
    return std::make_unique<EndWalk<Function>>(file);
}

StructureReport no_check(const InputFile& /*file*/) {
    return {};
}

constexpr std::array kChecks = {
    Check{"image png", in_the_end<check_png>},
    Check{"apng", in_the_end<check_png>},
    Check{"gif", in_the_end<check_gif>},
    Check{"image mjpeg", in_the_end<check_jpeg>},
    Check{"image jpegls", in_the_end<check_jpeg_ls>},
    Check{"image qoi", in_the_end<check_qoi>},
    Check{"image exr", in_the_end<check_exr>},
    Check{"image jpeg2000", in_the_end<check_jpeg2000>},
    Check{"image sunrast", in_the_end<check_sun_raster>},
    Check{"mjpeg", in_the_end<check_motion_jpeg>},
    Check{"image webp", in_the_end<check_riff>},
    Check{"avi", in_the_end<check_riff>},
    Check{"mov,mp4,m4a,3gp,3g2,mj2", in_the_end<check_mp4>},
    Check{"mpegts", in_the_end<check_mpegts>},
    Check{"mpeg", in_the_end<check_mpegps>},
    Check{"flv", in_the_end<check_flv>},
    Check{"ivf", in_the_end<check_ivf>},
    Check{"asf", in_the_end<check_asf>},
    Check{"rm", in_the_end<check_real_media>},
    Check{"ogg", in_the_end<check_ogg>},
    Check{"nut", in_the_end<check_nut>},
    Check{"mxf", in_the_end<check_mxf>},
    Check{"matroska,webm", walk_matroska},
};

}  // namespace

std::vector<std::string_view> structure_kinds() {
    std::vector<std::string_view> kinds;
    kinds.reserve(kChecks.size());
    for (const Check& check : kChecks) kinds.push_back(check.kind);
    return kinds;
}

std::unique_ptr<StructureWalk> walk_structure(const InputFile& file, std::string_view kind) {
    const auto* const found = std::find_if(kChecks.begin(), kChecks.end(),
                                           [&](const Check& row) { return row.kind == kind; });
    const bool checked = file.seekable() && found != kChecks.end();
    return checked ? found->begin(file) : in_the_end<no_check>(file);
}

StructureReport check_structure(const InputFile& file, std::string_view kind, ByteRange range) {
    const std::unique_ptr<StructureWalk> walk = walk_structure(file, kind);
    return walk->finish(range);
}

StructureReport problem_at(std::int64_t byte, std::string sentence) {
    StructureReport report;
    report.problem = std::move(sentence);
    report.byte = byte;
    return report;
}

StructureReport beyond_end(const InputFile& file, std::int64_t at, std::int64_t end,
                           std::string_view what) {
    return problem_at(file.size(),
                      fmt::format("the file ends at byte {}, but {} at byte {} reaches to byte {}",
                                  file.size(), what, at, end));
}

}  // namespace weft
