#include "tests/bench/peers/cudnn_handle.h"

#include <stdexcept>
#include <string>

#include "tests/bench/peers/library.h"

namespace weft::bench {

namespace {

struct Functions {
    Library library{"libcudnn.so.9", "libcudnn.so.8"};

    decltype(&cudnnCreate) create = library.find<decltype(&cudnnCreate)>("cudnnCreate");
    decltype(&cudnnSetStream) set_stream =
        library.find<decltype(&cudnnSetStream)>("cudnnSetStream");
    decltype(&cudnnGetErrorString) error_string =
        library.find<decltype(&cudnnGetErrorString)>("cudnnGetErrorString");
};

const Functions& functions() {
    static Functions once;
    if (!once.library.why_not().empty()) throw std::runtime_error(once.library.why_not());
    return once;
}

}  // namespace

void cudnn_check(cudnnStatus_t status, const char* doing) {
    if (status != CUDNN_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuDNN failed to ") + doing + ": " +
                                 functions().error_string(status));
}

cudnnHandle_t cudnn_handle() {
    static cudnnContext* const once = [] {
        cudnnHandle_t made = nullptr;
        cudnn_check(functions().create(&made), "start");
        return made;
    }();
    return once;
}

void set_cudnn_stream(StreamView stream) {
    cudnn_check(functions().set_stream(cudnn_handle(), stream), "take a stream");
}

}  // namespace weft::bench
