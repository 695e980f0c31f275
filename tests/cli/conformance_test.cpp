// Random files through an identity filter, compared by other programs.
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliConformance : public CliTest {};

// Clips of each codec, container and odd structure: every frame equals libavcodec's own, and none
// is reported as damaged.
TEST_F(CliConformance, NoClipLosesFramesOrIsReportedAsDamaged) {
    const std::string clips = path("clips");
    const Result made = run({"python3", media_script("conformance_clips.py"), clips});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Result result =
        run({"python3", media_script("conformance.py"), clips, "--weft", weft_program()});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// Photos of each orientation: pixels by ImageMagick, metadata by exiftool.
TEST_F(CliConformance, PhotosAndFilmsKeepTheirMetadata) {
    const Result result = run({"python3", media_script("mixed_pictures.py"), path("mixed"),
                               "--count", "80", "--weft", weft_program()});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// Tests the script itself: a cut file must not count as one that agrees.
TEST_F(CliConformance, ACutFileIsDamagedAsInLibav) {
    const std::string clips = make_folder("cut");
    const std::string source = clips + "/cut.png";
    ASSERT_EQ(run({"ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48", "-frames:v",
                   "1", source})
                  .exit_code,
              0);
    const std::string bytes = read_file(source);
    write_file(source, bytes.substr(0, bytes.size() / 2));
    const Result result =
        run({"python3", media_script("conformance.py"), clips, "--weft", weft_program()});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_TRUE(contains(result.out, "damaged as libav says  " + source)) << result.out;
}

}  // namespace
}  // namespace weft::cli
