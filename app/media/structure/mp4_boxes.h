// Lists of boxes in ISO base media files (ISO 14496-12), and the bytes that their samples take up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"

namespace weft {

// Limits a product or a sum to Box::kFar, which is larger than any file.
inline std::int64_t limited(std::uint64_t bytes) {
    return static_cast<std::int64_t>(std::min(bytes, Box::kFar));
}
inline std::int64_t limited_product(std::uint32_t count, std::uint32_t each) {
    return limited(std::uint64_t{count} * each);
}

// Whether every byte is printable or Apple's copyright sign, as in all types that writers use.
bool is_box_type(std::string_view type);

struct BoxList {
    std::vector<Box> boxes;
    // Whether they fill their parent, up to the zeros that QuickTime ends some lists with.
    bool whole = false;

    std::int64_t count(std::string_view type) const {
        return std::ranges::count(boxes, type, &Box::type);
    }
};

BoxList boxes_in(FileCursor& cursor, const Box& parent);

// Compares the bytes that samples take up with those of the boxes that hold them.
class SampleCoverage {
 public:
    explicit SampleCoverage(const InputFile& file) : file_(file) {}

    void add_media(std::int64_t begin, std::int64_t end) { add(media_, begin, end); }
    void add_samples(std::int64_t begin, std::int64_t end) { add(samples_, begin, end); }
    void add_item(std::int64_t begin, std::int64_t end) { add(items_, begin, end); }

    // A clause about bytes that belong to no sample or to two, or samples that are elsewhere, or
    // nothing. Empty space (zeros) between samples is healthy.
    std::string doubt();

 private:
    struct Part {
        std::int64_t begin;
        std::int64_t end;
    };
    static void add(std::vector<Part>& parts, std::int64_t begin, std::int64_t end);
    // Returns the first byte that belongs to two parts, if any.
    static std::optional<std::int64_t> merge(std::vector<Part>& parts);
    bool is_empty_space(Part gap) const;

    const InputFile& file_;
    std::vector<Part> media_;
    std::vector<Part> samples_;
    std::vector<Part> items_;  // which may share bytes, and may be outside of media
};

}  // namespace weft
