// Whole files on a GPU: the output does not depend on the decoder.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/media/write/container_table.h"
#include "app/pipeline/pipeline.h"
#include "tests/kernels/device/gpu.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

class GpuPipelineFile : public NeedsGpu<ClipTest> {};

FileJob job_for(const std::filesystem::path& input, Hwaccel hwaccel, const std::string& name,
                const std::string& codec) {
    FileJob job;
    job.reader.path = input.string();
    job.reader.hwaccel = hwaccel;
    job.reader.gpu = first_gpu();
    job.writer.path = (clip_dir() / name).string();
    job.writer.numbered = numbers_pictures(job.writer.path, "");
    job.writer.video_codec = codec;
    job.writer.lossless = codec == "ffv1";
    job.writer.overwrite = Overwrite::replace;
    job.stack = parse_stack("gaussian=sigma=2,tmix=frames=3,sobel");
    job.device = first_gpu();
    return job;
}

FileResult filtered(const std::filesystem::path& input, Hwaccel hwaccel, const std::string& name,
                    const std::string& codec) {
    return filter_file(job_for(input, hwaccel, name, codec), {}, {});
}

// One line per frame and stream: its time and the hash of its pixels.
std::string frame_hashes(const std::string& path) {
    const CommandResult result =
        run_command({"ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-f", "framemd5", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
}

std::string frame_times(const std::string& path) {
    return ffprobe(path, "-select_streams v -show_entries frame=pts_time").dump();
}

// In decibels, over all frames and components.
double psnr(const std::string& a, const std::string& b) {
    const CommandResult result = run_command(
        {"ffmpeg", "-v", "info", "-i", a, "-i", b, "-lavfi", "psnr", "-f", "null", "-"});
    const std::size_t at = result.err.find("average:");
    if (at == std::string::npos) throw std::runtime_error(result.err);
    return std::stod(result.err.substr(at + std::string("average:").size()));
}

TEST_F(GpuPipelineFile, GpuDecodedFramesGiveTheSameOutputAsSoftware) {
    for (const char* format : {"yuv420p", "yuv420p10le"}) {
        const auto clip = make_clip(std::string("file-") + format + ".mkv",
                                    std::string("-f lavfi -i testsrc2=s=322x182:r=30:d=2 "
                                                "-c:v libx265 -x265-params log-level=error "
                                                "-pix_fmt ") +
                                        format);
        const std::string name = std::string(format) + ".mkv";
        const FileResult gpu = filtered(clip, Hwaccel::cuda, "gpu-" + name, "ffv1");
        const FileResult cpu = filtered(clip, Hwaccel::none, "cpu-" + name, "ffv1");
        ASSERT_EQ(gpu.status, FileStatus::ok) << gpu.error;
        ASSERT_EQ(cpu.status, FileStatus::ok) << cpu.error;
        EXPECT_TRUE(gpu.decoding.on_gpu);
        EXPECT_FALSE(cpu.decoding.on_gpu);
        EXPECT_EQ(gpu.frames_out, 60);
        EXPECT_EQ(frame_hashes(gpu.output), frame_hashes(cpu.output));
    }
}

// Frames in the GPU's memory, on the host, and in both within one file.
TEST_F(GpuPipelineFile, PicturesThatChangeInMidStreamAreScaled) {
    const std::string small = "-f lavfi -i testsrc2=s=320x180:r=30:d=1 -c:v libx264 -g 15 ";
    const std::string large = "-f lavfi -i testsrc2=s=640x360:r=30:d=1 -c:v libx264 -g 15 ";
    for (const auto& [name, first, second] :
         {std::tuple{"scaled-up", small + "-pix_fmt yuv420p", large + "-pix_fmt yuv420p"},
          {"scaled-down", large + "-pix_fmt yuv420p", small + "-pix_fmt yuv420p"},
          {"scaled-depth", small + "-pix_fmt yuv420p", small + "-pix_fmt yuv420p10le"}}) {
        const auto clip = make_joined_clip(name, first, second);
        std::string hashes;
        for (const Hwaccel hwaccel : {Hwaccel::none, Hwaccel::automatic}) {
            FileJob job = job_for(clip, hwaccel, std::string(name) + ".mkv", "ffv1");
            EXPECT_EQ(filter_file(job, {}, {}).outcome, Outcome::failed) << name;
            job.on_change = OnChange::scale;
            const FileResult result = filter_file(job, {}, {});
            ASSERT_EQ(result.status, FileStatus::ok) << name << ": " << result.error;
            EXPECT_EQ(result.decoding.on_gpu, hwaccel != Hwaccel::none) << name;
            EXPECT_EQ(result.frames_out, 60) << name;
            EXPECT_EQ(result.changes.list().size(), 1U) << name;
            const std::string now = frame_hashes(result.output);
            EXPECT_TRUE(hashes.empty() || hashes == now) << name;
            hashes = now;
        }
    }
}

TEST_F(GpuPipelineFile, EveryKindOfOutputAcceptsThem) {
    const auto clip =
        make_clip("kinds.mp4", "-f lavfi -i testsrc2=s=320x180:r=30:d=1 -c:v libx264");
    for (const auto& [name, codec] : {std::pair{"k.mp4", "libx264"},
                                      {"k.webm", ""},
                                      {"k.gif", ""},
                                      {"k_%03d.png", ""},
                                      {"k.avi", ""}}) {
        const FileResult result = filtered(clip, Hwaccel::cuda, name, codec);
        EXPECT_EQ(result.status, FileStatus::ok) << name << ": " << result.error;
        EXPECT_EQ(result.frames_out, 30) << name;
    }
}

// Either this test or the next is skipped: an H200 has a decoder but no encoder.
TEST_F(GpuPipelineFile, AMissingNvencGivesAMessage) {
    const auto clip =
        make_clip("nvenc.mp4", "-f lavfi -i testsrc2=s=320x180:r=30:d=2 -c:v libx264 -bf 3");
    for (const Hwaccel hwaccel : {Hwaccel::cuda, Hwaccel::none}) {
        const FileResult result = filtered(clip, hwaccel, "missing.mp4", "h264_nvenc");
        if (result.status == FileStatus::ok) GTEST_SKIP() << "this GPU has NVENC";
        EXPECT_EQ(result.outcome, Outcome::no_gpu) << result.error;
        EXPECT_THAT(result.error, testing::StartsWith("h264_nvenc: "));
        EXPECT_THAT(result.error, testing::EndsWith("; use -c:v libx264"));
        EXPECT_EQ(result.device_failure, DeviceFailure::none);
        EXPECT_FALSE(std::filesystem::exists(result.output));
    }
}

TEST_F(GpuPipelineFile, NvencReadsFramesInPlace) {
    const auto clip =
        make_clip("nvenc.mp4", "-f lavfi -i testsrc2=s=320x180:r=30:d=2 -c:v libx264 -bf 3");
    const FileResult software = filtered(clip, Hwaccel::none, "x264.mp4", "libx264");
    ASSERT_EQ(software.status, FileStatus::ok) << software.error;
    for (const auto& [name, codec] :
         {std::pair{"nvenc-h264.mp4", "h264_nvenc"}, {"nvenc-hevc.mp4", "hevc_nvenc"}})
        for (const Hwaccel hwaccel : {Hwaccel::cuda, Hwaccel::none}) {
            const FileResult result = filtered(clip, hwaccel, name, codec);
            if (result.outcome == Outcome::no_gpu) GTEST_SKIP() << result.error;
            ASSERT_EQ(result.status, FileStatus::ok) << result.error;
            EXPECT_EQ(result.frames_out, 60);
            EXPECT_EQ(frame_times(result.output), frame_times(software.output)) << name;
            EXPECT_GE(psnr(result.output, software.output), 35) << name;
        }
}

}  // namespace
}  // namespace weft::test
