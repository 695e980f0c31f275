#include "app/media/metadata/embedded_blocks.h"

#include <algorithm>
#include <array>
#include <exception>
#include <exiv2/exiv2.hpp>
#include <exiv2/webpimage.hpp>
#include <mutex>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/metadata/png_chunks.h"

namespace weft {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Exiv2's XMP toolkit and its log are global. A picture's metadata costs about a millisecond, so
// that threads can take turns.
class Exiv2Lock {
 public:
    Exiv2Lock() : lock_(mutex()) {
        static const bool ready = [] {
            // Warnings are about tags of unknown types, as in many makers' notes.
            Exiv2::LogMsg::setLevel(Exiv2::LogMsg::error);
            Exiv2::LogMsg::setHandler(
                [](int, const char* text) { first_error() = first_line(text); });
            Exiv2::enableBMFF(true);
            return Exiv2::XmpParser::initialize();
        }();
        (void)ready;
        first_error().clear();
    }

    // The first error that Exiv2 logged since the lock was taken; empty without errors.
    const std::string& error() const { return first_error(); }

 private:
    static std::string first_line(const char* text) {
        if (!first_error().empty()) return first_error();
        const std::string_view line(text);
        return std::string(line.substr(0, line.find('\n')));
    }
    static std::mutex& mutex() {
        static std::mutex shared;
        return shared;
    }
    static std::string& first_error() {
        static std::string text;
        return text;
    }
    std::scoped_lock<std::mutex> lock_;
};

// TIFF tags of the stored pixels and pages, and those that hold other blocks (XMP, Photoshop, IPTC,
// ICC).
constexpr std::array<std::uint16_t, 51> kLayoutTags{
    0x00FE, 0x00FF, 0x0100, 0x0101, 0x0102, 0x0103, 0x0106, 0x010A, 0x0111, 0x0115, 0x0116,
    0x0117, 0x0118, 0x0119, 0x011C, 0x0120, 0x0121, 0x0122, 0x0123, 0x0124, 0x0125, 0x0129,
    0x013D, 0x0140, 0x0142, 0x0143, 0x0144, 0x0145, 0x014A, 0x014C, 0x014D, 0x014E, 0x0150,
    0x0152, 0x0153, 0x0154, 0x0155, 0x0156, 0x015B, 0x0200, 0x0201, 0x0202, 0x0211, 0x0212,
    0x0213, 0x0214, 0x02BC, 0x83BB, 0x8649, 0x8773, 0x8825};

// Offsets of directories, which Exiv2 makes by itself.
constexpr std::array<std::uint16_t, 2> kPointerTags{0x8769, 0x8825};

bool is_layout(const Exiv2::Exifdatum& datum) {
    const std::string group = datum.groupName();
    // Thumbnails and other pictures of the file.
    for (const std::string_view other :
         {"Thumbnail", "Image2", "Image3", "SubImage", "SubThumb", "MpfInfo", "JpegData"})
        if (group.starts_with(other)) return true;
    return group == "Image" && std::ranges::binary_search(kLayoutTags, datum.tag());
}

// All bytes of a value. Exiv2's text of it ends at the first zero.
template <class Datum>
std::string stored_bytes(const Datum& datum) {
    std::string bytes(static_cast<std::size_t>(datum.size()), '\0');
    datum.copy(reinterpret_cast<Exiv2::byte*>(bytes.data()), Exiv2::littleEndian);
    return bytes;
}

// Where a picture's own metadata may hold another one, by its name in reports; "" if nowhere.
std::string_view picture_in(const Exiv2::Exifdatum& datum) {
    constexpr std::size_t kLargeValue = 1024;
    const std::string group = datum.groupName();
    if (group.starts_with("Thumbnail")) return "EXIF thumbnail";
    if (datum.key() == "Exif.Photo.MakerNote" || Exiv2::ExifTags::isMakerGroup(group))
        return "maker notes";
    const bool is_text = datum.typeId() == Exiv2::asciiString || datum.typeId() == Exiv2::comment;
    if (!is_text && static_cast<std::size_t>(datum.size()) > kLargeValue)
        return "large EXIF values";
    return is_text && may_hold_picture(stored_bytes(datum)) ? "large EXIF values" : "";
}

std::string_view picture_in(const Exiv2::Xmpdatum& datum) {
    if (datum.key().starts_with("Xmp.xmp.Thumbnails")) return "XMP thumbnail";
    return may_hold_picture(datum.toString()) ? "large XMP values" : "";
}

std::string_view picture_in(const Exiv2::Iptcdatum& datum) {
    if (datum.tagName().starts_with("Preview")) return "IPTC preview";
    return may_hold_picture(stored_bytes(datum)) ? "large IPTC values" : "";
}

// TIFF's thresholding, where it stands for a picture that is not dithered.
bool is_default(const Exiv2::Exifdatum& datum) {
    return datum.key() == "Exif.Image.Thresholding" && datum.toString() == "1";
}

// No reader understands a value of type 0, and some refuse all tags of a block that begins with
// one.
bool has_no_type(const Exiv2::Exifdatum& datum) {
    return static_cast<int>(datum.typeId()) == 0;
}

bool is_content(const Exiv2::Exifdatum& datum) {
    if (datum.groupName() != "Image") return datum.groupName() != "MakerNote";
    constexpr std::array<std::uint16_t, 4> kShape{0x0112, 0x011A, 0x011B, 0x0128};
    if (std::ranges::find(kShape, datum.tag()) != kShape.end()) return false;
    if (std::ranges::find(kPointerTags, datum.tag()) != kPointerTags.end()) return false;
    // libav writes its name into every file as the software.
    return datum.tag() != 0x0131 || !datum.toString().starts_with("Lavc");
}

// Exiv2 hands out unsigned numbers as signed ones. libtiff writes 300 as 4294967295/14316557. 0/1
// if the number is not above zero.
Resolution::Rational positive_rational(const Exiv2::Exifdatum& datum) {
    const auto [over, under] = datum.toRational();
    const bool is_unsigned = datum.typeId() == Exiv2::unsignedRational;
    if (over == 0 || under == 0 || (!is_unsigned && (over < 0 || under < 0))) return {0, 1};
    return {static_cast<std::uint32_t>(over), static_cast<std::uint32_t>(under)};
}

template <class Data, class Drop>
void erase_if(Data& data, const Drop& drop) {
    for (auto entry = data.begin(); entry != data.end();)
        entry = drop(*entry) ? data.erase(entry) : std::next(entry);
}

void set_size(Exiv2::ExifData& exif, const PictureTarget& target) {
    const auto set = [&exif](const char* name, int value) {
        const auto found = exif.findKey(Exiv2::ExifKey(name));
        if (found != exif.end()) found->setValue(std::to_string(value));
    };
    set("Exif.Image.Orientation", 1);
    set("Exif.Photo.PixelXDimension", target.width);
    set("Exif.Photo.PixelYDimension", target.height);
    if (!target.transposed) return;
    const auto x = exif.findKey(Exiv2::ExifKey("Exif.Image.XResolution"));
    const auto y = exif.findKey(Exiv2::ExifKey("Exif.Image.YResolution"));
    if (x == exif.end() || y == exif.end()) return;
    const std::string old_x = x->toString();
    x->setValue(y->toString());
    y->setValue(old_x);
}

void set_size(Exiv2::XmpData& xmp, const PictureTarget& target) {
    const auto set = [&xmp](const char* name, int value) {
        const auto found = xmp.findKey(Exiv2::XmpKey(name));
        if (found != xmp.end()) found->setValue(std::to_string(value));
    };
    set("Xmp.tiff.Orientation", 1);
    set("Xmp.tiff.ImageWidth", target.width);
    set("Xmp.tiff.ImageLength", target.height);
    set("Xmp.exif.PixelXDimension", target.width);
    set("Xmp.exif.PixelYDimension", target.height);
    erase_if(xmp, [](const Exiv2::Xmpdatum& datum) {
        return datum.key().starts_with("Xmp.xmp.Thumbnails");
    });
}

// ICC.1: the colour space of the profile's device is at byte 16.
std::string profile_space(const Bytes& profile) {
    if (profile.size() < 20) return "";
    std::string space(profile.begin() + 16, profile.begin() + 20);
    std::erase_if(space, [](char c) { return c <= ' ' || c > '~'; });
    return space;
}

Bytes bytes_of(Exiv2::BasicIo& io) {
    io.seek(0, Exiv2::BasicIo::beg);
    Bytes bytes(static_cast<std::size_t>(io.size()));
    const auto wanted = static_cast<long>(bytes.size());
    // Exiv2 0.27 returns a long, 0.28 a size_t.
    if (std::cmp_not_equal(io.read(bytes.data(), wanted), wanted))
        throw MediaError(Outcome::failed, "the picture cannot be read back");
    return bytes;
}

// Debian 12 and Ubuntu 24.04 have Exiv2 0.27, Debian 13 has 0.28. 0.27 owns by std::auto_ptr, 0.28
// by std::unique_ptr.
using IoOwner = decltype(Exiv2::ImageFactory::createIo(std::string()));

// 0.27 returns a pointer to a buffer with public members, 0.28 a reference to one with functions.
template <class Buffer>
Bytes profile_of(const Buffer& icc) {
    if constexpr (std::is_pointer_v<Buffer>)
        return {icc->pData_, icc->pData_ + icc->size_};
    else
        return {icc.c_data(), icc.c_data() + icc.size()};
}

// 0.27 takes an lvalue, 0.28 an rvalue.
template <class Image>
void set_profile(Image& image, const Bytes& profile) {
    Exiv2::DataBuf icc(profile.data(), static_cast<long>(profile.size()));
    if constexpr (requires { image.setIccProfile(std::move(icc)); })
        image.setIccProfile(std::move(icc));
    else
        image.setIccProfile(icc);
}

// Exiv2 0.27 gives the profile's chunk the name of the first one, which no reader accepts twice.
void name_webp_profile(Bytes& webp) {
    constexpr std::string_view kFirst = "VP8X";
    constexpr std::string_view kProfile = "ICCP";
    bool seen = false;
    for (std::size_t at = 12; at + 8 <= webp.size();) {
        if (text4(webp, at) == kFirst && std::exchange(seen, true))
            std::ranges::copy(kProfile, webp.begin() + static_cast<std::ptrdiff_t>(at));
        const std::size_t size = little32(webp, at + 4);
        at += 8 + size + size % 2;
    }
}

template <class Data>
void add_pictures(const Data& data, std::set<std::string>& names) {
    for (const auto& datum : data)
        if (const std::string_view name = picture_in(datum); !name.empty()) names.emplace(name);
}

template <class Data>
void leave_out_pictures(Data& data) {
    erase_if(data, [](const auto& datum) { return !picture_in(datum).empty(); });
}

}  // namespace

struct EmbeddedBlocks::Impl {
    void read(const std::string& path) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        IoOwner file(new Exiv2::FileIo(path));
#pragma GCC diagnostic pop
        if (Exiv2::ImageFactory::getType(*file) == Exiv2::ImageType::none) return;
        const auto image = Exiv2::ImageFactory::open(std::move(file));
        // The blocks before the damage are kept.
        try {
            image->readMetadata();
        } catch (const std::exception& error) {
            problem = error.what();
        }
        exif = image->exifData();
        iptc = image->iptcData();
        xmp = image->xmpData();
        comment = image->comment();
        // The version of the library that wrote a JPEG.
        if (comment.starts_with("Lavc")) comment.clear();
        profile = profile_of(image->iccProfile());
        check_profile();
        read_orientation();
        add_pictures(exif, pictures);
        erase_if(exif, is_layout);
        erase_if(exif, is_default);
        if (std::any_of(exif.begin(), exif.end(), has_no_type)) problem = "an EXIF tag has no type";
        erase_if(exif, has_no_type);
    }

    // Exiv2 refuses to write a profile whose first number is not its size, and all else with it.
    void check_profile() {
        if (profile.empty() || (profile.size() >= 20 && big32(profile, 0) == profile.size()))
            return;
        profile.clear();
        problem = "the ICC profile is damaged";
    }

    void read_orientation() {
        const auto found = exif.findKey(Exiv2::ExifKey("Exif.Image.Orientation"));
        if (found == exif.end() || found->count() == 0) return;
        const float value = found->toFloat();  // toLong() has another name in 0.28
        if (value >= 1 && value <= 8) orientation = static_cast<int>(value);
    }

    bool has_exif() const {
        return std::any_of(exif.begin(), exif.end(), is_content);
    }
    bool writes_exif(const PictureTarget& target) const {
        return (target.blocks & kExif) != 0 && (has_exif() || resolution());
    }
    std::optional<Resolution> resolution() const;
    bool fits(const PictureTarget& target) const {
        return profile_space(profile) == (target.gray ? "GRAY" : "RGB");
    }

    void add_to(Exiv2::Image& image, const PictureTarget& target) const;
    Exiv2::ExifData exif_for(const PictureTarget& target) const;
    Exiv2::XmpData xmp_for(const PictureTarget& target) const;
    Exiv2::IptcData iptc_for(const PictureTarget& target) const;
    std::string comment_for(const PictureTarget& target) const;
    PngChunk exif_chunk(const PictureTarget& target) const;
    std::vector<std::string> missing_in(const Bytes& picture, const PictureTarget& target) const;

    Exiv2::ExifData exif;
    Exiv2::IptcData iptc;
    Exiv2::XmpData xmp;
    std::string comment;
    Bytes profile;
    std::set<std::string> pictures;  // in EXIF as it was read; add_pictures() finds the others
    int orientation = 1;
    std::string problem;
};

std::optional<Resolution> EmbeddedBlocks::Impl::resolution() const {
    const auto x = exif.findKey(Exiv2::ExifKey("Exif.Image.XResolution"));
    const auto y = exif.findKey(Exiv2::ExifKey("Exif.Image.YResolution"));
    if (x == exif.end() || y == exif.end()) return std::nullopt;
    const Resolution::Rational x_number = positive_rational(*x);
    const Resolution::Rational y_number = positive_rational(*y);
    if (x_number.first == 0 || y_number.first == 0) return std::nullopt;
    Resolution made{.x = x_number, .y = y_number};
    const auto unit = exif.findKey(Exiv2::ExifKey("Exif.Image.ResolutionUnit"));
    if (unit != exif.end()) {
        const auto number = static_cast<int>(unit->toFloat());
        if (number == Resolution::none) made.unit = Resolution::none;
        if (number == Resolution::centimetre) made.unit = Resolution::centimetre;
    }
    const auto is_unknown = [](const Resolution::Rational& number) {
        return number.first == std::uint64_t{72} * number.second;
    };
    if (is_unknown(made.x) && is_unknown(made.y) && made.unit == Resolution::inch)
        return std::nullopt;
    return made;
}

Exiv2::ExifData EmbeddedBlocks::Impl::exif_for(const PictureTarget& target) const {
    Exiv2::ExifData made = exif;
    if (target.redacted) leave_out_pictures(made);
    set_size(made, target);
    return made;
}

Exiv2::XmpData EmbeddedBlocks::Impl::xmp_for(const PictureTarget& target) const {
    Exiv2::XmpData made = xmp;
    if (target.redacted) leave_out_pictures(made);
    set_size(made, target);
    return made;
}

Exiv2::IptcData EmbeddedBlocks::Impl::iptc_for(const PictureTarget& target) const {
    Exiv2::IptcData made = iptc;
    if (target.redacted) leave_out_pictures(made);
    return made;
}

std::string EmbeddedBlocks::Impl::comment_for(const PictureTarget& target) const {
    return target.redacted && may_hold_picture(comment) ? "" : comment;
}

void EmbeddedBlocks::Impl::add_to(Exiv2::Image& image, const PictureTarget& target) const {
    // A TIFF's pixels are described by tags, which are kept. Elsewhere the blocks that libav wrote,
    // such as an unchecked profile, are replaced. A PNG's EXIF is a chunk of its own.
    const bool png = image.imageType() == Exiv2::ImageType::png;
    if (image.imageType() == Exiv2::ImageType::tiff) image.readMetadata();
    if (writes_exif(target) && !png)
        for (const Exiv2::Exifdatum& datum : exif_for(target))
            image.exifData()[datum.key()].setValue(&datum.value());
    if ((target.blocks & kXmp) != 0 && !xmp.empty()) image.setXmpData(xmp_for(target));
    if ((target.blocks & kIptc) != 0 && !iptc.empty()) image.setIptcData(iptc_for(target));
    const std::string text = comment_for(target);
    if ((target.blocks & kComment) != 0 && !text.empty()) image.setComment(text);
    if ((target.blocks & kIccProfile) != 0 && fits(target)) set_profile(image, profile);
    image.writeMetadata();
}

PngChunk EmbeddedBlocks::Impl::exif_chunk(const PictureTarget& target) const {
    Exiv2::Blob blob;
    Exiv2::ExifData made = exif_for(target);  // 0.28 may change it
    Exiv2::ExifParser::encode(blob, Exiv2::littleEndian, made);
    return {.type = "eXIf", .data = blob};
}

std::vector<std::string> EmbeddedBlocks::Impl::missing_in(const Bytes& picture,
                                                          const PictureTarget& target) const {
    const auto image = Exiv2::ImageFactory::open(picture.data(), static_cast<long>(picture.size()));
    image->readMetadata();
    std::vector<std::string> missing;
    const Exiv2::ExifData& written = image->exifData();
    for (const Exiv2::Exifdatum& datum : exif_for(target)) {
        if ((target.blocks & kExif) == 0 || !is_content(datum)) continue;
        if (written.findKey(Exiv2::ExifKey(datum.key())) == written.end())
            missing.push_back(datum.key());
    }
    for (const Exiv2::Xmpdatum& datum : xmp_for(target)) {
        if ((target.blocks & kXmp) == 0) continue;
        if (image->xmpData().findKey(Exiv2::XmpKey(datum.key())) == image->xmpData().end())
            missing.push_back(datum.key());
    }
    if ((target.blocks & kIptc) != 0 && image->iptcData().count() < iptc_for(target).count())
        missing.emplace_back("IPTC");
    const std::string text = comment_for(target);
    if ((target.blocks & kComment) != 0 && image->comment() != text && !text.empty())
        missing.emplace_back("comment");
    if ((target.blocks & kIccProfile) != 0 && fits(target) &&
        profile_of(image->iccProfile()).size() != profile.size())
        missing.emplace_back("ICC profile");
    return missing;
}

EmbeddedBlocks::EmbeddedBlocks(const std::string& path) : impl_(std::make_unique<Impl>()) {
    const Exiv2Lock lock;
    // Damaged metadata is no reason to refuse a picture.
    try {
        impl_->read(path);
        if (!lock.error().empty()) impl_->problem = lock.error();
    } catch (const std::exception& error) {
        impl_ = std::make_unique<Impl>();
        impl_->problem = error.what();
    }
}

EmbeddedBlocks::~EmbeddedBlocks() = default;
EmbeddedBlocks::EmbeddedBlocks(EmbeddedBlocks&&) noexcept = default;
EmbeddedBlocks& EmbeddedBlocks::operator=(EmbeddedBlocks&&) noexcept = default;

void EmbeddedBlocks::add(FoundBlocks found) {
    const Exiv2Lock lock;
    if (impl_->comment.empty()) impl_->comment = std::move(found.comment);
    if (impl_->profile.empty() && !found.profile.empty()) {
        impl_->profile = std::move(found.profile);
        impl_->check_profile();
    }
    if (impl_->xmp.empty() && !found.xmp.empty() &&
        Exiv2::XmpParser::decode(impl_->xmp, found.xmp) != 0)
        impl_->problem = "the XMP packet is damaged";
}

const std::string& EmbeddedBlocks::problem() const {
    return impl_->problem;
}

int EmbeddedBlocks::orientation() const {
    return impl_->orientation;
}

std::optional<Resolution> EmbeddedBlocks::resolution() const {
    return impl_->resolution();
}

std::vector<std::string> EmbeddedBlocks::lost_in(const PictureTarget& target) const {
    std::vector<std::string> lost;
    const auto check = [&](bool has, PictureBlock block, std::string name) {
        if (has && (target.blocks & block) == 0) lost.push_back(std::move(name));
    };
    check(impl_->has_exif(), kExif, "EXIF");
    check(!impl_->xmp.empty(), kXmp, "XMP");
    check(!impl_->iptc.empty(), kIptc, "IPTC");
    check(!impl_->comment_for(target).empty(), kComment, "comment");
    check(!impl_->profile.empty(), kIccProfile, "ICC profile");
    if (!impl_->profile.empty() && (target.blocks & kIccProfile) != 0 && !impl_->fits(target))
        lost.push_back(fmt::format("ICC profile for {}", profile_space(impl_->profile).empty()
                                                             ? "no known colour space"
                                                             : profile_space(impl_->profile)));
    return lost;
}

std::vector<std::string> EmbeddedBlocks::pictures() const {
    const Exiv2Lock lock;
    std::set<std::string> names = impl_->pictures;
    add_pictures(impl_->xmp, names);
    add_pictures(impl_->iptc, names);
    if (may_hold_picture(impl_->comment)) names.emplace("the comment");
    return {names.begin(), names.end()};
}

DescribedPicture EmbeddedBlocks::add_to(std::span<const std::uint8_t> encoded,
                                        const PictureTarget& target) const {
    const Exiv2Lock lock;
    try {
        const auto image =
            Exiv2::ImageFactory::open(encoded.data(), static_cast<long>(encoded.size()));
        impl_->add_to(*image, target);
        Bytes made = bytes_of(image->io());
        const bool exif = impl_->writes_exif(target);
        if (image->imageType() == Exiv2::ImageType::webp) name_webp_profile(made);
        if (image->imageType() == Exiv2::ImageType::png && exif)
            made = add_png_chunks(made, {impl_->exif_chunk(target)});
        return {.bytes = made, .missing = impl_->missing_in(made, target)};
    } catch (const std::exception& error) {
        throw MediaError(Outcome::failed, error.what());
    }
}

}  // namespace weft
