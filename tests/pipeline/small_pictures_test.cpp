// When the pipeline reports that a file only waits for the disk.
#include <filesystem>

#include <gmock/gmock.h>

#include "app/pipeline/pipeline.h"
#include "app/pipeline/receipt/receipt.h"
#include "filters/stack.h"
#include "tests/support/clips.h"

namespace weft {
namespace {

using namespace test;
namespace fs = std::filesystem;

using PipelineSmallPictures = ClipTest;

// The others hold too much memory while they wait, or have nothing to wait with.
TEST_F(PipelineSmallPictures, OnlyTheyReportThatTheyWaitForTheDisk) {
    struct Row {
        const char* input;
        const char* made;
        const char* output;
        int reports;
    };
    for (const Row& row :
         {Row{"small.png", "-f lavfi -i testsrc2=s=64x48 -frames:v 1", "small_done.png", 1},
          Row{"large.png", "-f lavfi -i testsrc2=s=2600x1600 -frames:v 1", "large_done.png", 0},
          Row{"film.mkv", "-f lavfi -i testsrc2=s=64x48:d=0.2 -c:v ffv1", "film_done.mkv", 0}}) {
        FileJob job;
        job.reader.path = make_clip(row.input, row.made).string();
        job.writer.path = (clip_dir() / row.output).string();
        job.stack = parse_stack("box=radius=1");
        job.device = cpu_device();
        job.receipt = ReceiptRequest{.name = row.input};
        const fs::path receipt = receipt_path(job.writer.path);
        int reports = 0;
        const FileResult result = filter_file(job, {}, [&](const FileProgress& progress) {
            if (!progress.syncing) return;
            ++reports;
            EXPECT_EQ(progress.frames, 1);
            EXPECT_FALSE(fs::exists(job.writer.path)) << "before it is on the disk";
            EXPECT_FALSE(fs::exists(receipt)) << "before its output";
        });
        EXPECT_EQ(result.error, "");
        EXPECT_EQ(reports, row.reports) << row.input;
        EXPECT_TRUE(fs::exists(job.writer.path)) << row.output;
        EXPECT_TRUE(fs::exists(receipt)) << row.output;
    }
}

}  // namespace
}  // namespace weft
