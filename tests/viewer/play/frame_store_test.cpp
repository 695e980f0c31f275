// Order, numbers and cache of frames, without decoding any.
#include "app/viewer/play/frame_store.h"

#include <gtest/gtest.h>

#include "app/viewer/play/play_target.h"
#include "tests/support/blank_frame.h"

namespace weft::test {
namespace {

Frame frame_at(std::int64_t pts) {
    Frame frame;
    frame.av = blank_frame(AV_PIX_FMT_GRAY8, 64, 64);
    frame.pts = pts;
    return frame;
}

std::size_t one_frame() {
    return frame_bytes(*frame_at(0).av);
}

TEST(ViewerFrameIndex, RunsJoinAndNumbersBecomeExact) {
    FrameIndex index(100, 0.1);
    index.add(200);
    EXPECT_FALSE(index.number(200).exact);
    EXPECT_EQ(index.number(200).number, 10) << "from the rate";
    EXPECT_EQ(index.shown_at(150), std::nullopt);
    index.add_after(100, 110);
    index.add_after(110, 140);
    EXPECT_EQ(index.shown_at(139), 110);
    EXPECT_EQ(index.shown_at(141), std::nullopt) << "what follows 140 is not known";
    index.add_after(140, 200);
    EXPECT_TRUE(index.number(200).exact);
    EXPECT_EQ(index.number(200).number, 3);
    EXPECT_EQ(index.shown_at(199), 140);
    EXPECT_EQ(index.neighbour(200, -3), 100);
    EXPECT_EQ(index.neighbour(200, -4), std::nullopt);
    index.end_at(200);
    EXPECT_EQ(index.shown_at(100000), 200);
    EXPECT_EQ(index.shown_at(-5), 100);
}

TEST(ViewerFrameIndex, KeepsItsOrderAfterDamage) {
    FrameIndex index(0);
    index.add_after(0, 10);
    index.add_after(10, 20);
    index.add_after(0, 15);
    index.add(15);
    EXPECT_EQ(index.next(10), 20);
    EXPECT_FALSE(index.knows(15));
    index.forget_after(12);
    EXPECT_EQ(index.next(10), std::nullopt);
    index.add_after(10, 15);
    EXPECT_EQ(index.next(10), 15);
}

TEST(ViewerFrameCache, EvictsTheFarthestFrames) {
    FrameStore store(one_frame() * 4);
    store.reset({{1, 10}, 0, 10});
    store.cache().keep(5, 5);
    for (int pts = 0; pts < 10; ++pts) store.add(frame_at(pts), pts == 0 ? 0 : pts - 1);
    EXPECT_LE(store.cache().bytes(), store.cache().budget());
    EXPECT_EQ(store.cache().times(), (std::vector<std::int64_t>{4, 5, 6, 7}));
    store.cache().keep(9, 9);
    store.cache().keep_loop(4, 4);
    store.add(frame_at(9), 8);
    store.add(frame_at(8), 7);
    EXPECT_EQ(store.cache().times(), (std::vector<std::int64_t>{4, 7, 8, 9}));
    const auto& stretches = store.stretches();
    ASSERT_EQ(stretches.size(), 2U);
    EXPECT_DOUBLE_EQ(stretches[0].first, 0.4);
    EXPECT_DOUBLE_EQ(stretches[0].second, 0.5);
    EXPECT_DOUBLE_EQ(stretches[1].first, 0.7);
}

TEST(ViewerFrameCache, ASmallerBudgetEvictsFrames) {
    FrameStore store(one_frame() * 8);
    store.reset({{1, 10}, 0, 10});
    store.cache().keep(5, 6);
    for (int pts = 0; pts < 8; ++pts) store.add(frame_at(pts), pts == 0 ? 0 : pts - 1);
    EXPECT_EQ(store.stretches().size(), 1U);
    store.set_budget(one_frame() * 3);
    EXPECT_EQ(store.cache().times(), (std::vector<std::int64_t>{4, 5, 6}));
    EXPECT_DOUBLE_EQ(store.stretches().front().first, 0.4);
    store.set_budget(0);
    EXPECT_EQ(store.cache().times(), (std::vector<std::int64_t>{5, 6})) << "what must be kept";
    store.set_budget(one_frame() * 4);
    store.add(frame_at(7), 6);
    EXPECT_EQ(store.cache().times().size(), 3U);
}

TEST(ViewerFrameCache, KeepsNeededFramesBeyondTheBudget) {
    FrameStore store(one_frame() / 2);
    store.reset({{1, 10}, 0, 10});
    store.cache().keep(0, 2);
    for (int pts = 0; pts < 3; ++pts) store.add(frame_at(pts), pts == 0 ? 0 : pts - 1);
    EXPECT_EQ(store.cache().times().size(), 3U);
}

TEST(ViewerTarget, ReportsTheDecodingItNeeds) {
    FrameStore store(one_frame() * 100);
    store.reset({{1, 10}, 0, 10});
    PlayTarget target = PlayTarget::at(0.25);
    EXPECT_EQ(target.resolve(store), (Need{2, true}));
    for (int pts = 0; pts < 4; ++pts) store.add(frame_at(pts), pts == 0 ? 0 : pts - 1);
    EXPECT_EQ(target.resolve(store), std::nullopt);
    EXPECT_EQ(target.frame()->pts, 2);
    target = target.stepped(3);
    EXPECT_EQ(target.resolve(store), (Need{3, true}));
    store.index().end_at(3);
    EXPECT_EQ(target.resolve(store), std::nullopt) << "no further than the last";
    EXPECT_EQ(target.frame()->pts, 3);
    target = target.stepped(1).stepped(-2);
    EXPECT_EQ(target.resolve(store), std::nullopt);
    EXPECT_EQ(target.frame()->pts, 2);
}

TEST(ViewerTarget, StepsBackNeedTheFramesBeforeAGap) {
    FrameStore store(one_frame() * 100);
    store.reset({{1, 10}, 0, 10});
    store.add(frame_at(50), std::nullopt);
    PlayTarget target = PlayTarget::at(5.0).stepped(-1);
    EXPECT_EQ(target.resolve(store), (Need{49, true}));
    EXPECT_EQ(need_behind(store, 50), (Need{49, true}));
    EXPECT_EQ(need_ahead(store, 50, std::nullopt), (Need{50, true}));
    EXPECT_EQ(need_behind(store, 0), std::nullopt);
}

TEST(ViewerTarget, TheBeginOfALoopIsAheadOfItsEnd) {
    FrameStore store(one_frame() * 16);  // four frames ahead
    store.reset({{1, 10}, 0, 10});
    const PlayLoop loop{.begin = 50, .end = 53};
    for (int pts = 50; pts < 54; ++pts)
        store.add(frame_at(pts), pts == 50 ? std::nullopt : std::optional<std::int64_t>(pts - 1));
    EXPECT_EQ(need_ahead(store, 51, loop), std::nullopt) << "52, 50, 51 and 52";
    EXPECT_EQ(need_ahead(store, 51, std::nullopt), (Need{53, true}));
    EXPECT_EQ(need_ahead(store, 53, loop), (Need{53, true})) << "beyond the loop";
    EXPECT_EQ(need_ahead(store, 51, PlayLoop{.begin = 20, .end = 53}), (Need{20, true}));
    const PlayLoop file{.begin = 0};
    EXPECT_EQ(need_ahead(store, 52, file), (Need{53, true})) << "the end is not known yet";
    store.index().end_at(53);
    store.add(frame_at(0), std::nullopt);
    EXPECT_EQ(need_ahead(store, 52, file), (Need{0, true})) << "the frame after it";
    store.add(frame_at(1), 0);
    EXPECT_EQ(need_ahead(store, 52, file), (Need{1, true}));
}

}  // namespace
}  // namespace weft::test
