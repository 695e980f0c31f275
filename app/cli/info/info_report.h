// The data of `weft info` about a file.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/media/metadata/side_data.h"
#include "app/media/read/reader.h"

namespace weft {

// How the file would be stored in one container.
struct ContainerOutlook {
    std::string name;
    std::string extension;
    std::string codec;                 // the default encoder; empty if none supports the picture
    std::string pixel_format;          // the stored format
    std::vector<std::string> losses;   // sentences; empty: the picture is stored without loss
    std::string lossless_codec;        // for --lossless; empty: no encoder supports it
    std::vector<std::string> streams;  // the other streams: "audio 1: converted to libopus"
};

std::vector<ContainerOutlook> container_outlooks(const Reader& reader);

// Side data of the filtered stream, completed by its first frame.
SideData side_data_of(const Reader& reader);

// ffprobe's field names if it has them, ours under "weft".
nlohmann::ordered_json info_json(const Reader& reader, const std::string& path);

std::string info_text(const Reader& reader, const std::string& path);

}  // namespace weft
