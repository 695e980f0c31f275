// What `weft info` knows of a file.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/media/reader.h"

namespace weft {

// What one container would do with the file: a row of the container table put to use.
struct ContainerOutlook {
    std::string name;
    std::string extension;
    std::string codec;                // the default encoder; empty if none takes the picture
    std::string pixel_format;         // what it would store
    std::vector<std::string> losses;  // sentences; empty: the picture is held wholly
    std::string lossless_codec;       // of --lossless; empty: there is none
    std::vector<std::string>
        streams;  // what becomes of the others: "audio 1: converted to libopus"
};

std::vector<ContainerOutlook> container_outlooks(const Reader& reader);

// ffprobe's field names where it has them, ours below "weft".
nlohmann::ordered_json info_json(const Reader& reader, const std::string& path);

std::string info_text(const Reader& reader, const std::string& path);

}  // namespace weft
