// tensor_int8 on three separated channels.
#include "kernels/tensor/tensor_int8_variants.cuh"

namespace weft {

template <>
Int8Kernel compiled_int8_kernel<3>(const Int8Layout& layout) {
    return int8_kernel<3>(layout);
}

}  // namespace weft
