// JPEG pictures decoded and encoded on GPUs (nvJPEG).
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/picture/nvjpeg.h"
#include "kernels/device/device.h"

namespace weft {

// Whether calls wait or fail until nvJPEG has started, which takes 0.27 s on an H100.
enum class StartPolicy : std::uint8_t { wait, fail };

// Keeps decoders and encoders from picture to picture. As many exist as have worked at once. For
// any number of threads, each on a picture of its own; all calls block.
class GpuJpegs {
 public:
    explicit GpuJpegs(StartPolicy policy);
    ~GpuJpegs();
    GpuJpegs(const GpuJpegs&) = delete;
    GpuJpegs& operator=(const GpuJpegs&) = delete;

    // The picture as a frame in the memory of `gpu` with the properties and the format of `tags`,
    // which was decoded from its first_unit(). nvJPEG does not notice damage: check is_whole()
    // first. Throws std::exception for pictures that nvJPEG does not decode.
    AVFramePtr decode(const Device& gpu, std::span<const std::uint8_t> jpeg, const AVFrame& tags,
                      int width, int height);

    // A JPEG of a frame on the host, of three planes of 8 bits, with the headers and quantisation
    // tables of `like`: a picture of any size in the same format that libav's encoder has made.
    // Throws NvjpegUnavailable, and std::exception for failures.
    AVPacketPtr encode(const Device& gpu, const AVFrame& frame, std::span<const std::uint8_t> like);

    // Frees all that is kept of a GPU, after a failure.
    void clear(const Device& gpu) noexcept;

 private:
    struct Worker;
    using Library = std::shared_future<std::shared_ptr<const Nvjpeg>>;
    std::unique_ptr<Worker> take(const Device& gpu);
    std::unique_ptr<Worker> find_kept(const Device& gpu);
    void give_back(std::unique_ptr<Worker> worker);

    StartPolicy start_policy_;
    std::mutex mutex_;
    std::map<int, Library> libraries_;  // by the GPU's ordinal
    std::vector<std::unique_ptr<Worker>> kept_;
};

}  // namespace weft
