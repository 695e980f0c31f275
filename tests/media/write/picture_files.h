// Picture files with metadata that is written here byte by byte, by the formats' standards.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "tests/support/clips.h"

namespace weft::test {

// A picture of six blocks of one colour each, so that a JPEG of any quality keeps them: 3 by 2 of
// 16×16 pixels, white at the top left and black at the bottom right.
inline constexpr int kBlockSide = 16;
inline constexpr int kBlocksWidth = 3 * kBlockSide;
inline constexpr int kBlocksHeight = 2 * kBlockSide;

// The picture as it is stored with an EXIF orientation, 1 to 8, without a tag: a file of this
// ending, made by ffmpeg.
std::filesystem::path stored_blocks(int orientation, const std::string& ending);

// Fails unless the picture, in a format of RGB, shows the blocks upright.
void expect_upright_blocks(const AVFrame& rgb);

// Tests of this class are skipped in builds without Exiv2.
class MetadataTest : public ClipTest {
 protected:
    void SetUp() override;
};

Bytes joined(std::initializer_list<Bytes> parts);
Bytes text_bytes(std::string_view text);
// Whether the bytes occur in the file.
bool holds(const std::filesystem::path& file, const Bytes& bytes);

// An EXIF structure: orientation, artist "Ada", PixelXDimension, PixelYDimension and a thumbnail.
inline constexpr std::string_view kThumbnail = "thumbnail pixels";
Bytes exif_bytes(int orientation, int width = kBlocksWidth, int height = kBlocksHeight);

// The file with a block added after its header.
Bytes jpeg_with(const Bytes& jpeg, std::uint8_t marker, const Bytes& segment);
Bytes png_with(const Bytes& png, const std::string& type, const Bytes& data);
Bytes webp_with_exif(const Bytes& webp, int width, int height, const Bytes& exif);
// A bare codestream in a container with an EXIF box before it.
Bytes jxl_with_exif(const Bytes& codestream, const Bytes& exif);
// One or two SHORTs, the first in the lower half of `value`.
Bytes tiff_with_shorts(const Bytes& tiff, std::uint16_t tag, std::uint32_t count,
                       std::uint32_t value);
// A TIFF of libav's whose resolution per inch is replaced, and that of a TIFF.
Bytes tiff_with_resolution(Bytes tiff, std::uint32_t x, std::uint32_t y);
std::array<double, 2> resolution_of_tiff(const std::filesystem::path& file);

// All chunks of the type in a PNG.
std::vector<Bytes> png_chunks(const std::filesystem::path& file, const std::string& type);

// A profile without tags for "RGB ", "GRAY" or "CMYK".
Bytes icc_bytes(std::string_view space);

// stored_blocks() with an EXIF orientation in the form of the kind of file: .jpg, .png, .tiff,
// .webp.
std::filesystem::path oriented_blocks(int orientation, const std::string& ending);

}  // namespace weft::test
