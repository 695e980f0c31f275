#include "app/media/metadata/picture_metadata.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"
#include "app/media/demux/picture_limits.h"
#include "app/media/metadata/animation.h"
#include "app/media/metadata/header_facts.h"
#include "app/media/structure/structure.h"

namespace weft {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::string_view kPhotoshop{"Photoshop 3.0\0", 14};
constexpr double kMetresPerInch = 0.0254;

double per_metre(Resolution::Rational number, Resolution::Unit unit) {
    const double value = static_cast<double>(number.first) / number.second;
    return unit == Resolution::inch ? value / kMetresPerInch : value * 100;
}

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

bool is_text(const PngChunk& chunk) {
    return contains(std::array<std::string_view, 3>{"tEXt", "zTXt", "iTXt"}, chunk.type);
}

// Chunks that describe the stored pixels, and those that EmbeddedBlocks reads.
bool is_read_elsewhere(const PngChunk& chunk) {
    constexpr std::array<std::string_view, 5> kTypes{"IHDR", "PLTE", "tRNS", "iCCP", "eXIf"};
    if (contains(kTypes, chunk.type)) return true;
    // Other profiles of this name, such as Photoshop's 8bim, are texts like all.
    constexpr std::array<std::string_view, 6> kTexts{
        "XML:com.adobe.xmp",     "Description",           "Raw profile type exif",
        "Raw profile type APP1", "Raw profile type iptc", "Raw profile type xmp"};
    return is_text(chunk) && contains(kTexts, png_keyword(chunk));
}

// Whether an iTXt chunk states one: after the keyword, its end and two bytes on compression.
bool has_language(const PngChunk& chunk) {
    const std::size_t at = png_keyword(chunk).size() + 3;
    return chunk.type == "iTXt" && at < chunk.data.size() && chunk.data[at] != 0;
}

// The fourth letter is lower case if a chunk stays valid when the pixels change.
bool is_kept(const PngChunk& chunk) {
    constexpr std::array<std::string_view, 7> kColors{"gAMA", "cHRM", "sRGB", "cICP",
                                                      "mDCV", "cLLI", "tIME"};
    return contains(kColors, chunk.type) ||
           (static_cast<unsigned char>(chunk.type[3]) & 0x20U) != 0;
}

bool is_compressed(const PngChunk& chunk) {
    const std::size_t at = png_keyword(chunk).size() + 1;
    return chunk.type == "zTXt" ||
           (chunk.type == "iTXt" && at < chunk.data.size() && chunk.data[at] == 1);
}

// Programs store thumbnails and layers in texts and in chunks of their own. 1,000 characters of
// base64 have 750 bytes, which no compression shortens.
bool may_hide_picture(const PngChunk& chunk) {
    constexpr std::size_t kLargeValue = 1024, kLargeText = 750;
    if (!is_text(chunk)) return chunk.data.size() > kLargeValue;
    if (is_compressed(chunk)) return chunk.data.size() >= kLargeText;
    return may_hold_picture({reinterpret_cast<const char*>(chunk.data.data()), chunk.data.size()});
}

// "text Author"; types are shown as they are, if they are letters.
std::string name_of(const PngChunk& chunk) {
    return is_text(chunk) ? "text " + png_keyword(chunk) : chunk.type;
}

std::uint16_t big16(std::span<const std::uint8_t> data, std::size_t at) {
    return static_cast<std::uint16_t>(data[at] << 8U | data[at + 1]);
}

bool begins_with(std::span<const std::uint8_t> data, std::string_view text) {
    return data.size() >= text.size() && std::equal(text.begin(), text.end(), data.begin());
}

// Whether a segment of Photoshop's, up to `end`, has more than IPTC: resources of a type, a number,
// a name and data, the last two padded to even sizes.
bool has_other_resources(FileCursor cursor, std::int64_t end) {
    constexpr std::uint64_t kIptcNumber = 0x0404;
    while (cursor.at() < end && !cursor.ended()) {
        if (cursor.text4() != "8BIM" || cursor.big(2) != kIptcNumber) return true;
        const std::int64_t name = cursor.u8();
        cursor.skip(name | 1);
        const std::int64_t size = cursor.big32();
        cursor.skip(size + size % 2);
    }
    return false;
}

void put16(Bytes& bytes, std::size_t at, double value) {
    const auto number = static_cast<unsigned>(std::clamp(std::lround(value), 1L, 65535L));
    bytes[at] = static_cast<std::uint8_t>(number >> 8U);
    bytes[at + 1] = static_cast<std::uint8_t>(number);
}

// JFIF 1.02: a segment of 16 bytes after the start of the image.
Bytes with_jfif_resolution(Bytes jpeg, const Resolution& resolution) {
    constexpr std::array<std::uint8_t, 18> kSegment{0xFF, 0xE0, 0, 16, 'J', 'F', 'I', 'F', 0,
                                                    1,    2,    1, 0,  0,   0,   0,   0,   0};
    constexpr std::size_t kUnit = 13;
    const std::span<const std::uint8_t> bytes(jpeg);
    if (bytes.size() < 2) throw MediaError(Outcome::failed, "the encoded JPEG ends too early");
    if (bytes.size() < 20 || bytes[3] != 0xE0 || !begins_with(bytes.subspan(6), "JFIF"))
        jpeg.insert(jpeg.begin() + 2, kSegment.begin(), kSegment.end());
    jpeg[kUnit] = 1;  // per inch
    put16(jpeg, kUnit + 1, per_metre(resolution.x, resolution.unit) * kMetresPerInch);
    put16(jpeg, kUnit + 3, per_metre(resolution.y, resolution.unit) * kMetresPerInch);
    return jpeg;
}

PngChunk physical_size(const Resolution& resolution) {
    constexpr double kMost = 0x7FFFFFFF;
    PngChunk chunk{.type = "pHYs", .data = {}};
    for (const Resolution::Rational& number : {resolution.x, resolution.y}) {
        const double value = std::clamp(per_metre(number, resolution.unit), 1.0, kMost);
        for (int shift = 24; shift >= 0; shift -= 8)
            chunk.data.push_back(static_cast<std::uint8_t>(
                static_cast<std::uint32_t>(std::lround(value)) >> static_cast<unsigned>(shift)));
    }
    chunk.data.push_back(1);
    return chunk;
}

bool is_tiff(const Bytes& picture) {
    return begins_with(picture, {"II*\0", 4}) || begins_with(picture, {"MM\0*", 4});
}

// libav's header of a BMP has 40 bytes after the file's 14.
Bytes with_bmp_resolution(Bytes bmp, const Resolution& resolution) {
    std::size_t at = 14 + 24;
    if (bmp.size() < at + 8) throw MediaError(Outcome::failed, "the encoded BMP ends too early");
    for (const Resolution::Rational& number : {resolution.x, resolution.y}) {
        const auto value =
            static_cast<std::uint32_t>(std::lround(per_metre(number, resolution.unit)));
        for (unsigned shift = 0; shift < 32; shift += 8)
            bmp[at++] = static_cast<std::uint8_t>(value >> shift);
    }
    return bmp;
}

// TIFF 6.0: the header has the place of the first directory, of entries of 12 bytes: tag, type,
// count and value. libav writes all three tags, and Exiv2 does not change them.
class TiffEditor {
 public:
    explicit TiffEditor(Bytes tiff) : bytes_(std::move(tiff)), little_(bytes_.front() == 'I') {}

    void set(const Resolution& resolution) {
        const std::size_t directory = get(4, 4);
        for (std::size_t k = 0; k < get(directory, 2); ++k) {
            const std::size_t entry = directory + 2 + 12 * k;
            const std::size_t tag = get(entry, 2);
            if (tag == 0x011A) put(get(entry + 8, 4), resolution.x);
            if (tag == 0x011B) put(get(entry + 8, 4), resolution.y);
            if (tag == 0x0128) put(entry + 8, 2, resolution.unit);
        }
    }
    // Marks the alpha as associated, because libav marks every alpha as unassociated.
    void set_associated_alpha() {
        const std::size_t directory = get(4, 4);
        for (std::size_t k = 0; k < get(directory, 2); ++k)
            if (get(directory + 2 + 12 * k, 2) == 0x0152) put(directory + 10 + 12 * k, 2, 1);
    }
    Bytes take() { return std::move(bytes_); }

 private:
    std::uint8_t& at(std::size_t place) {
        if (place >= bytes_.size())
            throw MediaError(Outcome::failed, "the encoded TIFF ends too early");
        return bytes_[place];
    }
    // Returns the index of the byte of this weight.
    std::size_t byte(std::size_t count, std::size_t weight) const {
        return little_ ? weight : count - 1 - weight;
    }
    std::size_t get(std::size_t place, std::size_t count) {
        std::size_t value = 0;
        for (std::size_t k = 0; k < count; ++k)
            value |= std::size_t{at(place + byte(count, k))} << (8 * k);
        return value;
    }
    void put(std::size_t place, std::size_t count, std::uint32_t value) {
        for (std::size_t k = 0; k < count; ++k)
            at(place + byte(count, k)) = static_cast<std::uint8_t>(value >> (8 * k));
    }
    void put(std::size_t place, Resolution::Rational value) {
        put(place, 4, value.first);
        put(place + 4, 4, value.second);
    }

    Bytes bytes_;
    bool little_;
};

Bytes with_tiff_tags(Bytes tiff, const std::optional<Resolution>& resolution,
                     bool associated_alpha) {
    TiffEditor editor(std::move(tiff));
    if (resolution) editor.set(*resolution);
    if (associated_alpha) editor.set_associated_alpha();
    return editor.take();
}

// The box of a HEIF or AVIF file that lists its items and their properties (ISO/IEC 23008-12);
// empty for other files.
std::string heif_items(const InputFile& file) {
    constexpr std::int64_t kMost = 1 << 20;
    FileCursor cursor(file);
    for (bool first = true; !cursor.ended(); first = false) {
        const Box box = read_box(cursor);
        const std::int64_t end = box.size == 0 ? file.size() : box.end();
        if (end < box.data || (first && box.type != "ftyp")) return "";
        if (box.type == "meta") {
            std::string items(static_cast<std::size_t>(std::min(end - box.data, kMost)), ' ');
            const std::span<char> place(items);
            items.resize(file.read_at(
                box.data, {reinterpret_cast<std::uint8_t*>(place.data()), place.size()}));
            return items;
        }
        cursor.go(end);
    }
    return "";
}

// A property of a HEIF file is a box: a size, "colr", "prof" and the ICC profile.
Bytes heif_profile(const std::string& items) {
    const std::size_t at = items.find("colrprof");
    if (at == std::string::npos || at < 4) return {};
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(items.data()), items.size());
    const std::size_t size = big32(bytes, at - 4);
    if (size < 12 || size > items.size() - (at - 4)) return {};
    const auto profile = bytes.subspan(at + 8, size - 12);
    return {profile.begin(), profile.end()};
}

constexpr std::string_view kFurtherPictures = "further pictures (MPF)";
constexpr std::string_view kMotionPhoto = "the video after the picture";

bool is_picture(const std::string& name) {
    return name == kFurtherPictures || name == kMotionPhoto;
}

// Calls `accepts` with the bytes from `begin` to the end of the file, in parts that share 16 bytes.
template <class Accepts>
bool any_part(const InputFile& file, std::int64_t begin, const Accepts& accepts) {
    constexpr std::size_t kShared = 16;
    std::vector<std::uint8_t> part(std::size_t{1} << 16U);
    for (std::int64_t at = begin;;) {
        const std::size_t size = file.read_at(at, part);
        if (accepts(std::span<const std::uint8_t>(part).first(size))) return true;
        if (size < part.size()) return false;
        at += static_cast<std::int64_t>(size - kShared);
    }
}

// Whether a box "ftyp" of a plausible size, which begins an MP4, is there.
bool holds_video(const InputFile& file, std::int64_t begin) {
    static constexpr std::string_view kType = "ftyp";
    static constexpr std::uint32_t kMostBytes = 256;
    return any_part(file, begin, [](std::span<const std::uint8_t> part) {
        for (auto found = part.begin();; ++found) {
            found = std::search(found, part.end(), kType.begin(), kType.end());
            if (found == part.end()) return false;
            const auto at = static_cast<std::size_t>(found - part.begin());
            if (at >= 4 && big32(part, at - 4) >= 16 && big32(part, at - 4) <= kMostBytes)
                return true;
        }
    });
}

// Whether any byte from `begin` on is not zero.
bool holds_data(const InputFile& file, std::int64_t begin) {
    return any_part(file, begin, [](std::span<const std::uint8_t> part) {
        return std::ranges::any_of(part, [](std::uint8_t byte) { return byte != 0; });
    });
}

}  // namespace

PictureMetadata::PictureMetadata(const InputFile& file, AVCodecID codec) {
    if (!file.seekable()) {
        problem_ = "the picture comes from a pipe, so its metadata is lost";
        return;
    }
    blocks_.emplace(file.path() == "-" ? "/dev/stdin" : file.path());
    read_header(file);
    if (!blocks_->problem().empty())
        problem_ = fmt::format("metadata of the picture is damaged and partly lost: {}",
                               blocks_->problem());
    read_png(file);
    read_jpeg(file);
    read_heif(file);
    plays_ = plays_of(file);
    jpeg_tables_ = read_jpeg_tables(file);
    associated_alpha_ = has_associated_alpha(file);
    undecoded_ = find_picture_losses(file, codec);
    if (resolution_) return;
    resolution_ = blocks_->resolution();
    in_exif_ = resolution_.has_value();
}

void PictureMetadata::add_profile_of(const AVFrame& frame) {
    const AVFrameSideData* icc = av_frame_get_side_data(&frame, AV_FRAME_DATA_ICC_PROFILE);
    if (icc == nullptr || !blocks_) return;
    blocks_->add({.profile = {icc->data, icc->data + icc->size}, .xmp = {}, .comment = {}});
}

void PictureMetadata::read_header(const InputFile& file) {
    HeaderFacts facts = read_header_facts(file);
    resolution_ = facts.resolution;
    for (const std::string& name : facts.others) add_other(name);
    blocks_->add(std::move(facts.blocks));
}

void PictureMetadata::read_png(const InputFile& file) {
    PngChunks chunks = read_png_chunks(file);
    const std::vector<std::string> blocks = blocks_->lost_in({.blocks = 0});
    const bool has_exif = std::ranges::find(blocks, "EXIF") != blocks.end() ||
                          blocks_->orientation() != 1 || blocks_->resolution();
    read_after_png(file, chunks.end);
    for (PngChunk& chunk : chunks.list) {
        if (has_language(chunk) && png_keyword(chunk) == "Description")
            add_other("the language of the text Description");
        // Exiv2 does not read all that other programs store so, and the text has the orientation.
        if (!has_exif && is_text(chunk) && png_keyword(chunk) == "Raw profile type exif")
            add_other(name_of(chunk));
        if (is_read_elsewhere(chunk)) continue;
        if (chunk.type == "pHYs") {
            if (chunk.data.size() == 9 && chunk.data[8] == 1)  // else a pixel aspect ratio
                resolution_ = Resolution{.x = {big32(chunk.data, 0), 100},
                                         .y = {big32(chunk.data, 4), 100},
                                         .unit = Resolution::centimetre};
        } else if (is_kept(chunk)) {
            chunks_.push_back(std::move(chunk));
        } else {
            others_.push_back(name_of(chunk));
        }
    }
}

void PictureMetadata::read_after_png(const InputFile& file, std::int64_t end) {
    const bool another = FileCursor(file, end).text4() == "\x89PNG";  // the next picture
    if (end > 0 && end < file.size() && !another && holds_data(file, end))
        add_other(fmt::format("{} bytes after the picture", file.size() - end));
}

// Segments up to the pixels: a marker, and a length that counts itself.
void PictureMetadata::read_jpeg(const InputFile& file) {
    FileCursor cursor(file);
    if (cursor.big(2) != 0xFFD8U) return;
    for (;;) {
        const auto marker = static_cast<unsigned>(cursor.big(2));
        const auto size = static_cast<std::int64_t>(cursor.big(2));
        const std::int64_t data = cursor.at();
        if (cursor.ended() || marker < 0xFFC0U || size < 2) return;
        if (marker == 0xFFDAU) return read_appended(file);
        std::array<std::uint8_t, 40> start{};
        const std::size_t wanted = std::min(static_cast<std::size_t>(size - 2), start.size());
        const std::size_t read = file.read_at(data, std::span(start).first(wanted));
        read_segment(marker, std::span<const std::uint8_t>(start).first(read));
        const std::int64_t end = data + size - 2;
        if (marker == 0xFFEDU && begins_with(start, kPhotoshop)) {
            cursor.skip(std::ssize(kPhotoshop));
            if (has_other_resources(cursor, end)) add_other("Photoshop resources");
        }
        cursor.go(end);
    }
}

// Phones append the video of a motion photo, and pictures that an MPF segment names.
void PictureMetadata::read_appended(const InputFile& file) {
    const StructureReport picture = check_jpeg(file);
    if (!picture.problem.empty()) return;
    if (holds_video(file, picture.byte))
        add_other(std::string(kMotionPhoto));
    else if (others_.end() == std::ranges::find(others_, kFurtherPictures) &&
             holds_data(file, picture.byte))
        add_other(fmt::format("{} bytes after the picture", file.size() - picture.byte));
}

// libav decodes the main picture without its alpha, and Exiv2 does not find the items of every
// writer.
void PictureMetadata::read_heif(const InputFile& file) {
    const std::string items = heif_items(file);
    blocks_->add({.profile = heif_profile(items), .xmp = {}, .comment = {}});
    const std::vector<std::string> found = blocks_->lost_in({});
    std::vector<std::string> unread;
    for (const auto& [entry, name] : {std::pair{":auxiliary:alpha", "alpha"},
                                      {"Exif", "EXIF"},
                                      {"application/rdf+xml", "XMP"},
                                      {"colrprof", "ICC profile"}})
        if (items.find(entry) != std::string::npos && std::ranges::find(found, name) == found.end())
            unread.emplace_back(name);
    if (!unread.empty() && problem_.empty())
        problem_ = fmt::format("these parts of the picture cannot be read and are lost: {}",
                               fmt::join(unread, ", "));
}

void PictureMetadata::read_segment(unsigned marker, std::span<const std::uint8_t> start) {
    constexpr std::array<std::string_view, 5> kReadElsewhere{"Exif", "http://ns.adobe.com/xap/1.0/",
                                                             "ICC_PROFILE", kPhotoshop,
                                                             std::string_view("Adobe\0", 6)};
    if (marker == 0xFFE0U && begins_with(start, "JFIF") && start.size() >= 12) {
        if (start[7] == 0)
            pixel_aspect_ = {static_cast<int>(big16(start, 8)), static_cast<int>(big16(start, 10))};
        else if (big16(start, 8) > 0 && big16(start, 10) > 0)
            resolution_ =
                Resolution{.x = {big16(start, 8), 1},
                           .y = {big16(start, 10), 1},
                           .unit = start[7] == 1 ? Resolution::inch : Resolution::centimetre};
        return;
    }
    if (marker < 0xFFE0U || marker > 0xFFEFU) return;
    for (const std::string_view known : kReadElsewhere)
        if (begins_with(start, known)) return;
    if (begins_with(start, "JFXX")) return;  // a thumbnail
    const bool pictures = begins_with(start, "MPF");
    const std::string name = begins_with(start, "http://ns.adobe.com/xmp/extension/")
                                 ? "extended XMP"
                             : pictures ? std::string(kFurtherPictures)
                                        : fmt::format("APP{}", marker - 0xFFE0U);
    add_other(name);
}

void PictureMetadata::add_other(const std::string& name) {
    if (std::ranges::find(others_, name) == others_.end()) others_.push_back(name);
}

bool PictureMetadata::empty() const {
    return (!blocks_ || blocks_->lost_in({}).empty()) && chunks_.empty() && !resolution_ &&
           !associated_alpha_;
}

std::vector<std::string> PictureMetadata::pictures() const {
    std::vector<std::string> names = blocks_ ? blocks_->pictures() : std::vector<std::string>();
    std::ranges::copy_if(others_, std::back_inserter(names), is_picture);
    for (const PngChunk& chunk : chunks_)
        if (may_hide_picture(chunk)) names.push_back("the " + name_of(chunk));
    return names;
}

std::vector<std::string> PictureMetadata::lost_in(const PictureTarget& target) const {
    std::vector<std::string> lost = blocks_ ? blocks_->lost_in(target) : std::vector<std::string>();
    for (const std::string& name : others_)
        if (!target.redacted || !is_picture(name)) lost.push_back(name);
    const unsigned places = in_exif_ ? kResolution | kExif : kResolution;
    if (resolution_ && (target.blocks & places) == 0) lost.emplace_back("resolution");
    const auto [width, height] = target.transposed ? std::pair(target.height, target.width)
                                                   : std::pair(target.width, target.height);
    if (pixel_aspect_.num > 0 && pixel_aspect_.den > 0 &&
        av_image_check_sar(static_cast<unsigned>(width), static_cast<unsigned>(height),
                           pixel_aspect_) < 0)
        lost.push_back(
            fmt::format("pixel aspect ratio {}:{}", pixel_aspect_.num, pixel_aspect_.den));
    if (associated_alpha_ && (target.blocks & kAssociatedAlpha) == 0)
        lost.emplace_back("premultiplied alpha (the colours come out darker)");
    if ((target.blocks & kPngChunks) != 0) return lost;
    const bool srgb =
        std::ranges::any_of(chunks_, [](const PngChunk& chunk) { return chunk.type == "sRGB"; });
    for (const PngChunk& chunk : chunks_) {
        // Untagged pictures are taken for sRGB.
        const bool color = chunk.type == "gAMA" || chunk.type == "cHRM" || chunk.type == "sRGB";
        const bool hidden = target.redacted && may_hide_picture(chunk);
        if (!hidden && (!srgb || !color)) lost.push_back(name_of(chunk));
    }
    return lost;
}

std::optional<Resolution> PictureMetadata::resolution_for(const PictureTarget& target) const {
    if (!resolution_ || (target.blocks & kResolution) == 0) return std::nullopt;
    Resolution made = *resolution_;
    if (target.transposed) std::swap(made.x, made.y);
    return made;
}

std::vector<PngChunk> PictureMetadata::chunks_for(const PictureTarget& target) const {
    std::vector<PngChunk> chunks = chunks_;
    if (target.redacted) std::erase_if(chunks, may_hide_picture);
    const auto resolution = resolution_for(target);
    if (resolution && resolution->unit != Resolution::none)
        chunks.push_back(physical_size(*resolution));
    return chunks;
}

DescribedPicture PictureMetadata::add_to(std::span<const std::uint8_t> encoded,
                                         const PictureTarget& target) const {
    if (empty() || target.blocks == 0)
        return {.bytes = {encoded.begin(), encoded.end()}, .missing = {}};
    const auto resolution = resolution_for(target);
    const bool stated = resolution && resolution->unit != Resolution::none;
    DescribedPicture made{.bytes = {encoded.begin(), encoded.end()}, .missing = {}};
    if (begins_with(encoded, "BM")) {
        if (stated) made.bytes = with_bmp_resolution(std::move(made.bytes), *resolution);
        return made;
    }
    made = blocks_->add_to(encoded, target);
    if ((target.blocks & kPngChunks) != 0)
        made.bytes = add_png_chunks(made.bytes, chunks_for(target));
    else if (is_tiff(made.bytes))
        made.bytes = with_tiff_tags(std::move(made.bytes), resolution, associated_alpha_);
    else if (stated)
        made.bytes = with_jfif_resolution(std::move(made.bytes), *resolution);
    return made;
}

}  // namespace weft
