#include "app/pipeline/stack/stack_plan.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/pipeline/stack/enabled_frames.h"
#include "filters/made_taps.h"
#include "kernels/exact_sums.h"

namespace weft {
namespace {

void append_new(std::vector<std::string>& list, const std::string& text) {
    if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(text);
}

// The Gaussian, cut off at 4 sigma. Throws std::invalid_argument if that takes too many factors.
Taps cut_gaussian(const Taps& taps) {
    const auto radius = [](float sigma) { return static_cast<int>(std::ceil(4 * sigma)); };
    const int x = radius(taps.gaussian_x);
    const int y = radius(taps.gaussian_y);
    constexpr int kMost = Taps::kMaxSeparable / 2;
    if (std::max(x, y) > kMost)
        throw std::invalid_argument(
            fmt::format("exact sums cut a Gaussian off at 4 sigma and add up at most {} factors a "
                        "side: sigma can be at most {} px, unless radius={} cuts it off earlier",
                        Taps::kMaxSeparable, kMost / 4.0, kMost));
    Taps cut = gaussian_taps(taps.gaussian_x, taps.gaussian_y, x, y);
    cut.gaussian_x = cut.gaussian_y = 0;
    return cut;
}

// Exact sums are of factors, which make no whole Gaussian. Returns whether one was cut.
bool cut_gaussians(Operation& operation) {
    auto* convolution = std::get_if<Convolution>(&operation.compute);
    if (convolution == nullptr) return false;
    bool any = false;
    for (ComponentTaps& component : convolution->components)
        for (Taps& taps : component.taps) {
            if (taps.gaussian_x == 0 && taps.gaussian_y == 0) continue;
            taps = cut_gaussian(taps);
            any = true;
        }
    return any;
}

// Replaces the taps; returns the largest deviation of a plane.
double make_exact(LoweredStep& step) {
    double deviation = 0;
    const auto replace = [&](PlaneWork& work) {
        auto* problem = std::get_if<ConvProblem>(&work.compute);
        if (problem == nullptr) return;
        ExactProblem exact = with_exact_sums(*problem);
        *problem = std::move(exact.problem);
        deviation = std::max(deviation, exact.deviation);
    };
    if (step.gray) replace(step.gray->work);
    for (PlaneWork& work : step.planes) replace(work);
    return deviation;
}

Plan plan_work(const PlaneWork& work, const Device& device, const ForcedKernels& forced,
               std::size_t step) {
    const auto* problem = std::get_if<ConvProblem>(&work.compute);
    if (problem == nullptr) return {};
    const std::string_view name = forced.of(step);
    if (name == kTableKernels) return plan(*problem, device);
    Plan chosen = plan(*problem, device, name);
    const bool replaces = name.empty() && device.is_gpu() && forced.replace;
    return replaces ? forced.replace(std::move(chosen), *problem, device) : chosen;
}

std::string track_text(const TrackFacts& facts, BoxClock clock) {
    const std::string name =
        facts.id == kNoId ? "boxes without an id" : fmt::format("box {}", facts.id);
    if (clock == BoxClock::seconds)
        return fmt::format("{}: {} places from {:.3f} to {:.3f} s", name, facts.boxes, facts.first,
                           facts.last);
    return fmt::format("{}: frames {:.0f} to {:.0f}, {} of them without a box of their own", name,
                       facts.first + 1, facts.last + 1, facts.frames_without.value_or(0));
}

std::string working_text(const WorkingFormat& working) {
    std::vector<std::string> planes;
    for (const WorkingGroup& group : working.groups)
        for (std::size_t k = 0; k < group.components.size(); ++k) {
            const PlaneInfo& plane = working.info.planes[group.first_plane + k];
            planes.push_back(
                fmt::format("{} of {}×{}", letter(plane.components[0]), plane.width, plane.height));
        }
    return fmt::format("the step works on planes of {} samples: {}",
                       working.info.sample == SampleType::f32 ? "f32" : "u16",
                       fmt::join(planes, ", "));
}

std::string region_text(const RegionPlan& region, bool means) {
    if (means) return "means are taken of the picture and mixed by the weights of its regions";
    if (region.where.masked)
        return "the whole picture is filtered and mixed by the weights of the mask";
    if (region.whole)
        return "the whole picture is filtered and mixed by the weights of its regions";
    std::vector<std::string> sizes;
    for (const PlaneInfo& plane : region.crop.planes)
        append_new(sizes, fmt::format("{}×{}", plane.width, plane.height));
    if (region.where.moving)
        return fmt::format("a crop of {} samples is filtered for each box",
                           fmt::join(sizes, " and "));
    const std::size_t crops = region.where.regions.size();
    return fmt::format(
        "{} of {} samples",
        crops == 1 ? "a crop is filtered" : fmt::format("{} crops are filtered", crops),
        fmt::join(sizes, " and "));
}

// Crops that a GPU filters in one launch. A CPU loses no time between them.
constexpr int kMostAtOnce = 1024;

// The sample for pixels outside of frames like `info`, from the operation made for how it works.
float border_sample(const Operation& operation, const Working& how, const FrameInfo& info) {
    const auto* convolution = std::get_if<Convolution>(&operation.compute);
    if (convolution == nullptr) return 0;
    const float border = convolution->border_value;
    if (!how.converts() || info.sample == SampleType::f32) return border;
    return std::nearbyint(border * info.max_value());
}

void lower_step(StepPlan& planned, const Working& how, Operation& operation, const FrameInfo& info,
                Sums sums) {
    if (!how.any()) {
        planned.lowered = lower(operation, info);
        return;
    }
    const float border = border_sample(operation, how, info);
    planned.working = plan_working(how, operation, info, sums == Sums::exact);
    planned.lowered = lower(operation, planned.working->info);
    set_working_levels(planned.lowered, *planned.working, info, border);
    if (planned.working->info.sample == SampleType::u16 && how.converts())
        planned.notes.emplace_back("with exact sums, 16 bits hold the values between");
}

// A picture that is filtered: a frame, or some of its lines.
struct PictureInfo {
    const FrameInfo& frame;
    const FrameInfo& picture;
    Lines lines;
};

StepPlan plan_step(const Step& step, const PictureInfo& of, const Device& device,
                   const ForcedKernels& forced, std::size_t number, Sums sums) {
    const FrameInfo& info = of.picture;
    StepPlan planned;
    planned.filter = std::string(step.filter->name);
    planned.text = print_step(step);
    Working how = working_of(step.params, info, planned.notes);
    Operation operation = step.filter->make(step.params, working_levels(how, info));
    if (how.dither && std::holds_alternative<SampleMeans>(operation.compute)) {
        how.dither = false;  // the means of blocks make no ramps
        planned.notes.emplace_back("dither has no effect on means of the picture");
    }
    planned.notes.insert(planned.notes.end(), operation.notes.begin(), operation.notes.end());
    // On each axis, 0.0064 % of the bell are outside.
    constexpr double kOutside = 2 * 6.4e-5;
    if (sums == Sums::exact && cut_gaussians(operation))
        planned.notes.push_back(
            fmt::format("with exact sums, the Gaussian is cut off at 4 sigma, which moves a result "
                        "by at most {:.2g} levels, before rounding",
                        kOutside * info.max_value()));
    std::optional<Where> where = where_of(step.params, of.frame);
    const bool takes_means = std::holds_alternative<SampleMeans>(operation.compute);
    if (takes_means && !where) where = Where{.invert = true};  // all, except no regions
    // The conversion of a working picture is of one crop.
    if (where)
        planned.region =
            plan_region(*where, operation, info, of.lines,
                        {.most_at_once = device.is_gpu() && !how.any() ? kMostAtOnce : 1,
                         .joined = how.converts()});
    if (planned.region && planned.region->where.moving)
        for (const TrackFacts& facts : planned.region->where.moving->boxes.facts())
            planned.objects.push_back(
                track_text(facts, planned.region->where.moving->boxes.clock()));
    if (step.params.is_set("enable")) {
        planned.enable = step.params.text("enable");
        check_enable(step.params);
    }
    lower_step(planned, how, operation, planned.region ? planned.region->filtered() : info, sums);
    if (sums == Sums::exact)
        if (const double deviation = make_exact(planned.lowered); deviation > 0)
            planned.notes.push_back(
                fmt::format("with exact sums, a result differs by at most {:.2g} levels from that "
                            "of the filter's own taps, before rounding",
                            deviation));
    if (planned.lowered.gray)
        planned.plans.push_back(plan_work(planned.lowered.gray->work, device, forced, number));
    for (const PlaneWork& work : planned.lowered.planes)
        planned.plans.push_back(plan_work(work, device, forced, number));
    return planned;
}

// Number of frames that a step in time reads, including the current one; 0 for other steps.
int frames_of(const PlaneWork& work) {
    const auto* blend = std::get_if<PlaneBlend>(&work.compute);
    return blend == nullptr ? 0 : static_cast<int>(blend->blend.weights.size());
}

int frames_of(const LoweredStep& step) {
    int frames = step.gray ? frames_of(step.gray->work) : 0;
    for (const PlaneWork& work : step.planes) frames = std::max(frames, frames_of(work));
    return frames;
}

FrameInfo field_info(FrameInfo info, int field) {
    info.matrix = luma_matrix(info);  // from the frame's height, not the field's
    info.height = (info.height + 1 - field) / 2;
    for (PlaneInfo& plane : info.planes) plane.height = (plane.height + 1 - field) / 2;
    info.interlaced = false;
    return info;
}

bool has_two_fields(const FrameInfo& info) {
    return std::ranges::all_of(info.planes, [](const PlaneInfo& p) { return p.height > 1; });
}

}  // namespace

int StepPlan::frames_before() const {
    return std::max(frames_of(lowered), 1) - 1;
}

int StackPlan::frames_before() const {
    int frames = 0;
    for (const StepPlan& step : steps) frames += step.frames_before();
    return frames;
}

bool StackPlan::moves(std::size_t step, std::size_t plane) const {
    const auto writes = [plane](const StepPlan& s) { return s.writes(plane); };
    return writes(steps[step]) &&
           (!steps[step].region ||
            std::none_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(step), writes));
}

std::vector<const ConvProblem*> StepPlan::problems() const {
    std::vector<const ConvProblem*> problems;
    if (lowered.gray) problems.push_back(std::get_if<ConvProblem>(&lowered.gray->work.compute));
    for (const PlaneWork& work : lowered.planes)
        problems.push_back(std::get_if<ConvProblem>(&work.compute));
    return problems;
}

std::string StepPlan::kernel_names() const {
    std::vector<std::string> names;
    for (const Plan& p : plans)
        if (p.kernel != nullptr) append_new(names, std::string(p.kernel->name));
    if (names.empty())
        return frames_of(lowered) > 0 ? "blend" : lowered.means() != nullptr ? "means" : "none";
    return fmt::format("{}", fmt::join(names, " + "));
}

std::string StepPlan::reason() const {
    std::vector<std::string> reasons;
    for (const Plan& p : plans)
        if (p.kernel != nullptr) append_new(reasons, p.reason);
    if (reasons.empty())
        return frames_of(lowered) > 0       ? "frames in time, one pass"
               : lowered.means() != nullptr ? "means of samples, one pass"
                                            : "no component is convolved";
    return fmt::format("{}", fmt::join(reasons, "; "));
}

std::vector<std::string> StepPlan::explanation() const {
    std::vector<std::string> lines;
    if (region) lines.push_back(region_text(*region, lowered.means() != nullptr));
    if (working) lines.push_back(working_text(*working));
    const auto computed = problems();
    for (std::size_t k = 0; k < plans.size(); ++k) {
        if (computed[k] == nullptr) continue;
        const std::string place = !lowered.gray        ? fmt::format("plane {}", k)
                                  : lowered.gray->luma ? "luma"
                                                       : "r, g and b";
        lines.push_back(fmt::format("{}: {} convolves {} ({})", place, plans[k].kernel->name,
                                    describe(*computed[k]), plans[k].reason));
        for (const PassedOver& over : plans[k].passed_over)
            lines.push_back(fmt::format("{}: passed over {}: {}", place, over.kernel, over.reason));
    }
    if (std::ranges::all_of(computed, [](const auto* problem) { return problem == nullptr; }))
        lines.push_back(reason());
    return lines;
}

namespace {

// Every step is computed on its own: adjacent convolutions are not merged, because that would skip
// the rounding between them.
// - The bits stay the same only if the first one's sums are whole numbers and in range for every
//   picture: weights times scale that are whole, not negative, and add up to 1 at most. That is an
//   identity, which lower() leaves out, or a shift, which does not commute with borders but `wrap`.
// - Otherwise the second sum moves by up to Σ|w| / 2 levels (w: its weights times its scale): one
//   level of the result for a blur after a blur with mirrored borders, four and more for Sobel and
//   for sharpening; and by any amount where the first one saturates. Only blurs would be left.
// - GPU and CPU differ by a level at most, and the export matches the window, where the user can
//   select a kernel for one step and view its input. So merging could not depend on the cost on one
//   device or with one kernel.
// - On 3840×2160 8-bit samples, two 15×15 Gaussians take 39 µs on an H200 (f8de84a) and one 31×31
//   takes 21 µs; the GPU's decoder takes 3300 µs per frame. On the CPU they take 5.4 ms and 5.1 ms.
//   A filter of twice the size is slower where fewer kernels accept it: 101×101 takes 171 µs.
StackPlan plan_picture(const Stack& stack, const PictureInfo& of, const Device& device,
                       const ForcedKernels& forced, Sums sums) {
    if (forced.by_step.size() > stack.size())
        throw Error(Outcome::usage, fmt::format("{} kernels were named for {} steps",
                                                forced.by_step.size(), stack.size()));
    StackPlan plan{of.picture, device, {}};
    for (const Step& step : stack) {
        try {
            plan.steps.push_back(plan_step(step, of, device, forced, plan.steps.size(), sums));
        } catch (const FilterError&) {
            throw;
        } catch (const std::runtime_error& error) {
            throw Error(Outcome::usage, fmt::format("{}: {}", step.filter->name, error.what()));
        } catch (const std::invalid_argument& error) {
            throw Error(Outcome::usage, fmt::format("{}: {}", step.filter->name, error.what()));
        }
    }
    return plan;
}

}  // namespace

StackPlan plan_stack(const Stack& stack, const FrameInfo& info, const Device& device,
                     const ForcedKernels& forced, Sums sums) {
    return plan_picture(stack, {info, info, {}}, device, forced, sums);
}

std::vector<StackPlan> plan_frames(const Stack& stack, const FrameInfo& info, const Device& device,
                                   const ForcedKernels& forced, Fields fields, Sums sums) {
    if (fields == Fields::together || !has_two_fields(info))
        return {plan_stack(stack, info, device, forced, sums)};
    std::vector<StackPlan> plans;
    for (const int field : {0, 1})
        plans.push_back(
            plan_picture(stack, {info, field_info(info, field), {field, 2}}, device, forced, sums));
    return plans;
}

}  // namespace weft
