// Encoder options: in batches of videos and pictures, out of the encoder's range, and the quality
// of pictures, which is the source's or as asked.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

class CliMixedBatch : public CliTest {
 protected:
    Result batch(const Arguments& more) {
        Arguments arguments = {"batch", "-vf", "box", "-y", "--json", path("report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    nlohmann::json report() const { return parse_json(read_file(path("report.json"))); }
};

int times_in(const std::string& text, const std::string& part) {
    int times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++times;
    return times;
}

struct Row {
    Arguments options;
    const char* note;  // the options left out for the pictures; null: none
};

TEST_F(CliMixedBatch, AnOptionAppliesWhereItHasAMeaning) {
    const std::vector<Row> table = {
        {{"-crf", "30"}, "png (-crf)"},
        {{"-q:v", "5"}, "mkv (-q:v), png (-q:v)"},
        {{"-preset", "slow"}, "png (-preset), jpg (-preset)"},
        {{"-c:v", "libx264"}, "png (-c:v), jpg (-c:v)"},
        {{"-c:v", "h264", "-crf", "30", "-preset", "fast"},
         "png (-c:v, -crf, -preset), jpg (-c:v, -preset)"},
        {{"--lossless"}, "jpg (--lossless)"},
        {{}, nullptr},
    };
    for (const auto& [options, note] : table) {
        SCOPED_TRACE(testing::PrintToString(options));
        Arguments arguments = options;
        arguments.insert(arguments.end(), {"-o", path("out/"), short_clip(), image_clip(),
                                           image_clip("image.jpg"), image_clip("other.png")});
        const Result result = batch(arguments);
        EXPECT_TRUE(exits(result, 0));
        EXPECT_EQ(times_in(result.err, "cannot use these options"), note == nullptr ? 0 : 1)
            << result.err;
        if (note == nullptr) continue;
        EXPECT_TRUE(contains(result.err, note)) << result.err;
        EXPECT_TRUE(contains(report().at("notes").dump(), note));
    }
}

// Nor do the libraries of encoders add lines of their own.
TEST_F(CliMixedBatch, EveryLineOnStandardErrorIsOurs) {
    const char* const script =
        "import pathlib, random, sys; sys.path.insert(0, sys.argv[1]); import mixed_pictures; "
        "pathlib.Path(sys.argv[2]).write_bytes(mixed_pictures.colour_profile(random.Random(1)))";
    const Result made =
        run({"python3", "-c", script,
             fs::path(media_script("mixed_pictures.py")).parent_path().string(), path("p.icc")});
    ASSERT_TRUE(exits(made, 0));
    fs::copy(image_clip("image.jpg"), path("photo.jpg"));
    if (run({"exiftool", "-q", "-icc_profile<=" + path("p.icc"), path("photo.jpg")}).exit_code != 0)
        GTEST_SKIP() << "exiftool is not installed";
    for (const char* name : {"o.jxl", "o.png", "o.webp", "o.tiff", "o.jpg"}) {
        const Result result =
            weft({"batch", "-vf", "box", "--progress=json", "-o", path(name), path("photo.jpg")});
        EXPECT_TRUE(exits(result, 0)) << name;
        std::istringstream lines(result.err);
        for (std::string line; std::getline(lines, line);)
            EXPECT_TRUE(line.starts_with('{')) << name << ": " << line;
    }
}

// The video is encoded as it would be alone.
TEST_F(CliMixedBatch, TheVideoStillGetsTheOption) {
    // Without a number of threads, x264 gives the same video only by chance.
    ASSERT_TRUE(
        exits(batch({"-crf", "40", "-threads", "2", "-o", path("alone/"), short_clip()}), 0));
    ASSERT_TRUE(exits(
        batch({"-crf", "40", "-threads", "2", "-o", path("mixed/"), short_clip(), image_clip()}),
        0));
    EXPECT_EQ(frame_hashes(path("alone/cli_short.mkv"), "yuv420p"),
              frame_hashes(path("mixed/cli_short.mkv"), "yuv420p"));
}

TEST_F(CliMixedBatch, AnOptionThatNoOutputCanUseIsAnError) {
    EXPECT_TRUE(exits(batch({"-crf", "30", "-o", path("a.png"), image_clip()}), 2));
    EXPECT_TRUE(exits(
        batch({"-preset", "slow", "-o", path("b/"), image_clip(), image_clip("image.jpg")}), 3));
    EXPECT_TRUE(exits(
        batch({"-crf", "30", "--strict", "-o", path("c/"), video_clip("video.mp4"), image_clip()}),
        3));
}

struct BadQuality {
    const char* crf;
    const char* encoder;
    const char* said;
};

TEST_F(CliMixedBatch, AQualityOutOfTheEncodersRangeIsRefused) {
    const std::vector<BadQuality> table = {
        {"52", "libx264", "libx264 takes 0 to 51"},
        {"60", "libx265", "libx265 takes 0 to 51"},
        {"99", "libx264", "expected a number from 0 (best) to 51"},
        {"64", "libvpx-vp9", "or 63"},
        {"abc", "libx264", "-crf abc: expected a number from 0"},
        {"nan", "libx264", "-crf nan: expected a number from 0"},
        {"-1", "libx264", "-crf -1: expected a number from 0"},
        {"18x", "libx264", "-crf 18x: expected a number from 0"},
    };
    for (const auto& [crf, encoder, said] : table) {
        SCOPED_TRACE(testing::Message() << encoder << " -crf " << crf);
        const Result result =
            batch({"-crf", crf, "-c:v", encoder, "-o", path("o.mkv"), short_clip()});
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, said)) << result.err;
        EXPECT_FALSE(fs::exists(path("o.mkv")));
    }
    EXPECT_TRUE(exits(batch({"-crf", "51", "-o", path("o.mkv"), short_clip()}), 0));
}

// No refusal uses the wording of the option parser.
TEST_F(CliMixedBatch, BadValuesAreRefusedInOurWords) {
    const std::vector<std::pair<Arguments, std::string>> table = {
        {{"--jobs", "two"}, "--jobs: 'two' is not a whole number from 1 to 1024"},
        {{"--max-side", "0"}, "--max-side: '0' is not a whole number from 1 to"},
        {{"-hwaccel", "gpu"}, "-hwaccel: 'gpu' is not one of auto, cuda, none"},
        {{"--verify", "x"}, "--verify: 'x' is not one of packets, decode"},
        {{"-loglevel", "loud"}, "-loglevel: 'loud' is not one of quiet"},
        {{"-b:v", "much"}, "-b:v much: expected bits per second, such as 4M"},
        {{"-b:v", "4M5"}, "-b:v 4M5: expected bits per second"},
        {{"-b:v", "-5"}, "-b:v -5: expected bits per second"},
        {{"-b:v", "inf"}, "-b:v inf: expected bits per second"},
        {{"-c:v", "copy"}, "filtered video cannot be copied"},
        {{"-o", path("p.mkv")}, "-o is given more than once"},
    };
    for (const auto& [options, said] : table) {
        Arguments arguments = options;
        arguments.insert(arguments.end(), {"-o", path("o.mkv"), short_clip()});
        const Result result = batch(arguments);
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, said)) << result.err;
    }
}

int byte_at(const std::string& bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes.at(at));
}

// The quantiser tables of a JPEG in the order of the file, by component, and their subsampling as
// ImageMagick writes it.
struct Jpeg {
    std::vector<std::vector<int>> tables;
    std::string subsampling;
};

std::vector<int> table_at(const std::string& bytes, std::size_t at, int value_bytes) {
    std::vector<int> table;
    for (int k = 0; k < 64; ++k, at += static_cast<std::size_t>(value_bytes))
        table.push_back(value_bytes == 1 ? byte_at(bytes, at)
                                         : 256 * byte_at(bytes, at) + byte_at(bytes, at + 1));
    return table;
}

Jpeg parse_jpeg(const std::string& bytes) {
    Jpeg jpeg;
    std::map<int, std::vector<int>> tables;
    std::vector<int> numbers;
    for (std::size_t at = 2; byte_at(bytes, at + 1) != 0xDA;) {
        const int marker = byte_at(bytes, at + 1);
        const auto size =
            static_cast<std::size_t>(256 * byte_at(bytes, at + 2) + byte_at(bytes, at + 3));
        std::size_t data = at + 4;
        at += 2 + size;
        while (marker == 0xDB && data < at) {
            const int kind = byte_at(bytes, data);
            const int value_bytes = 1 + (kind >> 4);
            tables[kind & 15] = table_at(bytes, data + 1, value_bytes);
            data += 1 + 64 * static_cast<std::size_t>(value_bytes);
        }
        if (marker < 0xC0 || marker > 0xC2) continue;
        for (int k = 0; k < byte_at(bytes, data + 5); ++k) {
            const std::size_t component = data + 6 + 3 * static_cast<std::size_t>(k);
            const int factors = byte_at(bytes, component + 1);
            jpeg.subsampling +=
                fmt::format("{}{}x{}", k == 0 ? "" : ",", factors >> 4, factors & 15);
            numbers.push_back(byte_at(bytes, component + 2));
        }
    }
    for (const int number : numbers) jpeg.tables.push_back(tables.at(number));
    return jpeg;
}

// FFmpeg writes 1x2,1x2,1x2 for 4:4:4, and ImageMagick 1x1,1x1,1x1.
std::string chroma_of(const Jpeg& jpeg) {
    const int across = 4 * (jpeg.subsampling.at(4) - '0') / (jpeg.subsampling.at(0) - '0');
    const bool halved = jpeg.subsampling.at(2) != jpeg.subsampling.at(6);
    return fmt::format("4:{}:{}", across, halved ? 0 : across);
}

// Without the first value, for which FFmpeg's encoder has no choice.
std::vector<int> but_the_mean(const std::vector<int>& table) {
    return {table.begin() + 1, table.end()};
}

class CliPictureQuality : public CliTest {
 protected:
    Result batch(const std::string& output, const std::string& input, const Arguments& more = {}) {
        Arguments arguments = {"batch", "-vf",  "box=radius=1", "-y", "--json", path("report.json"),
                               "-o",    output, input};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    // Returns the report's sentence about the picture's quality.
    std::string reported() const {
        return parse_json(read_file(path("report.json")))["files"][0]["streams"][0]["reason"];
    }
    // A JPEG of a colourful picture from ImageMagick, with these options.
    std::string jpeg(const std::string& name, const Arguments& options) {
        Arguments command = {"convert", clip("quality.png", picture_input(1, "96x80") +
                                                                " -frames:v 1 -pix_fmt rgb24")};
        command.insert(command.end(), options.begin(), options.end());
        command.push_back(path(name));
        EXPECT_EQ(run(command).exit_code, 0) << name;
        return path(name);
    }
    std::uintmax_t size_with(const std::string& ending, const Arguments& options) {
        const std::string output = path("sized." + ending);
        const Result result = batch(output, image_clip(), options);
        EXPECT_TRUE(exits(result, 0)) << result.err;
        return result.exit_code == 0 ? fs::file_size(output) : 0;
    }
};

TEST_F(CliPictureQuality, AJpegKeepsItsSourcesTablesAndChroma) {
    const std::vector<std::string> chromas = {"4:2:0", "4:2:2", "4:4:4"};
    const std::vector<std::string> qualities = {"10", "75", "100"};
    const auto name = [](const std::string& chroma, const std::string& quality) {
        return fmt::format("{}{}{}_{}.jpg", chroma[0], chroma[2], chroma[4], quality);
    };
    fs::create_directory(path("in"));
    for (const std::string& chroma : chromas)
        for (const std::string& quality : qualities)
            jpeg("in/" + name(chroma, quality), {"-sampling-factor", chroma, "-quality", quality});
    const Result result = batch(path("out/"), path("in"));
    ASSERT_TRUE(exits(result, 0)) << result.err;
    for (const std::string& chroma : chromas)
        for (const std::string& quality : qualities) {
            const std::string file = name(chroma, quality);
            SCOPED_TRACE(file);
            const Jpeg before = parse_jpeg(read_file(path("in/" + file)));
            const Jpeg after = parse_jpeg(read_file(path("out/" + file)));
            EXPECT_EQ(chroma_of(before), chroma);
            EXPECT_EQ(chroma_of(after), chroma);
            for (std::size_t k = 0; k < 3; ++k)
                EXPECT_EQ(but_the_mean(before.tables.at(k)), but_the_mean(after.tables.at(k)));
            const std::string said = fmt::format(
                "{}: 1 frame, quality about {} (kept from the source), chroma {} (kept from the "
                "source); nothing dropped",
                path("out/" + file), quality == "100" ? "99" : quality, chroma);
            EXPECT_TRUE(contains(result.out + result.err, said)) << result.out << result.err;
        }
}

// A layout that FFmpeg's encoder cannot write is replaced by the nearest one that it can.
TEST_F(CliPictureQuality, UnusualJpegsKeepTheNearestTables) {
    struct RareJpeg {
        const char* what;
        Arguments options;
        const char* subsampling;
    };
    const std::vector<RareJpeg> table = {
        {"progressive", {"-interlace", "JPEG", "-sampling-factor", "4:2:0"}, "2x2,1x1,1x1"},
        {"gray", {"-colorspace", "Gray"}, "2x2,1x1,1x1"},
        {"CMYK", {"-colorspace", "CMYK"}, "1x2,1x2,1x2"},
        {"4:1:1", {"-sampling-factor", "4x1"}, "2x2,1x2,1x2"},
        {"4:4:0", {"-sampling-factor", "1x2"}, "1x2,1x2,1x2"},
    };
    for (const RareJpeg& row : table) {
        SCOPED_TRACE(row.what);
        Arguments options = row.options;
        options.insert(options.end(), {"-quality", "60"});
        const std::string source = jpeg("in.jpg", options);
        const Result result = batch(path("out.jpg"), source);
        ASSERT_TRUE(exits(result, 0)) << result.err;
        const Jpeg before = parse_jpeg(read_file(source));
        const Jpeg after = parse_jpeg(read_file(path("out.jpg")));
        EXPECT_EQ(after.subsampling, row.subsampling);
        EXPECT_EQ(but_the_mean(before.tables.front()), but_the_mean(after.tables.front()));
        const std::size_t chroma = std::min<std::size_t>(1, before.tables.size() - 1);
        EXPECT_EQ(but_the_mean(before.tables.at(chroma)), but_the_mean(after.tables.at(1)));
        EXPECT_TRUE(contains(reported(), "quality about 60 (kept from the source)")) << reported();
    }
}

// A table of 16 bits, which T.81 allows outside of baseline JPEGs: the encoder has 8.
TEST_F(CliPictureQuality, ValuesOf16BitsBecomeTheGreatestOf8) {
    const std::string bytes =
        read_file(jpeg("in.jpg", {"-quality", "5", "-sampling-factor", "4:4:4"}));
    const std::size_t tables = bytes.find("\xFF\xDB");
    ASSERT_EQ(byte_at(bytes, tables + 3), 67);
    std::string wide = big_endian(2 + 1 + 128, 2) + '\x10';
    for (std::size_t k = 0; k < 64; ++k) wide += big_endian(k == 63 ? 900 : 7, 2);
    std::string changed = bytes;
    changed.replace(tables + 2, 67, wide);
    changed[changed.find("\xFF\xC0") + 1] = '\xC1';
    write_file(path("wide.jpg"), changed);
    ASSERT_TRUE(exits(batch(path("out.jpg"), path("wide.jpg")), 0));
    std::vector<int> expected(62, 7);
    expected.push_back(255);
    EXPECT_EQ(but_the_mean(parse_jpeg(read_file(path("out.jpg"))).tables.front()), expected);
}

// Those of other sources, and of numbered pictures, have the encoder's default.
TEST_F(CliPictureQuality, OtherJpegsHaveTheDefault) {
    const std::string as_always = ffmpeg_text(image_clip(), "-q:v 2 -f image2pipe -c:v mjpeg -");
    const auto default_tables = parse_jpeg(as_always).tables;
    ASSERT_TRUE(exits(batch(path("out.jpg"), image_clip()), 0));
    EXPECT_EQ(parse_jpeg(read_file(path("out.jpg"))).tables.front(), default_tables.front());
    EXPECT_EQ(reported(), "-q:v 2 (the default), chroma 4:4:4");
    for (const char* name : {"in_1.jpg", "in_2.jpg"}) jpeg(name, {"-quality", "30"});
    ASSERT_TRUE(exits(batch(path("out_%d.jpg"), path("in_%d.jpg")), 0));
    EXPECT_EQ(parse_jpeg(read_file(path("out_2.jpg"))).tables.front(), default_tables.front());
}

TEST_F(CliPictureQuality, AQualityOnTheScaleIsThatOfFfmpeg) {
    const std::string source = jpeg("in.jpg", {"-quality", "30"});
    for (const auto& [option, quality] : {std::pair{"-q:v", "2.5"}, {"-qscale:v", "31"}}) {
        SCOPED_TRACE(quality);
        ASSERT_TRUE(exits(batch(path("out.jpg"), source, {option, quality}), 0));
        const std::string ffmpegs =
            ffmpeg_text(source, fmt::format("-q:v {} -f image2pipe -c:v mjpeg -", quality));
        EXPECT_EQ(parse_jpeg(read_file(path("out.jpg"))).tables, parse_jpeg(ffmpegs).tables);
        EXPECT_TRUE(contains(reported(), fmt::format("-q:v {} (as asked)", quality)));
    }
}

TEST_F(CliPictureQuality, EachScaleHasItsOwnDirection) {
    struct Scale {
        const char* ending;
        const char* worse;
        const char* normal;  // the default
        const char* better;
    };
    for (const Scale& row : {Scale{"jpg", "20", "2", "1"}, Scale{"webp", "20", "90", "100"},
                             Scale{"jxl", "20", "90", "98"}}) {
        SCOPED_TRACE(row.ending);
        const auto normal = size_with(row.ending, {});
        if (normal == 0 && std::string(row.ending) == "jxl") continue;  // not in this FFmpeg
        EXPECT_EQ(size_with(row.ending, {"-q:v", row.normal}), normal);
        EXPECT_LT(size_with(row.ending, {"-q:v", row.worse}), normal);
        EXPECT_GT(size_with(row.ending, {"-q:v", row.better}), normal);
        EXPECT_EQ(size_with(row.ending, {"-crf", "18"}), normal);
        EXPECT_LT(size_with(row.ending, {"-crf", "30"}), normal);
    }
}

TEST_F(CliPictureQuality, AQualityThatCannotBeIsRefused) {
    struct Refusal {
        Arguments options;
        const char* ending;
        const char* said;
    };
    const std::vector<Refusal> table = {
        {{"-q:v", "32"}, "jpg", "-q:v 32: mjpeg takes 1 (best) to 31"},
        {{"-q:v", "0"}, "jpg", "-q:v 0: mjpeg takes 1 (best) to 31"},
        {{"-q:v", "101"}, "webp", "0 to 100 (best) for WebP"},
        {{"-q:v", "x"}, "webp", "-q:v x: expected a number on the scale of the encoder"},
        {{"-q:v", "3"}, "png", "-q:v 3: png has no such scale: it is lossless"},
        {{"-q:v", "3"}, "mkv", "-q:v 3: libx264rgb has no such scale: use -crf"},
        {{"-crf", "60"}, "jpg", "-crf 60: mjpeg takes 0 to 51"},
        {{"-q:v", "3", "-crf", "20"}, "jpg", "-q:v, -crf and -b:v each choose the quality"},
        {{"-q:v", "3", "-b:v", "1M"}, "jpg", "-q:v, -crf and -b:v each choose the quality"},
        {{"-q:v", "90", "--lossless"}, "webp", "--lossless cannot be combined with -q:v"},
    };
    for (const Refusal& row : table) {
        SCOPED_TRACE(testing::PrintToString(row.options));
        const std::string output = path(std::string("out.") + row.ending);
        const Result result = batch(output, image_clip(), row.options);
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_TRUE(contains(result.err, row.said)) << result.err;
        EXPECT_FALSE(fs::exists(output));
    }
}

TEST_F(CliPictureQuality, ADryRunStatesIt) {
    const std::string source = jpeg("in.jpg", {"-quality", "80", "-sampling-factor", "4:2:0"});
    const Result result = weft({"batch", "-vf", "box", "--dry-run", "-o", path("out.jpg"), source});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out,
                         "encoded mjpeg: quality about 80 (kept from the source), "
                         "chroma 4:2:0 (kept from the source)"))
        << result.out;
}

// A receipt has the number, so that another one is another job.
TEST_F(CliPictureQuality, AnotherQualityIsAnotherJob) {
    const auto filter = [&](const char* quality) {
        return weft({"batch", "-vf", "box", "--receipts", "-n", "-q:v", quality, "-o",
                     path("out.jpg"), image_clip()});
    };
    ASSERT_TRUE(exits(filter("3"), 0));
    const std::string first = read_file(path("out.jpg"));
    const Result again = filter("3");
    EXPECT_TRUE(contains(again.out + again.err, "skipped")) << again.err;
    const Result other = filter("9");
    EXPECT_TRUE(contains(other.out + other.err, "-q:v was 3, now 9")) << other.err;
    EXPECT_NE(read_file(path("out.jpg")), first);
}

}  // namespace
}  // namespace weft::cli
