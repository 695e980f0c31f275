#include "app/cli/unknown_name.h"

#include <fmt/format.h>

#include "filters/text/nearest.h"

namespace weft {

Error unknown_name(std::string_view kind, std::string_view name,
                   const std::vector<std::string_view>& names) {
    return {ExitCode::usage, fmt::format("there is no {} {}{} choose from {}", kind, shown(name),
                                         suggestion(name, names), fmt::join(names, ", "))};
}

}  // namespace weft
