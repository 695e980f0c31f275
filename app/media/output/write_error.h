// The exception for a file that could not be written.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/libav/error.h"

namespace weft {

// The message is write_failure_text().
class WriteError : public Error {
 public:
    // `errno_code` is an errno; `bytes` is the number written before.
    WriteError(const std::string& path, int errno_code, std::int64_t bytes = 0);
    int errno_code() const { return errno_code_; }

 private:
    int errno_code_;
};

// Throws Error(usage) if the output is an address such as "s3://bucket/x.mp4", for which folders of
// that name would be made. A name in an existing folder "s3:" is a file's.
void refuse_address(const std::string& output);

// Whether the error ends when the user makes space: a full disk (ENOSPC) or quota (EDQUOT).
bool is_full_disk(int errno_code);

}  // namespace weft
