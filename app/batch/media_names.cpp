#include "app/batch/media_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <system_error>

#include "app/media/demux/image_sequence.h"
#include "app/media/write/container_table.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 37> kVideo = {
    "3g2",  "3gp", "asf",  "avi", "divx", "dv",   "f4v",  "flv", "gif", "h264",
    "hevc", "ivf", "m2ts", "m2v", "m4v",  "mjpg", "mkv",  "mov", "mp4", "mpeg",
    "mpg",  "mts", "mxf",  "nut", "obu",  "ogm",  "ogv",  "qt",  "rm",  "rmvb",
    "ts",   "vob", "webm", "wmv", "y4m",  "apng", "mjpeg"};
constexpr std::array<std::string_view, 29> kImage = {
    "avif", "bmp", "dds", "dpx", "exr", "hdr", "j2k",  "jp2",  "jpe", "jpeg",
    "jpg",  "jxl", "pam", "pbm", "pcx", "pfm", "pgm",  "pnm",  "png", "ppm",
    "psd",  "qoi", "ras", "sgi", "tga", "tif", "tiff", "webp", "xwd"};

std::string extension_of(const fs::path& path) {
    std::string text = path.extension().string();
    if (!text.empty()) text.erase(0, 1);
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool holds(std::span<const std::string_view> list, const std::string& extension) {
    return std::ranges::find(list, extension) != list.end();
}

}  // namespace

bool is_media_name(const fs::path& path) {
    const std::string extension = extension_of(path);
    return holds(kVideo, extension) || holds(kImage, extension);
}

std::string output_name(const fs::path& input) {
    if (input == "-") return "stdin.mkv";
    const std::string extension = extension_of(input);
    const std::vector<std::string> writable = output_extensions();
    if (std::ranges::find(writable, extension) != writable.end()) return input.filename().string();
    fs::path name = input.filename();
    name.replace_extension(holds(kImage, extension) ? ".png" : ".mkv");
    return name.string();
}

bool is_sequence(const fs::path& path) {
    std::error_code error;
    return parse_sequence(path.string()) && !fs::exists(path, error);
}

}  // namespace weft
