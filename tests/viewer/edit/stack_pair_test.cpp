#include "app/viewer/edit/stack_pair.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ViewerStackPair, TheSecondStackStartsAsACopyAndBothAreCompared) {
    StackPair pair;
    ViewState view;
    pair.editors[0].replace("gaussian=sigma=2");
    EXPECT_EQ(pair.requests().size(), 1U);
    EXPECT_EQ(pair.side_name(1), "Filtered");
    pair.set_two(true, view);
    ASSERT_EQ(pair.requests().size(), 2U);
    EXPECT_EQ(pair.requests()[0], pair.requests()[1]);
    EXPECT_EQ(&pair.current(), &pair.editors[1]);
    EXPECT_EQ(view.mode, CompareMode::wipe);
    EXPECT_EQ(pair.side_name(view.left), "First stack");
    EXPECT_EQ(pair.side_name(view.right), "Second stack");
}

TEST(ViewerStackPair, OneStackAgainIsComparedWithTheOriginal) {
    StackPair pair;
    ViewState view;
    pair.set_two(true, view);
    pair.editors[1].replace("sobel");
    EXPECT_TRUE(pair.has_filters());
    pair.set_two(false, view);
    EXPECT_FALSE(pair.has_filters());
    EXPECT_EQ(&pair.current(), &pair.editors[0]);
    EXPECT_EQ(pair.side_name(view.left), "Original");
    EXPECT_EQ(pair.side_name(view.right), "Filtered");
}

// The wipe that the second stack switched on ends with it; one that was there before stays.
TEST(ViewerStackPair, OneStackAgainIsShownAsBefore) {
    for (const CompareMode before :
         {CompareMode::single, CompareMode::wipe, CompareMode::side_by_side}) {
        StackPair pair;
        ViewState view;
        view.mode = before;
        pair.set_two(true, view);
        pair.set_two(false, view);
        EXPECT_EQ(view.mode, before);
    }
}

// Whichever stack is edited: the other one has the kernel.
TEST(ViewerStackPair, AKernelIsPinnedAgainstTheEditedStack) {
    for (const bool two : {false, true}) {
        StackPair pair;
        ViewState view;
        pair.editors[0].replace("sobel,gaussian=sigma=2");
        pair.set_two(two, view);
        view.mode = CompareMode::difference;
        const std::size_t before = pair.edited;
        const std::string text = print_stack(pair.current().active());
        pair.pin_kernel(1, "opencv_cpu", view);
        EXPECT_EQ(view.mode, CompareMode::wipe);
        ASSERT_EQ(pair.requests().size(), 2U);
        const StackEditor& pinned = pair.editors[1 - before];
        EXPECT_EQ(print_stack(pinned.active()), text);
        const std::vector<StepId> ids = pinned.active_ids();
        ASSERT_EQ(ids.size(), 2U);
        EXPECT_EQ(pinned.kernel(ids[0]), "");
        EXPECT_EQ(pinned.kernel(ids[1]), "opencv_cpu");
        EXPECT_EQ(pair.editors[before].kernel(pair.editors[before].active_ids()[1]), "");
        EXPECT_EQ(view.left, 1U);
        EXPECT_EQ(view.right, 2U);
    }
}

}  // namespace
}  // namespace weft
