// `weft batch` and file names: one file, many, folders, existing outputs.
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliBatch : public CliTest {
 protected:
    // Runs in the test's folder, so that names are as a user types them.
    Result batch(const Arguments& more, const std::string& stack = "box=radius=1") {
        Arguments arguments = {"batch", "-vf", stack};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Command command = weft_command(arguments);
        command.folder = folder_.path();
        return run(command);
    }
    void put(const std::string& name) {
        make_folder(fs::path(name).parent_path().string());
        const std::string extension = fs::path(name).extension().string();
        fs::copy_file(extension == ".png" ? image_clip() : short_clip("short" + extension),
                      path(name));
    }
    void put_broken(const std::string& name) {
        make_folder(fs::path(name).parent_path().string());
        write_file(path(name), "no video");
    }
};

TEST_F(CliBatch, OneFile) {
    put("a.mkv");
    EXPECT_TRUE(exits(batch({"-o", "b.mkv", "a.mkv"}), 0));
    EXPECT_EQ(frame_count(path("b.mkv")), 15);
    EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"a.mkv", "b.mkv"}));
}

TEST_F(CliBatch, OptionsMayFollowTheInputs) {
    put("a.mkv");
    EXPECT_TRUE(exits(weft({"batch", path("a.mkv"), "-o", path("b.mkv"), "-vf", "box"}), 0));
}

TEST_F(CliBatch, SeveralFilesGoIntoANewFolder) {
    for (const char* name : {"a.mkv", "b.mp4", "c.png"}) put(name);
    EXPECT_TRUE(exits(batch({"-o", "new/out", "a.mkv", "b.mp4", "c.png"}), 0));
    EXPECT_EQ(names_in(path("new/out")), (std::vector<std::string>{"a.mkv", "b.mp4", "c.png"}));
}

TEST_F(CliBatch, NoOutputFiltersAndWritesNothing) {
    for (const char* name : {"a.mkv", "b.mp4"}) put(name);
    const Result done = batch({"-o", "null:", "--json", "report.json", "a.mkv", "b.mp4"});
    EXPECT_TRUE(exits(done, 0));
    EXPECT_EQ(names_in(folder_.path()),
              (std::vector<std::string>{"a.mkv", "b.mp4", "report.json"}));
    const nlohmann::json report = nlohmann::json::parse(read_file(path("report.json")));
    for (const nlohmann::json& file : report.at("files")) {
        EXPECT_EQ(file.at("frames_out"), 15) << file.dump();
        EXPECT_EQ(file.at("bytes"), 0) << file.dump();
        EXPECT_GE(file.at("steps").at(0).at("launches"), 15) << file.dump();
    }
}

TEST_F(CliBatch, ANameThatEndsInASlashIsAFolder) {
    put("a.mkv");
    EXPECT_TRUE(exits(batch({"-o", "out.mkv/", "a.mkv"}), 0));
    EXPECT_EQ(names_in(path("out.mkv")), std::vector<std::string>{"a.mkv"});
}

TEST_F(CliBatch, AFolderThatExistsIsAFolder) {
    put("a.mkv");
    make_folder("out");
    EXPECT_TRUE(exits(batch({"-o", "out", "a.mkv"}), 0));
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"a.mkv"});
}

TEST_F(CliBatch, RecursiveMirrorsTheTree) {
    for (const char* name : {"in/a.mkv", "in/x/a.mkv", "in/x/y/b.mp4", "in/z/c.png"}) put(name);
    write_file(path("in/x/notes.txt"), "not a video");
    EXPECT_TRUE(exits(batch({"--recursive", "-o", "out", "in"}), 0));
    for (const char* name : {"a.mkv", "x/a.mkv", "x/y/b.mp4", "z/c.png"})
        EXPECT_TRUE(fs::is_regular_file(path("out/") + name)) << name;
    EXPECT_FALSE(fs::exists(path("out/x/notes.txt")));
}

TEST_F(CliBatch, AFolderWithoutRecursiveGivesItsOwnFiles) {
    for (const char* name : {"in/a.mkv", "in/x/b.mkv"}) put(name);
    const Result result = batch({"-o", "out/", "in"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "1 subfolder is left out: --recursive includes subfolders"))
        << result.err;
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"a.mkv"});
}

// A link to a parent folder must not make the walk endless.
TEST_F(CliBatch, LoopsOfLinksEnd) {
    put("in/a.mkv");
    fs::create_directory_symlink("..", path("in/loop"));
    const Result result = batch({"--recursive", "-o", "out/", "in"});
    EXPECT_FALSE(result.timed_out);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(fs::exists(path("out/a.mkv")));
}

// The output folder is in the input folder: a second run does not filter its own results.
TEST_F(CliBatch, OutputFolderInsideTheInputFolder) {
    put("in/a.mkv");
    EXPECT_TRUE(exits(batch({"--recursive", "-o", "in/out/", "in"}), 0));
    const Result again = batch({"--recursive", "-y", "-o", "in/out/", "in"});
    EXPECT_TRUE(exits_one_of(again, {0, 2}));
    EXPECT_FALSE(fs::exists(path("in/out/out"))) << "it filtered its own output";
}

TEST_F(CliBatch, TwoInputsForOneOutputAreRefusedBeforeWork) {
    for (const char* name : {"x/a.mkv", "y/a.mkv", "b.mkv"}) put(name);
    const Result result = batch({"-o", "out/", "b.mkv", "x/a.mkv", "y/a.mkv"});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_FALSE(fs::exists(path("out"))) << "work had started";
    EXPECT_TRUE(contains(result.err, "a.mkv")) << result.err;
    EXPECT_TRUE(exits(batch({"-o", "out/", "b.mkv", "b.mkv"}), 2)) << "the same input twice";
    EXPECT_TRUE(exits(batch({"-o", "out/", "b.mkv", "./b.mkv"}), 2)) << "the same input twice";
}

TEST_F(CliBatch, AnExistingOutputIsRefusedWithoutAFlag) {
    put("a.mkv");
    write_file(path("b.mkv"), "old");
    const Result result = batch({"-o", "b.mkv", "a.mkv"});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_EQ(read_file(path("b.mkv")), "old");
    EXPECT_TRUE(contains(result.err, "-y")) << "how to go on? " << result.err;
}

TEST_F(CliBatch, OneExistingOutputOfSeveralIsFoundBeforeWork) {
    for (const char* name : {"a.mkv", "b.mkv"}) put(name);
    make_folder("out");
    write_file(path("out/b.mkv"), "old");
    EXPECT_TRUE(exits(batch({"-o", "out/", "a.mkv", "b.mkv"}), 2));
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"b.mkv"});
}

TEST_F(CliBatch, YReplaces) {
    put("a.mkv");
    write_file(path("b.mkv"), "old");
    EXPECT_TRUE(exits(batch({"-y", "-o", "b.mkv", "a.mkv"}), 0));
    EXPECT_EQ(frame_count(path("b.mkv")), 15);
}

TEST_F(CliBatch, NSkipsWithoutFailure) {
    for (const char* name : {"a.mkv", "b.mkv"}) put(name);
    make_folder("out");
    write_file(path("out/a.mkv"), "old");
    EXPECT_TRUE(exits(batch({"-n", "-o", "out/", "--json=report.json", "a.mkv", "b.mkv"}), 0));
    EXPECT_EQ(read_file(path("out/a.mkv")), "old");
    EXPECT_EQ(frame_count(path("out/b.mkv")), 15);
    const auto report = parse_json(read_file(path("report.json")));
    EXPECT_EQ(report.at("files").at(0).value("status", ""), "skipped");
    EXPECT_EQ(report.at("files").at(1).value("status", ""), "ok");
    EXPECT_TRUE(exits(batch({"-n", "-o", "out/a.mkv", "a.mkv"}), 0));
    EXPECT_EQ(read_file(path("out/a.mkv")), "old");
}

TEST_F(CliBatch, ALinkAsOutputStaysALink) {
    put("a.mkv");
    write_file(path("real.mkv"), "old");
    fs::create_symlink("real.mkv", path("link.mkv"));
    EXPECT_TRUE(exits(batch({"-y", "-o", "link.mkv", "a.mkv"}), 0));
    EXPECT_TRUE(fs::is_symlink(path("link.mkv")));
    EXPECT_EQ(frame_count(path("real.mkv")), 15);
}

TEST_F(CliBatch, AReplacedFileKeepsItsPermissions) {
    put("a.mkv");
    write_file(path("b.mkv"), "old");
    fs::permissions(path("b.mkv"), fs::perms(0640));
    EXPECT_TRUE(exits(batch({"-y", "-o", "b.mkv", "a.mkv"}), 0));
    EXPECT_EQ(fs::status(path("b.mkv")).permissions(), fs::perms(0640));
    EXPECT_TRUE(exits(batch({"-o", "c.mkv", "a.mkv"}), 0));
    EXPECT_EQ(fs::status(path("c.mkv")).permissions() & fs::perms(0600), fs::perms(0600));
}

TEST_F(CliBatch, OneBadFileOfSeveralGivesThree) {
    for (const char* name : {"a.mkv", "c.mkv"}) put(name);
    put_broken("b.mkv");
    const Result result =
        batch({"-o", "out/", "--json=report.json", "a.mkv", "b.mkv", "none.mkv", "c.mkv"});
    EXPECT_TRUE(exits(result, 3));
    EXPECT_EQ(names_in(path("out")), (std::vector<std::string>{"a.mkv", "c.mkv"}));
    EXPECT_TRUE(contains(result.err, "b.mkv")) << result.err;
    EXPECT_TRUE(contains(result.err, "none.mkv")) << result.err;
    const auto report = parse_json(read_file(path("report.json")));
    EXPECT_EQ(report.value("exit_code", 0), 3);
    EXPECT_EQ(report.at("files").at(1).value("exit_code", 0), 1);
    EXPECT_EQ(report.at("files").at(1).value("status", ""), "failed");
    EXPECT_NE(report.at("files").at(1).value("error", ""), "");
    EXPECT_EQ(report.at("files").at(3).value("status", ""), "ok");
}

TEST_F(CliBatch, AllBadFilesGiveThree) {
    put_broken("a.mkv");
    put_broken("b.mkv");
    EXPECT_TRUE(exits(batch({"-o", "out/", "a.mkv", "b.mkv"}), 3));
}

TEST_F(CliBatch, ASingleInputGivesItsOwnCode) {
    put_broken("a.mkv");
    EXPECT_TRUE(exits(batch({"-o", "out.mkv", "a.mkv"}), 1));
    EXPECT_TRUE(exits(batch({"-o", "out/", "a.mkv"}), 1));
}

TEST_F(CliBatch, JobsInParallelGiveTheSameFiles) {
    Arguments arguments = {"--lossless", "-o", "one/"};
    for (const char* name : {"a.mkv", "b.mkv", "c.mkv", "d.mkv"}) {
        put(name);
        arguments.push_back(name);
    }
    EXPECT_TRUE(exits(batch(arguments), 0));
    arguments[2] = "many/";
    arguments.insert(arguments.begin(), {"--jobs", "3"});
    EXPECT_TRUE(exits(batch(arguments), 0));
    for (const char* name : {"a.mkv", "b.mkv", "c.mkv", "d.mkv"})
        EXPECT_EQ(frame_hashes(path("many/") + name, "yuv420p"),
                  frame_hashes(path("one/") + name, "yuv420p"));
}

TEST_F(CliBatch, DryRunShowsThePlanAndWritesNothing) {
    put("a.mkv");
    const Result result = batch({"--dry-run", "-o", "out/", "a.mkv"}, "gaussian=sigma=2,sobel");
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"a.mkv"});
    for (const char* word : {"gaussian", "sobel", "cpu_separable", "a.mkv"})
        EXPECT_TRUE(contains(result.out, word)) << word << " is not in the plan: " << result.out;
}

// Each size of plane has a line.
TEST_F(CliBatch, ExplainsItsKernels) {
    put("a.mkv");
    const std::string stack = "gaussian=sigma=2,frame_difference";
    const Result dry = batch({"--dry-run", "--explain", "-o", "b.mkv", "a.mkv"}, stack);
    EXPECT_TRUE(exits(dry, 0));
    const Result run = batch({"--explain", "-o", "b.mkv", "a.mkv"}, stack);
    EXPECT_TRUE(exits(run, 0));
    const Result forced =
        batch({"--explain", "--kernel", "opencv_cpu", "-y", "-o", "b.mkv", "a.mkv"}, stack);
    for (const std::string& text : {dry.out, run.err}) {
        EXPECT_TRUE(contains(text, "plane 0: cpu_separable convolves 320×180 u8, 15×15 taps"))
            << text;
        EXPECT_TRUE(contains(text, "plane 2: cpu_separable convolves 160×90 u8, 15×15 taps"))
            << text;
        EXPECT_TRUE(contains(text, "frames in time")) << text;
    }
    EXPECT_TRUE(contains(forced.err, "asked for by name")) << forced.err;
    EXPECT_FALSE(contains(batch({"--dry-run", "-o", "c.mkv", "a.mkv"}, stack).out, "plane 0"));
}

// An empty name leaves the step to the planner.
TEST_F(CliBatch, ForcesTheKernelOfOneStep) {
    put("a.mkv");
    const std::string text =
        batch({"--dry-run", "--explain", "--kernel", ",opencv_cpu", "-o", "b.mkv", "a.mkv"},
              "gaussian=sigma=2,sobel")
            .out;
    const std::size_t second = text.find("sobel", text.find("plane 0"));
    ASSERT_NE(second, std::string::npos) << text;
    EXPECT_FALSE(contains(text.substr(0, second), "asked for by name")) << text;
    EXPECT_TRUE(contains(text.substr(second), "asked for by name")) << text;
}

TEST_F(CliBatch, OnePictureIsOneFrame) {
    put("a.png");
    const Result planned = batch({"--dry-run", "-o", "b.png", "a.png"});
    EXPECT_TRUE(contains(planned.out, ", 1 frame\n")) << planned.out;
}

TEST_F(CliBatch, DryRunFindsErrorsToo) {
    put("a.mkv");
    EXPECT_TRUE(exits(batch({"--dry-run", "-o", "b.mkv", "a.mkv"}, "gausian"), 2));
    EXPECT_TRUE(exits(batch({"--dry-run", "-o", "b.mkv", "none.mkv"}), 1));
    EXPECT_TRUE(exits(batch({"--dry-run", "-o", "b.xyz", "a.mkv"}), 2));
}

TEST_F(CliBatch, RangesOfAFile) {
    fs::copy_file(video_clip(), path("a.mkv"));
    const auto frames = [&](const Arguments& part) {
        Arguments arguments = {"-y", "-o", "b.mkv", "a.mkv"};
        arguments.insert(arguments.begin(), part.begin(), part.end());
        EXPECT_TRUE(exits(batch(arguments), 0)) << testing::PrintToString(part);
        return frame_count(path("b.mkv"));
    };
    EXPECT_EQ(frames({"-ss", "1"}), 30);
    EXPECT_EQ(frames({"-t", "0.5"}), 15);
    EXPECT_EQ(frames({"-to", "00:00:01.5"}), 45);
    EXPECT_EQ(frames({"-ss", "500ms", "-t", "1"}), 30);
    EXPECT_EQ(frames({"-ss", "0.5", "-to", "0:1"}), 15);
}

TEST_F(CliBatch, AnEmptyRangeIsRefused) {
    put("a.mkv");
    const Result result = batch({"-ss", "100", "-o", "b.mkv", "a.mkv"});
    EXPECT_TRUE(exits_one_of(result, {1, 2})) << "an empty file is no success";
    EXPECT_FALSE(fs::exists(path("b.mkv")));
}

TEST_F(CliBatch, PresetsByNameAndByFile) {
    put("a.mkv");
    const Result list = weft({"list", "presets", "--json"});
    ASSERT_TRUE(exits(list, 0));
    write_file(path("mine.toml"), "stack = \"gaussian=sigma=1,sobel\"\n");
    EXPECT_TRUE(exits(
        weft({"batch", "--preset", path("mine.toml"), "-o", path("b.mkv"), path("a.mkv")}), 0));
    EXPECT_EQ(frame_count(path("b.mkv")), 15);
}

TEST_F(CliBatch, FfmpegOptionsWork) {
    put("a.mkv");
    EXPECT_TRUE(exits(batch({"-y", "-c:v", "libx264", "-crf", "30", "-preset", "ultrafast",
                             "-pix_fmt", "yuv444p", "-an", "-sn", "-o", "b.mp4", "a.mkv"}),
                      0));
    EXPECT_EQ(video_field(path("b.mp4"), "pix_fmt"), "yuv444p");
    EXPECT_EQ(video_field(path("b.mp4"), "codec_name"), "h264");
    EXPECT_TRUE(exits(batch({"-b:v", "200k", "-c:a", "copy", "-o", "c.mp4", "a.mkv"}), 0));
}

TEST_F(CliBatch, AFileIsNotAFolder) {
    for (const char* name : {"a.mkv", "b.png"}) put(name);
    const Result result = batch({"-o", "o.mp4", "a.mkv", "b.png"});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "-o o.mp4/ makes a folder")) << result.err;
    EXPECT_FALSE(fs::exists(path("o.mp4")));
    EXPECT_TRUE(exits(batch({"-o", "o.mp4/", "a.mkv", "b.png"}), 0));
    EXPECT_TRUE(exits(batch({"-y", "-o", "o.mp4", "a.mkv", "b.png"}), 0)) << "it is a folder now";
}

// Each file is done by one run, and no run fails.
TEST_F(CliBatch, SeveralRunsShareTheWork) {
    constexpr int kFiles = 6;
    Arguments words = {"batch", "-vf", "gaussian=sigma=2", "-n", "--gpu",
                       "off",   "-o",  path("out/")};
    for (int k = 0; k < kFiles; ++k) {
        const std::string name = "shared" + std::to_string(k) + ".mkv";
        fs::copy_file(short_clip(), path(name));
        words.push_back(path(name));
    }
    std::vector<std::unique_ptr<Process>> workers;
    for (int k = 0; k < 3; ++k) {
        Command command = weft_command(words);
        command.argv.push_back("--json=" + path("report" + std::to_string(k) + ".json"));
        workers.push_back(std::make_unique<Process>(command));
    }
    int done = 0;
    for (int k = 0; k < 3; ++k) {
        EXPECT_TRUE(exits(workers[static_cast<std::size_t>(k)]->wait(), 0));
        const auto report = parse_json(read_file(path("report" + std::to_string(k) + ".json")));
        for (const auto& file : report.at("files")) {
            done += file.at("status") == "ok" ? 1 : 0;
            EXPECT_EQ(file.at("exit_code"), 0) << file;
        }
    }
    EXPECT_EQ(done, kFiles);
    EXPECT_EQ(names_in(path("out")).size(), std::size_t{kFiles}) << "claims are left";
}

// If no lock is shared, the first complete output stays.
TEST_F(CliBatch, AnOutputCreatedMeanwhileIsSkipped) {
    const std::string pipe = path("in.fifo");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    Command command =
        weft_command({"batch", "-vf", "box", "-n", "-f", "matroska", "-o", path("out.mkv"), "-"});
    command.input = pipe;
    Process process(command);
    {
        std::ofstream into(pipe, std::ios::binary);
        const std::string bytes = read_file(video_clip());
        ASSERT_GT(bytes.size(), std::size_t{100'000}) << "a pipe holds 64 KiB: it is not read yet";
        into.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        into.flush();
        write_file(path("out.mkv"), "by another machine");
    }
    const Result result = process.wait();
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "another run has made the output")) << result.err;
    EXPECT_EQ(read_file(path("out.mkv")), "by another machine");
    EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"in.fifo", "out.mkv"}));
}

}  // namespace
}  // namespace weft::cli
