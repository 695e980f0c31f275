// An open file of the operating system.
#pragma once

#include <unistd.h>
#include <utility>

namespace weft {

// Owns a descriptor and closes it; with -1, none is open.
class FileDescriptor {
 public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    ~FileDescriptor() {
        if (is_open()) ::close(fd_);
    }
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }

    bool is_open() const { return fd_ >= 0; }
    int get() const { return fd_; }

    // Whether no error was found; errno has it otherwise. File servers report failed writes here.
    bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
    int fd_ = -1;
};

}  // namespace weft
