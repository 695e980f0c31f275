#include "app/media/demux/encryption.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

constexpr std::int64_t kMostScanned = std::int64_t{32} << 20;

template <class T, std::size_t N>
bool is_one_of(const T& value, const std::array<T, N>& values) {
    return std::ranges::find(values, value) != values.end();
}

// The sample entries of protected tracks (ISO/IEC 14496-12, 8.12, and those of Apple's shops).
std::string mp4_encryption(const InputFile& file) {
    constexpr std::array<std::string_view, 7> kProtected = {"encv", "enca", "enct", "encs",
                                                            "encm", "drmi", "drms"};
    constexpr std::array<std::string_view, 5> kContainers = {"moov", "trak", "mdia", "minf",
                                                             "stbl"};
    FileCursor cursor(file);
    while (cursor.left() >= 8) {
        const Box box = read_box(cursor);
        if (is_one_of(std::string_view(box.type), kProtected))
            return fmt::format("its samples have the type {}", box.type);
        if (box.type == "stsd") cursor.skip(8);  // version, flags and the number of entries
        if (box.type == "stsd" || is_one_of(std::string_view(box.type), kContainers)) continue;
        if (!box.fits(file.size())) return "";
        cursor.go(box.end());
    }
    return "";
}

struct Element {
    std::uint64_t id = 0;
    std::uint64_t size = 0;
};

// RFC 8794, sections 4 and 5: the length of a number is in its leading zeros.
Element read_element(FileCursor& cursor) {
    Element element;
    const std::uint8_t first = cursor.u8();
    const int more = std::countl_zero(first);
    element.id = first;
    if (more > 0 && more < 8) element.id = element.id << (8U * more) | cursor.big(more);
    const std::uint8_t length = cursor.u8();
    const int tail = std::countl_zero(length);
    element.size = length & (0x7FU >> static_cast<unsigned>(tail));
    if (tail > 0 && tail < 8) element.size = element.size << (8U * tail) | cursor.big(tail);
    return element;
}

// RFC 9559, 5.1.4.1.31: ContentEncryption of a track.
std::string matroska_encryption(const InputFile& file) {
    constexpr std::uint64_t kContentEncryption = 0x5035, kCluster = 0x1F43B675;
    // These are Segment, Tracks, TrackEntry, ContentEncodings and ContentEncoding.
    constexpr std::array<std::uint64_t, 5> kOpened = {0x18538067, 0x1654AE6B, 0xAE, 0x6D80, 0x6240};
    FileCursor cursor(file);
    while (!cursor.ended()) {
        const Element element = read_element(cursor);
        if (element.id == kContentEncryption) return "its tracks have a ContentEncryption";
        if (element.id == kCluster) return "";
        if (is_one_of(element.id, kOpened)) continue;
        if (element.size > static_cast<std::uint64_t>(std::max<std::int64_t>(cursor.left(), 0)))
            return "";
        cursor.skip(static_cast<std::int64_t>(element.size));
    }
    return "";
}

// libav names these objects in the tags.
std::string asf_encryption(const AVFormatContext& context) {
    for (const char* tag : {"encryption", "ASF_Protection_Type"})
        if (const AVDictionaryEntry* entry = av_dict_get(context.metadata, tag, nullptr, 0))
            return *entry->value != '\0' ? entry->value : "Content Encryption";
    return "";
}

struct Marks {
    std::int64_t units = 0;
    std::int64_t scrambled = 0;
    // A single one is a broken bit; discs scramble a part of their packs.
    bool are_many() const { return units >= 4 && scrambled * 4 > units; }
};

// The first packet and the distance between packets, which may have 4 or 16 bytes more.
std::optional<std::array<std::int64_t, 2>> find_packets(FileCursor& cursor) {
    constexpr std::int64_t kLookedAt = 5;
    const auto in_sync = [&](std::int64_t begin, std::int64_t step) {
        for (std::int64_t k = 0; k < kLookedAt; ++k) {
            cursor.go(begin + k * step);
            if (cursor.u8() != 0x47 || cursor.ended()) return false;
        }
        return true;
    };
    for (std::int64_t begin = 0; begin < 204; ++begin)
        for (const std::int64_t step : {188, 192, 204})
            if (in_sync(begin, step)) return std::array{begin, step};
    return std::nullopt;
}

// ISO/IEC 13818-1, 2.4.3.3: transport_scrambling_control of the packets of one stream.
std::string ts_encryption(const InputFile& file, const AVFormatContext& context) {
    constexpr std::array<unsigned, 4> kSampleAes = {0xDB, 0xCF, 0xC1, 0xC2};
    for (const AVStream* stream : std::span(context.streams, context.nb_streams))
        if (is_one_of(stream->codecpar->codec_tag, kSampleAes)) return "SAMPLE-AES";
    FileCursor cursor(file);
    const auto layout = find_packets(cursor);
    if (!layout) return "";
    std::array<Marks, 8192> pids{};
    const auto [begin, step] = *layout;
    for (std::int64_t at = begin; at + step <= std::min(file.size(), kMostScanned); at += step) {
        cursor.go(at + 1);
        const auto pid = static_cast<std::size_t>(cursor.big(2) & 0x1FFFU);
        const unsigned control = cursor.u8();
        if ((control & 0x10U) == 0) continue;  // no payload
        ++pids.at(pid).units;
        if ((control & 0xC0U) != 0) ++pids.at(pid).scrambled;
    }
    for (const AVStream* stream : std::span(context.streams, context.nb_streams))
        if (stream->id >= 0 && stream->id < 8192 &&
            pids.at(static_cast<std::size_t>(stream->id)).are_many())
            return fmt::format("the packets with PID {:#x} are scrambled", stream->id);
    return "";
}

// ISO/IEC 13818-1, 2.4.3.7: PES_scrambling_control, which the CSS of DVDs uses.
std::string ps_encryption(const InputFile& file) {
    constexpr unsigned kPack = 0xBA, kLeastLong = 0xBB, kPrivate = 0xBD, kLeastSound = 0xC0,
                       kMostVideo = 0xEF;
    FileCursor cursor(file);
    Marks marks;
    while (cursor.at() < kMostScanned && !cursor.ended() && cursor.big(3) == 1) {
        const unsigned code = cursor.u8();
        if (code == kPack) {
            cursor.skip(9);
            cursor.skip(cursor.u8() & 7U);
        } else if (code >= kLeastLong) {
            const std::int64_t end = cursor.at() + 2 + static_cast<std::int64_t>(cursor.big(2));
            const bool pes = code == kPrivate || (code >= kLeastSound && code <= kMostVideo);
            const unsigned flags = cursor.u8();
            if (pes) ++marks.units;
            if (pes && (flags & 0xC0U) == 0x80U && (flags & 0x30U) != 0) ++marks.scrambled;
            cursor.go(end);
        }
    }
    return marks.are_many() ? "its packets are scrambled" : "";
}

// SMPTE 429-6: the key of an encrypted triplet.
std::string mxf_encryption(const InputFile& file) {
    constexpr std::uint64_t kBegin = 0x060E2B3402040107U, kEnd = 0x0D010301027E0100U;
    FileCursor cursor(file);
    while (!cursor.ended() && cursor.at() < kMostScanned) {
        const bool triplet = (cursor.big(8) & ~0xFFULL) == (kBegin & ~0xFFULL);
        if (cursor.big(8) == kEnd && triplet) return "its essence is in encrypted triplets";
        const unsigned length = cursor.u8();
        const std::uint64_t size =
            length < 0x80U ? length
                           : cursor.big(std::clamp(static_cast<int>(length & 0x7FU), 1, 8));
        if (size > static_cast<std::uint64_t>(file.size())) return "";
        cursor.skip(static_cast<std::int64_t>(size));
    }
    return "";
}

// Adobe Flash Video File Format 10.1, E.4.1: the filter bit of a tag.
std::string flv_encryption(const InputFile& file) {
    FileCursor cursor(file, 5);
    cursor.go(cursor.big32() + 4);
    while (!cursor.ended() && cursor.at() < kMostScanned) {
        if ((cursor.u8() & 0x20U) != 0) return "its tags are filtered";
        const auto size = static_cast<std::int64_t>(cursor.big(3));
        cursor.skip(7 + size + 4);
    }
    return "";
}

}  // namespace

std::string find_encryption(const Demuxer& demuxer) {
    const InputFile& file = demuxer.file();
    const std::string_view format = demuxer.format_name();
    if (format == "asf") return asf_encryption(demuxer.context());
    if (format == "mpegts" && file.seekable()) return ts_encryption(file, demuxer.context());
    return find_encryption(file, format);
}

std::string find_encryption(const InputFile& file, std::string_view format) {
    if (!file.seekable()) return "";
    if (format.starts_with("mov,")) return mp4_encryption(file);
    if (format == "matroska,webm") return matroska_encryption(file);
    if (format == "mpeg") return ps_encryption(file);
    if (format == "mxf") return mxf_encryption(file);
    if (format == "flv") return flv_encryption(file);
    return "";
}

std::string encrypted_text(const std::string& how) {
    return fmt::format(
        "is encrypted ({}): FFmpeg cannot decode it without its key; decrypt it "
        "first",
        how);
}

bool is_encrypted(const AVPacket& packet, const AVStream& stream) {
    return av_packet_get_side_data(&packet, AV_PKT_DATA_ENCRYPTION_INFO, nullptr) != nullptr ||
           av_dict_get(stream.metadata, "enc_key_id", nullptr, 0) != nullptr;
}

}  // namespace weft
