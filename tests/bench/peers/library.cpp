#include "tests/bench/peers/library.h"

#include <dlfcn.h>

namespace weft::bench {

Library::Library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        for (const std::string folder : {"", "/usr/local/cuda/lib64/"}) {
            handle_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_GLOBAL);
            if (handle_ != nullptr) {
                name_ = name;
                return;
            }
        }
    }
    why_not_ = std::string(*names.begin()) + " was not found: set LD_LIBRARY_PATH to its folder";
}

void* Library::symbol(const char* name) {
    if (handle_ == nullptr) return nullptr;
    void* const found = dlsym(handle_, name);
    if (found == nullptr && why_not_.empty()) why_not_ = name_ + " has no function " + name;
    return found;
}

}  // namespace weft::bench
