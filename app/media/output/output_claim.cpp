#include "app/media/output/output_claim.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "app/media/output/atomic_output.h"
#include "app/media/output/partial_name.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

fs::path claim_path(const std::string& output) {
    const fs::path target = follow_links(output);
    return target.parent_path() / claim_name(target.filename().string());
}

}  // namespace

// Between open and lock the process that held the file may remove it: then create it again.
OutputClaim::OutputClaim(const std::string& output) : path_(claim_path(output)) {
    constexpr int kAttempts = 100;  // more than the number of runs that can be here at once
    for (int k = 0; k < kAttempts; ++k)
        if (lock()) return;
}

bool OutputClaim::lock() {
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd_ < 0) return true;  // creating the output itself will report the error
    held_ = flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (!held_ || leads_to(path_, fd_)) return true;
    close(fd_);
    fd_ = -1;
    return false;
}

OutputClaim::~OutputClaim() {
    if (fd_ < 0) return;
    if (held_) unlink(path_.c_str());
    close(fd_);
}

}  // namespace weft
