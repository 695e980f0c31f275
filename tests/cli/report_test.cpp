// The JSON report and the progress of `weft batch`.
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

using Json = nlohmann::json;

class CliReport : public CliTest {
 protected:
    Json report_in(const std::string& name, const Arguments& more) {
        Arguments arguments = {"batch", "-vf",          "box", "--json=" + path(name),
                               "-o",    path("out.mkv")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.push_back(short_clip());
        EXPECT_TRUE(exits(weft(arguments), 0)) << name;
        return parse_json(read_file(path(name)));
    }
    // The report of a run with these last arguments, read from its file.
    Json report(const Arguments& more, int code) {
        Arguments arguments = {"batch", "-vf", "gaussian=sigma=2,sobel",
                               "--json=" + path("report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_TRUE(exits(weft(arguments), code));
        return parse_json(read_file(path("report.json")));
    }
};

void expect_fields(const Json& object,
                   const std::vector<std::pair<const char*, Json::value_t>>& fields) {
    for (const auto& [name, type] : fields) {
        ASSERT_TRUE(object.contains(name)) << name << " is missing in " << object.dump(1);
        const Json::value_t got = object.at(name).type();
        const bool number = object.at(name).is_number() && type == Json::value_t::number_unsigned;
        EXPECT_TRUE(number || got == type) << name << " is " << object.at(name).dump();
    }
}

// The number of events on standard error, where every line must be one.
int events_in(const std::string& err) {
    std::istringstream lines(err);
    int events = 0;
    for (std::string line; std::getline(lines, line); ++events)
        EXPECT_TRUE(parse_json(line).contains("event")) << line;
    return events;
}

constexpr auto kText = Json::value_t::string;
constexpr auto kNumber = Json::value_t::number_unsigned;
constexpr auto kList = Json::value_t::array;
constexpr auto kObject = Json::value_t::object;

TEST_F(CliReport, HasEveryField) {
    const Json all = report({"-o", path("out.mkv"), video_and_audio_clip()}, 0);
    expect_fields(all, {{"schema", kNumber},
                        {"weft", kText},
                        {"device", kObject},
                        {"devices", kList},
                        {"jobs", kNumber},
                        {"stack", kText},
                        {"resolved", kText},
                        {"exit_code", kNumber},
                        {"files", kList}});
    EXPECT_EQ(all.at("schema"), 1);
    EXPECT_EQ(all.at("weft"), "0.1.0");
    expect_fields(all.at("device"), {{"name", kText}, {"kind", kText}});
    EXPECT_EQ(all.at("jobs"), 1);
    ASSERT_EQ(all.at("devices").size(), 1U);
    ASSERT_EQ(all.at("files").size(), 1U);
    const Json& file = all.at("files").at(0);
    EXPECT_EQ(file.at("device"), all.at("devices").at(0));
    expect_fields(file, {{"input", kText},
                         {"output", kText},
                         {"status", kText},
                         {"exit_code", kNumber},
                         {"frames_in", kNumber},
                         {"frames_out", kNumber},
                         {"notes", kList},
                         {"warnings", kList},
                         {"streams", kList},
                         {"video_codec", kText},
                         {"pixel_format", kText},
                         {"bytes", kNumber},
                         {"stages", kObject},
                         {"steps", kList}});
    EXPECT_EQ(file.at("status"), "ok");
    EXPECT_EQ(file.at("frames_in"), 60);
    EXPECT_EQ(file.at("frames_out"), 60);
    EXPECT_TRUE(file.contains("damage") && file.at("damage").is_null());
    EXPECT_EQ(file.at("bytes"), read_file(path("out.mkv")).size());
    EXPECT_EQ(file.at("pixel_format"), "yuv420p");
    EXPECT_EQ(file.at("input"), video_and_audio_clip());
    EXPECT_EQ(file.at("output"), path("out.mkv"));
}

TEST_F(CliReport, TimesOfStagesAndSteps) {
    const Json all = report({"-o", path("out.mkv"), video_clip()}, 0);
    const Json& file = all.at("files").at(0);
    for (const char* stage : {"decode", "kernels", "encode"}) {
        ASSERT_TRUE(file.at("stages").contains(stage)) << stage;
        expect_fields(file.at("stages").at(stage),
                      {{"median_ms", kNumber}, {"p95_ms", kNumber}, {"total_ms", kNumber}});
        EXPECT_GT(file.at("stages").at(stage).at("total_ms"), 0) << stage;
        EXPECT_LE(file.at("stages").at(stage).at("median_ms"),
                  file.at("stages").at(stage).at("p95_ms"))
            << stage;
    }
    ASSERT_EQ(file.at("steps").size(), 2U);
    for (const Json& step : file.at("steps")) {
        expect_fields(step, {{"step", kNumber},
                             {"filter", kText},
                             {"kernel", kText},
                             {"reason", kText},
                             {"launches", kNumber},
                             {"median_ms", kNumber},
                             {"p95_ms", kNumber},
                             {"total_ms", kNumber}});
        EXPECT_GE(step.at("launches"), 60);
        EXPECT_NE(step.at("reason"), "");
    }
    EXPECT_EQ(file.at("steps").at(0).at("filter"), "gaussian");
    EXPECT_EQ(file.at("steps").at(1).at("filter"), "sobel");
}

TEST_F(CliReport, StagesReportTheirUtilisation) {
    const Json all = report({"-o", path("out.mkv"), video_and_audio_clip()}, 0);
    const Json& use = all.at("files").at(0).at("utilisation");
    EXPECT_TRUE(use.contains(use.value("bound_by", ""))) << use.dump();
    EXPECT_LE(use.at("seconds"), all.at("files").at(0).at("wall_seconds"));
    for (const char* stage : {"decode", "filter", "encode"}) {
        double sum = 0;
        for (const char* share : {"busy", "waited_for_input", "waited_for_room"}) {
            const double value = use.at(stage).at(share);
            EXPECT_TRUE(value >= 0 && value <= 1) << stage << " " << share << " " << value;
            sum += value;
        }
        EXPECT_GT(use.at(stage).at("busy"), 0) << stage;
        EXPECT_LE(sum, 1.01) << stage;
    }
    EXPECT_GE(use.at("encode").at("busy").get<double>() +
                  use.at("encode").at("waited_for_input").get<double>(),
              0.9)
        << "the encoder's thread is there from the first to the last";
}

TEST_F(CliReport, TextNamesTheLimitingStage) {
    const Result result = weft({"batch", "-vf", "box", "-o", path("out.mkv"), short_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(last_line(result.err), "bound by ")) << result.err;
}

TEST_F(CliReport, StreamsReportTheirOutcome) {
    const Json all = report({"-o", path("out.webm"), video_and_audio_clip()}, 0);
    const Json& streams = all.at("files").at(0).at("streams");
    ASSERT_EQ(streams.size(), 2U);
    EXPECT_TRUE(contains(streams.at(0).value("outcome", ""), "encoded"));
    EXPECT_TRUE(contains(streams.at(1).value("outcome", ""), "converted")) << streams.dump();
    EXPECT_NE(streams.at(1).value("reason", ""), "");
}

TEST_F(CliReport, DamageIsDescribed) {
    const std::string bytes = read_file(video_clip());
    write_file(path("cut.mkv"), bytes.substr(0, bytes.size() / 2));
    const Json all = report({"-o", path("out.mkv"), path("cut.mkv")}, 4);
    EXPECT_EQ(all.at("exit_code"), 4);
    const Json& file = all.at("files").at(0);
    EXPECT_EQ(file.at("status"), "damaged");
    EXPECT_NE(file.value("error", ""), "");
    expect_fields(file.at("damage"), {{"reason", kText},
                                      {"first_bad_seconds", kNumber},
                                      {"first_bad_byte", kNumber},
                                      {"corrupt_frames", kNumber},
                                      {"decode_errors", kNumber}});
    EXPECT_NEAR(file.at("damage").at("first_bad_seconds").get<double>(), 1.0, 0.4);
    EXPECT_LE(file.at("damage").at("first_bad_byte").get<std::size_t>(), bytes.size() / 2);
}

TEST_F(CliReport, CompletenessIsProvenOrNot) {
    const Json proven = report({"-o", path("a.mkv"), short_clip()}, 0);
    const Json& by = proven.at("files").at(0).at("completeness");
    EXPECT_EQ(by.at("proven"), true);
    EXPECT_NE(by.value("by", ""), "");
    EXPECT_EQ(by.at("doubt"), nullptr);
    const std::string once = read_file(short_clip());
    write_file(path("joined.mp4"), once + once);
    const Json joined = report({"-o", path("joined.mkv"), path("joined.mp4")}, 0);
    const Json& doubted = joined.at("files").at(0).at("completeness");
    EXPECT_EQ(doubted.at("proven"), false);
    EXPECT_TRUE(contains(doubted.value("doubt", ""), "begins another file")) << doubted;
    const Json open = report({"-o", path("b.mkv"), short_clip("short.ts")}, 0);
    EXPECT_EQ(open.at("files").at(0).at("completeness").at("proven"), false);
    const Result line = weft({"batch", "-vf", "box", "-o", path("c.mkv"), short_clip("short.ts")});
    EXPECT_TRUE(contains(line.err, "completeness cannot be proven")) << line.err;
}

// The end of a transport stream may be lost between two pictures.
TEST_F(CliReport, StrictRequiresAProof) {
    const Arguments strict = {"batch", "-vf", "box", "--strict", "-o", path("out.mkv")};
    const auto with = [&](const std::string& input) {
        Arguments all = strict;
        all.push_back(input);
        return weft(all);
    };
    const Result refused = with(short_clip("short.ts"));
    EXPECT_TRUE(exits(refused, 2));
    EXPECT_TRUE(contains(refused.err, "completeness cannot be proven")) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
    EXPECT_TRUE(exits(with(short_clip("short.mp4")), 0));
}

TEST_F(CliReport, ToStandardOutput) {
    const Result result =
        weft({"batch", "-vf", "box", "-o", path("out.mkv"), short_clip(), "--json"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(parse_json(result.out).value("exit_code", -1), 0);
}

TEST_F(CliReport, JsonInTheMiddleDoesNotSwallowTheInput) {
    const Result result =
        weft({"batch", "-vf", "box", "-o", path("out.mkv"), "--json", short_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(frame_count(path("out.mkv")), 15);
    EXPECT_EQ(parse_json(result.out).at("files").size(), 1U);
}

TEST_F(CliReport, AnOldReportIsReplacedCompletely) {
    (void)report({"-o", path("first.mkv"), short_clip()}, 0);
    write_file(path("report.json"), read_file(path("report.json")) + std::string(100000, ' '));
    EXPECT_EQ(report({"-o", path("out.mkv"), short_clip()}, 0).at("files").size(), 1U);
    EXPECT_LT(read_file(path("report.json")).size(), 100000U);
}

// A failed run also writes a report.
TEST_F(CliReport, FailedRunsHaveAReport) {
    write_file(path("garbage.mkv"), "no video");
    const Json all = report({"-o", path("out.mkv"), path("garbage.mkv")}, 1);
    EXPECT_EQ(all.at("files").at(0).at("status"), "failed");
    EXPECT_TRUE(contains(all.at("files").at(0).value("error", ""), "garbage.mkv"));
}

TEST_F(CliReport, ProgressEventsAreJsonLines) {
    const Result result = weft(
        {"batch", "-vf", "box", "--progress=json", "-o", path("out/"), video_clip(), short_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_GE(events_in(result.err), 4) << "two files begin and end: " << result.err;
}

bool has_encoder(const std::string& name) {
    return contains(run({"ffmpeg", "-v", "error", "-encoders"}).out, " " + name + " ");
}

// Some encoders print to standard error by themselves.
TEST_F(CliReport, ProgressEventsAreTheOnlyOutputWithAnyEncoder) {
    for (const std::string encoder : {"libx264", "libx265", "libsvtav1", "libaom-av1", "librav1e",
                                      "libvpx-vp9", "mpeg4", "ffv1"}) {
        if (!has_encoder(encoder)) continue;
        SCOPED_TRACE(encoder);
        const Result result = weft({"batch", "-vf", "box", "-y", "--progress=json", "-c:v", encoder,
                                    "-t", "0.2", "-o", path("out.mkv"), short_clip()});
        EXPECT_TRUE(exits(result, 0));
        EXPECT_GE(events_in(result.err), 4) << result.err;
        const Result quiet = weft({"batch", "-vf", "box", "-y", "-loglevel", "error", "-c:v",
                                   encoder, "-t", "0.2", "-o", path("out.mkv"), short_clip()});
        EXPECT_TRUE(exits(quiet, 0));
        EXPECT_EQ(quiet.err, "") << "an error is all that may be printed";
    }
}

TEST_F(CliReport, LosslessX265PrintsNothingItself) {
    if (!has_encoder("libx265")) GTEST_SKIP() << "this FFmpeg has no libx265";
    const Result result = weft({"batch", "-vf", "box", "--progress=json", "-c:v", "libx265",
                                "--lossless", "-o", path("out.mp4"), short_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_GE(events_in(result.err), 4) << result.err;
}

// Notes of every kind: no GPU, options left out, streams dropped.
TEST_F(CliReport, NoNotesAtLogLevelError) {
    for (const Arguments& quiet : {Arguments{"-loglevel", "error"}, Arguments{"--progress=none"}}) {
        Arguments arguments = {"batch",     "-vf",        "box",
                               "-y",        "-crf",       "20",
                               "-o",        path("out/"), video_and_audio_clip(),
                               image_clip()};
        arguments.insert(arguments.end(), quiet.begin(), quiet.end());
        const Result result = weft(arguments);
        EXPECT_TRUE(exits(result, 0));
        EXPECT_EQ(result.err, "");
    }
}

TEST_F(CliReport, ProgressEventsOfAFailedRun) {
    write_file(path("garbage.mkv"), "no video");
    const Result result =
        weft({"batch", "-vf", "box", "--progress=json", "-o", path("o.mkv"), path("garbage.mkv")});
    EXPECT_TRUE(exits(result, 1)) << "and the last line is still for people";
}

// The schema allows members that later versions add. Here they are refused, so that each is
// described.
constexpr const char* kCheckReport =
    "import json, sys\n"
    "try: import jsonschema\n"
    "except ImportError: sys.exit(77)\n"
    "def closed(node):\n"
    "    if isinstance(node, list): return [closed(item) for item in node]\n"
    "    if not isinstance(node, dict): return node\n"
    "    node = {name: closed(item) for name, item in node.items()}\n"
    "    if not isinstance(node.get('properties'), dict): return node\n"
    "    return {**node, 'additionalProperties': False,\n"
    "            'patternProperties': {'_bytes$': {'type': 'string'}}}\n"
    "schema = json.load(open(sys.argv[1]))\n"
    "jsonschema.Draft202012Validator.check_schema(schema)\n"
    "check = jsonschema.Draft202012Validator(closed(schema))\n"
    "report = json.load(open(sys.argv[2]))\n"
    "check.validate(report)\n"
    "for object in (report, report['counts'], *report['files'], report['files'][0]['stages']):\n"
    "    for name in [name for name in object if not name.endswith('_bytes')]:\n"
    "        value = object.pop(name)\n"
    "        assert not check.is_valid(report), name\n"
    "        object[name] = value\n";

// Files of every status, a name that is not UTF-8, and segments.
TEST_F(CliReport, FitsItsSchema) {
    const std::filesystem::path schema =
        std::filesystem::path(WEFT_ASSETS).parent_path() / "docs/report.schema.json";
    if (!std::filesystem::exists(schema)) GTEST_SKIP() << "the sources are not here";
    const std::string film = read_file(video_and_audio_clip());
    write_file(path("garbage.mkv"), "no video");
    write_file(path("cut.mkv"), film.substr(0, film.size() / 2));
    write_file(path("\xff.mkv"), film);
    const Arguments all = {"-o",         path("out/"),    path("garbage.mkv"), path("cut.mkv"),
                           image_clip(), path("\xff.mkv")};
    const Arguments skipped = {"-n", "-o", path("out/"), image_clip(), path("\xff.mkv")};
    const Arguments resumed = {"--resume", "-o", path("resumed.mkv"), path("\xff.mkv")};
    for (const auto& [arguments, code] :
         {std::pair{all, 3}, std::pair{skipped, 0}, std::pair{resumed, 0}}) {
        const Json report = this->report(arguments, code);
        const Result checked =
            run({"python3", "-c", kCheckReport, schema.string(), path("report.json")});
        if (checked.exit_code == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
        EXPECT_EQ(checked.exit_code, 0) << checked.err << report.dump(1);
    }
}

// Off a terminal: one line per file, no carriage returns.
TEST_F(CliReport, OneLineForEachFile) {
    const Result result = weft(
        {"batch", "-vf", "box", "--gpu", "off", "-o", path("out/"), video_clip(), short_clip()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_FALSE(contains(result.out + result.err, "\r"));
    for (const char* name : {"video.mkv", "short.mkv"})
        EXPECT_TRUE(contains(result.out + result.err, name)) << result.err;
}

// -y covers outputs and reports: without it only a report is replaced.
TEST_F(CliReport, ReplacesNothingButReports) {
    write_file(path("preset.toml"), "stack = 'box'\n");
    write_file(path("other.json"), "{\"schema\": 2}\n");
    write_file(path("empty.json"), "");
    for (const std::string option : {"--json=", "--trace="})
        for (const std::string name : {"preset.toml", "other.json"}) {
            const std::string bytes = read_file(path(name));
            const Arguments words = {"batch", "-vf",           "box",       option + path(name),
                                     "-o",    path("out.mkv"), short_clip()};
            const Result result = weft(words);
            EXPECT_TRUE(exits(result, 2)) << option << name;
            EXPECT_TRUE(contains(result.err, "is not a report of weft; -y")) << result.err;
            EXPECT_EQ(read_file(path(name)), bytes);
            Arguments skipping = words;
            skipping.insert(skipping.begin() + 1, "-n");
            EXPECT_TRUE(exits(weft(skipping), 2)) << option << name;
            EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
        }
    for (const char* name : {"empty.json", "empty.json", "new.json", "new.json"})
        (void)report_in(name, {"-n"});
    (void)report_in("preset.toml", {"-y"});
}

TEST_F(CliReport, OtherCommandsReplaceNothingButReports) {
    write_file(path("preset.toml"), "stack = 'box'\n");
    const Result result = weft({"compare", short_clip(), "-vf", "box", "--gpu", "off", "--frames",
                                "1", "--json=" + path("preset.toml")});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_EQ(read_file(path("preset.toml")), "stack = 'box'\n");
}

}  // namespace
}  // namespace weft::cli
