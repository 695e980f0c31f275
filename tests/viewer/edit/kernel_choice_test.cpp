#include "app/viewer/edit/kernel_choice.h"

#include <functional>

#include <gtest/gtest.h>

namespace weft {
namespace {

using Kernels = std::vector<std::string>;

struct Edit {
    const char* name;
    std::function<void(StackEditor&)> make;
    Kernels kernels;  // active steps, after the edit
};

StepId id_at(const StackEditor& editor, std::size_t place) {
    return editor.steps().at(place).id;
}

// The second of three steps keeps its manually chosen kernel, whatever happens around it.
TEST(ViewerKernelChoice, StaysWithItsStep) {
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
        KernelChoice choice;
        choice.set(id_at(editor, 1), "direct");
        edit.make(editor);
        const StackRequest request = choice.request(editor);
        EXPECT_EQ(request.kernels, edit.kernels) << edit.name;
        EXPECT_TRUE(request.stack == editor.active()) << edit.name;
    }
}

TEST(ViewerKernelChoice, IsLetGo) {
    StackEditor editor;
    editor.replace("box");
    KernelChoice choice;
    choice.set(id_at(editor, 0), "direct");
    EXPECT_EQ(choice.of(id_at(editor, 0)), "direct");
    choice.set(id_at(editor, 0), "");
    EXPECT_EQ(choice.request(editor).kernels, Kernels{""});
}

TEST(ViewerKernelChoice, GoesWithACopyOfTheStack) {
    StackEditor first, second;
    first.replace("box,gaussian,sobel");
    KernelChoice choice, copied;
    choice.set(id_at(first, 2), "direct");
    first.set_enabled(id_at(first, 0), false);
    const StackRequest request = choice.request(first);
    second.replace(request.stack);
    copied.take(request, second);
    EXPECT_EQ(copied.request(second), request);
    EXPECT_EQ(request.kernels, (Kernels{"", "direct"}));
}

}  // namespace
}  // namespace weft
