// A file system of its own for a test, which needs the right to mount one.
#pragma once

#include <string>
#include <sys/mount.h>
#include <utility>

namespace weft::test {

// Mounted on a folder while in scope.
class Mount {
 public:
    Mount(std::string folder, const char* type, unsigned long flags, const std::string& options)
        : folder_(std::move(folder)),
          mounted_(mount(flags == MS_BIND ? folder_.c_str() : "none", folder_.c_str(), type, flags,
                         options.c_str()) == 0) {}
    ~Mount() {
        if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
    }
    Mount(const Mount&) = delete;
    Mount& operator=(const Mount&) = delete;

    bool mounted() const { return mounted_; }
    // Gives it other options; false if that fails.
    bool change(const std::string& options) const {
        return mount("none", folder_.c_str(), "tmpfs", MS_REMOUNT, options.c_str()) == 0;
    }

 private:
    std::string folder_;
    bool mounted_;
};

}  // namespace weft::test
