// The stacks of the window: one, or two whose results are compared.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "app/viewer/edit/stack_editor.h"
#include "app/viewer/view/view_state.h"

namespace weft {

struct StackPair {
    std::array<StackEditor, 2> editors;
    std::size_t edited = 0;         // index of the stack that the panels edit
    bool two = false;               // both are computed and can be compared
    bool switched_wipe_on = false;  // by the second stack: it ends with it

    StackEditor& current() { return editors[edited]; }

    // The requests of the computed stacks, first stack first.
    std::vector<StackRequest> requests() const {
        std::vector<StackRequest> requests{editors[0].request()};
        if (two) requests.push_back(editors[1].request());
        return requests;
    }

    // Whether one of the computed stacks has an enabled step.
    bool has_filters() const {
        return !editors[0].active().empty() || (two && !editors[1].active().empty());
    }

    // Whether one of the computed stacks has a step, enabled or not.
    bool has_steps() const {
        return !editors[0].steps().empty() || (two && !editors[1].steps().empty());
    }

    // "Original", "Filtered"; with two stacks "First stack" and "Second stack".
    std::string side_name(Side side) const {
        if (side == 0) return "Original";
        if (!two) return "Filtered";
        return side == 1 ? "First stack" : "Second stack";
    }

    // The second stack starts as a copy of the first, so that the effect of a single change is
    // visible.
    void set_two(bool wanted, ViewState& view) {
        two = wanted;
        edited = two ? 1 : 0;
        if (two) {
            if (editors[1].steps().empty()) editors[1].replace(editors[0].request());
            switched_wipe_on = view.mode == CompareMode::single;
            if (switched_wipe_on) view.mode = CompareMode::wipe;
            view.left = 1;
            view.right = 2;
            return;
        }
        if (std::exchange(switched_wipe_on, false) && view.mode == CompareMode::wipe)
            view.mode = CompareMode::single;
        view.left = std::min<Side>(view.left, 1);
        view.right = 1;
        if (view.left == view.right) view.left = 0;
    }

    // The stack that is not edited becomes a copy of the other with that kernel for the active step
    // of this index, and a wipe compares both.
    void pin_kernel(std::size_t step, const std::string& kernel, ViewState& view) {
        StackEditor& other = editors[1 - edited];
        other.replace(current().request());
        const std::vector<StepId> ids = other.active_ids();
        if (step < ids.size()) other.set_kernel(ids[step], kernel);
        if (!two) set_two(true, view);
        view.mode = CompareMode::wipe;
        view.mode_chosen = true;
    }
};

}  // namespace weft
