// A GPU without free memory, and one whose context a faulty kernel destroys: files are finished on
// the CPU, or fail with exit code 6 if a GPU was requested.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <list>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/batch/batch_runner.h"
#include "app/pipeline/kept_filters.h"
#include "app/pipeline/pipeline.h"
#include "kernels/device/cuda_error.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/device/gpu.h"
#include "tests/support/batch_results.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

// Whole numbers: CPU and GPU give the same result, bit for bit.
constexpr const char* kStack = "convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0'";

class GpuFailure : public NeedsGpu<ClipTest> {};

struct QuietEvents : BatchEvents {
    void begin(std::size_t) override {}
    void file_begin(std::size_t, const std::string&, const std::string&) override {}
    void file_moved(std::size_t, const std::string&, const std::string& why) override {
        moved.push_back(why);
    }
    void file_progress(std::size_t, const FileProgress&) override {}
    void file_end(std::size_t, const FileResult&) override {}
    void progress_requested() override {}
    void end(Outcome, const BatchTally&) override {}
    std::vector<std::string> moved;
};

std::string large_clip() {
    return make_clip("large.mkv",
                     "-f lavfi -i testsrc2=s=1920x1080:r=30:d=1 -c:v libx264 -preset ultrafast")
        .string();
}

FileJob job_for(const JobFile& file, const Device& device) {
    FileJob job;
    job.reader.path = file.input;
    job.reader.gpu = device;
    job.writer.path = file.output;
    job.writer.lossless = true;
    job.writer.overwrite = Overwrite::replace;
    job.stack = parse_stack(kStack);
    job.device = device;
    return job;
}

std::string frame_hashes(const std::string& path) {
    const CommandResult result =
        run_command({"ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
}

std::string output(const std::string& name) {
    return (clip_dir() / name).string();
}

std::string expected_hashes(const std::string& input) {
    const JobFile file{input, output("by_cpu.mkv")};
    EXPECT_EQ(filter_file(job_for(file, cpu_device()), {}, {}).error, "");
    return frame_hashes(file.output);
}

// Allocates the GPU's memory in ever smaller pieces, down to 64 KiB.
std::list<ImageBuffer> all_memory() {
    std::list<ImageBuffer> pieces;
    for (int rows = 1 << 14; rows >= 1; rows /= 4) try {
            for (;;) pieces.emplace_back(1 << 16, rows, 1, PixelType::u8, Allocation::device);
        } catch (const CudaError&) {
        }
    return pieces;
}

TEST_F(GpuFailure, WithoutMemoryTheFileIsFinishedOnTheCpuOrFails) {
    const std::string input = large_clip();
    const std::string expected = expected_hashes(input);
    use_device(first_gpu());
    const std::list<ImageBuffer> hog = all_memory();
    ASSERT_FALSE(hog.empty());

    const JobFile file{input, output("without_memory.mkv")};
    for (const Hwaccel hwaccel : {Hwaccel::none, Hwaccel::automatic}) {
        FileJob job = job_for(file, first_gpu());
        job.reader.hwaccel = hwaccel;
        const FileResult required = filter_file(job, {}, {});
        EXPECT_EQ(required.status, FileStatus::failed);
        EXPECT_EQ(required.outcome, Outcome::no_gpu) << required.error;
        EXPECT_EQ(required.device_failure, DeviceFailure::this_file) << required.error;
        EXPECT_THAT(required.error, testing::HasSubstr("memory"));
        EXPECT_FALSE(std::filesystem::exists(file.output));
    }

    QuietEvents events;
    const auto run = [](const JobFile& f, const Device& device, const ProgressCallback&) {
        return filter_file(job_for(f, device), {}, {});
    };
    const auto results =
        test::results_of({file}, {{first_gpu()}, 1, cpu_device()}, run, {}, events);
    EXPECT_EQ(results[0].status, FileStatus::ok) << results[0].error;
    EXPECT_FALSE(results[0].device->is_gpu());
    EXPECT_THAT(events.moved, testing::ElementsAre(testing::HasSubstr("memory")));
    EXPECT_EQ(frame_hashes(file.output), expected);
}

// Destroys the GPU's context for the rest of the process.
void write_out_of_bounds() {
    ImageView wild;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an unmapped address.
    wild.data = reinterpret_cast<void*>(std::uintptr_t{0x1000});
    wild.width = wild.height = 16;
    wild.channels = 1;
    wild.pitch_bytes = 256;
    wild.type = PixelType::u8;
    wild.space = MemorySpace::device;
    fill_channels(wild, 1.0F, 1, nullptr);
}

// Filters three files; the GPU is lost after the fifth frame of the second. Returns the problem, or
// "".
std::string run_over_a_lost_gpu(const std::string& input, const std::string& expected) {
    std::vector<JobFile> files;
    for (const char* name : {"lost_0.mkv", "lost_1.mkv", "lost_2.mkv"})
        files.push_back({input, output(name)});
    QuietEvents events;
    const auto run = [&](const JobFile& file, const Device& device, const ProgressCallback&) {
        return filter_file(job_for(file, device), {}, [&](const FileProgress& progress) {
            if (device.is_gpu() && file.output == files[1].output && progress.frames == 5)
                write_out_of_bounds();
        });
    };
    const auto results = test::results_of(files, {{first_gpu()}, 1, cpu_device()}, run, {}, events);
    if (!results[0].device->is_gpu()) return "the first file was not on the GPU";
    for (const FileResult& result : results) {
        if (result.status != FileStatus::ok) return result.error;
        if (frame_hashes(result.output) != expected) return result.output + " differs";
    }
    if (results[1].device->is_gpu() || results[2].device->is_gpu()) return "the GPU was not lost";
    if (events.moved.size() != 1) return "the move is not told once";
    std::fprintf(stderr, "%s\n", events.moved.front().c_str());
    return "";
}

// Where the memory ends in the middle of a file, on whatever device it is finished: same bits.
TEST_F(GpuFailure, InLittleMemoryTheFrameHashesStayTheSame) {
    const std::string input = large_clip();
    const std::string expected = expected_hashes(input);
    use_device(first_gpu());
    for (const int free_mib : {0, 16, 64, 128, 256, 512}) {
        ImageBuffer reserve;
        if (free_mib > 0)
            reserve = ImageBuffer(1 << 16, 16 * free_mib, 1, PixelType::u8, Allocation::device);
        const std::list<ImageBuffer> hog = all_memory();
        reserve = {};
        for (const Hwaccel hwaccel : {Hwaccel::none, Hwaccel::automatic}) {
            const std::string name = fmt::format("with_{}_mib.mkv", free_mib);
            const JobFile file{input, output(name)};
            QuietEvents events;
            const auto run = [&](const JobFile& f, const Device& device, const ProgressCallback&) {
                FileJob job = job_for(f, device);
                job.reader.hwaccel = hwaccel;
                return filter_file(job, {}, {});
            };
            const auto results =
                test::results_of({file}, {{first_gpu()}, 1, cpu_device()}, run, {}, events);
            ASSERT_EQ(results[0].status, FileStatus::ok) << free_mib << ": " << results[0].error;
            EXPECT_EQ(frame_hashes(file.output), expected) << free_mib << " MiB";
            fmt::print("{} MiB free: {}\n", free_mib,
                       results[0].device->is_gpu() ? "on the GPU" : "on the CPU");
        }
    }
}

// Pictures of random bytes, which need no other program to make or to read.
std::string random_picture(std::size_t number) {
    std::mt19937 random(static_cast<unsigned>(number));
    std::string bytes = "P5\n256 256\n255\n";
    for (int k = 0; k < 256 * 256; ++k) bytes += static_cast<char>(random() & 0x7fU);
    return bytes;
}

std::string file_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Filters many pictures, eight at a time, until the GPU is lost while others are at work, in every
// stage of theirs. Returns the problem, or "".
std::string run_over_pictures_of_a_lost_gpu(int frames_before) {
    constexpr std::size_t kPictures = 400;
    std::vector<JobFile> files;
    std::vector<std::string> expected;
    for (std::size_t k = 0; k < kPictures; ++k) {
        files.push_back(
            {output(fmt::format("picture_{}.pgm", k)), output(fmt::format("filtered_{}.pgm", k))});
        std::ofstream(files[k].input, std::ios::binary) << random_picture(k);
        (void)filter_file(job_for(files[k], cpu_device()), {}, {});
        expected.push_back(file_bytes(files[k].output));
        std::filesystem::remove(files[k].output);
    }
    const auto filters = std::make_shared<KeptFilters>(8);
    std::atomic<int> frames = 0;
    const auto run = [&](const JobFile& file, const Device& device, const ProgressCallback&) {
        FileJob job = job_for(file, device);
        job.filters = filters;
        return filter_file(job, {}, [&](const FileProgress&) {
            if (device.is_gpu() && ++frames == frames_before) write_out_of_bounds();
        });
    };
    QuietEvents events;
    const auto results = test::results_of(files, {{first_gpu()}, 8, cpu_device()}, run, {}, events);
    std::size_t on_gpu = 0;
    for (std::size_t k = 0; k < kPictures; ++k) {
        if (results[k].status != FileStatus::ok) return results[k].error;
        on_gpu += results[k].device->is_gpu() ? 1 : 0;
        if (file_bytes(files[k].output) != expected[k]) return files[k].output + " differs";
    }
    std::fprintf(stderr, "%zu of %zu pictures on the GPU\n", on_gpu, kPictures);
    return on_gpu > 0 && on_gpu < kPictures ? "" : "the GPU was not lost in mid-run";
}

TEST_F(GpuFailure, PicturesDoneBeforeTheGpuWasLostAreRight) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const int frames : {40, 90, 141, 193, 252, 311})
        EXPECT_EXIT(
            {
                const std::string wrong = run_over_pictures_of_a_lost_gpu(frames);
                std::fprintf(stderr, "%s\n", wrong.c_str());
                std::exit(wrong.empty() ? 0 : 1);
            },
            testing::ExitedWithCode(0), "pictures on the GPU")
            << frames;
}

// Runs in a separate process, which cannot use the GPU afterwards.
TEST_F(GpuFailure, AfterALostGpuTheCpuFinishesTheBatch) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            const std::string input = large_clip();
            const std::string wrong = run_over_a_lost_gpu(input, expected_hashes(input));
            std::fprintf(stderr, "%s\n", wrong.c_str());
            std::exit(wrong.empty() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "and gets no more files");
}

}  // namespace
}  // namespace weft::test
