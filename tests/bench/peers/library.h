// Another project's shared library, loaded at run time.
#pragma once

#include <initializer_list>
#include <string>

namespace weft::bench {

// Stays loaded: its functions are used until the program ends.
class Library {
 public:
    // Tries the names in order, each as the dynamic linker finds it and then in /usr/local/cuda.
    explicit Library(std::initializer_list<const char*> names);

    // Empty, or "libnppif.so.13 was not found: set LD_LIBRARY_PATH to its folder".
    const std::string& why_not() const { return why_not_; }

    // The function of that name; null, with a reason in why_not(), if the library lacks it.
    template <class Function>
    Function find(const char* name) {
        return reinterpret_cast<Function>(symbol(name));
    }

 private:
    void* symbol(const char* name);

    void* handle_ = nullptr;
    std::string name_;
    std::string why_not_;
};

}  // namespace weft::bench
