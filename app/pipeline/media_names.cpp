#include "app/pipeline/media_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>

#include "app/media/write/container_table.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// Of formats that are read but not written.
constexpr std::array<std::string_view, 27> kReadVideo = {
    "3g2",  "3gp", "asf",  "divx", "dv",    "f4v",  "flv",  "h264", "h265",
    "hevc", "ivf", "m2ts", "m2v",  "mjpeg", "mjpg", "mpeg", "mpg",  "mts",
    "mxf",  "obu", "ogm",  "ogv",  "rm",    "rmvb", "ts",   "vob",  "wmv"};
constexpr std::array<std::string_view, 16> kReadImage = {
    "avif", "dds", "dpx", "hdr", "heic", "heif", "j2k", "jp2",
    "jpe",  "pbm", "pcx", "psd", "qoi",  "ras",  "sgi", "xwd"};

bool contains(std::span<const std::string_view> list, const std::string& extension) {
    return std::ranges::find(list, extension) != list.end();
}

bool is_written(const std::string& extension) {
    const std::vector<std::string> written = output_extensions();
    return std::ranges::find(written, extension) != written.end();
}

}  // namespace

std::string extension_of(const fs::path& path) {
    std::string text = path.extension().string();
    if (!text.empty()) text.erase(0, 1);
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::vector<std::string> media_extensions() {
    std::vector<std::string> all = output_extensions();
    all.insert(all.end(), kReadVideo.begin(), kReadVideo.end());
    all.insert(all.end(), kReadImage.begin(), kReadImage.end());
    return all;
}

bool is_media_name(const fs::path& path) {
    const std::string extension = extension_of(path);
    return is_written(extension) || contains(kReadVideo, extension) ||
           contains(kReadImage, extension);
}

std::string output_name(const fs::path& input) {
    if (input == "-") return "stdin.mkv";
    const std::string extension = extension_of(input);
    if (is_written(extension)) return input.filename().string();
    fs::path name = input.filename();
    name.replace_extension(contains(kReadImage, extension) ? ".png" : ".mkv");
    return name.string();
}

}  // namespace weft
