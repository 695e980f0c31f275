#include "app/viewer/edit/matrix_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/viewer/edit/matrix_ops.h"
#include "app/viewer/edit/stack_editor.h"
#include "filters/stack.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

MatrixEdit edit_of(std::string_view step) {
    return MatrixEdit(parse_stack(step).front().params);
}

// The step after the edit's texts were written to it, as the window does.
std::string written(std::string_view step, const MatrixEdit& edit) {
    StackEditor editor;
    editor.replace(step);
    editor.begin_edit();
    for (const ParamText& text : edit.texts())
        EXPECT_FALSE(editor.set(editor.steps()[0].id, text.name, text.text));
    editor.end_edit();
    EXPECT_EQ(step_problem(editor.steps()[0].step), "");
    return print_step(editor.steps()[0].step);
}

struct Row {
    std::string_view step;
    std::string_view again;  // read and written back
};

constexpr Row kRows[]{
    {"convolve=matrix='1 2; 3 4'", "convolve=matrix='1 2; 3 4'"},
    {"convolve=matrix=1 2 3 4 5 6 7 8 9:bias=4", "convolve=matrix='1 2 3; 4 5 6; 7 8 9':bias=4"},
    {"convolve=matrix=1 2 3 4:mode=row", "convolve=matrix=1 2 3 4:mode=row"},
    {"convolve=matrix=1 2 3 4:mode=column", "convolve=matrix='1; 2; 3; 4'"},
    {"convolve=matrix=1 2 3 4 5 6:width=3:normalize=1",
     "convolve=matrix='1 2 3; 4 5 6':normalize=1"},
    {"convolve=matrix='1 | 2 2; 2 2 | 3':planes=all",
     "convolve=matrix=1:matrix1='2 2; 2 2':matrix2=3"},
    {"convolve=matrix=1 2 3:mode=row:matrix1='1 2; 3 4':mode1=square",
     "convolve=matrix=1 2 3:matrix1='1 2; 3 4':mode=row:mode1=auto"},
    {"convolve=matrix='1 2; 3 4':matrix3=5 6:mode3=row",
     "convolve=matrix='1 2; 3 4':matrix3=5 6:mode3=row"},
    {"convolve=matrix=9:border=wrap", "convolve=matrix=9:border=wrap"},
};

TEST(ViewerMatrixEdit, WritesTheParametersItRead) {
    for (const Row& row : kRows) {
        SCOPED_TRACE(row.step);
        EXPECT_EQ(written(row.step, edit_of(row.step)), row.again);
        EXPECT_EQ(written(row.again, edit_of(row.again)), row.again);
    }
}

TEST(ViewerMatrixEdit, CellsFollowTheSymmetry) {
    MatrixEdit edit = edit_of("convolve=matrix='0 0 0; 0 1 0; 0 0 0'");
    edit.set_symmetry(Symmetry::both);
    edit.set_cell(0, {0, 0}, -1);
    edit.set_cell(0, {1, 2}, 2);
    EXPECT_EQ(matrix_text(edit.matrix(0)), "-1 2 -1; 0 1 0; -1 2 -1");
    edit.set_symmetry(Symmetry::rotational);
    edit.set_cell(0, {1, 0}, 5);
    EXPECT_EQ(matrix_text(edit.matrix(0)), "-1 5 -1; 5 1 5; -1 5 -1");
    edit.set_symmetry(Symmetry::none);
    edit.set_cell(0, {2, 0}, 7);
    EXPECT_EQ(matrix_text(edit.matrix(0)), "-1 5 7; 5 1 5; -1 5 -1");
}

TEST(ViewerMatrixEdit, SlotsShareTheFirstMatrixUntilTheyHaveTheirOwn) {
    MatrixEdit edit = edit_of("convolve=matrix='1 2; 3 4'");
    edit.set_cell(2, {0, 0}, 9);
    EXPECT_EQ(matrix_text(edit.matrix(0)), "9 2; 3 4");
    edit.set_own(2, true);
    edit.set_cell(2, {0, 0}, 5);
    EXPECT_EQ(matrix_text(edit.matrix(0)), "9 2; 3 4");
    EXPECT_EQ(matrix_text(edit.matrix(2)), "5 2; 3 4");
    EXPECT_EQ(written("convolve=matrix=1", edit), "convolve=matrix='9 2; 3 4':matrix2='5 2; 3 4'");
    edit.set_own(2, false);
    EXPECT_EQ(written("convolve=matrix=1", edit), "convolve=matrix='9 2; 3 4'");
    edit.set_own(0, false);
    EXPECT_TRUE(edit.has_own(0));
}

TEST(ViewerMatrixEdit, PasteOfSeveralFillsTheSlots) {
    MatrixEdit edit = edit_of("convolve=matrix=1:matrix3=4");
    edit.paste(3, "[[1, 2], [3, 4]]");
    EXPECT_EQ(matrix_text(edit.matrix(3)), "1 2; 3 4");
    edit.paste(1, "5 | 6 | 7");
    EXPECT_EQ(written("convolve=matrix=1", edit), "convolve=matrix=5:matrix1=6:matrix2=7");
    EXPECT_FALSE(edit.has_own(3));
    EXPECT_THROW(edit.paste(0, "1 x"), TextError);
    EXPECT_EQ(written("convolve=matrix=1", edit), "convolve=matrix=5:matrix1=6:matrix2=7");
}

TEST(ViewerMatrixEdit, MatricesInFilesAreNotEdited) {
    EXPECT_THROW(edit_of("convolve=file=m.txt"), FilterError);
}

// A change of one cell from the step to what the window writes.
struct ChromaRow {
    std::string_view step;
    double middle;  // the new weight
    std::string_view written;
};

constexpr ChromaRow kChromaRows[]{
    {"convolve=matrix=-1 1 2:mode=row", -1, "convolve=matrix=-1 -1 2:mode=row:planes=luma"},
    {"convolve=matrix=-1 -1 2:mode=row:planes=luma", 1, "convolve=matrix=-1 1 2:mode=row"},
    // The sum was 0 and is 0, or was another one and is another one: the user has chosen.
    {"convolve=matrix=0 0 0:mode=row", 0, "convolve=matrix=0 0 0:mode=row"},
    {"convolve=matrix=1 1 1:mode=row:planes=luma", 2, "convolve=matrix=1 2 1:mode=row:planes=luma"},
    // Chroma has a choice or a matrix of its own.
    {"convolve=matrix=-1 1 2:mode=row:planes=y", -1, "convolve=matrix=-1 -1 2:mode=row:planes=y"},
    {"convolve=matrix=-1 1 2:mode=row:bias1=128:bias2=128", -1,
     "convolve=matrix=-1 -1 2:mode=row:bias1=128:bias2=128"},
    {"convolve=matrix=-1 1 2:mode=row:matrix1=1 2 3", -1,
     "convolve=matrix=-1 -1 2:mode=row:matrix1=1 2 3"},
};

TEST(ViewerMatrixEdit, ASumOfZeroLeavesChromaNeutral) {
    for (const ChromaRow& row : kChromaRows) {
        SCOPED_TRACE(row.step);
        MatrixEdit edit = edit_of(row.step);
        edit.set_cell(0, {1, 0}, row.middle);
        edit.keep_chroma_neutral();
        const Stack made = parse_stack(written(row.step, edit));
        EXPECT_EQ(made, parse_stack(row.written)) << print_stack(made);
    }
}

TEST(ViewerMatrixEdit, ChoicesOfChromaAreReadBack) {
    for (const Chroma choice : {Chroma::filtered, Chroma::luma_only, Chroma::offset}) {
        StackEditor editor;
        editor.replace("convolve=matrix=-1 0 1:mode=row");
        for (const ParamText& text : chroma_texts(choice, 128))
            EXPECT_FALSE(editor.set(editor.steps()[0].id, text.name, text.text));
        EXPECT_EQ(chroma_of(editor.steps()[0].step.params), choice);
    }
}

struct PresetRow {
    std::string_view name;
    double sum;
    std::string_view at_3x3;
};

constexpr PresetRow kPresetRows[]{
    {"identity", 1, "0 0 0; 0 1 0; 0 0 0"},
    {"box", 9, "1 1 1; 1 1 1; 1 1 1"},
    {"gaussian", 1.614, ""},
    {"binomial", 16, "1 2 1; 2 4 2; 1 2 1"},
    {"diagonal", 3, "0 0 1; 0 1 0; 1 0 0"},
    {"sharpen", 1, ""},
    {"sharpen 8", 1, ""},
    {"emboss", 1, ""},
    {"laplacian", 0, ""},
    {"laplacian 8", 0, ""},
    {"sobel x", 0, "-1 0 1; -2 0 2; -1 0 1"},
    {"sobel y", 0, "-1 -2 -1; 0 0 0; 1 2 1"},
};

TEST(ViewerMatrixEdit, PresetsMatchTheirNames) {
    ASSERT_EQ(matrix_presets().size(), std::size(kPresetRows));
    for (std::size_t k = 0; k < std::size(kPresetRows); ++k) {
        const MatrixPreset& preset = matrix_presets()[k];
        const PresetRow& row = kPresetRows[k];
        SCOPED_TRACE(row.name);
        EXPECT_EQ(preset.name, row.name);
        MatrixEdit edit = edit_of("convolve=matrix='0 0 0; 0 0 0; 0 0 0'");
        edit.apply(0, preset);
        EXPECT_NEAR(matrix_facts(edit.matrix(0)).sum, row.sum, 1e-3);
        if (!row.at_3x3.empty()) {
            EXPECT_EQ(matrix_text(edit.matrix(0)), row.at_3x3);
        }
        EXPECT_EQ(edit.normalizes(), preset.normalize);
    }
}

TEST(ViewerMatrixEdit, PresetsOfAnySizeTakeThatSize) {
    for (const MatrixPreset& preset : matrix_presets())
        for (const auto& [width, height] : {std::pair{1, 1}, {2, 5}, {63, 62}, {1, 63}, {3, 1}}) {
            const Matrix made = preset.make(width, height);
            EXPECT_EQ(made.width, preset.fixed.empty() ? width : 3) << preset.name;
            EXPECT_EQ(made.height, preset.fixed.empty() ? height : 3) << preset.name;
            for (double w : made.weights) EXPECT_TRUE(std::isfinite(w));
            if (preset.normalize) {
                EXPECT_GT(matrix_facts(made).sum, 0);
            }
        }
}

}  // namespace
}  // namespace weft
