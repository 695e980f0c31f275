// Everything that describes a picture in its file, next to the pixels: read from the source, and
// added to an encoded picture.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/media/demux/input_file.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/metadata/embedded_blocks.h"
#include "app/media/metadata/jpeg_tables.h"
#include "app/media/metadata/png_chunks.h"

namespace weft {

class PictureMetadata {
 public:
    // Reads the file again, by its name. A pipe and damaged metadata are a problem() and no error.
    // `codec` decodes the picture. Throws MediaError on I/O errors.
    PictureMetadata(const InputFile& file, AVCodecID codec);

    // Takes the ICC profile that only the decoder knows: that of JPEG XL is compressed.
    void add_profile_of(const AVFrame& frame);

    // Why metadata is lost before any output is chosen, as a sentence; empty if it is not.
    const std::string& problem() const { return problem_; }
    // EXIF's orientation: 1 (upright) to 8.
    int orientation() const { return blocks_ ? blocks_->orientation() : 1; }

    // Parts of the picture that are not decoded: "channels Z, normal.X", "3 layers", …
    const std::vector<std::string>& undecoded() const { return undecoded_; }

    // How often a GIF or an APNG is played, 0: endlessly; null for other files.
    std::optional<std::uint32_t> plays() const { return plays_; }

    // The quality of a JPEG; null for other files.
    const std::optional<JpegTables>& jpeg_tables() const { return jpeg_tables_; }

    // Whether any kind of file could hold something of it.
    bool empty() const;
    // Names of what the target does not hold. The file's thumbnails show other pixels: they are
    // left out and not named.
    std::vector<std::string> lost_in(const PictureTarget& target) const;

    // Names of the parts that may show another picture, and are left out where the target is
    // redacted.
    std::vector<std::string> pictures() const;

    // The encoded picture with all that the target holds, and the tags that did not fit. Throws
    // MediaError(failed) if a whole block does not fit.
    DescribedPicture add_to(std::span<const std::uint8_t> encoded,
                            const PictureTarget& target) const;

 private:
    void read_header(const InputFile& file);
    void read_png(const InputFile& file);
    void read_after_png(const InputFile& file, std::int64_t end);
    void read_jpeg(const InputFile& file);
    void read_appended(const InputFile& file);
    void read_heif(const InputFile& file);
    void read_segment(unsigned marker, std::span<const std::uint8_t> start);
    void add_other(const std::string& name);
    std::vector<PngChunk> chunks_for(const PictureTarget& target) const;
    // Returns the resolution in the order of the target's pixels.
    std::optional<Resolution> resolution_for(const PictureTarget& target) const;

    std::optional<EmbeddedBlocks> blocks_;
    std::vector<PngChunk> chunks_;     // a PNG keeps these
    std::vector<std::string> others_;  // lost in every output
    std::vector<std::string> undecoded_;
    std::optional<Resolution> resolution_;  // of the PNG or JPEG, else that of EXIF or a TIFF
    AVRational pixel_aspect_{0, 1};         // of a JPEG, which FFmpeg ignores if it is extreme
    bool in_exif_ = false;                  // resolution_ is
    bool associated_alpha_ = false;         // the colors of a TIFF are multiplied by its alpha
    std::optional<std::uint32_t> plays_;
    std::optional<JpegTables> jpeg_tables_;
    std::string problem_;
};

}  // namespace weft
