#include "app/pipeline/stack/gpu_transfer.h"

#include <algorithm>

#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

bool on_device(const ImageView& image) {
    return image.space == MemorySpace::device;
}

const ImageView& like_in(ImageBuffer& buffer, Allocation where, const ImageView& like) {
    if (buffer.view().data == nullptr)
        buffer = {like.width, like.height, like.channels, like.type, where};
    return buffer.view();
}

}  // namespace

GpuTransfer::GpuTransfer(std::vector<bool> used)
    : lanes_(used.size()),
      used_(std::move(used)),
      source_(used_.size()),
      target_(used_.size()),
      from_(used_.size()),
      to_(used_.size()) {}

InplaceVector<std::size_t, 4> GpuTransfer::host_planes(std::span<const ImageView> images) const {
    InplaceVector<std::size_t, 4> planes;
    for (std::size_t p = 0; p < lanes_.size(); ++p)
        if (used_[p] && !on_device(images[p])) planes.push_back(p);
    return planes;
}

void GpuTransfer::bind(std::span<const ImageView> src, std::span<const ImageView> dst) {
    reads_source_ = false;
    for (std::size_t p = 0; p < lanes_.size(); ++p) {
        // A plane that is not used may be copied from one to the other.
        reads_source_ = reads_source_ || on_device(src[p]) || on_device(dst[p]);
        if (!used_[p]) continue;
        Lane& lane = lanes_[p];
        source_[p] =
            on_device(src[p]) ? src[p] : like_in(lane.device_in, Allocation::device, src[p]);
        target_[p] =
            on_device(dst[p]) ? dst[p] : like_in(lane.device_out, Allocation::device, dst[p]);
    }
}

// Copies pageable planes into page-locked memory.
void GpuTransfer::stage(std::span<const ImageView> src) {
    StageTimer clock(false);
    clock.start(nullptr);
    for (const std::size_t p : host_planes(src)) {
        from_[p] = src[p];
        if (is_page_locked(src[p].data)) {
            reads_source_ = true;
            continue;
        }
        from_[p] = like_in(lanes_[p].pinned_in, Allocation::pinned, src[p]);
        copy_image(src[p], from_[p], nullptr);
    }
    clock.stop(nullptr);
    upload_copy_ = clock.seconds();
}

void GpuTransfer::upload(std::span<const ImageView> src, std::span<const ImageView> dst) {
    bind(src, dst);
    stage(src);
    upload_timer_.start(stream());
    const auto planes = host_planes(src);
    uploads_ = !planes.empty();
    for (const std::size_t p : planes) copy_image(from_[p], source_[p], stream());
    upload_timer_.stop(stream());
}

void GpuTransfer::download(std::span<const ImageView> dst) {
    download_timer_.start(stream());
    const auto planes = host_planes(dst);
    downloads_ = !planes.empty();
    for (const std::size_t p : planes) {
        to_[p] = {};
        const bool pageable = !is_page_locked(dst[p].data);
        copy_image(target_[p],
                   pageable ? like_in(lanes_[p].pinned_out, Allocation::pinned, dst[p]) : dst[p],
                   stream());
        if (pageable) to_[p] = dst[p];
    }
    download_timer_.stop(stream());
    done_.record(stream());
}

void GpuTransfer::give_up() noexcept {
    try {
        stream_.synchronize();
    } catch (const std::exception&) {
        // The failure was already reported by the call that led here.
    }
    std::ranges::fill(to_, ImageView{});
}

void GpuTransfer::finish() {
    done_.wait();
    StageTimer clock(false);
    clock.start(nullptr);
    for (std::size_t p = 0; p < to_.size(); ++p)
        if (ImageView& to = to_[p]; to.data != nullptr) {
            copy_image(lanes_[p].pinned_out.view(), to, nullptr);
            to = {};
        }
    clock.stop(nullptr);
    download_copy_ = clock.seconds();
}

}  // namespace weft
