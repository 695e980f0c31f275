// Checks of single kinds of picture files, for picture_limits.cpp. wrong_…() returns a clause such
// as "of tiles", which follows "is a TIFF", if libav 5.1 decodes the file wrongly without an error.
// lost_of_…() names the parts that libav leaves out. They read headers, of any bytes.
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
// Smaller copies and masks do not count; libav decodes the first page.
int pages_of_tiff(const InputFile& file);

}  // namespace weft
