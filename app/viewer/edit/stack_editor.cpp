#include "app/viewer/edit/stack_editor.h"

#include <algorithm>
#include <string>
#include <utility>

namespace weft {
namespace {

constexpr std::string_view kIdentityMatrix = "0 0 0; 0 1 0; 0 0 0";

bool blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

Params starting_params(const FilterDef& filter) {
    Params params(filter);
    if (step_problem({.filter = &filter, .params = params}).empty()) return params;
    const auto matrix =
        std::find_if(filter.params.begin(), filter.params.end(),
                     [](const ParamDef& param) { return param.kind == ParamKind::matrix; });
    if (matrix != filter.params.end()) params.set(matrix->name, kIdentityMatrix);
    return params;
}

Stack new_stack(const FilterDef& filter) {
    return {{.filter = &filter, .params = starting_params(filter)}};
}

std::string step_problem(const Step& step) {
    if (step.filter->check == nullptr) return "";
    try {
        step.filter->check(step.params);
        return "";
    } catch (const FilterError& error) {
        return error.what();
    }
}

std::string why_no_race(const EditedStep& step) {
    if (!step.enabled) return "This step is off, so no kernel computes it.";
    if (step.step.filter->group == FilterGroup::time)
        return "This step blends frames in one pass, for which there is no choice of kernels.";
    return step_problem(step.step);
}

const EditedStep* StackEditor::find(StepId id) const {
    const std::size_t at = index_of(id);
    return at == steps_.size() ? nullptr : &steps_[at];
}

std::size_t StackEditor::index_of(StepId id) const {
    const auto found = std::find_if(steps_.begin(), steps_.end(),
                                    [&](const EditedStep& step) { return step.id == id; });
    return static_cast<std::size_t>(found - steps_.begin());
}

std::vector<StepId> StackEditor::active_ids() const {
    std::vector<StepId> ids;
    for (const EditedStep& edited : steps_)
        if (edited.enabled && step_problem(edited.step).empty()) ids.push_back(edited.id);
    return ids;
}

Stack StackEditor::active() const {
    Stack stack;
    for (const StepId id : active_ids()) stack.push_back(find(id)->step);
    return stack;
}

StackRequest StackEditor::request() const {
    StackRequest request;
    for (const StepId id : active_ids()) {
        request.stack.push_back(find(id)->step);
        request.kernels.push_back(kernel(id));
    }
    return request;
}

void StackEditor::set_kernel(StepId id, std::string kernel) {
    if (kernel.empty())
        kernels_.erase(id);
    else
        kernels_[id] = std::move(kernel);
}

const std::string& StackEditor::kernel(StepId id) const {
    static const std::string none;
    const auto found = kernels_.find(id);
    return found == kernels_.end() ? none : found->second;
}

StepId StackEditor::add(const FilterDef& filter, std::size_t at) {
    return insert({.filter = &filter, .params = starting_params(filter)}, at);
}

StepId StackEditor::duplicate(StepId id) {
    const EditedStep* const original = find(id);
    return original == nullptr ? 0 : insert(original->step, index_of(id) + 1);
}

StepId StackEditor::insert(Step step, std::size_t at) {
    if (steps_.size() == kMaxSteps) return 0;
    Steps next = steps_;
    const auto place = static_cast<std::ptrdiff_t>(std::min(at, next.size()));
    const StepId id = ++last_id_;
    next.insert(next.begin() + place, {.id = id, .enabled = true, .step = std::move(step)});
    change(std::move(next));
    return id;
}

void StackEditor::remove(StepId id) {
    Steps next = steps_;
    std::erase_if(next, [&](const EditedStep& step) { return step.id == id; });
    change(std::move(next));
}

void StackEditor::clear() {
    change({});
}

void StackEditor::move(StepId id, std::size_t to) {
    const std::size_t from = index_of(id);
    if (from == steps_.size()) return;
    Steps next = steps_;
    const auto begin = next.begin();
    const auto source = static_cast<std::ptrdiff_t>(from);
    const auto target = static_cast<std::ptrdiff_t>(std::min(to, next.size() - 1));
    if (source < target)
        std::rotate(begin + source, begin + source + 1, begin + target + 1);
    else
        std::rotate(begin + target, begin + source, begin + source + 1);
    change(std::move(next));
}

void StackEditor::set_enabled(StepId id, bool enabled) {
    Steps next = steps_;
    for (EditedStep& step : next)
        if (step.id == id) step.enabled = enabled;
    change(std::move(next));
}

template <class Edit>
std::optional<FilterError> StackEditor::edit(StepId id, const Edit& edit) {
    Steps next = steps_;
    try {
        for (EditedStep& step : next)
            if (step.id == id) edit(step.step.params);
    } catch (const FilterError& error) {
        return error;
    }
    change(std::move(next));
    return std::nullopt;
}

std::optional<FilterError> StackEditor::set(StepId id, std::string_view param,
                                            std::string_view value) {
    return edit(id, [&](Params& params) {
        value.empty() ? params.unset(param) : params.set(param, value);
    });
}

std::optional<FilterError> StackEditor::set(StepId id, std::string_view param, double value) {
    return edit(id, [&](Params& params) { params.set(param, value); });
}

void StackEditor::reset(StepId id, std::string_view param) {
    const EditedStep* const edited = find(id);
    if (edited == nullptr) return;
    const Params start = starting_params(*edited->step.filter);
    set(id, param, start.is_set(param) ? start.text(param) : "");
}

void StackEditor::reset(StepId id) {
    edit(id, [](Params& params) { params = starting_params(params.filter()); });
}

void StackEditor::replace(std::string_view text) {
    replace(blank(text) ? Stack{} : parse_stack(text, Names::typed));
}

void StackEditor::replace(const Stack& stack) {
    Steps next;
    for (const Step& step : stack)
        next.push_back({.id = ++last_id_, .enabled = true, .step = step});
    change(std::move(next));
}

void StackEditor::replace(const StackRequest& request) {
    replace(request.stack);
    const std::size_t count = std::min(steps_.size(), request.kernels.size());
    for (std::size_t k = 0; k < count; ++k) set_kernel(steps_[k].id, request.kernels[k]);
}

void StackEditor::begin_edit() {
    end_edit();
    before_edit_ = steps_;
}

void StackEditor::end_edit() {
    if (!before_edit_) return;
    Steps before = *std::exchange(before_edit_, std::nullopt);
    if (before == steps_) return;
    undo_.push_back(std::move(before));
    if (undo_.size() > kMaxUndo) undo_.erase(undo_.begin());
}

void StackEditor::cancel_edit() {
    if (!before_edit_) return;
    Steps before = *std::exchange(before_edit_, std::nullopt);
    if (before != steps_) show(std::move(before));
}

void StackEditor::undo() {
    end_edit();
    if (undo_.empty()) return;
    redo_.push_back(steps_);
    show(std::move(undo_.back()));
    undo_.pop_back();
}

void StackEditor::redo() {
    end_edit();
    if (redo_.empty()) return;
    undo_.push_back(steps_);
    show(std::move(redo_.back()));
    redo_.pop_back();
}

void StackEditor::change(Steps next) {
    if (next == steps_) return;
    const bool single = !before_edit_;
    if (single) begin_edit();
    redo_.clear();
    show(std::move(next));
    if (single) end_edit();
}

void StackEditor::show(Steps steps) {
    steps_ = std::move(steps);
    ++revision_;
}

}  // namespace weft
