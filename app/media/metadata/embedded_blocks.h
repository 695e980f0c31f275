// The metadata blocks that photographs carry in every kind of file: EXIF, XMP, IPTC, the ICC
// profile and a comment, through Exiv2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

// Blocks that picture files can hold, as bits: a row of the container table has some of them.
enum PictureBlock : unsigned {
    kExif = 1U << 0U,
    kXmp = 1U << 1U,
    kIptc = 1U << 2U,
    kIccProfile = 1U << 3U,
    kComment = 1U << 4U,
    kResolution = 1U << 5U,
    kPngChunks = 1U << 6U,
    kAssociatedAlpha = 1U << 7U,
};

// Whether a text may hold an encoded picture. It has 1,000 characters in words of at least 40, as
// in base64 with or without breaks; or as many of any kind, and some that no text has; or 4,096, as
// in a list of numbers. Blanks and brackets end a word.
constexpr bool may_hold_picture(std::string_view text) {
    constexpr std::size_t kLongWord = 40, kLeast = 1000, kLongText = 4096;
    if (text.size() >= kLongText) return true;
    std::size_t word = 0;
    std::size_t in_long_words = 0;
    bool is_text = true;
    for (const char c : text) {
        is_text = is_text && (c < '\1' || c > '\b');
        word = c == ' ' || c == '<' || c == '>' ? 0 : word + 1;
        if (word >= kLongWord) in_long_words += word == kLongWord ? kLongWord : 1;
    }
    return in_long_words >= kLeast || (!is_text && text.size() >= kLeast);
}

// A picture that receives metadata.
struct PictureTarget {
    unsigned blocks = 0;      // those that its kind of file can hold
    bool gray = false;        // its ICC profile is one for gray, else for RGB
    bool transposed = false;  // the source's pixels, with x and y exchanged
    int width = 0;
    int height = 0;
    bool redacted = false;  // without metadata that may hold another picture
};

// The resolution as the first directory of EXIF and of TIFF states it.
struct Resolution {
    using Rational = std::pair<std::uint32_t, std::uint32_t>;
    enum Unit : std::uint16_t { none = 1, inch = 2, centimetre = 3 };  // TIFF's numbers

    Rational x{0, 1};
    Rational y{0, 1};
    Unit unit = inch;
};

// Blocks from other places of a file than Exiv2 reads.
struct FoundBlocks {
    std::vector<std::uint8_t> profile;  // ICC
    std::string xmp;                    // a packet
    std::string comment;
};

// The encoded picture with its metadata.
struct DescribedPicture {
    std::vector<std::uint8_t> bytes;
    std::vector<std::string> missing;  // tags that did not fit: "Exif.Photo.UserComment", …
};

class EmbeddedBlocks {
 public:
    // Reads every metadata block of the file and no pixel; unknown kinds of files have none. The
    // call waits for the disk, and for any other thread that reads a file.
    explicit EmbeddedBlocks(const std::string& path);
    ~EmbeddedBlocks();
    EmbeddedBlocks(EmbeddedBlocks&&) noexcept;
    EmbeddedBlocks& operator=(EmbeddedBlocks&&) noexcept;

    // Takes the blocks of the kinds that Exiv2 has not found.
    void add(FoundBlocks found);

    // Why the metadata cannot be read, as a clause; empty if it can.
    const std::string& problem() const;
    // EXIF's orientation: 1 (upright) to 8.
    int orientation() const;
    // EXIF's resolution, if it is one: 72 per inch stands for an unknown one.
    std::optional<Resolution> resolution() const;
    // Names of the blocks that the target does not hold: "EXIF", "ICC profile for CMYK", …
    std::vector<std::string> lost_in(const PictureTarget& target) const;

    // Names of the metadata that may hold another picture: "EXIF thumbnail", "maker notes", …
    std::vector<std::string> pictures() const;

    // The encoded picture (JPEG, PNG, TIFF, WebP) with all blocks that the target holds: upright,
    // with the target's size, without thumbnails. Reads the result back for missing tags: Exiv2
    // leaves tags out that do not fit. Throws MediaError(failed) if a whole block does not fit, or
    // if the encoded picture is damaged.
    DescribedPicture add_to(std::span<const std::uint8_t> encoded,
                            const PictureTarget& target) const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
