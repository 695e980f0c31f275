// Masks of films, judged by ffmpeg's pixels.
#include <string>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr std::size_t kFrameBytes = std::size_t{160} * 90;  // of luma

std::string film() {
    return clip("masked_film.mkv",
                picture_input(2, "160x90") + " -c:v ffv1 -g 10 -pix_fmt yuv420p");
}

// A white disc that moves by two pixels per frame, before black.
std::string mask(const std::string& name, double seconds) {
    return clip(name, "-f lavfi -i color=black:s=160x90:r=30:d=" + std::to_string(seconds) +
                          ",format=gray,geq=lum='255*lt(hypot(X-2*N\\,Y-40)\\,25)' -c:v ffv1");
}

// Luma of all frames, one byte per pixel.
std::string luma(const std::string& path) {
    return ffmpeg_text(path, "-v error -vf extractplanes=y -f rawvideo -");
}

class CliMask : public CliTest {
 protected:
    Arguments fill(const std::string& mask, const Arguments& more = {}) {
        Arguments all = {"batch", film(),          "-vf",  "fill=color=white:mask='" + mask + "'",
                         "-o",    path("out.mkv"), "-c:v", "ffv1"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};

TEST_F(CliMask, SelectsThePixelsOfEachFrame) {
    const std::string disc = mask("mask_disc.mkv", 2);
    ASSERT_TRUE(exits(weft(fill(disc)), 0));
    const std::string before = luma(film());
    const std::string after = luma(path("out.mkv"));
    const std::string weights = luma(disc);
    ASSERT_EQ(after.size(), 60 * kFrameBytes);
    ASSERT_EQ(weights.size(), after.size());
    std::string expected = before;
    for (std::size_t k = 0; k < expected.size(); ++k)
        if (weights[k] != 0) expected[k] = static_cast<char>(235);
    EXPECT_TRUE(after == expected);

    ASSERT_TRUE(exits(weft(fill(disc, {"-ss", "0.8", "-to", "1.5", "-y"})), 0));
    EXPECT_TRUE(luma(path("out.mkv")) == expected.substr(24 * kFrameBytes, 21 * kFrameBytes));
}

TEST_F(CliMask, AMaskThatEndsEarlyIsDamage) {
    const std::string shorter = mask("mask_shorter.mkv", 1.5);
    const Result result = weft(fill(shorter, {"--keep-damaged", "--json", path("report.json")}));
    EXPECT_TRUE(exits(result, 4));
    EXPECT_TRUE(contains(result.err, "ends at 1.500 s, before the film, and its last frame holds"))
        << result.err;
    EXPECT_EQ(frame_count(path("out.mkv")), 60);
    const auto report = nlohmann::json::parse(read_file(path("report.json")));
    EXPECT_TRUE(contains(report.at("files").at(0).dump(), "mask_shorter.mkv"));
}

TEST_F(CliMask, UnusableMasksAreNamedBeforeAnyWork) {
    struct Row {
        std::string mask, message;
    };
    write_file(path("text.png"), "no picture");
    for (const Row& row :
         {Row{path("none.mkv"), "cannot be opened: No such file"},
          Row{path("text.png"),
              "a mask is a picture, numbered pictures (mask_%04d.png) or a video"},
          Row{mask("mask_long.mkv", 5), "the mask is 5.0 s long and the film 2.0 s"}}) {
        SCOPED_TRACE(row.mask);
        for (const char* const dry : {"", "--dry-run"}) {
            const Result result = weft(fill(row.mask, *dry != '\0' ? Arguments{dry} : Arguments{}));
            EXPECT_TRUE(exits(result, 2));
            EXPECT_TRUE(contains(result.err, row.message)) << result.err;
        }
        EXPECT_TRUE(names_in(folder_.path()) == std::vector<std::string>{"text.png"});
    }
}

}  // namespace
}  // namespace weft::cli
