// The filter stack being edited: steps that can be disabled, their kernels, undo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/screen/stack_request.h"

namespace weft {

using StepId = std::uint64_t;  // never reused by one editor; 0 is no step

struct EditedStep {
    StepId id = 0;
    bool enabled = true;
    Step step;

    bool operator==(const EditedStep&) const = default;
};

// A sentence if the step cannot be computed, because its parameters are contradictory or a matrix
// is missing. "" if it can, or if only planning it for a frame would show a problem.
std::string step_problem(const Step& step);

// A sentence if the step has no kernels that could race. "" if it has, or if only planning it for a
// frame would show that it convolves nothing.
std::string why_no_race(const EditedStep& step);

// The parameters of a new step: the defaults; if those cannot be computed and the filter takes a
// matrix, a matrix that copies the picture.
Params starting_params(const FilterDef& filter);
// A stack of one new step.
Stack new_stack(const FilterDef& filter);

// Every edit leaves a valid list: parameters are checked as in Params::set, and a refused edit
// changes nothing. Steps keep their id through moves, undo and redo. Edits of an id that no longer
// exists do nothing. Not thread-safe: the window's thread owns the editor and passes on copies of
// active().
class StackEditor {
 public:
    static constexpr std::size_t kMaxUndo = 200;

    const std::vector<EditedStep>& steps() const { return steps_; }
    const EditedStep* find(StepId id) const;  // null if not found
    std::size_t index_of(StepId id) const;    // steps().size() if not found

    // The steps to compute: enabled and without a problem, in order. Alone, by their ids, and with
    // their kernels.
    Stack active() const;
    std::vector<StepId> active_ids() const;
    StackRequest request() const;

    // The kernel chosen by the user; "" leaves the step to the planner. Choices stay with their
    // step when it is moved, disabled, or removed and restored; undo does not change them.
    void set_kernel(StepId id, std::string kernel);
    const std::string& kernel(StepId id) const;

    // Incremented by every change to steps(), including undo and redo.
    std::uint64_t revision() const { return revision_; }

    // Inserts a step with default parameters before index `at` (clamped to the end); a filter that
    // needs a matrix gets one that copies the picture. Returns 0 if the stack already has
    // kMaxSteps.
    StepId add(const FilterDef& filter, std::size_t at);
    StepId duplicate(StepId id);  // after the original; 0 if the stack is full
    void remove(StepId id);
    void clear();
    // Moves the step so that it ends up at index `to`, clamped to the last.
    void move(StepId id, std::size_t to);
    void set_enabled(StepId id, bool enabled);

    // nullopt on success, else why the value was refused. An empty value resets to the default.
    std::optional<FilterError> set(StepId id, std::string_view param, std::string_view value);
    std::optional<FilterError> set(StepId id, std::string_view param, double value);
    void reset(StepId id, std::string_view param);
    void reset(StepId id);  // all parameters of the step, to those set by add()

    // Replaces all steps, parsed from -vf's grammar; blank text clears. Throws FilterError and
    // changes nothing.
    void replace(std::string_view text);
    void replace(const Stack& stack);
    void replace(const StackRequest& request);

    // Edits from begin_edit() to end_edit() are a single undo step, such as dragging a slider.
    // cancel_edit() reverts them instead. A second begin_edit() ends the first; end_edit() and
    // cancel_edit() without begin_edit() do nothing.
    void begin_edit();
    void end_edit();
    void cancel_edit();

    bool can_undo() const { return !undo_.empty(); }
    bool can_redo() const { return !redo_.empty(); }
    void undo();  // ends an open edit
    void redo();

 private:
    using Steps = std::vector<EditedStep>;

    StepId insert(Step step, std::size_t at);
    // Calls `edit` with the parameters. nullopt on success, else the error that it threw.
    template <class Edit>
    std::optional<FilterError> edit(StepId id, const Edit& edit);
    // Replaces the list with `next`, with undo, unless they are equal.
    void change(Steps next);
    void show(Steps steps);

    Steps steps_;
    std::vector<Steps> undo_;
    std::vector<Steps> redo_;
    std::optional<Steps> before_edit_;
    std::map<StepId, std::string> kernels_;  // chosen ones
    StepId last_id_ = 0;
    std::uint64_t revision_ = 0;
};

}  // namespace weft
