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

}  // namespace
}  // namespace weft
