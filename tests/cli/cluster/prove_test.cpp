// `weft prove`: outputs that are what their receipts claim, and each way in which one is not.
#include <algorithm>
#include <filesystem>
#include <xxhash.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

class CliProve : public CliTest {
 protected:
    Result in_folder(const Arguments& arguments) const {
        Command command = weft_command(arguments);
        command.folder = folder_.path();
        return run(command);
    }
    Result prove(const Arguments& more) const {
        Arguments arguments = {"prove", "--gpu", "off"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return in_folder(arguments);
    }
    void batch(const Arguments& more) const {
        Arguments arguments = {"batch", "--receipts", "--gpu", "off"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        ASSERT_TRUE(exits(in_folder(arguments), 0));
    }
    void make_input(const std::string& name, const std::string& clip) const {
        fs::create_directories(fs::path(path(name)).parent_path());
        fs::copy_file(clip, path(name), fs::copy_options::overwrite_existing);
    }
    // Three films and a picture in "in", their proven outputs in "out".
    void make_proven(const Arguments& more = {}) const {
        make_input("in/a.mkv", short_clip());
        make_input("in/b.mkv", video_and_audio_clip());
        make_input("in/c.mp4", short_clip("short.mp4"));
        make_input("in/d.png", image_clip());
        Arguments arguments = {"-vf", "sobel@weft", "-o", "out/", "in"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        batch(arguments);
    }
    // Exchanges a text in a receipt, and makes the checksum right as a forger would.
    void forge(const std::string& receipt, const std::string& from, const std::string& to) const {
        std::string text = read_file(path(receipt));
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        const std::string mark = ",\n  \"checksum\": \"";
        const std::size_t end = text.find(mark);
        XXH128_canonical_t hash;
        XXH128_canonicalFromHash(&hash, XXH3_128bits(text.data(), end));
        std::string digits;
        for (const unsigned char byte : hash.digest) digits += fmt::format("{:02x}", byte);
        write_file(path(receipt), text.replace(end + mark.size(), digits.size(), digits));
    }
    // Another first frame, in the list and in the hash of the list.
    void forge_frame(const std::string& receipt) const {
        const Json json = parse_json(read_file(path(receipt)));
        std::string all;
        std::vector<std::string> hashes = json["hashes"];
        const std::string old = hashes.front();
        hashes.front() = "0123456789abcdef";
        for (const std::string& hash : hashes) all += big_endian(std::stoull(hash, nullptr, 16), 8);
        XXH128_canonical_t hash;
        XXH128_canonicalFromHash(&hash, XXH3_128bits(all.data(), all.size()));
        std::string digits;
        for (const unsigned char byte : hash.digest) digits += fmt::format("{:02x}", byte);
        forge(receipt, json["frames"]["hash"], digits);
        forge(receipt, "\n\"" + old + "\"", "\n\"0123456789abcdef\"");
    }
    static void flip_a_bit(const std::string& file) {
        std::string bytes = read_file(file);
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
        write_file(file, bytes);
    }
    static std::string line_of(const Result& result, const std::string& output) {
        const std::size_t at = result.out.find(output + ": ");
        if (at == std::string::npos) return "no line about it in: " + result.out + result.err;
        return result.out.substr(at, result.out.find('\n', at) - at);
    }
};

TEST_F(CliProve, AHealthyBatchIsProven) {
    make_proven();
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 0)) << result.out;
    EXPECT_TRUE(contains(line_of(result, "out/b.mkv"), "proven: 60 frames, bit for bit"));
    EXPECT_TRUE(contains(line_of(result, "out/d.png"), "the output decodes to these frames"));
    EXPECT_EQ(last_line(result.out), "4 proven, 0 wrong, 0 not proven");
    EXPECT_EQ(names_in(path("out")).size(), 8U);
}

// Every frame of a lossless output is decoded as well.
TEST_F(CliProve, LosslessOutputsAreDecoded) {
    make_proven({"--lossless"});
    const Result result = prove({"--json", path("report.json"), "out"});
    EXPECT_TRUE(exits(result, 0)) << result.out;
    for (const Json& file : parse_json(read_file(path("report.json")))["files"]) {
        EXPECT_EQ(file["verdict"], "proven");
        EXPECT_EQ(file["frames_computed"], file["frames"]);
        EXPECT_EQ(file["frames_equal"], file["frames"]);
        EXPECT_EQ(file["frames_decoded_equal"], file["frames"]);
        EXPECT_EQ(file["allowed_difference"], 0);
        EXPECT_EQ(file["largest_difference"], 0);
    }
}

TEST_F(CliProve, OneFlippedBitIsFoundAndNamed) {
    make_proven();
    flip_a_bit(path("out/a.mkv"));
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 4));
    EXPECT_TRUE(contains(line_of(result, "out/a.mkv"),
                         "wrong: the output differs from the file that was written"))
        << line_of(result, "out/a.mkv");
    EXPECT_EQ(last_line(result.out), "3 proven, 1 wrong, 0 not proven");
}

TEST_F(CliProve, SwappedFilesAreFoundAndNamed) {
    make_proven();
    fs::rename(path("out/a.mkv"), path("out/x"));
    fs::rename(path("out/b.mkv"), path("out/a.mkv"));
    fs::rename(path("out/x"), path("out/b.mkv"));
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 4));
    EXPECT_TRUE(contains(line_of(result, "out/a.mkv"), "wrong: it has the content of out/b.mkv"));
    EXPECT_TRUE(contains(line_of(result, "out/b.mkv"), "wrong: it has the content of out/a.mkv"));
}

TEST_F(CliProve, AnEditedReceiptIsFoundAndNamed) {
    make_proven();
    std::string text = read_file(path("out/.a.mkv.weft.json"));
    const std::size_t at = text.find("\"seconds\": ");
    text[at + 11] = text[at + 11] == '7' ? '8' : '7';
    write_file(path("out/.a.mkv.weft.json"), text);
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 4));
    EXPECT_TRUE(contains(line_of(result, "out/a.mkv"), "its checksum is wrong"))
        << line_of(result, "out/a.mkv");
}

// Each claim of a receipt whose checksum was made right.
TEST_F(CliProve, ForgedClaimsAreFound) {
    const std::vector<std::tuple<const char*, const char*, const char*>> cases = {
        {"planes=luma", "planes=all", "computed here, the first one number 0, differ"},
        {"\"count\": 60", "\"count\": 61", "it lists 60 hashes for 61 frames"},
        {"\"packets\": ", "\"packets\": 1", "differ from the receipt"},
        {"\"pixel_format\": \"yuv420p\"", "\"pixel_format\": \"yuv422p\"",
         "the frames are yuv420p"},
        {"\"kind\": \"audio\"", "\"kind\": \"subtitle\"", "stream 1 is audio"},
        {"\"time_base\": \"1/1000\"", "\"time_base\": \"1/7\"",
         "the display times are in units of 1/1000 s, but the receipt has units of 1/7 s"},
        {"\"lossless\": false", "\"lossless\": true", "the output is not lossless"},
    };
    for (const auto& [from, to, why] : cases) {
        fs::remove_all(path("out"));
        make_proven();
        forge("out/.b.mkv.weft.json", from, to);
        const Result result = prove({"out/b.mkv"});
        EXPECT_TRUE(exits(result, 4)) << from;
        EXPECT_TRUE(contains(result.out, why)) << from << ": " << result.out;
    }
}

TEST_F(CliProve, AForgedFrameIsFound) {
    make_proven({"--lossless"});
    forge_frame("out/.a.mkv.weft.json");
    const Result result = prove({"out/a.mkv"});
    EXPECT_TRUE(exits(result, 4));
    EXPECT_TRUE(contains(result.out, "1 frame computed here, the first one number 0, differ"))
        << result.out;
    EXPECT_TRUE(contains(result.out, "1 frame of the output differ")) << result.out;
}

TEST_F(CliProve, WhatIsMissingIsNotProven) {
    make_proven();
    fs::remove(path("in/a.mkv"));
    make_input("in/b.mkv", video_clip());
    fs::remove(path("out/.c.mp4.weft.json"));
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 3));
    EXPECT_TRUE(
        contains(line_of(result, "out/a.mkv"), "not proven: its input in/a.mkv is missing"));
    EXPECT_TRUE(contains(line_of(result, "out/b.mkv"), "in/b.mkv is now a different file"));
    EXPECT_TRUE(contains(line_of(result, "out/c.mp4"), "not proven: it has no receipt"));
    EXPECT_EQ(last_line(result.out), "1 proven, 0 wrong, 3 not proven");
}

TEST_F(CliProve, SeveralAtOnceGetTheSameVerdicts) {
    make_proven({"--lossless"});
    flip_a_bit(path("out/a.mkv"));
    fs::remove(path("in/c.mp4"));
    std::vector<Json> verdicts;
    for (const char* jobs : {"1", "2", "9"}) {
        const Result result = prove({"--jobs", jobs, "--json", path("report.json"), "out"});
        EXPECT_TRUE(exits(result, 4));
        EXPECT_EQ(last_line(result.out), "2 proven, 1 wrong, 1 not proven");
        verdicts.push_back(parse_json(read_file(path("report.json")))["files"]);
        fs::remove(path("report.json"));
    }
    EXPECT_EQ(verdicts[1], verdicts[0]);
    EXPECT_EQ(verdicts[2], verdicts[0]);
}

// Outputs and receipts alone were copied; the inputs are elsewhere.
TEST_F(CliProve, InputsMayBeInAnotherFolder) {
    make_proven();
    fs::create_directories(path("laptop"));
    fs::rename(path("out"), path("laptop/out"));
    fs::rename(path("in"), path("films"));
    EXPECT_TRUE(exits(prove({"laptop/out"}), 3));
    EXPECT_TRUE(exits(prove({"--inputs", "films", "laptop/out"}), 0));
    EXPECT_TRUE(exits(prove({"--inputs", "films", "laptop/out/.a.mkv.weft.json"}), 0));
}

TEST_F(CliProve, ASampleIsProven) {
    make_input("in/a.mkv", clip("prove.mkv", picture_input(20) + kFastVideo));
    batch({"-vf", "sobel@weft,tblend=all_mode=difference", "-o", "out/", "in"});
    const Result result = prove({"--sample", "10%", "--json", path("report.json"), "out"});
    EXPECT_TRUE(exits(result, 0)) << result.out;
    const Json file = parse_json(read_file(path("report.json")))["files"][0];
    EXPECT_EQ(file["frames"], 600);
    EXPECT_GE(file["frames_computed"], 29);
    EXPECT_LE(file["frames_computed"], 120);
    EXPECT_EQ(file["frames_computed"], file["frames_equal"]);
    forge("out/.a.mkv.weft.json", "\"1/1000\"", "\"1/7\"");
    EXPECT_TRUE(exits(prove({"--sample", "1%", "out"}), 4));
    forge("out/.a.mkv.weft.json", "\"1/7\"", "\"1/1000\"");
    forge("out/.a.mkv.weft.json", "planes=luma", "planes=all");
    EXPECT_TRUE(exits(prove({"--sample", "1%", "out"}), 4));
}

// Without whole numbers, kernels may differ by a level: only a lossless output can be compared.
TEST_F(CliProve, InexactStacksAreComparedWithinTheirBound) {
    make_input("in/a.mkv", short_clip());
    for (const bool lossless : {false, true}) {
        const std::string stack = "gaussian=sigma=1.7";
        Arguments arguments = {"-vf", stack, "-y", "-o", "out/", "in"};
        if (lossless) arguments.insert(arguments.begin(), "--lossless");
        batch(arguments);
        const Result same = prove({"out"});
        EXPECT_TRUE(exits(same, 0)) << same.out;
        EXPECT_TRUE(contains(same.out, "bit for bit")) << same.out;
        // As another device might have computed it.
        forge_frame("out/.a.mkv.weft.json");
        const Result other = prove({"out"});
        EXPECT_TRUE(exits(other, lossless ? 4 : 3)) << other.out;
        EXPECT_EQ(contains(other.out, "the output is not lossless"), !lossless) << other.out;
    }
}

// As if another device had computed it: a sigma that is hardly another, with a forged job.
TEST_F(CliProve, AnotherDevicesFramesAreProvenByALosslessOutput) {
    make_input("in/a.mkv", short_clip());
    for (const auto& [sigma, code] : {std::pair{"1.7001", 0}, std::pair{"1.9", 4}}) {
        batch({"-vf", fmt::format("gaussian=sigma={}", sigma), "--lossless", "-y", "-o", "out/",
               "in"});
        forge("out/.a.mkv.weft.json", fmt::format("sigma={}", sigma), "sigma=1.7");
        const Result result = prove({"out"});
        EXPECT_TRUE(exits(result, code)) << result.out;
        EXPECT_TRUE(contains(result.out, code == 0 ? "proven: 15 frames, within 1 of 1 levels"
                                                   : "differ from the output by up to"))
            << result.out;
    }
}

// A PNG of 16 bits has its bytes in an order that no kernel takes.
TEST_F(CliProve, APngOf16BitsIsCompared) {
    fs::create_directories(path("in"));
    ASSERT_TRUE(exits(run({"ffmpeg", "-v", "error", "-i", image_clip(), "-pix_fmt", "rgb48be",
                           path("in/deep.png")}),
                      0));
    batch({"-vf", "gaussian=sigma=1.9", "-o", "out/", "in"});
    forge("out/.deep.png.weft.json", "sigma=1.9", "sigma=1.7");
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 4)) << result.out;
    EXPECT_TRUE(contains(result.out, "differ from the output by up to")) << result.out;
}

// A receipt of a Gaussian without the number is of the first definition, which cut it off earlier.
TEST_F(CliProve, AnOlderDefinitionIsNotProvenAndDoneAgain) {
    make_input("in/a.mkv", short_clip());
    const Arguments arguments = {"-vf", "gaussian=sigma=2", "-n", "-o", "out/", "in"};
    batch(arguments);
    EXPECT_TRUE(exits(prove({"out"}), 0));
    forge("out/.a.mkv.weft.json", ",\n    \"definition\": \"2\"", "");
    const Result older = prove({"out"});
    EXPECT_TRUE(exits(older, 3)) << older.out;
    EXPECT_TRUE(contains(line_of(older, "out/a.mkv"),
                         "not proven: made by an older definition of its filters"))
        << older.out;
    Arguments again = {"batch", "--receipts", "--gpu", "off"};
    again.insert(again.end(), arguments.begin(), arguments.end());
    const Result second = in_folder(again);
    EXPECT_TRUE(exits(second, 0));
    EXPECT_TRUE(contains(second.err, "done again: made by an older definition of its filters"))
        << second.err;
    EXPECT_TRUE(contains(in_folder(again).err, "its receipt proves"));
    EXPECT_TRUE(exits(prove({"out"}), 0));
    forge("out/.a.mkv.weft.json", "\"definition\": \"2\"", "\"definition\": \"3\"");
    EXPECT_TRUE(contains(prove({"out"}).out, "made by a newer definition of its filters"));
}

// Other filters have kept their meaning, so that their older receipts are as good as new ones.
TEST_F(CliProve, OnlyFiltersThatChangedHaveANewDefinition) {
    make_input("in/a.mkv", short_clip());
    for (const char* stack : {"gaussian=sigma=2:radius=6", "box", "highpass,sobel"}) {
        batch({"-vf", stack, "-y", "-o", "out/", "in"});
        EXPECT_FALSE(contains(read_file(path("out/.a.mkv.weft.json")), "definition")) << stack;
    }
}

TEST_F(CliProve, SequencesAreOneOutput) {
    batch({"-vf", "sobel@weft", "-o", "out/s_%03d.png", short_clip()});
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 0)) << result.out;
    EXPECT_EQ(last_line(result.out), "1 proven, 0 wrong, 0 not proven");
    flip_a_bit(path("out/s_007.png"));
    EXPECT_TRUE(exits(prove({"out"}), 4));
}

// The usable part of a damaged input can be proven, but not an output that is not there.
TEST_F(CliProve, AnInputWithoutAnOutputIsNotProven) {
    const std::string whole = read_file(video_clip());
    fs::create_directories(path("in"));
    write_file(path("in/a.mkv"), whole.substr(0, whole.size() * 3 / 4));
    write_file(path("in/b.mkv"), "not a film");
    for (const char* keep : {"--strict", "--keep-damaged"}) {
        fs::remove_all(path("out"));
        const Arguments arguments = {"batch", "--receipts", "-vf", "box",  "--gpu",
                                     "off",   keep,         "-o",  "out/", "in"};
        EXPECT_TRUE(exits(in_folder(arguments), 3));
        const bool kept = fs::exists(path("out/a.mkv"));
        const Result result = prove({"out"});
        EXPECT_TRUE(exits(result, 3)) << keep << result.out;
        EXPECT_TRUE(contains(line_of(result, "out/a.mkv"),
                             kept ? ": proven: " : ": not proven: there is no output: a.mkv"))
            << result.out;
        EXPECT_TRUE(contains(line_of(result, "out/b.mkv"), ": not proven: there is no output: "))
            << result.out;
        EXPECT_TRUE(contains(last_line(result.err), kept ? "weft: error: out/b.mkv: not proven: "
                                                         : "weft: error: out/a.mkv: not proven: "))
            << result.err;
    }
}

// A receipt must not make the program read or write other files.
TEST_F(CliProve, HostileReceiptsNameNothing) {
    make_proven();
    const auto before = names_in(path("out"));
    forge("out/.a.mkv.weft.json", "\"name\": \"a.mkv\"", "\"name\": \"../a.mkv\"");
    forge("out/.b.mkv.weft.json", "\"path\": \"../in/b.mkv\"", "\"path\": \"/dev/zero\"");
    forge("out/.c.mp4.weft.json", "\"path\": \"../in/c.mp4\"",
          "\"path\": \"../../../../dev/zero\"");
    forge("out/.d.png.weft.json", "\"-vf\": \"", "\"-vf\": \"convolve=file=/dev/zero,");
    const Result result = prove({"out"});
    EXPECT_TRUE(exits(result, 4));
    EXPECT_TRUE(contains(result.out, "\"name\" is not the name of a file")) << result.out;
    EXPECT_TRUE(contains(result.out, "\"input.path\" is not a relative path")) << result.out;
    EXPECT_TRUE(contains(result.out, "refers to a file by an absolute path")) << result.out;
    EXPECT_EQ(names_in(path("out")), before);
}

TEST_F(CliProve, UsageIsChecked) {
    EXPECT_TRUE(exits(prove({}), 2));
    EXPECT_TRUE(exits(prove({"--sample", "0%", "out"}), 2));
    EXPECT_TRUE(exits(prove({"--sample", "5", "out"}), 2));
    make_folder("empty");
    EXPECT_TRUE(exits(prove({"empty"}), 2));
    const Result missing = prove({"missing.mkv"});
    EXPECT_TRUE(exits(missing, 3));
    EXPECT_TRUE(contains(missing.err, "missing.mkv: not proven: neither the output nor a receipt"))
        << missing.err;
    const Result folder = prove({"missing/"});
    EXPECT_TRUE(exits(folder, 2));
    EXPECT_TRUE(contains(folder.err, "missing/: there is no folder of this name")) << folder.err;
}

}  // namespace
}  // namespace weft::cli
