#include "app/viewer/screen/picture.h"

#include <algorithm>
#include <cstring>

#include "kernels/pixel_type.h"
#include "kernels/pixels/pixel_ops.h"
#include "kernels/with_sample_type.h"

namespace weft {

PicturePool::PicturePool(const FrameInfo& info, Allocation where)
    : shapes_(info.planes), type_(pixel_type(info.sample)), where_(where) {}

std::unique_ptr<PicturePool::Buffers> PicturePool::make_buffers() const {
    auto buffers = std::make_unique<Buffers>();
    for (const PlaneInfo& plane : shapes_)
        buffers->emplace_back(plane.width, plane.height, static_cast<int>(plane.components.size()),
                              type_, where_);
    return buffers;
}

Picture PicturePool::get() {
    std::unique_ptr<Buffers> buffers;
    {
        const std::scoped_lock lock(shelf_->mutex);
        if (!shelf_->free.empty()) {
            buffers = std::move(shelf_->free.back());
            shelf_->free.pop_back();
        }
    }
    if (!buffers) buffers = make_buffers();
    Picture picture;
    for (const ImageBuffer& plane : *buffers) picture.planes.push_back(plane.view());
    picture.owner = std::shared_ptr<Buffers>(buffers.release(), [shelf = shelf_](Buffers* used) {
        std::unique_ptr<Buffers> back(used);
        const std::scoped_lock lock(shelf->mutex);
        shelf->free.push_back(std::move(back));
    });
    return picture;
}

namespace {

float sample_of(const std::byte* at, PixelType type) {
    return with_sample_type(type, [at](auto sample) {
        std::memcpy(&sample, at, sizeof sample);
        return static_cast<float>(sample);
    });
}

ImageView part_of(ImageView plane, const SampleBlock& block) {
    const auto pixel_bytes =
        static_cast<std::ptrdiff_t>(bytes_per_sample(plane.type)) * plane.channels;
    plane.data = plane.row(block.y) + block.x * pixel_bytes;
    plane.width = block.width;
    plane.height = block.height;
    return plane;
}

}  // namespace

SampleBlock read_samples(const ImageView& plane, int x, int y, int width, int height) {
    SampleBlock block;
    block.x = std::clamp(x, 0, plane.width);
    block.y = std::clamp(y, 0, plane.height);
    block.width = std::clamp(x + width, block.x, plane.width) - block.x;
    block.height = std::clamp(y + height, block.y, plane.height) - block.y;
    block.channels = plane.channels;
    if (block.width == 0 || block.height == 0) return block;
    const ImageBuffer copy(block.width, block.height, plane.channels, plane.type, Allocation::host);
    copy_image(part_of(plane, block), copy.view(), nullptr);
    const std::size_t step = bytes_per_sample(plane.type);
    for (int row = 0; row < block.height; ++row)
        for (int k = 0; k < block.width * block.channels; ++k)
            block.samples.push_back(
                sample_of(copy.view().row(row) + static_cast<std::size_t>(k) * step, plane.type));
    return block;
}

}  // namespace weft
