// Outputs of filters that hide something keep no other picture of their source: judged by ffprobe
// and exiftool.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
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

// ---- the preset ----

TEST_F(CliRedact, ThePresetCoversAPart) {
    const std::string picture = image_clip("redact_preset.png");
    const std::string stack = "fill=region=20x10+4+6:grow=2";
    ASSERT_TRUE(exits(weft({"batch", picture, "-vf", stack, "-o", path("typed.png")}), 0));
    const Result result =
        weft({"batch", picture, "--preset", "redact:region=20x10+4+6:grow=2", "--receipts", "-o",
              path("preset.png"), "--json", path("report.json")});
    ASSERT_TRUE(exits(result, 0)) << result.err;
    EXPECT_TRUE(read_file(path("preset.png")) == read_file(path("typed.png")));
    const auto report = nlohmann::json::parse(read_file(path("report.json")));
    EXPECT_EQ(report.at("stack"), stack);
    const std::string resolved = report.at("resolved");
    EXPECT_TRUE(contains(resolved, std::string("region=20x10+4+6"))) << resolved;
    const auto receipt = nlohmann::json::parse(read_file(path(".preset.png.weft.json")));
    EXPECT_TRUE(contains(receipt.dump(), resolved)) << receipt.dump(1);
    ASSERT_TRUE(exits(weft({"batch", picture, "--preset", "redact:region=20x10+4+6:grow=2", "-o",
                            path("later.png"), "--plan", path("later.plan")}),
                      0));
    EXPECT_TRUE(contains(read_file(path("later.plan")), resolved));
}

TEST_F(CliRedact, ThePresetNeedsAPart) {
    const Result result = weft(
        {"batch", image_clip("redact_preset.png"), "--preset", "redact", "-o", path("out.png")});
    EXPECT_TRUE(exits(result, 2));
    for (const char* const part : {"is for a part of the picture", "redact:region=120x60+300+200",
                                   "redact:boxes=FILE", "redact\n  ^"})
        EXPECT_TRUE(contains(result.err, std::string(part))) << part << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("out.png")));
}

// Alpha in the region becomes opaque, since the object's outline is in it, and stays elsewhere.
// Judged by ffmpeg.
TEST_F(CliRedact, AFillCoversAlpha) {
    const std::string picture = clip("redact_alpha.png",
                                     "-f lavfi -i testsrc2=s=40x30:d=1 -vf "
                                     "'format=rgba,geq=r=r(X\\,Y):g=g(X\\,Y):b=b(X\\,Y):"
                                     "a=if(lt(hypot(X-20\\,Y-15)\\,9)\\,X*6\\,200)' "
                                     "-frames:v 1 -update 1");
    const auto pixels = [](const std::string& file) {
        return ffmpeg_text(file, "-v error -pix_fmt rgba -f rawvideo -");
    };
    const std::string before = pixels(picture);
    ASSERT_EQ(before.size(), std::size_t{40 * 30 * 4});
    struct Row {
        const char* planes;
        bool alpha;
    };
    for (const auto& [planes, alpha] :
         {Row{"", true}, {":planes=all", true}, {":planes=rgb", false}, {":planes=rgba", true}}) {
        ASSERT_TRUE(exits(
            weft({"batch", picture, "-vf", std::string("fill=white:region=20x20+10+5") + planes,
                  "-y", "-o", path("hidden.png")}),
            0));
        std::string expected = before;
        for (int y = 5; y < 25; ++y)
            for (int x = 10; x < 30; ++x)
                for (int c = 0; c < (alpha ? 4 : 3); ++c)
                    expected[static_cast<std::size_t>((y * 40 + x) * 4 + c)] = '\xFF';
        EXPECT_TRUE(pixels(path("hidden.png")) == expected) << planes;
    }
}

// A picture as programs store it in texts, without the letters that shells and ffmetadata escape.
// With blanks, it is in lines of 76 characters that blanks separate.
std::string picture_text(const std::string& picture, bool blanks) {
    std::string text = run({"base64", "-w", blanks ? "76" : "0", picture}).out.substr(0, 2400);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::uint32_t png_checksum(const std::string& bytes) {
    std::uint32_t sum = ~0U;
    for (const char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int k = 0; k < 8; ++k) sum = sum >> 1U ^ (0xEDB88320U & (0U - (sum & 1U)));
    }
    return ~sum;
}

std::string big32(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> static_cast<unsigned>(shift));
    return bytes;
}

// Adds a chunk after a PNG's header, which has 33 bytes with the signature.
void add_chunk(const std::string& png, const std::string& type, const std::string& data) {
    std::string bytes = read_file(png);
    bytes.insert(33, big32(static_cast<std::uint32_t>(data.size())) + type + data +
                         big32(png_checksum(type + data)));
    write_file(png, bytes);
}

// A file, and all that exiftool finds in it, unpacked.
std::string tags_in(const std::string& file) {
    return run({"exiftool", "-a", "-u", "-b", file}).out + read_file(file);
}

// Each place of a picture's file where a program may store another picture as a text or in a part
// of its own, and how it gets there. A small text in the same place stays.
TEST_F(CliRedact, LeavesPicturesInTextsOut) {
    if (run({"exiftool", "-ver"}).exit_code != 0) GTEST_SKIP() << "exiftool is not installed";
    struct Row {
        const char* file;
        const char* place;  // of exiftool
        const char* named;  // in the notes
        bool blanks = false;
        bool packed = false;
        bool raw = false;  // the picture's own bytes
    };
    const std::vector<Row> rows = {
        {"redact_text.png", "-PNG:Source", "the text Source"},
        {"redact_text.png", "-PNG:Source", "the text Source", true},
        {"redact_text.png", "-PNG:Source", "the text Source", false, true},
        {"redact_text.png", "-PNG:Description", "the comment"},
        {"redact_text.png", "-XMP-dc:Source", "large XMP values", true},
        {"redact_text.jpg", "-Comment", "the comment"},
        {"redact_text.jpg", "-Comment", "the comment", true},
        {"redact_text.jpg", "-EXIF:ImageDescription", "large EXIF values", true},
        {"redact_text.jpg", "-XMP-dc:Source", "large XMP values", true},
        {"redact_text.jpg", "-IPTC:Caption-Abstract", "large IPTC values"},
        {"redact_text.jpg", "-IPTC:RasterizedCaption", "large IPTC values", true},
        {"redact_text.jpg", "-IPTC:RasterizedCaption", "large IPTC values", false, false, true},
        {"redact_text.jpg", "-EXIF:ImageDescription", "large EXIF values", false, false, true},
        {"redact_text.jpg", "-Comment", "the comment", false, false, true},
        {"redact_text.tif", "-EXIF:ImageDescription", "large EXIF values", true},
    };
    const std::string secret = image_clip("redact_text.jpg");
    for (const Row& row : rows) {
        const std::string text = row.raw ? read_file(secret) : picture_text(secret, row.blanks);
        ASSERT_GT(text.size(), 1024U);
        SCOPED_TRACE(fmt::format("{} {} {} {}", row.file, row.place, row.blanks, row.packed));
        const std::string source = path(std::string("source_") + row.file);
        write_file(path("text.txt"), text);
        write_file(source, read_file(image_clip(row.file)));
        std::vector<std::string> make = {"exiftool",
                                         "-m",
                                         "-overwrite_original",
                                         row.place + ("<=" + path("text.txt")),
                                         "-XMP-dc:Rights=a small text",
                                         source};
        if (row.packed) make.insert(make.begin() + 1, "-z");
        ASSERT_EQ(run(make).exit_code, 0);
        ASSERT_TRUE(contains(tags_in(source), text.substr(76, 60)));
        const std::string own = std::filesystem::path(row.file).extension();
        for (const std::string& type : std::set<std::string>{own, ".png", ".tif"}) {
            const std::string hidden = path("hidden" + type);
            const Result result =
                weft({"batch", source, "-vf", "fill=region=20x20+5+5", "-y", "-o", hidden});
            ASSERT_TRUE(exits(result, 0)) << type << result.err;
            const std::string tags = tags_in(hidden);
            // Parts of the text would be lines of it.
            EXPECT_FALSE(contains(tags, text.substr(76, 60))) << type;
            EXPECT_TRUE(contains(tags, std::string("a small text"))) << type;
            EXPECT_TRUE(contains(result.err, std::string(row.named))) << type << result.err;
        }
    }
}

TEST_F(CliRedact, LeavesPicturesInPngChunksOut) {
    const std::string secret = read_file(image_clip("redact_chunk.jpg"));
    ASSERT_GT(secret.size(), 1024U);
    write_file(path("chunk.png"), read_file(image_clip("redact_chunk.png")));
    add_chunk(path("chunk.png"), "prVt", secret);  // a private one that any program may keep
    add_chunk(path("chunk.png"), "smAl", "a small chunk");
    ASSERT_TRUE(
        exits(weft({"batch", path("chunk.png"), "-vf", "gaussian", "-o", path("kept.png")}), 0));
    EXPECT_TRUE(contains(read_file(path("kept.png")), secret));
    const Result result = weft({"batch", path("chunk.png"), "-vf", "fill=region=20x20+5+5",
                                "--strict", "-o", path("hidden.png")});
    ASSERT_TRUE(exits(result, 0)) << result.err;
    EXPECT_TRUE(contains(result.err, std::string("the prVt"))) << result.err;
    EXPECT_FALSE(contains(read_file(path("hidden.png")), std::string("prVt")));
    EXPECT_TRUE(contains(read_file(path("hidden.png")), std::string("a small chunk")));
    EXPECT_EQ(run({"ffmpeg", "-v", "error", "-i", path("hidden.png"), "-f", "null", "-"}).err, "");
}

// Tags of the file, of a stream and of a chapter, and an attached text.
TEST_F(CliRedact, LeavesPicturesInTagsOut) {
    const std::string text = picture_text(image_clip("redact_tags.jpg"), true);
    write_file(path("text.txt"), text);
    write_file(path("tags.txt"), ";FFMETADATA1\ntitle=Holiday\nSCENE=" + text +
                                     "\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\n"
                                     "title=First\nSCENE=" +
                                     text + "\n");
    const std::string film =
        clip("redact_tags.mkv", picture_input(1) + tone_input(1) + " -i " + path("tags.txt") +
                                    " -map 0:v -map 1:a -map_metadata 2 -map_chapters 2" +
                                    kFastVideo + " -attach " + path("text.txt") +
                                    " -metadata:s:t:0 mimetype=text/plain -metadata:s:a:0 'SCENE=" +
                                    text + "' -metadata:s:a:0 title=Wind");
    const auto times = [&](const std::string& file) {
        return count_of(read_file(file), text.substr(0, 500));
    };
    ASSERT_EQ(times(film), 4U);
    const Result result =
        weft({"batch", film, "-vf", "fill=region=20x20+5+5", "--strict", "-o", path("hidden.mkv")});
    ASSERT_TRUE(exits(result, 0)) << result.err;
    EXPECT_EQ(times(path("hidden.mkv")), 0U);
    const std::string hidden = read_file(path("hidden.mkv"));
    for (const char* const kept : {"Holiday", "First", "Wind"})
        EXPECT_TRUE(contains(hidden, std::string(kept))) << kept;
    for (const char* const named : {"the tag SCENE,", "the tag SCENE of stream 1",
                                    "the tag SCENE of chapter 1", "stream 2 (attachment"})
        EXPECT_TRUE(contains(result.err, std::string(named))) << named << result.err;
}

}  // namespace
}  // namespace weft::cli
