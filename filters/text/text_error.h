// A mistake inside one value's text, before the text's place in a stack is known.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

// Thrown by the parsers of numbers, planes and matrices; Params turns it into a FilterError.
class TextError : public std::runtime_error {
 public:
    TextError(const std::string& message, std::size_t offset)
        : std::runtime_error(message), offset_(offset) {}
    std::size_t offset() const { return offset_; }  // bytes from the start of the value's text

 private:
    std::size_t offset_;
};

}  // namespace weft
