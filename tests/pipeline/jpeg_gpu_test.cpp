// JPEG stills decoded and encoded by nvJPEG: like libav's up to a level, and software's where the
// data are damaged or of another kind.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/media/check/jpeg_scan.h"
#include "app/media/picture/gpu_jpegs.h"
#include "app/media/read/reader.h"
#include "app/pipeline/pipeline.h"
#include "tests/kernels/device/gpu.h"
#include "tests/media/read/reader_support.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

constexpr const char* kPicture =
    "-f lavfi -i testsrc2=s=4004x3004,format=yuv444p,noise=alls=12,crop={} -frames:v 1 -q:v 3 ";

std::filesystem::path photo(const std::string& name, const std::string& words,
                            const std::string& size = "323:181") {
    return make_clip(name, fmt::format(fmt::runtime(kPicture), size) + words);
}

std::vector<std::filesystem::path> photos() {
    std::vector<std::filesystem::path> made = {
        photo("p420.jpg", "-pix_fmt yuvj420p"),
        photo("p422.jpg", "-pix_fmt yuvj422p"),
        photo("p444.jpg", "-pix_fmt yuvj444p"),
        photo("p8.jpg", "-pix_fmt yuvj420p", "8:8"),
        photo("restarts.jpg", "-pix_fmt yuvj420p -huffman default -threads 4 -slices 4"),
        photo("large.jpg", "-pix_fmt yuvj420p", "4001:3001")};
    const auto converted = [&](const char* name, std::vector<std::string> words) {
        const auto to = clip_dir() / name;
        words.insert(words.begin(), {"convert", made[2].string()});
        words.push_back(to.string());
        if (succeeds(words)) made.push_back(to);  // else ImageMagick is not installed
    };
    converted("gray.jpg", {"-colorspace", "Gray"});
    converted("440.jpg", {"-sampling-factor", "1x2"});
    converted("411.jpg", {"-sampling-factor", "4x1"});
    return made;
}

ReaderOptions options_for(const std::filesystem::path& file, std::shared_ptr<GpuJpegs> jpegs) {
    ReaderOptions options;
    options.path = file.string();
    options.gpu = first_gpu();
    options.hwaccel = jpegs ? Hwaccel::automatic : Hwaccel::none;
    options.gpu_jpegs = std::move(jpegs);
    return options;
}

int greatest_difference(const Bytes& a, const Bytes& b) {
    if (a.size() != b.size()) return 256;
    int most = 0;
    for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
    return most;
}

FileJob job_for(const std::filesystem::path& from, const std::filesystem::path& to,
                std::shared_ptr<GpuJpegs> jpegs) {
    FileJob job;
    job.reader.path = from.string();
    job.reader.gpu = first_gpu();
    job.reader.hwaccel = jpegs ? Hwaccel::automatic : Hwaccel::none;
    job.writer.path = to.string();
    job.writer.overwrite = Overwrite::replace;
    job.stack = parse_stack("gaussian=sigma=1");
    job.device = first_gpu();
    job.gpu_jpegs = std::move(jpegs);
    return job;
}

FileResult run(const FileJob& job) {
    return filter_file(job, {}, {});
}

}  // namespace

class GpuJpeg : public NeedsGpu<ClipTest> {
 protected:
    void SetUp() override {
        NeedsGpu<ClipTest>::SetUp();
        if (IsSkipped()) return;
        if (const std::string why = why_no_nvjpeg(); !why.empty()) GTEST_SKIP() << why;
    }
};

TEST_F(GpuJpeg, DecodesAsSoftwareDoesUpToALevel) {
    const auto jpegs = std::make_shared<GpuJpegs>(StartPolicy::wait);
    for (const auto& file : photos()) {
        SCOPED_TRACE(file.filename().string());
        Reader reader(options_for(file, jpegs));
        Reader expected(options_for(file, nullptr));
        EXPECT_TRUE(reader.decoding().on_gpu) << reader.decoding().why_not;
        const AVFrame& got = *reader.first_frame().av;
        const AVFrame& want = *expected.first_frame().av;
        EXPECT_TRUE(in_gpu_memory(got));
        EXPECT_EQ(reader.first_frame().format(), expected.first_frame().format());
        EXPECT_EQ(got.width, want.width);
        EXPECT_EQ(got.height, want.height);
        EXPECT_EQ(got.color_range, want.color_range);
        EXPECT_EQ(got.chroma_location, want.chroma_location);
        EXPECT_EQ(av_cmp_q(got.sample_aspect_ratio, want.sample_aspect_ratio), 0);
        EXPECT_LE(greatest_difference(samples_of(got), samples_of(want)), 1);
        while (!std::holds_alternative<EndOfInput>(reader.next())) {
        }
        EXPECT_FALSE(reader.damage().damaged) << reader.damage().reason;
    }
}

TEST_F(GpuJpeg, LeavesOthersToSoftware) {
    const auto whole = photo("p420.jpg", "-pix_fmt yuvj420p");
    std::vector<std::filesystem::path> files;
    Bytes bytes = read_bytes(whole);
    const auto add = [&](const char* name, const Bytes& content) {
        files.push_back(clip_dir() / name);
        std::ofstream(files.back(), std::ios::binary)
            .write(reinterpret_cast<const char*>(content.data()),
                   static_cast<std::streamsize>(content.size()));
    };
    Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2));
    cut.insert(cut.end(), {0xFF, 0xD9});
    add("cut.jpg", cut);
    Bytes zeros = bytes;
    std::fill_n(zeros.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), 512, 0);
    add("zeros.jpg", zeros);
    const auto jpegs = std::make_shared<GpuJpegs>(StartPolicy::wait);
    for (const auto& file : files) {
        SCOPED_TRACE(file.filename().string());
        Reader reader(options_for(file, jpegs));
        Reader expected(options_for(file, nullptr));
        EXPECT_FALSE(reader.decoding().on_gpu);
        EXPECT_NE(reader.decoding().why_not, "");
        EXPECT_TRUE(samples_of(*reader.first_frame().av) == samples_of(*expected.first_frame().av));
        for (Reader* each : {&reader, &expected})
            while (!std::holds_alternative<EndOfInput>(each->next())) {
            }
        EXPECT_EQ(reader.damage().damaged, expected.damage().damaged);
        EXPECT_EQ(reader.damage().reason, expected.damage().reason);
    }
}

TEST_F(GpuJpeg, WritesTheHeadersAndQuantisationOfSoftware) {
    const auto jpegs = std::make_shared<GpuJpegs>(StartPolicy::wait);
    for (const auto& file : photos()) {
        SCOPED_TRACE(file.filename().string());
        const auto on_gpu = clip_dir() / "gpu.jpg";
        const auto in_software = clip_dir() / "software.jpg";
        const FileResult result = run(job_for(file, on_gpu, jpegs));
        ASSERT_EQ(result.outcome, Outcome::ok) << result.error;
        EXPECT_TRUE(result.decoding.on_gpu);
        ASSERT_EQ(run(job_for(file, in_software, nullptr)).outcome, Outcome::ok);
        const Bytes got = read_bytes(on_gpu);
        const Bytes want = read_bytes(in_software);
        EXPECT_FALSE(got == want);
        const auto scan = find_jpeg_scan(got);
        ASSERT_TRUE(scan);
        EXPECT_TRUE(is_whole(*scan, got));
        const Reader read(options_for(on_gpu, nullptr));
        const Reader expected(options_for(in_software, nullptr));
        EXPECT_EQ(read.first_frame().format(), expected.first_frame().format());
        // The same quantisation steps: samples differ within them. nvJPEG rounds to the nearest
        // one, libav more often down, which makes its files up to 17 % smaller.
        EXPECT_LT(static_cast<double>(got.size()), 1.25 * static_cast<double>(want.size()) + 400);
        EXPECT_LE(greatest_difference(samples_of(*read.first_frame().av),
                                      samples_of(*expected.first_frame().av)),
                  24);
    }
}

TEST_F(GpuJpeg, ManyPhotosAtOnceAreAsOneByOne) {
    const auto from = photo("large.jpg", "-pix_fmt yuvj420p", "4001:3001");
    const auto jpegs = std::make_shared<GpuJpegs>(StartPolicy::wait);
    const auto output = [](int k) { return clip_dir() / fmt::format("many{}.jpg", k); };
    ASSERT_EQ(run(job_for(from, output(0), jpegs)).outcome, Outcome::ok);
    {
        std::vector<std::jthread> threads;
        for (int k = 1; k <= 8; ++k)
            threads.emplace_back([&, k] {
                for (int again = 0; again < 3; ++again)
                    EXPECT_EQ(run(job_for(from, output(k), jpegs)).outcome, Outcome::ok);
            });
    }
    for (int k = 1; k <= 8; ++k) EXPECT_TRUE(read_bytes(output(k)) == read_bytes(output(0))) << k;
}

TEST_F(GpuJpeg, SoftwareDecodesWhileTheLibraryStarts) {
    const auto file = photo("p420.jpg", "-pix_fmt yuvj420p");
    const auto jpegs = std::make_shared<GpuJpegs>(StartPolicy::fail);
    const Reader first(options_for(file, jpegs));
    EXPECT_FALSE(first.decoding().on_gpu);
    EXPECT_EQ(first.decoding().why_not, "nvJPEG has not started yet");
    bool on_gpu = false;
    for (int tries = 0; tries < 1000 && !on_gpu; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        on_gpu = Reader(options_for(file, jpegs)).decoding().on_gpu;
    }
    EXPECT_TRUE(on_gpu);
}

// A receipt proves what software decodes.
TEST_F(GpuJpeg, ReceiptsAreOfSoftware) {
    FileJob job = job_for(photo("p420.jpg", "-pix_fmt yuvj420p"), clip_dir() / "proven.jpg",
                          std::make_shared<GpuJpegs>(StartPolicy::wait));
    job.receipt.emplace();
    job.receipt->name = "p420.jpg";
    const FileResult result = run(job);
    EXPECT_EQ(result.outcome, Outcome::ok) << result.error;
    EXPECT_FALSE(result.decoding.on_gpu);
}

}  // namespace weft::test
