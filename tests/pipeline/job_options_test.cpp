#include "app/pipeline/job_options.h"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

using testing::HasSubstr;

FileJob parsed(const std::map<std::string_view, std::string>& values) {
    FileJob job;
    for (const JobOption& option : job_options())
        if (const auto value = values.find(option.name); value != values.end())
            option.parse(job, value->second);
    return job;
}

// A value of each option that is not the default, and its printed form if that differs.
struct Sample {
    std::string_view name;
    std::string text;
    std::string printed = {};
};

const std::vector<Sample> kSamples = {
    {"--kernel", "direct"},
    {"--kernel", ",opencv_cpu"},
    {"--fields", "split"},
    {"--exact", "yes"},
    {"--on-change", "scale"},
    {"-ss", "1:30.5", "90500000us"},
    {"-to", "250us"},
    {"-framerate", "ntsc", "29.97002997002997"},
    {"-framerate", "12.5"},
    {"-an", "yes"},
    {"-sn", "yes"},
    {"-f", "matroska"},
    {"-c:v", "libx264"},
    {"-c:a", "aac"},
    {"-crf", "20.5"},
    {"-q:v", "2.5"},
    {"-q:v", "90"},
    {"-b:v", "4M"},
    {"-preset", "slow"},
    {"--encoder-option", "tune=film"},
    {"--encoder-option", "x264-params=keyint=30:bframes=2\nprofile=high",
     "profile=high\nx264-params=keyint=30:bframes=2"},
    {"-metadata", "title=A: B = C\ns:a:0:language=fra", "s:a:0:language=fra\ntitle=A: B = C"},
    {"-movflags", "+faststart"},
    {"-pix_fmt", "yuv444p"},
    {"-threads", "2"},
    {"--lossless", "yes"},
    {"--strict", "yes"},
    {"-hwaccel", "cuda"},
    {"--keep-damaged", "yes"},
    {"--verify", "packets"},
    {"--max-pixels", "1000"},
    {"--max-side", "99"},
};

TEST(PipelineJobOptions, EachIsPrintedAsItIsParsed) {
    std::set<std::string_view> tried = {"-t"};  // it is printed as -to
    for (const Sample& sample : kSamples) {
        SCOPED_TRACE(testing::Message() << sample.name << ' ' << sample.text);
        const JobOption& option = job_option(sample.name);
        FileJob job;
        EXPECT_EQ(option.print(job), "");
        option.parse(job, sample.text);
        const std::string printed = option.print(job);
        EXPECT_EQ(printed, sample.printed.empty() ? sample.text : sample.printed);
        FileJob again;
        option.parse(again, printed);
        EXPECT_EQ(option.print(again), printed);
        for (const JobOption& other : job_options())
            EXPECT_EQ(other.print(job).empty(), other.name != sample.name) << other.name;
        tried.insert(sample.name);
    }
    for (const JobOption& option : job_options())
        EXPECT_TRUE(tried.contains(option.name)) << option.name << " has no sample";
}

TEST(PipelineJobOptions, WrongValuesAreUsageErrorsThatNameTheOption) {
    for (const auto& [name, text] : std::initializer_list<std::pair<const char*, const char*>>{
             {"--fields", "both"},
             {"--on-change", "no"},
             {"-ss", "-1"},
             {"-t", "x"},
             {"-to", "nan"},
             {"-framerate", "0"},
             {"-c:v", "copy"},
             {"-c:v", "nosuch"},
             {"-c:a", "libx264"},
             {"-crf", "64"},
             {"-crf", "nan"},
             {"-b:v", "0.5"},
             {"-pix_fmt", "nosuch"},
             {"--encoder-option", "nosuch=1"},
             {"--encoder-option", "tune"},
             {"--encoder-option", "=film"},
             {"--encoder-option", "gpu=1"},
             {"-metadata", "title"},
             {"-metadata", "s:a:0:"},
             {"-metadata", "major_brand=qt"},
             {"-movflags", "+frag_keyframe"},
             {"-threads", "65"},
             {"-hwaccel", "gpu"},
             {"--verify", "no"},
             {"--max-pixels", "0"},
             {"--max-side", "1x"},
         }) {
        FileJob job;
        try {
            job_option(name).parse(job, text);
            ADD_FAILURE() << name << ' ' << text << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), Outcome::usage);
            EXPECT_THAT(error.what(), HasSubstr(name));
        }
    }
}

TEST(PipelineJobOptions, RangesCountAsInFfmpeg) {
    EXPECT_FALSE(parsed({}).reader.start_us.has_value());
    EXPECT_FALSE(parsed({}).reader.end_us.has_value());
    EXPECT_EQ(parsed({{"-ss", "10"}, {"-t", "5"}}).reader.end_us, 15'000'000);
    EXPECT_EQ(parsed({{"-t", "5"}}).reader.end_us, 5'000'000);
    EXPECT_EQ(parsed({{"-ss", "10"}, {"-to", "12"}}).reader.end_us, 12'000'000);
    const FileJob job = parsed({{"-ss", "10"}, {"-t", "5"}, {"-to", "12"}});  // -t wins
    EXPECT_EQ(job.reader.end_us, 15'000'000);
    EXPECT_EQ(job.writer.shift_us, 10'000'000);
    EXPECT_EQ(job.writer.length_us, 5'000'000);
}

TEST(PipelineJobOptions, EmptyRangesAreRefused) {
    EXPECT_THROW(parsed({{"-ss", "10"}, {"-to", "10"}}), Error);
    EXPECT_THROW(parsed({{"-ss", "10"}, {"-to", "5"}}), Error);
    EXPECT_THROW(parsed({{"-t", "0"}}), Error);
    EXPECT_THROW(parsed({{"-ss", "9000000000000"}, {"-t", "9000000000000"}}), Error);
}

TEST(PipelineJobOptions, TheManualExplainsEach) {
    const std::string manual = read_text_file(WEFT_DOCS "/manual.md");
    for (const JobOption& option : job_options())
        EXPECT_NE(manual.find('`' + std::string(option.name)), std::string::npos) << option.name;
}

}  // namespace
}  // namespace weft
