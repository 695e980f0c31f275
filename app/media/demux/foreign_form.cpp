#include "app/media/demux/foreign_form.h"

#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace weft {

std::string foreign_form(const InputFile& file) {
    using namespace std::string_view_literals;
    struct Form {
        std::size_t at;
        std::string_view magic;
        std::string_view what;
        std::string_view remedy;
    };
    constexpr std::string_view kConvert = "convert it first, for example with ImageMagick";
    constexpr std::string_view kSegment = "a segment of a stream without the first one";
    constexpr std::string_view kJoin =
        "join the segments first (cat init.mp4 segment*.m4s > film.mp4)";
    constexpr std::array kForms = {
        Form{4, "styp"sv, kSegment, kJoin},
        Form{4, "sidx"sv, kSegment, kJoin},
        Form{4, "moof"sv, kSegment, kJoin},
        Form{4, "ftypheic"sv, "a HEIC picture", "convert it first (heif-convert)"},
        Form{4, "ftypheix"sv, "a HEIC picture", "convert it first (heif-convert)"},
        Form{4, "ftypheim"sv, "a HEIC picture", "convert it first (heif-convert)"},
        Form{4, "ftypheis"sv, "a HEIC picture", "convert it first (heif-convert)"},
        Form{4, "ftypmif1"sv, "a HEIF picture", "convert it first (heif-convert)"},
        Form{4, "ftypmif3"sv, "a HEIF picture", "convert it first (heif-convert)"},
        Form{0, "#?RADIANCE"sv, "a Radiance HDR picture", kConvert},
        Form{0, "#?RGBE"sv, "a Radiance HDR picture", kConvert},
        Form{0, "II\xBC"sv, "a JPEG XR picture", kConvert},
        Form{0, "gimp xcf"sv, "a GIMP picture", kConvert},
        Form{0, "BPG\xFB"sv, "a BPG picture", kConvert},
        Form{0, "FLIF"sv, "a FLIF picture", kConvert},
        Form{0, "AT&TFORM"sv, "a DjVu document", kConvert},
        Form{0, "%PDF"sv, "a PDF document", kConvert},
        Form{0, "icns"sv, "a picture in Apple's icon format", kConvert},
        Form{128, "DICM"sv, "a DICOM picture", kConvert},
        Form{0, "SIMPLE  ="sv, "a FITS file without a picture", kConvert},
        Form{0, "\x1F\x8B"sv, "compressed by gzip", "decompress it first (gunzip)"},
        Form{0, "BZh"sv, "compressed by bzip2", "decompress it first (bunzip2)"},
        Form{0, "\xFD\x37zXZ\0"sv, "compressed by xz", "decompress it first (unxz)"},
        Form{0, "\x28\xB5\x2F\xFD"sv, "compressed by zstd", "decompress it first (unzstd)"},
        Form{0, "PK\3\4"sv, "a zip archive", "unpack it first"},
        Form{0, "7z\xBC\xAF"sv, "a 7z archive", "unpack it first"},
        Form{0, "Rar!"sv, "a RAR archive", "unpack it first"}};
    std::array<std::uint8_t, 132> head{};
    const std::string_view bytes(reinterpret_cast<const char*>(head.data()), file.read_at(0, head));
    for (const Form& form : kForms)
        if (bytes.size() >= form.at && bytes.substr(form.at).starts_with(form.magic))
            return fmt::format("is {}, which this FFmpeg cannot decode: {}", form.what,
                               form.remedy);
    return "";
}

}  // namespace weft
