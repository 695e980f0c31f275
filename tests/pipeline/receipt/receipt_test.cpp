// The text of receipts, and changes that are found in it.
#include "app/pipeline/receipt/receipt.h"

#include <cstdlib>
#include <iterator>
#include <sys/wait.h>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/media/output/content_hash.h"
#include "app/pipeline/job_receipt.h"
#include "app/pipeline/report/json_text.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string digits(std::size_t count) {
    std::string text;
    while (text.size() < count) text += "0123456789abcdef";
    return text.substr(0, count);
}

// Every field differs from its default.
Receipt full_receipt() {
    Receipt receipt;
    receipt.name = "a\"b\u202e\xff.mkv";
    receipt.error = "damaged: 3 frames are missing";
    receipt.retry = Retry::never;
    receipt.attempts = 3;
    receipt.job = {{"-vf", "convolve=file=../m\xfe.txt"}, {"files", digits(32)}, {"-crf", "20"}};
    receipt.input = {.path = "../films/a\xff.mkv",
                     .name = "2024/a\xff.mkv",
                     .bytes = 1234567890123,
                     .mtime_ns = 1'764'055'953'000'000'007,
                     .beginning = digits(32)};
    receipt.output = {{.bytes = 77, .mtime_ns = -1, .sha256 = digits(64)}};
    receipt.frames = {.count = 3,
                      .pixel_format = "yuv420p",
                      .time_base = "1/90000",
                      .times = digits(32),
                      .hash = "",
                      .largest_difference = 0.1,
                      .lossless = true,
                      .hashes = {0, 0x0123456789abcdef, ~std::uint64_t{0}}};
    receipt.frames.hash = frames_hash(receipt.frames.hashes);
    receipt.streams = {{.index = 1, .kind = "audio", .packets = 44, .hash = digits(32)}};
    receipt.damage = {{.reason = "3 frames are missing",
                       .first_bad_seconds = 2.5,
                       .first_bad_byte = std::int64_t{1} << 40}};
    receipt.run = {.weft = "0.1.0",
                   .ffmpeg = "5.1.6",
                   .device = "NVIDIA H200",
                   .kernels = "direct, box",
                   .encoder = "libx264",
                   .host = "node17",
                   .engine = "Slurm array 4711, task 3, attempt 2",
                   .shard = 4,
                   .shards = 100,
                   .started = "2026-11-25T07:12:33Z",
                   .seconds = 12.25};
    return receipt;
}

// The sentence with which the text is refused; empty if it is read.
std::string refusal(const std::string& text) {
    try {
        (void)parse_receipt(text);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::failed);
        return error.what();
    }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

// A change by somebody who knows how the checksum is made.
std::string forged(const std::string& from, const std::string& to) {
    const std::string text = replaced(receipt_text(full_receipt()), from, to);
    const std::string mark = ",\n  \"checksum\": \"";
    const std::size_t at = text.find(mark);
    return text.substr(0, at) + mark + hex_text(hash_of(text.data(), at)) +
           text.substr(at + mark.size() + 32);
}

TEST(PipelineReceipt, SurvivesWritingAndReading) {
    const std::string text = receipt_text(full_receipt());
    const Receipt read = parse_receipt(text);
    EXPECT_EQ(receipt_text(read), text);
    EXPECT_EQ(read.name, full_receipt().name);
    EXPECT_EQ(read.input.path, full_receipt().input.path);
    EXPECT_EQ(read.input.mtime_ns, full_receipt().input.mtime_ns);
    EXPECT_EQ(read.output->mtime_ns, -1);
    EXPECT_EQ(read.frames.hashes, full_receipt().frames.hashes);
    EXPECT_EQ(read.job.front().value, "convolve=file=../m\xfe.txt");
    EXPECT_EQ(read.run.seconds, 12.25);
    EXPECT_EQ(read.run.shards, 100);
}

TEST(PipelineReceipt, AnOutputWithoutErrorSurvives) {
    Receipt receipt = full_receipt();
    receipt.error.clear();
    receipt.damage.reset();
    receipt.streams.clear();
    receipt.frames.count = 0;
    receipt.frames.hashes.clear();
    receipt.frames.hash = frames_hash({});
    const std::string text = receipt_text(receipt);
    EXPECT_EQ(receipt_text(parse_receipt(text)), text);
}

TEST(PipelineReceipt, TheHeadAloneIsReadWithoutHashes) {
    const std::string text = receipt_text(full_receipt());
    const std::string head = text.substr(0, text.find("\"hashes\": [") + 11);
    EXPECT_TRUE(parse_receipt(head, ReceiptPart::without_hashes).frames.hashes.empty());
    EXPECT_THAT(refusal(head), HasSubstr("it is incomplete"));
}

// Each is one edit, by a person or a bad disk.
TEST(PipelineReceipt, EveryChangedByteIsFound) {
    const std::string text = receipt_text(full_receipt());
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string changed = text;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        EXPECT_NE(refusal(changed), "") << "byte " << at << ": " << text.substr(at, 20);
    }
}

TEST(PipelineReceipt, EveryTornEndIsFound) {
    const std::string text = receipt_text(full_receipt());
    for (std::size_t size = 0; size < text.size(); ++size)
        ASSERT_NE(refusal(text.substr(0, size)), "") << size;
    EXPECT_NE(refusal(text + " "), "");
}

TEST(PipelineReceipt, HostileReceiptsAreRefusedWithASentence) {
    const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
        {"\"schema\": 1", "\"schema\": 2", "schema 2, from another version"},
        {"\"schema\": 1", "\"schema\": \"1\"", "\"schema\" is not a whole number"},
        {"\"type\": \"receipt\"", "\"type\": \"plan\"", "is not a receipt"},
        {"\"index\": 1", "\"index\": -1", "\"streams.index\" is not a whole number"},
        {"\"index\": 1", "\"index\": 1e3", "\"streams.index\" is not a whole number"},
        {"\"bytes\": 77", "\"bytes\": 18446744073709551615", "\"output.bytes\" is not a whole"},
        {"\"shards\": 100", "\"shards\": 100,\n    \"color\": 1",
         "\"run.color\" is unknown to this"},
        {"\"lossless\": true", "\"lossless\": 1", "\"frames.lossless\" is neither"},
        {"\"retry\": \"never\"", "\"retry\": \"later\"", "\"retry\" is neither never nor maybe"},
        {"\"retry\": \"never\"", "\"retry\": null", "\"retry\" is neither never nor maybe"},
        {"\"attempts\": 3", "\"attempts\": 1", "\"attempts\" is not a whole number"},
        {"\"seconds\": 12.25", "\"seconds\": [[[[]]]]", "\"run.seconds\" is not a number"},
        {"\"streams\": [", "\"streams\": [7, ", "\"streams\" is not an object"},
        {"%FF.mkv\",\n    \"name\"", "%00.mkv\",\n    \"name\"", "contains a NUL byte"},
        {"\"../films/a\\\\xff.mkv\"", "\"/etc/passwd\"", "checksum is wrong"},
        {"\"path_bytes\": \"../films", "\"path_bytes\": \"/films",
         "\"input.path\" is not a relative"},
        {"\"name_bytes\": \"a", "\"name_bytes\": \"../a", "\"name\" is not the name of a file"},
        {"\"-1.999999999\"", "\"-9999999999999\"", "is not a time in seconds"},
        {"\"-1.999999999\"", "\"-9223372036854775808.000000000\"", "is not a time in seconds"},
        {"\"-1.999999999\"", "\"9223372036.000000000\"", "is not a time in seconds"},
        {"\"-1.999999999\"", "\"1.-00000001\"", "is not a time in seconds"},
        {"\"schema\": 1", std::string(2'000'000, '['), "not JSON"},
    };
    for (const auto& [from, to, why] : cases)
        EXPECT_THAT(refusal(forged(from, to)), HasSubstr(why))
            << from << " -> " << to.substr(0, 99);
    EXPECT_THAT(refusal(""), HasSubstr("is not a receipt"));
    EXPECT_THAT(refusal("{}"), HasSubstr("is not a receipt"));
}

// Duplicate and reordered members are JSON, too, but not what weft writes.
TEST(PipelineReceipt, OnlyTheCanonicalFormIsRead) {
    EXPECT_NE(refusal(forged("\"shards\": 100", "\"shards\": 7,\n    \"shards\": 100")), "");
    EXPECT_NE(refusal(forged("\"shards\": 100", "\"shards\":  100")), "");
}

TEST(PipelineReceipt, PathsAreNextToTheOutput) {
    const test::TemporaryFolder folder;
    const fs::path real = folder.write("big/film.mkv", "x");
    fs::create_symlink(real, folder.path() / "link.mkv");
    EXPECT_EQ(receipt_path("out/a.mkv"), "out/.a.mkv.weft.json");
    EXPECT_EQ(receipt_path("a.mkv"), "./.a.mkv.weft.json");
    EXPECT_EQ(receipt_path((folder.path() / "link.mkv").string()),
              folder.path() / "big/.film.mkv.weft.json");
    EXPECT_TRUE(is_receipt_name(".a.mkv.weft.json"));
    EXPECT_FALSE(is_receipt_name("a.mkv.weft.json"));
    EXPECT_FALSE(is_receipt_name("..weft.json"));
}

TEST(PipelineReceipt, LongNamesHaveReceiptsOfTheirOwn) {
    const std::string common(250, 'n');
    const std::string one = receipt_path("out/" + common + "1.mkv").filename().string();
    const std::string other = receipt_path("out/" + common + "2.mkv").filename().string();
    EXPECT_LE(one.size(), 255U);
    EXPECT_TRUE(is_receipt_name(one));
    EXPECT_NE(one, other);
}

TEST(PipelineReceipt, InputsAreNamedRelativeToTheReceipt) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder.path() / "out/deep");
    fs::create_directories(folder.path() / "films");
    fs::create_symlink(folder.path() / "films", folder.path() / "out/linked");
    const std::string film = (folder.path() / "out/linked/a.mkv").string();
    EXPECT_EQ(relative_path(film, folder.path() / "out/deep"), "../../films/a.mkv");
    EXPECT_EQ(relative_path("a.mkv", "."), "a.mkv");
    EXPECT_EQ(relative_path("a.mkv", "missing/folder"), "../../a.mkv");
}

TEST(PipelineReceipt, AFileIsWrittenAndReplaced) {
    const test::TemporaryFolder folder;
    const std::string output = (folder.path() / "a.mkv").string();
    Receipt receipt = full_receipt();
    for (const char* name : {"a.mkv", "b.mkv"}) {
        receipt.name = name;
        write_receipt(receipt, output, nullptr);
        EXPECT_EQ(read_receipt(receipt_path(output)).name, name);
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

// The link could lead to any file of this user.
TEST(PipelineReceipt, ALinkIsNotWrittenThrough) {
    const test::TemporaryFolder folder;
    const fs::path victim = folder.write("victim", "mine");
    const std::string output = (folder.path() / "a.mkv").string();
    fs::create_symlink(victim, receipt_path(output));
    EXPECT_THROW(write_receipt(full_receipt(), output, nullptr), Error);
    EXPECT_EQ(test::content(victim), "mine");
}

TEST(PipelineReceipt, HugeAndOddFilesAreRefused) {
    const test::TemporaryFolder folder;
    const fs::path huge = folder.write("huge", "");
    fs::resize_file(huge, std::uintmax_t{1} << 40);
    EXPECT_THROW((void)read_receipt(huge), Error);
    EXPECT_THROW((void)read_receipt(folder.path()), Error);
    EXPECT_THROW((void)read_receipt(folder.path() / "missing"), Error);
    EXPECT_THROW((void)read_receipt("/dev/zero"), Error);
}

// A matrix may be edited, moved or removed while its video is filtered.
TEST(PipelineReceipt, IsOfTheMatrixThatWasRead) {
    const test::TemporaryFolder folder;
    const fs::path matrix = folder.write("m.txt", "0 1 0; 1 1 1; 0 1 0\n");
    FileJob job;
    job.reader.path = folder.write("in.mkv", "a film").string();
    job.writer.path = (folder.path() / "out.mkv").string();
    job.stack = parse_stack("convolve=file=" + matrix.string());
    job.receipt = {.name = "in.mkv"};
    JobReceipt changed(job);
    changed.begin();
    folder.write("m.txt", "1 1 1; 1 1 1; 1 1 1\n");
    EXPECT_THROW(changed.input_is_open(), Error);
    JobReceipt removed(job);
    removed.begin();
    removed.input_is_open();
    const JobFacts facts = receipt_job(job);
    fs::remove(matrix);
    FileResult result;
    result.written.proof.emplace().sha256 = digits(64);
    removed.write(result);
    EXPECT_EQ(job_difference(read_receipt(receipt_path(job.writer.path)).job, facts), "");
}

// The schema for other programs describes what this one writes.
TEST(PipelineReceipt, BytesOfNamesNeedTwoDigits) {
    EXPECT_EQ(percent_decoded("a%FF%2fb%25"), "a\xff/b%");
    EXPECT_EQ(percent_decoded(""), "");
    for (const char* text : {"%", "a%4", "%4g", "%g4", "% 4", "%+4", "%-1", "%0x41", "%%", "5%so"})
        EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
}

TEST(PipelineReceipt, FollowsItsSchema) {
    const test::TemporaryFolder folder;
    Receipt plain = full_receipt();
    plain.name = "a.mkv";
    plain.error.clear();
    plain.damage.reset();
    Receipt without_output = full_receipt();
    without_output.output.reset();
    std::string files;
    for (const auto& [name, receipt] :
         {std::pair{"full.json", full_receipt()}, std::pair{"plain.json", plain},
          std::pair{"nothing.json", without_output}})
        files += " " + folder.write(name, receipt_text(receipt)).string();
    const std::string command = fmt::format(
        "python3 -c 'import sys\n"
        "try: import json, jsonschema\n"
        "except ImportError: sys.exit(77)\n"
        "schema = json.load(open(sys.argv[1]))\n"
        "jsonschema.Draft202012Validator.check_schema(schema)\n"
        "for name in sys.argv[2:]: jsonschema.validate(json.load(open(name)), schema)' {}/"
        "receipt.schema.json{}",
        WEFT_DOCS, files);
    const int status = std::system(command.c_str());
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace weft
