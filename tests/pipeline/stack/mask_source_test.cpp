// Masks that ffmpeg made, whose levels show which frame they are from.
#include "app/pipeline/stack/mask_source.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/clips.h"

namespace weft::test {
namespace {

class PipelineMaskSource : public ClipTest {};

// Frame k of the mask is gray with level 4 k, of full range: weight 1028 k.
constexpr int kStep = 4 * 257;

// A mask with so many frames, written by the codec's options.
std::filesystem::path numbered(const std::string& name, const std::string& rate, int frames,
                               const std::string& codec) {
    return make_clip(name, fmt::format("-f lavfi -i 'color=black:s=16x8:r={},format=gray,geq=lum=4*"
                                       "N,trim=end_frame={}' {}",
                                       rate, frames, codec));
}

MaskedFilm small_film() {
    return {.width = 16, .height = 8};
}

// The number of the mask's frame that holds.
double shown(MaskSource& mask, std::int64_t frame, double seconds, double duration) {
    mask.move_to({.number = frame, .seconds = seconds, .duration = duration});
    const auto weights = mask.weights();
    EXPECT_EQ(weights.size(), 128U);
    EXPECT_EQ(std::ranges::count(weights, weights[0]), 128);
    return static_cast<double>(weights[0]) / kStep;
}

TEST_F(PipelineMaskSource, APictureHoldsForEveryFrame) {
    const auto file = make_clip("mask-still.png",
                                "-f lavfi -i color=black:s=16x8,format=gray,geq=lum=X*16+Y "
                                "-frames:v 1");
    MaskSource mask(file.string(), small_film());
    EXPECT_TRUE(mask.is_still());
    const std::int64_t first = mask.move_to({});
    const auto weights = mask.weights();
    ASSERT_EQ(weights.size(), 128U);
    for (std::size_t k = 0; k < 128; ++k) EXPECT_EQ(weights[k], 257 * (k % 16 * 16 + k / 16)) << k;
    EXPECT_EQ(mask.move_to({.number = 9999, .seconds = 400}), first);
    EXPECT_EQ(mask.weights().data(), weights.data());
    EXPECT_FALSE(mask.damage().damaged);
}

struct RateRow {
    std::string rate;
    double per_second;
    std::string name, codec;
};

// Containers round times to 1/1000, 1/90000 or not at all: each frame of the film gets the frame of
// the mask with its own number, with times of the film that are exact, or rounded as Matroska's.
TEST_F(PipelineMaskSource, AVideoOfTheFilmsRateIsShownFrameByFrame) {
    for (const RateRow& row : {RateRow{"24000/1001", 24000.0 / 1001, "mask-m24.mkv", "-c:v ffv1"},
                               {"30000/1001", 30000.0 / 1001, "mask-m30.mkv", "-c:v ffv1"},
                               {"60000/1001", 60000.0 / 1001, "mask-m60.mkv", "-c:v ffv1"},
                               {"25", 25, "mask-m25.mov", "-c:v png"},
                               {"30000/1001", 30000.0 / 1001, "mask-m30.avi", "-c:v ffv1"},
                               {"240", 240, "mask-m240.mkv", "-c:v ffv1"},
                               {"1000", 1000, "mask-m1000.mkv", "-c:v ffv1"}}) {
        const auto file = numbered(row.name, row.rate, 60, row.codec);
        for (const bool rounded : {false, true}) {
            MaskSource mask(file.string(), small_film());
            EXPECT_FALSE(mask.is_still());
            for (int k = 0; k < 60; ++k) {
                const double seconds = k / row.per_second;
                ASSERT_EQ(shown(mask, k, rounded ? std::round(seconds * 1000) / 1000 : seconds,
                                1 / row.per_second),
                          k)
                    << row.name << (rounded ? " rounded" : "");
            }
            EXPECT_FALSE(mask.damage().damaged) << mask.damage().reason;
        }
    }
}

// Ten frames per second for a film of 25.
TEST_F(PipelineMaskSource, AFrameHoldsUntilTheNextOne) {
    MaskSource mask(numbered("mask-m10.mkv", "10", 20, "-c:v ffv1").string(), small_film());
    std::int64_t number = -1;
    double before = -1;
    for (int k = 0; k < 50; ++k) {
        const double got = shown(mask, k, k * 0.04, 0.04);
        EXPECT_EQ(got, k * 4 / 10) << k;
        const std::int64_t now = mask.move_to({.number = k, .seconds = k * 0.04});
        EXPECT_EQ(now == number, got == before) << k;
        number = now;
        before = got;
    }
    EXPECT_FALSE(mask.damage().damaged);
}

// A transport stream begins at 1.4 s, and a mask may be opened anywhere.
TEST_F(PipelineMaskSource, TimesCountFromTheFirstFrame) {
    const auto file = make_clip("mask-m.ts",
                                "-f lavfi -i color=black:s=16x16:r=25:d=40,format=gray,geq=lum="
                                "floor(N/100)*20,format=yuvj420p -c:v mpeg2video -q:v 1 -g 25 "
                                "-color_range pc");
    const auto tenth = [](MaskSource& mask, double seconds) {
        mask.move_to({.seconds = seconds, .duration = 0.04});
        const auto weights = mask.weights();
        return weights[0] / 257.0 / 20;
    };
    MaskSource mask(file.string(), {.width = 16, .height = 16});
    const double black = tenth(mask, 0);
    MaskSource again(file.string(), {.width = 16, .height = 16});
    std::vector<double> levels;
    for (int k = 0; k < 10; ++k) {
        levels.push_back(tenth(again, 4.0 * k));
        EXPECT_EQ(tenth(again, 4.0 * k + 3.96), levels.back());
    }
    EXPECT_EQ(levels[0], black);
    EXPECT_TRUE(std::ranges::is_sorted(levels));
    EXPECT_GT(levels[9], levels[0] + 8);
    // Leaps there and back find the same frames.
    for (const int k : {9, 2, 0, 7, 7, 3, 8}) {
        EXPECT_EQ(tenth(again, 4.0 * k), levels[static_cast<std::size_t>(k)]) << k;
        EXPECT_EQ(tenth(again, 4.0 * k + 3.96), levels[static_cast<std::size_t>(k)]) << k;
    }
    EXPECT_FALSE(again.damage().damaged) << again.damage().reason;
}

// A film whose sound begins 0.2 s before its first frame: its times count from there, those of the
// mask do not.
TEST_F(PipelineMaskSource, FirstFrameIsShownWithTheFilmsFirstFrame) {
    ReaderOptions options;
    options.path = make_clip("mask-late.mkv",
                             "-itsoffset 0.2 -f lavfi -i testsrc2=s=16x8:r=25:d=2 -f lavfi -i "
                             "sine=d=2 -c:v ffv1 -c:a flac")
                       .string();
    Reader film(options);
    const MaskedFilm masked = masked_film(film);
    EXPECT_EQ(masked.width, 16);
    EXPECT_EQ(masked.height, 8);
    EXPECT_NEAR(masked.first_seconds, 0.2, 0.001);
    MaskSource mask(numbered("mask-m25s.mkv", "25", 50, "-c:v ffv1").string(), masked);
    std::int64_t frames = 0;
    for (MediaItem item = film.next(); !std::holds_alternative<EndOfInput>(item);
         item = film.next()) {
        const auto* frame = std::get_if<Frame>(&item);
        if (frame == nullptr) continue;
        const double seconds = static_cast<double>(frame->pts) * av_q2d(film.time_base());
        EXPECT_EQ(shown(mask, frame->index, seconds, 0.04), static_cast<double>(frame->index));
        ++frames;
    }
    EXPECT_EQ(frames, 50);
    EXPECT_FALSE(mask.damage().damaged) << mask.damage().reason;
}

// A leap into a frame that lasts longer than any margin.
TEST_F(PipelineMaskSource, LeapsFindFramesThatLastLong) {
    MaskSource mask(numbered("mask-slow.mkv", "1/20", 5, "-c:v ffv1").string(), small_film());
    for (const int seconds : {95, 39, 99, 0, 61, 41, 79})
        EXPECT_EQ(shown(mask, 0, seconds, 0.04), seconds / 20) << seconds;
    EXPECT_FALSE(mask.damage().damaged);
}

TEST_F(PipelineMaskSource, NumberedPicturesFollowTheFramesNumber) {
    const auto first = numbered("mask-seq_%03d.png", "25", 30, "-start_number 17");
    MaskSource mask(first.string(), small_film());
    for (int k = 0; k < 30; ++k) EXPECT_EQ(shown(mask, k, k / 7.0, 1 / 7.0), k);
    EXPECT_EQ(shown(mask, 3, 0, 0), 3);
    EXPECT_FALSE(mask.damage().damaged);
    EXPECT_EQ(shown(mask, 30, 0, 0), 29);
    EXPECT_TRUE(mask.damage().damaged);
    EXPECT_NE(mask.damage().reason.find("ends before the film's frame 31"), std::string::npos)
        << mask.damage().reason;
}

TEST_F(PipelineMaskSource, AMaskThatEndsEarlyIsHeldAndDamaged) {
    const auto file = numbered("mask-short.mkv", "25", 10, "-c:v ffv1");
    MaskSource mask(file.string(), small_film());
    for (int k = 0; k < 10; ++k) EXPECT_EQ(shown(mask, k, k * 0.04, 0.04), k);
    EXPECT_FALSE(mask.damage().damaged) << mask.damage().reason;
    EXPECT_EQ(shown(mask, 10, 0.4, 0.04), 9);
    EXPECT_EQ(shown(mask, 500, 20, 0.04), 9);
    EXPECT_TRUE(mask.damage().damaged);
    EXPECT_EQ(mask.damage().reason, "the mask " + file.string() +
                                        " ends at 0.400 s, before the film, and its last frame "
                                        "holds from there on");
    EXPECT_DOUBLE_EQ(mask.damage().first_bad_seconds.value_or(0), 0.4);
    // The same at once.
    MaskSource late(file.string(), small_film());
    EXPECT_EQ(shown(late, 500, 20, 0.04), 9);
    EXPECT_TRUE(late.damage().damaged);
}

TEST_F(PipelineMaskSource, ADamagedMaskIsNamed) {
    const auto whole = numbered("mask-whole.mkv", "25", 60, "-c:v ffv1");
    Bytes bytes = read_bytes(whole);
    bytes.resize(bytes.size() * 6 / 10);
    const auto cut = write_bytes("mask-cut.mkv", bytes);
    MaskSource mask(cut.string(), small_film());
    for (int k = 0; k < 60; ++k) mask.move_to({.seconds = k * 0.04, .duration = 0.04});
    EXPECT_TRUE(mask.damage().damaged);
    EXPECT_TRUE(mask.damage().reason.starts_with("the mask " + cut.string() + ": "))
        << mask.damage().reason;
    EXPECT_NE(mask.damage().reason.find(" ends at "), std::string::npos) << mask.damage().reason;
}

// The left half of the picture, as a viewer sees it, is white.
TEST_F(PipelineMaskSource, MaskAndFilmAreComparedAsSeen) {
    const auto made = [](const std::string& name, std::string_view size, std::string_view white) {
        return make_clip(name, fmt::format("-f lavfi -i color=black:s={}:r=5:d=1,format=gray,"
                                           "geq=lum='255*{}' -c:v png",
                                           size, white));
    };
    const auto upright = made("mask-upright.mov", "8x4", "lt(X\\,4)");
    // White is on the right of the coded picture, which players turn upside down.
    made("mask-right.mov", "8x4", "gte(X\\,4)");
    const auto upside =
        make_clip("mask-upside.mov", "-i @mask-right.mov -c copy -metadata:s:v rotate=180");
    // White is in the upper half of the coded picture, which players turn to the left: ffmpeg
    // writes 90 as the angle of a turn to the left.
    made("mask-upper.mov", "4x8", "lt(Y\\,4)");
    const auto across =
        make_clip("mask-across.mov", "-i @mask-upper.mov -c copy -metadata:s:v rotate=90");
    struct FilmRow {
        int degrees, width, height;
        bool (*white)(int x, int y);  // in the coded frame
    };
    for (const auto& file : {upright, upside, across})
        for (const FilmRow& row : {FilmRow{0, 8, 4, [](int x, int) { return x < 4; }},
                                   {180, 8, 4, [](int x, int) { return x >= 4; }},
                                   // A quarter clockwise: the coded bottom is at the left.
                                   {90, 4, 8, [](int, int y) { return y >= 4; }},
                                   {270, 4, 8, [](int, int y) { return y < 4; }}}) {
            MaskSource mask(
                file.string(),
                {.width = row.width, .height = row.height, .rotation_degrees = row.degrees});
            mask.move_to({.duration = 0.04});
            const auto weights = mask.weights();
            ASSERT_EQ(weights.size(), 32U);
            for (int y = 0; y < row.height; ++y)
                for (int x = 0; x < row.width; ++x)
                    ASSERT_EQ(weights[static_cast<std::size_t>(y * row.width + x)],
                              row.white(x, y) ? 65'535 : 0)
                        << file.filename() << " " << row.degrees << " " << x << " " << y;
        }
}

TEST_F(PipelineMaskSource, TheMaskIsScaledToTheFilm) {
    const auto file = make_clip("mask-two.png",
                                "-f lavfi -i color=black:s=2x2,format=gray,geq=lum=X*80 -frames:v "
                                "1");
    MaskSource mask(file.string(), {.width = 4, .height = 2});
    mask.move_to({});
    const auto weights = mask.weights();
    const std::vector<std::uint16_t> want{0, 5140, 15'420, 20'560, 0, 5140, 15'420, 20'560};
    EXPECT_TRUE(std::ranges::equal(weights, want));
}

struct BadMask {
    std::string path;
    std::string_view saying;
};

TEST_F(PipelineMaskSource, UnusableMasksAreUsageErrors) {
    const auto sound = make_clip("mask-sound.wav", "-f lavfi -i sine=d=1");
    const auto large = make_clip("mask-large.png", "-f lavfi -i color=white:s=1300x8 -frames:v 1");
    const auto text = write_bytes("mask-text.png", {'h', 'e', 'l', 'l', 'o'});
    for (const BadMask& bad : {
             BadMask{(clip_dir() / "mask-none.png").string(), "a mask is a picture"},
             {clip_dir().string(), "a mask is a picture"},
             {(clip_dir() / "mask-none_%03d.png").string(), "a mask is a picture"},
             {sound.string(), "no video"},
             {text.string(), "a mask is a picture"},
             {"-", "standard input"},
             {large.string(), "more than 64 times as large as the frames, 16x8; scale the mask"},
         }) {
        try {
            const MaskSource mask(bad.path, small_film());
            ADD_FAILURE() << "accepted " << bad.path;
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), Outcome::usage) << bad.path;
            EXPECT_NE(std::string(error.what()).find(bad.saying), std::string::npos)
                << error.what();
        }
    }
}

TEST_F(PipelineMaskSource, OtherLengthsAreRefused) {
    ReaderOptions options;
    options.path = make_clip("mask-film.mkv",
                             "-f lavfi -i testsrc2=s=32x16:r=25:d=6 -f lavfi -i sine=d=9 "
                             "-c:v ffv1 -c:a flac")
                       .string();
    const Reader film(options);
    const auto check = [&](const std::filesystem::path& file) {
        MaskSource(file.string(), {.width = 32, .height = 16}).require_length_of(film);
    };
    EXPECT_NO_THROW(check(numbered("mask-same.mkv", "25", 150, "-c:v ffv1")));
    EXPECT_NO_THROW(check(numbered("mask-rate.mkv", "5", 30, "-c:v ffv1")));
    EXPECT_NO_THROW(check(numbered("mask-less.mov", "25", 140, "-c:v png")));
    EXPECT_NO_THROW(check(numbered("mask-same_%03d.png", "25", 150, "")));
    EXPECT_NO_THROW(check(make_clip("mask-one.png", "-f lavfi -i color=s=16x8 -frames:v 1")));
    EXPECT_THROW(check(numbered("mask-less.mkv", "25", 90, "-c:v ffv1")), Error);
    EXPECT_THROW(check(numbered("mask-more.mov", "25", 300, "-c:v png")), Error);
    try {
        check(numbered("mask-less_%03d.png", "25", 50, ""));
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.outcome(), Outcome::usage);
        EXPECT_NE(std::string(error.what()).find("is 2.0 s long and the film 6.0 s"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace weft::test
