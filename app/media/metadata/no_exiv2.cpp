// In builds without Exiv2, no block is read, which every picture's report mentions.
#include "app/media/metadata/embedded_blocks.h"

namespace weft {

struct EmbeddedBlocks::Impl {
    std::string problem = "a build without Exiv2 cannot read EXIF, XMP, IPTC or ICC profiles";
};

EmbeddedBlocks::EmbeddedBlocks(const std::string&) : impl_(std::make_unique<Impl>()) {}
EmbeddedBlocks::~EmbeddedBlocks() = default;
EmbeddedBlocks::EmbeddedBlocks(EmbeddedBlocks&&) noexcept = default;
EmbeddedBlocks& EmbeddedBlocks::operator=(EmbeddedBlocks&&) noexcept = default;

void EmbeddedBlocks::add(FoundBlocks) {}

const std::string& EmbeddedBlocks::problem() const {
    return impl_->problem;
}

int EmbeddedBlocks::orientation() const {
    return 1;
}

std::optional<Resolution> EmbeddedBlocks::resolution() const {
    return std::nullopt;
}

std::vector<std::string> EmbeddedBlocks::lost_in(const PictureTarget&) const {
    return {};
}

std::vector<std::string> EmbeddedBlocks::pictures() const {
    return {};
}

DescribedPicture EmbeddedBlocks::add_to(std::span<const std::uint8_t> encoded,
                                        const PictureTarget&) const {
    return {.bytes = {encoded.begin(), encoded.end()}, .missing = {}};
}

}  // namespace weft
