#include "app/media/output/write_error.h"

#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(MediaWriteError, HasTheCauseTheFileAndTheRemedy) {
    const WriteError full("/v/a.mkv", ENOSPC, 1'500'000);
    EXPECT_EQ(full.outcome(), Outcome::not_written);
    EXPECT_EQ(full.errno_code(), ENOSPC);
    EXPECT_THAT(full.what(), AllOf(StartsWith("/v/a.mkv: cannot be written after 1.5 MB: "),
                                   HasSubstr("free some or choose another folder")));
    const WriteError denied("/v/No space left on device; .mkv", EACCES);
    EXPECT_EQ(denied.errno_code(), EACCES);
    EXPECT_THAT(denied.what(), HasSubstr("you have no permission to write in that folder"));
}

// /proc exists, and refuses new files as if it did not.
TEST(MediaWriteError, AFolderThatExistsIsNotToBeCreated) {
    EXPECT_THAT(WriteError("/proc/a.mkv", ENOENT, 0).what(),
                HasSubstr("no files can be created in that folder: choose another one"));
    EXPECT_THAT(WriteError("/nowhere/a.mkv", ENOENT, 0).what(),
                HasSubstr("the folder does not exist: create it first"));
}

TEST(MediaWriteError, AFullDiskIsASpentQuotaToo) {
    EXPECT_TRUE(is_full_disk(ENOSPC));
    EXPECT_TRUE(is_full_disk(EDQUOT));
    EXPECT_FALSE(is_full_disk(EACCES));
    EXPECT_FALSE(is_full_disk(0));
}

}  // namespace
}  // namespace weft
