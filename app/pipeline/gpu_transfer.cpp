#include "app/pipeline/gpu_transfer.h"

#include "kernels/pixel_ops.h"

namespace weft {
namespace {

bool on_device(const ImageView& image) {
    return image.space == MemorySpace::device;
}

// The device's buffer for planes like `like`, with its way through pinned memory.
const ImageView& device_side(ImageBuffer& device, ImageBuffer& pinned, const ImageView& like) {
    if (device.view().data == nullptr) {
        device = {like.width, like.height, like.channels, like.type, Allocation::device};
        pinned = {like.width, like.height, like.channels, like.type, Allocation::pinned};
    }
    return device.view();
}

}  // namespace

GpuTransfer::GpuTransfer(std::vector<bool> used)
    : lanes_(used.size()), used_(std::move(used)), source_(used_.size()), target_(used_.size()) {}

std::vector<std::size_t> GpuTransfer::host_planes(std::span<const ImageView> images) const {
    std::vector<std::size_t> planes;
    for (std::size_t p = 0; p < lanes_.size(); ++p)
        if (used_[p] && !on_device(images[p])) planes.push_back(p);
    return planes;
}

void GpuTransfer::bind(std::span<const ImageView> src, std::span<const ImageView> dst) {
    for (std::size_t p = 0; p < lanes_.size(); ++p) {
        if (!used_[p]) continue;
        Lane& lane = lanes_[p];
        source_[p] =
            on_device(src[p]) ? src[p] : device_side(lane.device_in, lane.pinned_in, src[p]);
        target_[p] =
            on_device(dst[p]) ? dst[p] : device_side(lane.device_out, lane.pinned_out, dst[p]);
    }
}

void GpuTransfer::upload(std::span<const ImageView> src, std::span<const ImageView> dst) {
    bind(src, dst);
    const std::vector<std::size_t> planes = host_planes(src);
    StageTimer clock(false);
    clock.start(nullptr);
    for (const std::size_t p : planes) copy_image(src[p], lanes_[p].pinned_in.view(), nullptr);
    clock.stop(nullptr);
    upload_copy_ = clock.seconds();

    upload_timer_.start(stream());
    for (const std::size_t p : planes) copy_image(lanes_[p].pinned_in.view(), source_[p], stream());
    upload_timer_.stop(stream());
}

void GpuTransfer::download(std::span<const ImageView> dst) {
    const std::vector<std::size_t> planes = host_planes(dst);
    download_timer_.start(stream());
    for (const std::size_t p : planes)
        copy_image(target_[p], lanes_[p].pinned_out.view(), stream());
    download_timer_.stop(stream());
    stream_.synchronize();

    StageTimer clock(false);
    clock.start(nullptr);
    for (const std::size_t p : planes) copy_image(lanes_[p].pinned_out.view(), dst[p], nullptr);
    clock.stop(nullptr);
    download_copy_ = clock.seconds();
}

}  // namespace weft
