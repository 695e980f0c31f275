#include "app/viewer/edit/stack_editor.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pipeline/stack/stack_plan.h"
#include "tests/pipeline/test_frames.h"

namespace weft {
namespace {

StackEditor editor_of(std::string_view text) {
    StackEditor editor;
    editor.replace(text);
    return editor;
}

std::string shown(const StackEditor& editor) {
    std::string out;
    for (const EditedStep& step : editor.steps())
        out += (out.empty() ? "" : " ") + std::string(step.enabled ? "" : "!") +
               print_step(step.step, Names::typed);
    return out;
}

StepId id_at(const StackEditor& editor, std::size_t place) {
    return editor.steps().at(place).id;
}

TEST(ViewerStackEditor, EveryFilterCanBeAdded) {
    StackEditor editor;
    for (const FilterDef& filter : filters()) {
        const StepId id = editor.add(filter, 99);
        ASSERT_NE(id, 0U) << filter.name;
        EXPECT_EQ(editor.steps().back().id, id);
        EXPECT_EQ(editor.steps().back().step.filter, &filter);
    }
    // Only a bank has no default: its matrices are in a file.
    EXPECT_EQ(editor.active().size(), filters().size() - 1);
    EXPECT_THAT(step_problem(editor.steps().back().step), testing::HasSubstr("give the file"));
    EXPECT_EQ(print_step(editor.steps()[editor.steps().size() - 2].step),
              "convolve=matrix='0 0 0; 0 1 0; 0 0 0'");
}

struct Move {
    std::size_t from, to;
    std::string_view result;
};

constexpr Move kMoves[]{
    {0, 0, "box gaussian sobel"}, {0, 1, "gaussian box sobel"}, {0, 2, "gaussian sobel box"},
    {0, 9, "gaussian sobel box"}, {1, 0, "gaussian box sobel"}, {2, 0, "sobel box gaussian"},
    {2, 1, "box sobel gaussian"}, {2, 2, "box gaussian sobel"}, {1, 9, "box sobel gaussian"},
};

TEST(ViewerStackEditor, Moves) {
    for (const Move& row : kMoves) {
        StackEditor editor = editor_of("box,gaussian,sobel");
        const StepId id = id_at(editor, row.from);
        editor.move(id, row.to);
        EXPECT_EQ(shown(editor), row.result) << row.from << " to " << row.to;
        EXPECT_EQ(editor.index_of(id), std::min<std::size_t>(row.to, 2));
    }
}

TEST(ViewerStackEditor, AddsRemovesDuplicatesAndDisablesSteps) {
    StackEditor editor = editor_of("box=radius=4,sobel");
    editor.add(*find_filter("disc"), 1);
    EXPECT_EQ(shown(editor), "box=radius=4 disc sobel");
    const StepId copy = editor.duplicate(id_at(editor, 0));
    EXPECT_EQ(shown(editor), "box=radius=4 box=radius=4 disc sobel");
    EXPECT_FALSE(editor.set(copy, "radius", "9"));
    editor.set_enabled(copy, false);
    EXPECT_EQ(shown(editor), "box=radius=4 !box=radius=9 disc sobel");
    EXPECT_EQ(print_stack(editor.active(), Names::typed), "box=radius=4,disc,sobel");
    editor.remove(id_at(editor, 0));
    EXPECT_EQ(shown(editor), "!box=radius=9 disc sobel");
    editor.clear();
    EXPECT_TRUE(editor.steps().empty());
}

TEST(ViewerStackEditor, AWrongValueIsRefusedWithAReason) {
    StackEditor editor = editor_of("gaussian=sigma=3");
    const std::uint64_t revision = editor.revision();
    const auto error = editor.set(id_at(editor, 0), "sigma", "1025");
    ASSERT_TRUE(error);
    EXPECT_STREQ(error->what(), "gaussian: sigma: 1025 is outside 0 to 1024 px");
    EXPECT_TRUE(editor.set(id_at(editor, 0), "sigma", "3x"));
    EXPECT_TRUE(editor.set(id_at(editor, 0), "nothing", "3"));
    EXPECT_THROW(editor.replace("gaussian,nothing"), FilterError);
    EXPECT_EQ(shown(editor), "gaussian=sigma=3");
    EXPECT_EQ(editor.revision(), revision);
}

TEST(ViewerStackEditor, ASlidersNumberIsSetAsItIs) {
    StackEditor editor = editor_of("gaussian=sigma=3,box");
    const StepId gaussian = id_at(editor, 0);
    EXPECT_FALSE(editor.set(gaussian, "sigma", 0.1 + 0.2));
    EXPECT_EQ(editor.find(gaussian)->step.params.number("sigma"), 0.1 + 0.2);
    EXPECT_EQ(shown(editor), "gaussian=sigma=0.30000000000000004 box");
    const auto error = editor.set(gaussian, "sigma", 1025.0);
    ASSERT_TRUE(error);
    EXPECT_STREQ(error->what(), "gaussian: sigma: 1025 is outside 0 to 1024 px");
    EXPECT_FALSE(editor.set(0, "sigma", 4.0));
    EXPECT_EQ(shown(editor), "gaussian=sigma=0.30000000000000004 box");
    editor.undo();
    EXPECT_EQ(shown(editor), "gaussian=sigma=3 box");
}

TEST(ViewerStackEditor, ParametersCanBeReset) {
    StackEditor editor = editor_of("gaussian=sigma=3:border=wrap,convolve=matrix=5:bias=2");
    editor.reset(id_at(editor, 0), "border");
    EXPECT_EQ(shown(editor), "gaussian=sigma=3 convolve=matrix=5:bias=2");
    EXPECT_FALSE(editor.set(id_at(editor, 0), "sigma", ""));
    editor.reset(id_at(editor, 1), "matrix");
    EXPECT_EQ(shown(editor), "gaussian convolve=matrix='0 0 0; 0 1 0; 0 0 0':bias=2");
    editor.reset(id_at(editor, 1));
    EXPECT_EQ(shown(editor), "gaussian convolve=matrix='0 0 0; 0 1 0; 0 0 0'");
}

TEST(ViewerStackEditor, ContradictoryStepsAreNotActive) {
    StackEditor editor = editor_of("unsharp,sobel");
    EXPECT_FALSE(editor.set(id_at(editor, 0), "size_x", "4"));
    EXPECT_THAT(step_problem(editor.steps()[0].step), testing::HasSubstr("it must be odd"));
    EXPECT_EQ(print_stack(editor.active(), Names::typed), "sobel");
}

// As the planner finds. A new matrix copies the picture, which only the planner knows.
TEST(ViewerStackEditor, AStepThatBlendsDoesNotRace) {
    const AVFramePtr frame = test::random_frame(test::format_row(AV_PIX_FMT_YUV420P), 64, 48, 7);
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list) {
            StackEditor editor;
            const StepId id = editor.add(filter, 0);
            if (editor.active().empty()) {
                EXPECT_EQ(why_no_race(*editor.find(id)), step_problem(editor.find(id)->step));
                continue;
            }
            const StackPlan plan = plan_stack(editor.active(), frame_info(*frame, 0), cpu_device());
            EXPECT_EQ(why_no_race(*editor.find(id)).empty(),
                      plan.steps[0].kernel_names() != "blend")
                << filter.name;
            editor.set_enabled(id, false);
            EXPECT_NE(why_no_race(*editor.find(id)), "") << filter.name;
        }
}

TEST(ViewerStackEditor, UndoAndRedoCoverEveryEdit) {
    StackEditor editor;
    std::vector<std::string> states{shown(editor)};
    const auto note = [&] { states.push_back(shown(editor)); };
    const StepId box = editor.add(*find_filter("box"), 0);
    note();
    editor.add(*find_filter("sobel"), 0);
    note();
    EXPECT_FALSE(editor.set(box, "radius", "7"));
    note();
    editor.move(box, 0);
    note();
    editor.set_enabled(box, false);
    note();
    editor.reset(box);
    note();
    editor.replace("disc,motion");
    note();
    for (std::size_t k = states.size() - 1; k-- > 0;) {
        ASSERT_TRUE(editor.can_undo());
        editor.undo();
        EXPECT_EQ(shown(editor), states[k]);
    }
    EXPECT_FALSE(editor.can_undo());
    editor.undo();
    for (std::size_t k = 1; k < states.size(); ++k) {
        ASSERT_TRUE(editor.can_redo());
        editor.redo();
        EXPECT_EQ(shown(editor), states[k]);
    }
    EXPECT_FALSE(editor.can_redo());
}

TEST(ViewerStackEditor, IdsSurviveUndo) {
    StackEditor editor = editor_of("box,sobel");
    const StepId box = id_at(editor, 0);
    editor.remove(box);
    EXPECT_EQ(editor.find(box), nullptr);
    const StepId later = editor.add(*find_filter("disc"), 0);
    EXPECT_NE(later, box);
    editor.undo();
    editor.undo();
    ASSERT_NE(editor.find(box), nullptr);
    EXPECT_EQ(editor.index_of(box), 0U);
}

TEST(ViewerStackEditor, ADragIsOneStepOfUndo) {
    StackEditor editor = editor_of("gaussian=sigma=1");
    const StepId id = id_at(editor, 0);
    editor.begin_edit();
    for (const char* sigma : {"2", "3", "4", "5"}) EXPECT_FALSE(editor.set(id, "sigma", sigma));
    editor.end_edit();
    EXPECT_EQ(shown(editor), "gaussian=sigma=5");
    editor.undo();
    EXPECT_EQ(shown(editor), "gaussian=sigma=1");
    editor.redo();
    EXPECT_EQ(shown(editor), "gaussian=sigma=5");
}

TEST(ViewerStackEditor, ACancelledDragAddsNoUndo) {
    StackEditor editor = editor_of("gaussian=sigma=1");
    const StepId id = id_at(editor, 0);
    editor.undo();
    editor.redo();
    editor.begin_edit();
    EXPECT_FALSE(editor.set(id, "sigma", "7"));
    editor.cancel_edit();
    EXPECT_EQ(shown(editor), "gaussian=sigma=1");
    editor.begin_edit();
    EXPECT_FALSE(editor.set(id, "sigma", "7"));
    EXPECT_FALSE(editor.set(id, "sigma", "1"));
    editor.end_edit();
    editor.undo();
    EXPECT_TRUE(editor.steps().empty());  // replace() was the only edit
}

TEST(ViewerStackEditor, AnEditAfterUndoClearsRedo) {
    StackEditor editor = editor_of("box");
    editor.add(*find_filter("sobel"), 1);
    editor.undo();
    editor.add(*find_filter("disc"), 1);
    EXPECT_FALSE(editor.can_redo());
    EXPECT_EQ(shown(editor), "box disc");
}

TEST(ViewerStackEditor, EveryChangeIncrementsTheRevision) {
    StackEditor editor = editor_of("gaussian,sobel");
    const StepId id = id_at(editor, 0);
    std::uint64_t last = editor.revision();
    const auto changes = [&](auto edit) {
        edit();
        const bool grew = editor.revision() > last;
        last = editor.revision();
        return grew;
    };
    EXPECT_TRUE(changes([&] { editor.set(id, "sigma", "3"); }));
    EXPECT_FALSE(changes([&] { editor.set(id, "sigma", "3.0"); }));
    EXPECT_TRUE(changes([&] { editor.move(id, 1); }));
    EXPECT_FALSE(changes([&] { editor.move(id, 1); }));
    EXPECT_FALSE(changes([&] { editor.set_enabled(id, true); }));
    EXPECT_FALSE(changes([&] { editor.remove(0); }));
    EXPECT_TRUE(changes([&] { editor.undo(); }));
    EXPECT_TRUE(changes([&] { editor.redo(); }));
    EXPECT_FALSE(changes([&] { editor.redo(); }));
    EXPECT_FALSE(changes([&] {
        editor.begin_edit();
        editor.end_edit();
    }));
}

TEST(ViewerStackEditor, AFullStackRefusesSteps) {
    StackEditor editor;
    for (std::size_t k = 0; k < kMaxSteps; ++k) EXPECT_NE(editor.add(filters()[0], 0), 0U);
    EXPECT_EQ(editor.add(filters()[0], 0), 0U);
    EXPECT_EQ(editor.duplicate(id_at(editor, 0)), 0U);
    EXPECT_EQ(editor.steps().size(), kMaxSteps);
}

TEST(ViewerStackEditor, UndoKeepsTwoHundredEdits) {
    StackEditor editor = editor_of("gaussian");
    for (int k = 0; k < 300; ++k) editor.set(id_at(editor, 0), "sigma", std::to_string(1 + k % 50));
    std::size_t undone = 0;
    for (; editor.can_undo(); editor.undo()) ++undone;
    EXPECT_EQ(undone, StackEditor::kMaxUndo);
}

TEST(ViewerStackEditor, BlankTextClearsTheStack) {
    StackEditor editor = editor_of("box");
    editor.replace(" \n");
    EXPECT_TRUE(editor.steps().empty());
}

// ---- kernels -----------------------------------------------------------------------------------

using Kernels = std::vector<std::string>;

struct Edit {
    const char* name;
    std::function<void(StackEditor&)> make;
    Kernels kernels;  // active steps, after the edit
};

// The second of three steps keeps its manually chosen kernel, whatever happens around it.
TEST(ViewerStackEditor, AChosenKernelStaysWithItsStep) {
    const std::vector<Edit> edits = {
        {"nothing", [](StackEditor&) {}, {"", "direct", ""}},
        {"moved", [](StackEditor& e) { e.move(id_at(e, 1), 2); }, {"", "", "direct"}},
        {"others moved", [](StackEditor& e) { e.move(id_at(e, 2), 0); }, {"", "", "direct"}},
        {"first removed", [](StackEditor& e) { e.remove(id_at(e, 0)); }, {"direct", ""}},
        {"removed", [](StackEditor& e) { e.remove(id_at(e, 1)); }, {"", ""}},
        {"removed and brought back",
         [](StackEditor& e) {
             e.remove(id_at(e, 1));
             e.undo();
         },
         {"", "direct", ""}},
        {"moved, undone, redone",
         [](StackEditor& e) {
             e.move(id_at(e, 1), 0);
             e.undo();
             e.redo();
         },
         {"direct", "", ""}},
        {"first off", [](StackEditor& e) { e.set_enabled(id_at(e, 0), false); }, {"direct", ""}},
        {"off", [](StackEditor& e) { e.set_enabled(id_at(e, 1), false); }, {"", ""}},
        {"inserted before",
         [](StackEditor& e) { e.add(*e.steps()[0].step.filter, 0); },
         {"", "", "direct", ""}},
        {"parameter set",
         [](StackEditor& e) { e.set(id_at(e, 1), "sigma", "2"); },
         {"", "direct", ""}},
        {"another stack", [](StackEditor& e) { e.replace("box,gaussian"); }, {"", ""}},
        {"another stack, undone",
         [](StackEditor& e) {
             e.replace("sobel");
             e.undo();
         },
         {"", "direct", ""}},
    };
    for (const Edit& edit : edits) {
        StackEditor editor;
        editor.replace("box,gaussian,sobel");
        editor.set_kernel(id_at(editor, 1), "direct");
        edit.make(editor);
        const StackRequest request = editor.request();
        EXPECT_EQ(request.kernels, edit.kernels) << edit.name;
        EXPECT_TRUE(request.stack == editor.active()) << edit.name;
    }
}

TEST(ViewerStackEditor, AChosenKernelCanBeReleased) {
    StackEditor editor;
    editor.replace("box");
    editor.set_kernel(id_at(editor, 0), "direct");
    EXPECT_EQ(editor.kernel(id_at(editor, 0)), "direct");
    editor.set_kernel(id_at(editor, 0), "");
    EXPECT_EQ(editor.request().kernels, Kernels{""});
}

TEST(ViewerStackEditor, ACopyOfAStackHasItsKernels) {
    StackEditor first, second;
    first.replace("box,gaussian,sobel");
    first.set_kernel(id_at(first, 2), "direct");
    first.set_enabled(id_at(first, 0), false);
    const StackRequest request = first.request();
    second.replace(request);
    EXPECT_EQ(second.request(), request);
    EXPECT_EQ(request.kernels, (Kernels{"", "direct"}));
}

}  // namespace
}  // namespace weft
