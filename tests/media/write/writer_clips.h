// Odd and ordinary clips for the Writer, made once per process: 160x90, a second at most.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::test {

// The clips that are tested with every container.
std::vector<std::string> clip_names();

// The file, made on first use. In addition to the above: rich.mkv and rich.mp4 (subtitles,
// chapters, tags, languages, a cover, an attachment) and timecode.mov.
std::filesystem::path clip(const std::string& name);

}  // namespace weft::test
