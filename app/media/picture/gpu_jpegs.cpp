#include "app/media/picture/gpu_jpegs.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "app/media/picture/frame.h"
#include "app/media/picture/gpu_frames.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

using Bytes = std::span<const std::uint8_t>;

// APP0 to APP15, and comments.
bool describes(std::uint8_t marker) {
    return (marker >= 0xE0 && marker <= 0xEF) || marker == 0xFE;
}

// Where the coding begins: the first segment that does not describe the picture. Both encoders
// write those that do first. Throws std::runtime_error.
std::size_t coding_begin(Bytes jpeg) {
    std::size_t at = 2;
    while (at + 4 <= jpeg.size() && jpeg[at] == 0xFF && describes(jpeg[at + 1])) {
        const std::size_t bytes = 2 + (static_cast<std::size_t>(jpeg[at + 2]) << 8U) + jpeg[at + 3];
        if (at + bytes > jpeg.size()) break;
        at += bytes;
    }
    if (at + 4 > jpeg.size()) throw std::runtime_error("an encoder made no JPEG");
    return at;
}

// `made` with the describing segments of `like`.
AVPacketPtr described_as(Bytes like, Bytes made) {
    const Bytes description = like.first(coding_begin(like));
    const Bytes coding = made.subspan(coding_begin(made));
    AVPacketPtr packet = make_packet();
    av_check(av_new_packet(packet.get(), static_cast<int>(description.size() + coding.size())),
             "encoding a frame", "memory");
    std::ranges::copy(coding, std::ranges::copy(description, packet->data).out);
    return packet;
}

}  // namespace

struct GpuJpegs::Worker {
    Worker(const Device& gpu, const std::shared_ptr<const Nvjpeg>& library)
        : frames(gpu), decoder(library), encoder(library, frames.stream().view()) {}

    void wait() const {
        StreamEvent done;
        done.record(frames.stream().view());
        done.wait();
    }

    GpuFrames frames;
    NvjpegDecoder decoder;
    NvjpegEncoder encoder;
};

GpuJpegs::GpuJpegs(StartPolicy policy) : start_policy_(policy) {}
GpuJpegs::~GpuJpegs() = default;

// Call it with the lock held.
std::unique_ptr<GpuJpegs::Worker> GpuJpegs::find_kept(const Device& gpu) {
    const auto same = std::ranges::find_if(kept_, [&gpu](const std::unique_ptr<Worker>& worker) {
        return worker->frames.device().ordinal == gpu.ordinal;
    });
    if (same == kept_.end()) return nullptr;
    std::unique_ptr<Worker> worker = std::move(*same);
    kept_.erase(same);
    return worker;
}

std::unique_ptr<GpuJpegs::Worker> GpuJpegs::take(const Device& gpu) {
    use_device(gpu);
    Library library;
    {
        const std::scoped_lock lock(mutex_);
        if (std::unique_ptr<Worker> kept = find_kept(gpu)) return kept;
        Library& shared = libraries_[gpu.ordinal];
        if (!shared.valid())
            shared = std::async(std::launch::async, [gpu] {
                         use_device(gpu);
                         return std::make_shared<const Nvjpeg>();
                     }).share();
        library = shared;
    }
    const bool ready = library.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    if (!ready && start_policy_ == StartPolicy::fail)
        throw NvjpegUnavailable("nvJPEG has not started yet");
    return std::make_unique<Worker>(gpu, library.get());
}

void GpuJpegs::give_back(std::unique_ptr<Worker> worker) {
    const std::scoped_lock lock(mutex_);
    kept_.push_back(std::move(worker));
}

AVFramePtr GpuJpegs::decode(const Device& gpu, std::span<const std::uint8_t> jpeg,
                            const AVFrame& tags, int width, int height) {
    std::unique_ptr<Worker> worker = take(gpu);
    AVFramePtr frame = worker->frames.get(tags, sample_format(tags), width, height);
    worker->decoder.decode(jpeg, plane_views(*frame), worker->frames.stream().view());
    worker->wait();
    give_back(std::move(worker));
    return frame;
}

AVPacketPtr GpuJpegs::encode(const Device& gpu, const AVFrame& frame,
                             std::span<const std::uint8_t> like) {
    std::unique_ptr<Worker> worker = take(gpu);
    const AVFramePtr there =
        worker->frames.get(frame, sample_format(frame), frame.width, frame.height);
    const PlaneViews from = plane_views(frame);
    const PlaneViews to = plane_views(*there);
    for (std::size_t k = 0; k < from.size(); ++k)
        copy_image(from[k], to[k], worker->frames.stream().view());
    const std::vector<std::uint8_t> made = worker->encoder.encode(to, like);
    give_back(std::move(worker));
    return described_as(like, made);
}

void GpuJpegs::clear(const Device& gpu) noexcept {
    const std::scoped_lock lock(mutex_);
    std::erase_if(kept_, [&gpu](const std::unique_ptr<Worker>& worker) {
        return worker->frames.device().ordinal == gpu.ordinal;
    });
    libraries_.erase(gpu.ordinal);
}

}  // namespace weft
