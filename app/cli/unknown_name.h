// The error for a name that is not in a list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/error.h"

namespace weft {

// "there is no filter soble: did you mean 'sobel'? choose from box, …", as Error(usage).
Error unknown_name(std::string_view kind, std::string_view name,
                   const std::vector<std::string_view>& names);

}  // namespace weft
