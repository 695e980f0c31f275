#include "app/viewer/screen/scope_worker.h"

#include <atomic>

#include <gtest/gtest.h>

#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

Picture picture_over(const AVFrame& frame) {
    const std::shared_ptr<AVFrame> owner(av_frame_clone(&frame), CDelete<av_frame_free>());
    return {plane_views(*owner), owner};
}

// A frame and its two results, all of them random.
ShownFramePtr shown_frame(std::uint32_t seed, int height = 9) {
    const FormatRow& row = format_row(AV_PIX_FMT_YUV420P);
    auto decoded = std::make_shared<Frame>();
    decoded->av = random_frame(row, 21, height, seed);
    auto shown = std::make_shared<ShownFrame>();
    shown->info = frame_info(*decoded->av, 0);
    shown->original = picture_over(*decoded->av);
    for (const std::uint32_t k : {1U, 2U})
        shown->filtered.push_back(picture_over(*random_frame(row, 21, height, seed + k)));
    shown->played.frame = std::move(decoded);
    return shown;
}

std::vector<double> luma(const AVFrame& frame) {
    return component_image(frame, format_row(AV_PIX_FMT_YUV420P), Component::y).samples;
}

TEST(ViewerShownPicture, ReturnsTheRequestedSide) {
    const ShownFramePtr shown = shown_frame(5);
    const FormatRow& row = format_row(AV_PIX_FMT_YUV420P);
    for (const std::uint32_t side : {0U, 1U, 2U})
        EXPECT_EQ(luma(*frame_of(*shown, side)), luma(*random_frame(row, 21, 9, 5 + side)));
    EXPECT_EQ(luma(*frame_of(*shown, 7)), luma(*random_frame(row, 21, 9, 7)));
    EXPECT_EQ(frame_of(*shown, 0)->data[0], shown->played.frame->av->data[0]);  // shared
    EXPECT_NE(frame_of(*shown, 1)->data[0], shown->filtered[0].planes[0].data);
}

TEST(ViewerScopes, MatchTheSide) {
    const ShownFramePtr shown = shown_frame(5);
    const Scopes original = make_scopes(*shown, 0, 8);
    EXPECT_TRUE(original.errors.empty());
    EXPECT_EQ(original.row_step, 1);
    const Scopes scopes = make_scopes(*shown, 2, 8);
    ASSERT_EQ(scopes.histograms.size(), 3U);
    EXPECT_EQ(scopes.histograms[0].bins,
              histograms(shown->filtered[1].planes, shown->info, 1)[0].bins);
    EXPECT_EQ(scopes.waveforms[1].columns, 8);
    ASSERT_TRUE(scopes.vectorscope);
    EXPECT_EQ(scopes.vectorscope->counts,
              vectorscope(shown->filtered[1].planes, shown->info, 1)->counts);
    EXPECT_EQ(scopes.vectorscope_brightness, dot_brightness(*scopes.vectorscope));
    EXPECT_NE(scopes.vectorscope->counts, original.vectorscope->counts);
    EXPECT_EQ(scopes.errors[0].mean_squared,
              picture_error(shown->original.planes, shown->filtered[1].planes, shown->info)[0]
                  .mean_squared);
}

TEST(ViewerScopes, ErrorsCountEveryRow) {
    const ShownFramePtr shown = shown_frame(5, 1081);
    const Scopes scopes = make_scopes(*shown, 1, 8);
    EXPECT_GT(scopes.row_step, 1);
    const std::vector<double> a = luma(*frame_of(*shown, 0));
    const std::vector<double> b = luma(*frame_of(*shown, 1));
    double squares = 0;
    for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
    EXPECT_DOUBLE_EQ(scopes.errors[0].mean_squared, squares / static_cast<double>(a.size()));
}

TEST(ViewerScopes, TheLastRequestIsProcessed) {
    std::atomic<int> answers = 0;
    ScopeWorker worker(cpu_device(), [&answers] { ++answers; });
    EXPECT_EQ(worker.result(), nullptr);
    ShownFramePtr last;
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        last = shown_frame(seed);
        worker.ask(last, 1, 16);
    }
    const auto wanted = make_scopes(*last, 1, 16).histograms[0].bins;
    while (!worker.result() || worker.result()->histograms[0].bins != wanted)
        std::this_thread::yield();
    const int before = answers;
    EXPECT_GE(before, 0);
    EXPECT_LE(before, 20);
    worker.ask(last, 1, 16);  // the same question again
    worker.ask(last, 0, 16);
    while (!worker.result()->errors.empty()) std::this_thread::yield();
    EXPECT_LE(answers, before + 2);
}

}  // namespace
}  // namespace weft::test
