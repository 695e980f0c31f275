// MXF (SMPTE ST 377-1): the header gives the offset of the footer, which is after all pictures.
#include <cstdint>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

// The first 13 bytes of a partition pack's key; then its kind, its status and a zero.
constexpr std::uint64_t kPartitionBegin = 0x060E2B3402050101U;
constexpr std::uint64_t kPartitionEnd = 0x0D01020101U;
constexpr unsigned kHeader = 2;
constexpr unsigned kFooter = 4;

// Whether a partition pack of this kind begins at the cursor; moves the cursor past its key.
bool at_partition(FileCursor& cursor, unsigned kind) {
    const bool partition = cursor.big(8) == kPartitionBegin && cursor.big(5) == kPartitionEnd;
    const bool of_kind = cursor.u8() == kind;
    cursor.skip(2);
    return partition && of_kind;
}

// Skips a BER length; its value does not matter here.
void skip_length(FileCursor& cursor) {
    const unsigned first = cursor.u8();
    if (first > 0x80U) cursor.skip(first & 0x7FU);
}

// Zero if the file has no header at its first byte, or if the writer could not seek back to store
// the footer's offset.
std::int64_t footer_place(FileCursor& cursor) {
    constexpr std::int64_t kBefore = 2 + 2 + 4 + 8 + 8;  // version, grid, this and previous offset
    if (!at_partition(cursor, kHeader)) return 0;
    skip_length(cursor);
    cursor.skip(kBefore);
    const auto place = static_cast<std::int64_t>(cursor.big(8));
    return cursor.ended() || place < 0 ? 0 : place;
}

}  // namespace

StructureReport check_mxf(const InputFile& file) {
    FileCursor cursor(file);
    const std::int64_t footer = footer_place(cursor);
    if (footer == 0) return {};
    if (footer >= file.size())
        return problem_at(file.size(),
                          fmt::format("the file ends at byte {}, before its footer at byte {}",
                                      file.size(), footer));
    StructureReport report;
    cursor.go(footer);
    if (at_partition(cursor, kFooter)) report.proof = "its footer";
    return report;
}

}  // namespace weft
