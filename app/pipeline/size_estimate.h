// The size of an output before it is made, for --dry-run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/media/read/reader.h"
#include "app/media/write/writer.h"
#include "app/pipeline/file_job.h"

namespace weft {

struct SizeEstimate {
    std::int64_t bytes = 0;
    std::string basis;  // "at most, uncompressed", "by -b:v", "estimated from the input's size"
};

// - Lossless encoders: the uncompressed frames, which are more than will be written.
// - -b:v: the rate over the selected part, plus the rates of the streams that are kept.
// - Others: the selected part of the input, but at most a quarter of the uncompressed frames,
//   because an input may be uncompressed itself. The quality decides; this is for large mistakes.
// Nothing if the length or the size of the input is unknown.
std::optional<SizeEstimate> estimate_size(const FileJob& job, const Reader& reader,
                                          const WriteReport& plan);

}  // namespace weft
