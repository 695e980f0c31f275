// Checks of single kinds of picture files, for picture_limits.cpp. wrong_…() says what libav 5.1
// decodes wrongly without an error: "of tiles", after "is a TIFF"; or nothing. lost_of_…() names
// what it leaves out. They read headers, of any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/media/demux/input_file.h"

namespace weft {

std::string_view wrong_exr(const InputFile& file);
std::vector<std::string> lost_of_exr(const InputFile& file);

std::string_view wrong_tiff(const InputFile& file);
std::vector<std::string> lost_of_tiff(const InputFile& file);
// Without smaller copies and masks; libav decodes the first.
int pages_of_tiff(const InputFile& file);

}  // namespace weft
