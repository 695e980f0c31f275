#include "app/cli/require_kernel.h"

#include "app/cli/unknown_name.h"

namespace weft {

const ConvKernel& require_kernel(const std::string& name) {
    if (const ConvKernel* kernel = find_kernel(name)) return *kernel;
    std::vector<std::string_view> names;
    for (const ConvKernel& kernel : conv_kernels()) names.push_back(kernel.name);
    throw unknown_name("kernel", name, names);
}

}  // namespace weft
