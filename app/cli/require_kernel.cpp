#include "app/cli/require_kernel.h"

#include <algorithm>

#include "app/cli/unknown_name.h"

namespace weft {

const ConvKernel& require_kernel(const std::string& name) {
    if (const ConvKernel* kernel = find_kernel(name)) return *kernel;
    std::vector<std::string_view> names;
    for (const ConvKernel& kernel : conv_kernels()) names.push_back(kernel.name);
    throw unknown_name("kernel", name, names);
}

ForcedKernels parse_forced_kernels(std::string_view text) {
    std::vector<std::string> names;
    for (;;) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string& name = names.emplace_back(text.substr(0, comma));
        if (!name.empty()) (void)require_kernel(name);
        if (comma == text.size()) break;
        text.remove_prefix(comma + 1);
    }
    if (names.size() == 1) return {.every_step = names.front()};
    return {.by_step = std::move(names)};
}

}  // namespace weft
