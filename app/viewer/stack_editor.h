// The stack of filters that a user is editing: steps that can be switched off, with undo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "filters/stack.h"

namespace weft {

using StepId = std::uint64_t;  // never used twice by one editor; 0 is no step

struct EditedStep {
    StepId id = 0;
    bool enabled = true;
    Step step;

    bool operator==(const EditedStep&) const = default;
};

// The sentence why a step cannot be computed as it stands, parameters that contradict each other or
// a matrix that is missing; "" if it can, or if only making it for a frame would tell.
std::string step_problem(const Step& step);

// Every edit leaves a valid list: parameters are checked as Params::set does it, and an edit that
// is refused changes nothing. Ids stay with their step through moves, undo and redo. Edits of an id
// that there is no more do nothing. Not thread-safe: the window's thread owns it and hands copies
// of active() on.
class StackEditor {
 public:
    static constexpr std::size_t kMaxUndo = 200;

    const std::vector<EditedStep>& steps() const { return steps_; }
    const EditedStep* find(StepId id) const;  // null: there is none
    std::size_t index_of(StepId id) const;    // steps().size(): there is none

    // The steps that are computed: enabled ones without a problem, in order.
    Stack active() const;

    // Grows with every change of steps(), undo and redo included.
    std::uint64_t revision() const { return revision_; }

    // Puts a step before place `at` (the end if past it), everything at its default; a filter that
    // needs a matrix gets one that copies the picture. 0 if the stack has kMaxSteps already.
    StepId add(const FilterDef& filter, std::size_t at);
    StepId duplicate(StepId id);  // behind the original; 0 if the stack is full
    void remove(StepId id);
    void clear();
    // Takes the step out and puts it in so that it ends at place `to`, the last one if past it.
    void move(StepId id, std::size_t to);
    void set_enabled(StepId id, bool enabled);

    // Nothing on success, else why the value was refused. An empty value is the default.
    std::optional<FilterError> set(StepId id, std::string_view param, std::string_view value);
    void reset(StepId id, std::string_view param);
    void reset(StepId id);  // all parameters of the step, as add() has them

    // All steps anew from -vf's grammar; blank text clears. Throws FilterError and changes nothing.
    void replace(std::string_view text);
    void replace(const Stack& stack);

    // Edits from begin_edit() to end_edit() are one step of undo: a slider that is dragged.
    // cancel_edit() takes them back instead. A second begin_edit() ends the first; ends without a
    // beginning do nothing.
    void begin_edit();
    void end_edit();
    void cancel_edit();

    bool can_undo() const { return !undo_.empty(); }
    bool can_redo() const { return !redo_.empty(); }
    void undo();  // ends an edit that is open
    void redo();

 private:
    using Steps = std::vector<EditedStep>;

    StepId insert(Step step, std::size_t at);
    // Makes `next` the list, with undo, unless it is the same.
    void change(Steps next);
    void show(Steps steps);

    Steps steps_;
    std::vector<Steps> undo_;
    std::vector<Steps> redo_;
    std::optional<Steps> before_edit_;
    StepId last_id_ = 0;
    std::uint64_t revision_ = 0;
};

}  // namespace weft
