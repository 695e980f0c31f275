// Plans: written and read back, refused when anything in them is wrong, and divided evenly.
#include "app/batch/plan.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/batch/plan_files.h"
#include "app/media/libav/error.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

PlannedFile file_named(const std::string& name, std::int64_t work = 1) {
    return {.input = "in/" + name, .output = "out/" + name, .work = work};
}

PlanHead box() {
    return {.stack = {.text = "box"}, .options = {}};
}

class CliPlan : public testing::Test {
 protected:
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string write(const std::string& text) const {
        std::ofstream(path("films.plan"), std::ios::binary | std::ios::trunc) << text;
        return path("films.plan");
    }
    static std::vector<PlannedFile> read(const std::string& plan) {
        PlanReader reader(plan);
        std::vector<PlannedFile> files;
        while (std::optional<PlannedFile> file = reader.next()) files.push_back(std::move(*file));
        return files;
    }
    // The sentence that a plan with this text is refused with; empty: it is not.
    std::string error_of(const std::string& text) const {
        try {
            read(write(text));
            return "";
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), Outcome::usage) << error.what();
            EXPECT_THAT(error.what(), HasSubstr("films.plan: "));
            return error.what();
        }
    }
    // The text of a plan of two files in which `from` is replaced, with a hash that fits.
    std::string changed(const std::string& from, const std::string& to) const {
        std::string text =
            plan_text({.stack = {.text = "box"}, .options = {{"--crf", "20"}}, .shards = 3},
                      {file_named("a.mkv"), file_named("b.mkv")});
        text.erase(0, text.find('\n') + 1);
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return with_hash(text.replace(at, from.size(), to));
    }
    // By another program than the one under test.
    std::string sha256(const std::string& text) const {
        const std::string file = folder_.write("body", text).string();
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
            popen(("sha256sum " + file).c_str(), "r"), pclose);
        std::string hash(64, '\0');
        EXPECT_EQ(std::fread(hash.data(), 1, hash.size(), pipe.get()), hash.size());
        return hash;
    }
    std::string with_hash(const std::string& body) const {
        return fmt::format("{{\"weft_plan\":1,\"sha256\":\"{}\"}}\n{}", sha256(body), body);
    }

    test::TemporaryFolder folder_;
};

TEST_F(CliPlan, IsReadAsItWasWritten) {
    PlannedFile odd = file_named("Z\xff\n\"\x7f%41.mkv", 7);
    odd.stamp = {.bytes = 4711, .mtime_ns = 1'764'054'762'000'000'012};
    odd.seconds = 12.25;
    odd.shard = 3;
    const PlanHead head{.stack = {"gaussian=sigma=2,convolve=matrix='0 1 0'", "0123 4567"},
                        .options = {{"--crf", "20"}, {"--lossless", ""}},
                        .shards = 3,
                        .inputs = "/mnt/films",
                        .definition = 2};
    const std::string plan =
        write(plan_text(head, {file_named("b.mkv"), odd, file_named("a.mkv")}));
    PlanReader reader(plan);
    EXPECT_EQ(reader.head().stack, head.stack);
    EXPECT_EQ(reader.head().options, head.options);
    EXPECT_EQ(reader.head().shards, 3);
    EXPECT_EQ(reader.head().files, 3);
    EXPECT_EQ(reader.head().inputs, head.inputs);
    EXPECT_EQ(reader.head().definition, 2);
    const std::vector<PlannedFile> files = read(plan);
    ASSERT_EQ(files.size(), 3U);
    EXPECT_EQ(files[0].input, odd.input);
    EXPECT_EQ(files[0].output, odd.output);
    EXPECT_EQ(files[0].stamp, odd.stamp);
    EXPECT_EQ(files[0].seconds, odd.seconds);
    EXPECT_EQ(files[0].work, 7);
    EXPECT_EQ(files[0].shard, 3);
    EXPECT_EQ(files[1].output, "out/a.mkv") << "in the order of the outputs";
}

TEST_F(CliPlan, TheFirstLineHasTheHashOfTheRest) {
    const std::string text = plan_text(box(), {file_named("a.mkv")});
    const std::size_t end = text.find('\n') + 1;
    EXPECT_THAT(text.substr(0, end), HasSubstr(sha256(text.substr(end))));
}

// More than the reader holds at once.
TEST_F(CliPlan, ReadsManyFiles) {
    std::vector<PlannedFile> files;
    for (int k = 0; k < 5000; ++k) files.push_back(file_named(fmt::format("{:05}.mkv", k)));
    const std::vector<PlannedFile> found = read(write(plan_text(box(), files)));
    ASSERT_EQ(found.size(), files.size());
    for (std::size_t k = 0; k < files.size(); ++k) EXPECT_EQ(found[k].output, files[k].output);
}

TEST_F(CliPlan, EveryCutAndEveryChangedByteIsRefused) {
    const std::string text = plan_text(box(), {file_named("a.mkv")});
    for (std::size_t size = 1; size < text.size(); size += 7)
        EXPECT_NE(error_of(text.substr(0, size)), "") << size;
    for (std::size_t at = 0; at < text.size(); at += 5) {
        std::string other = text;
        other[at] = static_cast<char>(other[at] ^ 1);
        EXPECT_NE(error_of(other), "") << at;
    }
    EXPECT_THAT(error_of(text + "{}\n"), HasSubstr("or changed"));
}

TEST_F(CliPlan, HostileContentIsRefusedWithItsLine) {
    struct Row {
        const char* from;
        const char* to;
        const char* says;
    };
    for (const Row& row : {
             Row{"\"in/b.mkv\"", "\"/etc/passwd\"", "line 4: \"input\" is absolute"},
             Row{"\"in/b.mkv\"", "\"in/../../b.mkv\"", "line 4: \"input\" leads out"},
             Row{"\"stack\":", "\"inputs\":\"films\",\"stack\":",
                 "line 2: \"inputs\" is not an absolute path"},
             Row{"\"stack\":", "\"inputs\":\"/a/../b\",\"stack\":", "\"inputs\" leads out"},
             Row{"\"out/b.mkv\"", "\"..\"", "line 4: \"output\" leads out"},
             Row{"\"out/b.mkv\"", "\"out//b.mkv\"", "line 4: \"output\" is not a plain path"},
             Row{"\"out/b.mkv\"", "\"./out/b.mkv\"", "line 4: \"output\" is not a plain path"},
             Row{"\"out/b.mkv\"", "\"out/\"", "line 4: \"output\" is not a plain path"},
             Row{"\"out/b.mkv\"", "\"\"", "line 4: \"output\" is empty"},
             Row{"\"out/b.mkv\"", "\"a\\u0000b\"", "line 4: \"output\" contains a NUL byte"},
             Row{"\"out/b.mkv\"", "7", "line 4: \"output\" is not a string"},
             Row{"\"in/b.mkv\"", "\"x\",\"input_bytes\":\"%2Fetc\"", "\"input\" is absolute"},
             Row{"\"in/b.mkv\"", "\"x\",\"input_bytes\":\"%2\"", "percent sign"},
             Row{"\"out/b.mkv\"", "\"out/a.mkv\"", "line 4: two files have the output"},
             Row{"\"out/b.mkv\"", "\"out/B.mkv\"", "not sorted by output"},
             Row{"\"shard\":1}", "\"shard\":4}",
                 "line 3: \"shard\" is not a whole number from 1 to 3"},
             Row{"\"shard\":1}", "\"shard\":0}", "\"shard\""},
             Row{"\"shard\":1}", "\"shard\":1e300}", "\"shard\""},
             Row{"\"shard\":1}", "\"shard\":18446744073709551615}", "\"shard\""},
             Row{"\"shard\":1}", "\"shard\":1,\"more\":2}", "\"more\" is unknown to this version"},
             Row{"\"shards\":3", "\"shards\":1000000000000", "line 2: \"shards\""},
             Row{"\"bytes\":0", "\"bytes\":-1", "\"bytes\""},
             Row{"\"seconds\":0.0", "\"seconds\":-1", "\"seconds\" is not a duration"},
             Row{"\"seconds\":0.0", "\"seconds\":1e999", "line 3: "},
             Row{"\"modified\":\"0.000000000\"", "\"modified\":\"now\"",
                 "\"modified\" is not a time"},
             Row{"\"files\":2", "\"files\":1", "line 4: the plan has more files, not 1"},
             Row{"\"files\":2", "\"files\":3", "line 5: the plan has 2 files, not 3"},
             Row{"\"--crf\":\"20\"", "\"crf\":\"20\"", "\"crf\" is not an option"},
             Row{"\"--crf\":\"20\"", "\"--crf\":20", "\"--crf\" is not an option with a string"},
             Row{"{\"input\"", "[{\"input\"", "line 3: not a JSON object"},
         })
        EXPECT_THAT(error_of(changed(row.from, row.to)), HasSubstr(row.says))
            << row.from << " -> " << row.to;
}

// Three parts of one file between two others.
std::vector<PlannedFile> parts_between_files() {
    std::vector<PlannedFile> files = {file_named("a.mkv"), file_named("c.mkv")};
    const VideoPart parts[] = {{.number = 1, .of = 3, .begin = 0, .end = 500},
                               {.number = 2, .of = 3, .begin = 500, .end = 750},
                               {.number = 3, .of = 3, .begin = 750}};
    for (const VideoPart& part : parts) {
        files.push_back(file_named("b.mkv"));
        files.back().part = part;
    }
    return files;
}

TEST_F(CliPlan, PartsAreReadInTheirOrder) {
    std::vector<PlannedFile> files = parts_between_files();
    const std::vector<PlannedFile> expected = {files[0], files[2], files[3], files[4], files[1]};
    std::ranges::reverse(files);
    const std::vector<PlannedFile> found = read(write(plan_text(box(), files)));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(found[k].output, expected[k].output);
        EXPECT_EQ(found[k].part, expected[k].part);
    }
}

TEST_F(CliPlan, PartsThatLeaveGapsAreRefused) {
    using Change = void (*)(std::vector<PlannedFile>&);
    const Change changes[] = {
        [](auto& files) { files.erase(files.begin() + 2); },  // no first part
        [](auto& files) { files.erase(files.begin() + 3); },  // no second
        [](auto& files) { files.erase(files.begin() + 4); },  // no last
        [](auto& files) { files.push_back(files[3]); },       // one twice
        [](auto& files) { files[2].part->begin = 250; },      // a late beginning
        [](auto& files) { files[3].part->begin = 250; },      // an overlap
        [](auto& files) { files[3].part->begin = 501; },      // inside a segment
        [](auto& files) { files[3].part->end = 500; },        // empty
        [](auto& files) { files[3].part->of = 4; },           // another count
        [](auto& files) { files[3].input = "in/a.mkv"; },     // another input
        [](auto& files) { files[4].part->end = 1000; },       // an end of the last
    };
    for (const Change& change : changes) {
        std::vector<PlannedFile> files = parts_between_files();
        change(files);
        EXPECT_NE(error_of(plan_text(box(), files)), "") << &change - changes;
    }
    EXPECT_EQ(error_of(plan_text(box(), parts_between_files())), "");
}

TEST_F(CliPlan, OtherVersionsAndFilesAreNoPlans) {
    std::string text = plan_text(box(), {});
    text.replace(text.find(":1,"), 3, ":2,");
    EXPECT_THAT(error_of(text), HasSubstr("is a plan of version 2"));
    EXPECT_THAT(error_of("{}\n"), HasSubstr("not a plan"));
    EXPECT_THAT(error_of(std::string(8'000'000, 'x')), HasSubstr("not a plan"));
    EXPECT_THROW((void)PlanReader(path("missing.plan")), Error);
    EXPECT_THROW((void)PlanReader(folder_.path().string()), Error);
}

TEST_F(CliPlan, PathsAreRelativeToItsFolder) {
    fs::create_directories(path("a/b"));
    fs::create_directory_symlink("a", path("link"));
    const fs::path folder = plan_folder(path("a/films.plan"));
    EXPECT_EQ(path_below(folder, path("a/b/x.mkv")), "b/x.mkv");
    EXPECT_EQ(path_below(folder, path("a/../a/b/./x.mkv")), "b/x.mkv");
    EXPECT_EQ(path_below(folder, path("link/b/x.mkv")), "b/x.mkv");
    EXPECT_EQ(path_below(path("link"), path("a/x.mkv")), "x.mkv");
    EXPECT_EQ(path_below(folder, path("x.mkv")), std::nullopt);
    EXPECT_EQ(path_below(folder, path("ab/x.mkv")), std::nullopt);
    EXPECT_EQ(path_below(folder, path("a")), std::nullopt);
    EXPECT_EQ(path_below("", "x.mkv"), "x.mkv");
    EXPECT_EQ(path_below("/", "/x.mkv"), "x.mkv");
}

// ---- shards ------------------------------------------------------------------------------------

// Graham 1969: largest first needs at most 4/3 - 1/(3 N) of the best, which is at least the mean
// and at least the largest file.
TEST_F(CliPlan, ShardsTakeAboutTheSameTime) {
    std::mt19937 random(20261125);
    std::lognormal_distribution<double> sizes(5, 1);
    for (const int shards : {1, 2, 7, 10, 100}) {
        std::vector<PlannedFile> files;
        for (int k = 0; k < 1000; ++k)
            files.push_back(file_named(std::to_string(k), 1 + std::llround(sizes(random))));
        assign_shards(files, shards);
        std::int64_t all = 0;
        std::int64_t largest = 0;
        for (const PlannedFile& file : files) {
            ASSERT_GE(file.shard, 1);
            ASSERT_LE(file.shard, shards);
            all += file.work;
            largest = std::max(largest, file.work);
        }
        const double mean = static_cast<double>(all) / shards;
        const double best = std::max(mean, static_cast<double>(largest));
        EXPECT_LE(imbalance(files, shards), 4.0 / 3 * best / mean) << shards;
        EXPECT_GE(imbalance(files, shards), 1 - 1e-12);
    }
}

TEST_F(CliPlan, ShardsDoNotDependOnTheOrderOfTheFiles) {
    std::vector<PlannedFile> files;
    for (int k = 0; k < 40; ++k) files.push_back(file_named(std::to_string(k), 1 + k % 3));
    std::vector<PlannedFile> other(files.rbegin(), files.rend());
    assign_shards(files, 6);
    assign_shards(other, 6);
    std::ranges::reverse(other);
    for (std::size_t k = 0; k < files.size(); ++k) EXPECT_EQ(files[k].shard, other[k].shard) << k;
}

TEST_F(CliPlan, WithMoreShardsThanFilesEachFileHasItsOwn) {
    std::vector<PlannedFile> files = {file_named("a", 5), file_named("b", 1), file_named("c", 9)};
    assign_shards(files, 10);
    std::set<int> shards;
    for (const PlannedFile& file : files) shards.insert(file.shard);
    EXPECT_EQ(shards.size(), files.size());
    EXPECT_DOUBLE_EQ(imbalance({}, 3), 1);
}

}  // namespace
}  // namespace weft
