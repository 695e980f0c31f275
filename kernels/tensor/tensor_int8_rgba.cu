// tensor_int8 on four separated channels.
#include "kernels/tensor/tensor_int8_variants.cuh"

namespace weft {

template <>
Int8Kernel compiled_int8_kernel<4>(const Int8Layout& layout) {
    return int8_kernel<4>(layout);
}

}  // namespace weft
