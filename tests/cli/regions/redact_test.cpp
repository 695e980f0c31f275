// Outputs of filters that hide something keep no other picture of their source: judged by ffprobe
// and exiftool.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"
#include "tests/support/clips.h"

namespace weft::cli {
namespace {

// Two videos, sound, a font, a text, a cover, and a picture under another type.
std::string film() {
    image_clip("redact_cover.jpg");
    const std::string folder = test::clip_dir().string();
    write_file(folder + "/cli_redact_font.ttf", "font");
    write_file(folder + "/cli_redact_notes.txt", "notes");
    const std::string cover = folder + "/cli_redact_cover.jpg";
    return clip("redact_film.mkv",
                picture_input(1) + tone_input(1) + " -map 0:v -map 0:v -map 1:a" + kFastVideo +
                    " -attach " + folder + "/cli_redact_font.ttf -metadata:s:t:0 " +
                    "mimetype=font/ttf -attach " + folder + "/cli_redact_notes.txt " +
                    "-metadata:s:t:1 mimetype=text/plain -attach " + cover +
                    " -metadata:s:t:2 mimetype=image/jpeg -metadata:s:t:2 filename=cover.jpg " +
                    "-attach " + cover + " -metadata:s:t:3 mimetype=application/octet-stream");
}

// "video audio attachment …", covers as "cover".
std::vector<std::string> kinds(const std::string& path) {
    std::vector<std::string> all;
    const nlohmann::json probed = probe(path);
    for (const auto& stream : probed.at("streams"))
        all.push_back(stream.at("disposition").value("attached_pic", 0) == 1
                          ? "cover"
                          : stream.at("codec_type").get<std::string>());
    return all;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

class CliRedact : public CliTest {};

TEST_F(CliRedact, LeavesOtherPicturesOut) {
    using Kinds = std::vector<std::string>;
    const Kinds all = {"video",      "video", "audio",     "attachment",
                       "attachment", "cover", "attachment"};
    ASSERT_EQ(kinds(film()), all);
    ASSERT_TRUE(exits(weft({"batch", film(), "-vf", "gaussian", "-o", path("blurred.mkv")}), 0));
    EXPECT_EQ(kinds(path("blurred.mkv")).size(), all.size());
    for (const char* const filter : {"fill=region=20x20+5+5", "pixelate=8,gaussian"}) {
        const Result result = weft({"batch", film(), "-vf", filter, "--strict", "-y", "-o",
                                    path("hidden.mkv"), "--json", path("report.json")});
        ASSERT_TRUE(exits(result, 0)) << result.err;
        EXPECT_EQ(kinds(path("hidden.mkv")), (Kinds{"video", "audio", "attachment", "attachment"}));
        for (const char* const name :
             {"stream 1 (video", "stream 5 (cover", "stream 6 (attachment"})
            EXPECT_TRUE(contains(result.err, std::string(name))) << result.err;
        const auto report = nlohmann::json::parse(read_file(path("report.json"))).dump();
        EXPECT_EQ(count_of(report, "it may show what the filters hide"), 6) << report;
    }
}

// Thumbnails, pictures in XMP and IPTC, and a second JPEG: none of their bytes are in the output.
TEST_F(CliRedact, LeavesPicturesInMetadataOut) {
    const std::string picture = image_clip("redact_photo.jpg");
    write_file(path("photo.jpg"), read_file(picture));
    write_file(path("small.jpg"), read_file(picture));
    if (run({"exiftool", "-ver"}).exit_code != 0) GTEST_SKIP() << "exiftool is not installed";
    const Result made =
        run({"exiftool", "-overwrite_original", "-Artist=Somebody",
             "-ThumbnailImage<=" + path("small.jpg"), "-XMP-GImage:ImageData<=" + path("small.jpg"),
             "-IPTC:ObjectPreviewData<=" + path("small.jpg"), path("photo.jpg")});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto holds = [&](const std::string& file) {
        const std::string tags = run({"exiftool", "-s", "-G1", path(file)}).out;
        return std::vector<bool>{contains(tags, "ThumbnailImage"), contains(tags, "ImageData"),
                                 contains(tags, "ObjectPreviewData"), contains(tags, "Somebody")};
    };
    ASSERT_EQ(holds("photo.jpg"), (std::vector<bool>{true, true, true, true}));
    const Result result =
        weft({"batch", path("photo.jpg"), "-vf", "fill=region=20x20+5+5", "--strict", "-o",
              path("hidden.jpg"), "--json", path("report.json")});
    ASSERT_TRUE(exits(result, 0)) << result.err;
    EXPECT_EQ(holds("hidden.jpg"), (std::vector<bool>{false, false, false, true}));
    EXPECT_EQ(count_of(read_file(path("hidden.jpg")), "\xFF\xD8\xFF"), 1U);
    for (const char* const name : {"EXIF thumbnail", "large XMP values", "IPTC preview"}) {
        EXPECT_TRUE(contains(result.err, std::string(name))) << result.err;
        EXPECT_TRUE(contains(read_file(path("report.json")), std::string(name)));
    }
}

}  // namespace
}  // namespace weft::cli
