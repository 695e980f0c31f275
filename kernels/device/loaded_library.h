// A shared library opened on first use, so that neither the build nor the program requires it.
#pragma once

#include <dlfcn.h>
#include <initializer_list>
#include <stdexcept>

namespace weft {

class LoadedLibrary {
 public:
    // Opens the first of the names that the dynamic linker finds; it stays open until the program
    // ends.
    LoadedLibrary(std::initializer_list<const char*> names) {
        for (const char* name : names)
            if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }

    // The function of that name; null without it or without the library.
    template <class Function>
    Function find(const char* name) const {
        return library_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library_, name));
    }

    // Sets `function` to the function of that name. Throws std::runtime_error without it.
    template <class Function>
    void load(const char* name, Function& function) const {
        function = find<Function>(name);
        if (function == nullptr) throw std::runtime_error(name);
    }

 private:
    void* library_ = nullptr;
};

}  // namespace weft
