// `weft info` and `weft list`, for people and for programs.
#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

using Json = nlohmann::json;

class CliInfo : public CliTest {};

TEST_F(CliInfo, DescribesStreams) {
    const Result result = weft({"info", video_and_audio_clip()});
    EXPECT_TRUE(exits(result, 0));
    for (const char* word : {"320", "180", "h264", "yuv420p", "aac", "30"})
        EXPECT_TRUE(contains(result.out, word)) << word << " is not in: " << result.out;
    EXPECT_TRUE(contains(result.out, "lossless")) << result.out;
}

TEST_F(CliInfo, JsonUsesFfprobesNames) {
    const Result result = weft({"info", "--json", video_and_audio_clip()});
    EXPECT_TRUE(exits(result, 0));
    const Json info = parse_json(result.out);
    ASSERT_TRUE(info.contains("streams")) << result.out;
    const Json want = probe(video_and_audio_clip());
    ASSERT_EQ(info.at("streams").size(), 2U);
    for (const char* field : {"index", "codec_type", "codec_name", "width", "height", "pix_fmt",
                              "avg_frame_rate", "time_base"})
        EXPECT_EQ(info.at("streams").at(0).value(field, Json()), want.at("streams").at(0)[field])
            << field;
    EXPECT_EQ(info.at("streams").at(1).value("codec_name", ""), "aac");
    EXPECT_EQ(info.at("streams").at(1).value("channels", 0), 1);
}

// x265 writes HDR10 into the frames; weft's Matroska files have it with the stream as well.
TEST_F(CliInfo, ListsHdrOfTheStreamOrItsFirstFrame) {
    const std::string in_frames = clip(
        "hdr_info.mkv", picture_input(0.2) +
                            " -c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -x265-params "
                            "log-level=none:hdr10=1:master-display=G(13250,34500)B(7500,3000)"
                            "R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400");
    EXPECT_TRUE(exits(
        weft({"batch", "-vf", "box=radius=1", "-c:v", "ffv1", "-o", path("hdr.mkv"), in_frames}),
        0));
    const Json frame = test::ffprobe(in_frames, "-show_frames -read_intervals %+#1").at("frames");
    const std::vector<std::pair<std::string, Json>> table = {
        {in_frames, frame.at(0).at("side_data_list")},
        {path("hdr.mkv"), probe(path("hdr.mkv")).at("streams").at(0).at("side_data_list")}};
    for (const auto& [file, want] : table) {
        const Json info = parse_json(weft({"info", "--json", file}).out);
        const Json list = info.at("streams").at(0).value("side_data_list", Json::array());
        EXPECT_EQ(list.size(), 2U) << file;
        for (const Json& data : list)
            EXPECT_NE(std::ranges::find(want, data), want.end()) << data << " is not in " << want;
        const std::string text = weft({"info", file}).out;
        EXPECT_TRUE(contains(text, "Mastering luminance: 0.005 to 1000 cd/m²")) << text;
        EXPECT_TRUE(contains(text, "MaxCLL: 1000 cd/m²\n  MaxFALL: 400 cd/m²")) << text;
    }
    const Json plain = parse_json(weft({"info", "--json", video_and_audio_clip()}).out);
    EXPECT_FALSE(plain.at("streams").at(0).contains("side_data_list"));
}

TEST_F(CliInfo, RotationIsFfprobes) {
    short_clip("upright.mp4");
    for (const std::string degrees : {"90", "180", "270"}) {
        const std::string file = clip("turned" + degrees + ".mp4",
                                      "-i @upright.mp4 -c copy -metadata:s:v:0 rotate=" + degrees);
        const Json list =
            parse_json(weft({"info", "--json", file}).out).at("streams").at(0)["side_data_list"];
        ASSERT_EQ(list.size(), 1U) << list;
        EXPECT_EQ(list.at(0).at("rotation"),
                  probe(file).at("streams").at(0).at("side_data_list").at(0).at("rotation"));
    }
}

TEST_F(CliInfo, ReadsImages) {
    const Result result = weft({"info", image_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "64")) << result.out;
}

TEST_F(CliInfo, FailsLikeBatch) {
    write_file(path("garbage.mkv"), "no video");
    EXPECT_TRUE(exits(weft({"info", path("garbage.mkv")}), 1));
    EXPECT_TRUE(exits_one_of(weft({"info", path("none.mkv")}), {1, 2}));
    EXPECT_TRUE(exits_one_of(weft({"info", "/dev/zero"}), {1, 2}));
}

class CliList : public CliTest {
 protected:
    Json list(const Arguments& what) {
        Arguments arguments = {"list"};
        arguments.insert(arguments.end(), what.begin(), what.end());
        arguments.push_back("--json");
        const Result result = weft(arguments);
        EXPECT_TRUE(exits(result, 0)) << testing::PrintToString(arguments);
        return parse_json(result.out);
    }
};

TEST_F(CliList, TextAndJsonListTheSameFilters) {
    const Result text = weft({"list", "filters"});
    EXPECT_TRUE(exits(text, 0));
    const Json filters = list({"filters"}).at("filters");
    ASSERT_GE(filters.size(), 22U);
    EXPECT_EQ(std::ranges::count(text.out, '\n'), std::ptrdiff_t(filters.size()) + 1);
    for (const Json& filter : filters)
        EXPECT_TRUE(contains(text.out, "\n" + filter.at("name").get<std::string>() + " "))
            << text.out;
}

TEST_F(CliList, OneFilterShowsItsParameters) {
    const Result result = weft({"list", "filters", "gaussian"});
    EXPECT_TRUE(exits(result, 0));
    for (const char* word : {"sigma", "radius", "planes", "border", "1024", "px"})
        EXPECT_TRUE(contains(result.out, word)) << word << ": " << result.out;
}

TEST_F(CliList, EveryListedFilterCanBeShown) {
    const Json all = list({"filters"});
    std::set<std::string> names;
    for (const Json& filter : all.at("filters")) {
        EXPECT_TRUE(names.insert(filter.at("name")).second) << filter;
        EXPECT_EQ(list({"filters", filter.at("name")}), filter);
        for (const Json& alias : filter.at("aliases"))
            EXPECT_EQ(list({"filters", alias}), filter) << alias;
    }
    EXPECT_TRUE(names.contains("sobel"));
    EXPECT_TRUE(names.contains("sobel@weft"));
}

TEST_F(CliList, Presets) {
    const Json presets = list({"presets"});
    const Json& rows = presets.is_array() ? presets : presets.value("presets", Json::array());
    ASSERT_GE(rows.size(), 6U) << presets.dump();
    for (const Json& preset : rows) {
        const std::string name = preset.value("name", "");
        EXPECT_TRUE(exits(weft({"list", "presets", name}), 0)) << name;
        const std::string part = preset.value("needs_region", false) ? "region=9x9+0+0" : "";
        const std::string words = part.empty() ? name : name + ":" + part;
        const std::string shown = preset.value("stack", "") + (part.empty() ? "" : "=" + part);
        EXPECT_TRUE(
            exits(weft({"batch", "--preset", words, "-y", "-o", path("out.mkv"), short_clip()}), 0))
            << words;
        const auto planned = [&](const Arguments& stack) {
            Arguments all = {"batch", "--dry-run",     "--json",    "-y",
                             "-o",    path("out.mkv"), short_clip()};
            all.insert(all.begin() + 1, stack.begin(), stack.end());
            return parse_json(weft(all).out).at("resolved");
        };
        EXPECT_EQ(planned({"-vf", shown}), planned({"--preset", words}))
            << "the shown stack is another one when it is typed";
    }
}

TEST_F(CliList, KernelsAndDevices) {
    const std::string kernels = list({"kernels"}).dump();
    for (const char* name : {"direct", "column_row_reuse", "opencv_cpu"})
        EXPECT_TRUE(contains(kernels, name)) << kernels;
    EXPECT_TRUE(contains(list({"devices"}).dump(), "cpu"));
}

TEST_F(CliList, TheCpuHasTheCoresThatTheProcessMayUse) {
    Command command = weft_command({"list", "devices", "--json"});
    command.argv.insert(command.argv.begin(), {"taskset", "-c", "0"});
    const Json devices = parse_json(run(command).out).at("devices");
    EXPECT_EQ(devices.back().at("multiprocessors"), 1) << devices.dump();
}

TEST_F(CliList, OneKernelShowsItsUsesAndItsCost) {
    const Json kernels = list({"kernels"}).at("kernels");
    for (const Json& kernel : kernels) {
        const std::string name = kernel.at("name");
        const Result text = weft({"list", "kernels", name});
        EXPECT_TRUE(exits(text, 0)) << name;
        for (const char* label : {"\nruns on: ", "\ntakes: ", "\nchosen: ", "\nsource: ",
                                  "\nlimits: ", "\nsums: ", "\nbytes: ", "\nflops: ", "\nhere: "})
            EXPECT_TRUE(contains(text.out, label)) << name << ": " << text.out;
        EXPECT_FALSE(contains(text.out, ": \n")) << "nothing is said: " << text.out;
        EXPECT_EQ(list({"kernels", name}), kernel);
        for (const char* field : {"bytes", "flops"})
            EXPECT_TRUE(contains(text.out, kernel.at("cost").at(field).get<std::string>()));
        EXPECT_FALSE(kernel.at("takes").empty()) << name;
    }
}

TEST_F(CliList, AnUnknownKernelListsThem) {
    const Result result = weft({"list", "kernels", "opencv_gpu"});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "did you mean 'opencv_cpu'")) << result.err;
    EXPECT_TRUE(contains(result.err, "direct_separable")) << result.err;
}

}  // namespace
}  // namespace weft::cli
