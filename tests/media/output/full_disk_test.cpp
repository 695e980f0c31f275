#include "app/media/output/full_disk.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "app/media/output/file_sink.h"

namespace weft {
namespace {

TEST(MediaFullDisk, IsRecognizedInTheSentence) {
    EXPECT_EQ(full_disk_error(write_failure_text("/v/a.mkv", ENOSPC, 0)), ENOSPC);
    EXPECT_EQ(full_disk_error(write_failure_text("/v/a.mkv", EDQUOT, 1 << 20)), EDQUOT);
    EXPECT_EQ(full_disk_error(write_failure_text("/v/a.mkv", EACCES, 0)), 0);
    EXPECT_EQ(full_disk_error("/v/No space left on device.mkv: damaged"), 0);
    EXPECT_EQ(full_disk_error(""), 0);
}

}  // namespace
}  // namespace weft
