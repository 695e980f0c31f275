// Metadata that picture files have in places of their own: files of the kinds that Exiv2 does not
// read, and the parts that it leaves out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/media/demux/input_file.h"
#include "app/media/metadata/embedded_blocks.h"

namespace weft {

struct HeaderFacts {
    std::optional<Resolution> resolution;
    FoundBlocks blocks;
    std::vector<std::string> others;  // names of what no output holds
};

// Reads the header and, where a format has its metadata elsewhere, those places; no pixels. Empty
// for other kinds of files, and from the first damage on. Throws MediaError on I/O errors.
HeaderFacts read_header_facts(const InputFile& file);

}  // namespace weft
