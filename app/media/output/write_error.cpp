#include "app/media/output/write_error.h"

#include <cerrno>

#include "app/media/output/file_sink.h"

namespace weft {

WriteError::WriteError(const std::string& path, int errno_code, std::int64_t bytes)
    : Error(Outcome::not_written, write_failure_text(path, errno_code, bytes)),
      errno_code_(errno_code) {}

bool is_full_disk(int errno_code) {
    return errno_code == ENOSPC || errno_code == EDQUOT;
}

}  // namespace weft
