#include "app/pipeline/gpu_transfer.h"

#include "kernels/pixel_ops.h"

namespace weft {
namespace {

ImageBuffer allocate(const ImageView& like, Allocation where) {
    return {like.width, like.height, like.channels, like.type, where};
}

}  // namespace

GpuTransfer::GpuTransfer(std::span<const ImageView> planes, const std::vector<bool>& used)
    : used_(used), source_(planes.size()), target_(planes.size()) {
    lanes_.resize(planes.size());
    for (std::size_t p = 0; p < planes.size(); ++p) {
        if (!used_[p]) continue;
        Lane& lane = lanes_[p];
        lane.pinned_in = allocate(planes[p], Allocation::pinned);
        lane.device_in = allocate(planes[p], Allocation::device);
        lane.device_out = allocate(planes[p], Allocation::device);
        lane.pinned_out = allocate(planes[p], Allocation::pinned);
        source_[p] = lane.device_in.view();
        target_[p] = lane.device_out.view();
    }
}

void GpuTransfer::upload(std::span<const ImageView> host) {
    StageTimer clock(false);
    clock.start(nullptr);
    for (std::size_t p = 0; p < lanes_.size(); ++p)
        if (used_[p]) copy_image(host[p], lanes_[p].pinned_in.view(), nullptr);
    clock.stop(nullptr);
    upload_copy_ = clock.seconds();

    upload_timer_.start(stream());
    for (std::size_t p = 0; p < lanes_.size(); ++p)
        if (used_[p]) copy_image(lanes_[p].pinned_in.view(), source_[p], stream());
    upload_timer_.stop(stream());
}

void GpuTransfer::download(std::span<const ImageView> host) {
    download_timer_.start(stream());
    for (std::size_t p = 0; p < lanes_.size(); ++p)
        if (used_[p]) copy_image(target_[p], lanes_[p].pinned_out.view(), stream());
    download_timer_.stop(stream());
    stream_.synchronize();

    StageTimer clock(false);
    clock.start(nullptr);
    for (std::size_t p = 0; p < lanes_.size(); ++p)
        if (used_[p]) copy_image(lanes_[p].pinned_out.view(), host[p], nullptr);
    clock.stop(nullptr);
    download_copy_ = clock.seconds();
}

}  // namespace weft
