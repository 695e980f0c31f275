// The elements of Matroska (RFC 9559, and those of earlier versions) and of EBML (RFC 8794).
#pragma once

#include <cstdint>
#include <optional>

#include "app/media/demux/file_cursor.h"

namespace weft::matroska {

inline constexpr std::uint32_t kRoot = 0;  // the parent of headers and segments
inline constexpr std::uint32_t kHeader = 0x1A45DFA3;
inline constexpr std::uint32_t kSegment = 0x18538067;
inline constexpr std::uint32_t kInfo = 0x1549A966;
inline constexpr std::uint32_t kTracks = 0x1654AE6B;
inline constexpr std::uint32_t kTrackEntry = 0xAE;
inline constexpr std::uint32_t kCues = 0x1C53BB6B;
inline constexpr std::uint32_t kTags = 0x1254C367;
inline constexpr std::uint32_t kTag = 0x7373;
inline constexpr std::uint32_t kTagTrackUid = 0x63C5;
inline constexpr std::uint32_t kTagName = 0x45A3;
inline constexpr std::uint32_t kTagString = 0x4487;
inline constexpr std::uint32_t kCluster = 0x1F43B675;
inline constexpr std::uint32_t kTimestamp = 0xE7;
inline constexpr std::uint32_t kSimpleBlock = 0xA3;
inline constexpr std::uint32_t kBlockGroup = 0xA0;
inline constexpr std::uint32_t kBlock = 0xA1;
inline constexpr std::uint32_t kVoid = 0xEC;
inline constexpr std::uint32_t kCrc = 0xBF;

inline constexpr std::int64_t kUnknownSize = -1;

struct Element {
    std::int64_t at = 0;
    std::int64_t data = 0;
    std::int64_t size = kUnknownSize;
    std::uint32_t id = 0;  // 0: no element here
    std::int64_t end() const { return data + size; }
    // Whether it is an element that ends by then.
    bool fits(std::int64_t limit) const {
        return id != 0 && size != kUnknownSize && end() <= limit;
    }
};

// Leaves the cursor at the element's data.
Element read_element(FileCursor& cursor);

// A number of 1 to 8 bytes; its leading zeros encode the length.
std::optional<std::uint64_t> read_number(FileCursor& cursor);

// The value of an unsigned element; 0 if it is longer than 8 bytes.
std::uint64_t read_unsigned(FileCursor& cursor, const Element& element);

// Whether elements of this kind may be in a `parent`. Void and CRC-32 may be anywhere.
bool belongs(std::uint32_t id, std::uint32_t parent);
// Whether any kind of parent has it.
bool is_known(std::uint32_t id);
// Whether elements of this kind consist of other elements.
bool is_master(std::uint32_t id);

}  // namespace weft::matroska
