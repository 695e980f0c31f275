#include "app/viewer/race/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/pipeline/measured_plans.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

constexpr std::int64_t kLeastSamples = 3;
constexpr double kEnoughSeconds = 1;  // of one point, for more samples than the least

bool same_format(const FrameInfo& a, const FrameInfo& b) {
    return a.width == b.width && a.height == b.height && a.sample == b.sample &&
           a.depth_bits == b.depth_bits && a.matrix == b.matrix && a.transfer == b.transfer &&
           a.full_range == b.full_range && a.rotation_degrees == b.rotation_degrees &&
           std::ranges::equal(a.planes, b.planes, [](const PlaneInfo& p, const PlaneInfo& q) {
               return p.width == q.width && p.height == q.height && p.components == q.components;
           });
}

Step without(Step step, const std::string& param) {
    if (!param.empty()) step.params.unset(param);
    return step;
}

Step with(Step step, const std::string& param, double value) {
    if (!param.empty()) step.params.set(param, value);
    return step;
}

bool is_accepted(const SweepRequest& request, double value) {
    try {
        const Step step = with(request.step, request.param, value);
        if (step.filter->check != nullptr) step.filter->check(step.params);
        (void)step.filter->make(step.params, request.info);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// From `least`, by half octaves.
std::vector<double> half_octaves(double least, double most) {
    std::vector<double> values;
    for (int k = 0;; ++k) {
        const double value = least * std::exp2(k / 2.0);
        if (value > most * 1.001) return values;
        values.push_back(value);
    }
}

// Even, so that subsampled planes keep their shape.
int even(double value) {
    return std::max(2 * static_cast<int>(std::lround(value / 2)), 2);
}

FrameInfo with_width(FrameInfo info, int width) {
    const FrameInfo before = info;
    info.width = width;
    info.height = even(1.0 * before.height * width / before.width);
    for (PlaneInfo& plane : info.planes) {
        const auto part = [](int whole, int whole_before, int part_before) {
            const int by = std::max((whole_before + part_before - 1) / part_before, 1);
            return (whole + by - 1) / by;
        };
        plane.width = part(info.width, before.width, plane.width);
        plane.height = part(info.height, before.height, plane.height);
    }
    return info;
}

std::vector<double> widths(const FrameInfo& info) {
    constexpr double kLeast = 128;
    constexpr double kMost = 8192;
    constexpr double kMostPixels = 1 << 26;
    std::vector<double> values;
    for (const double value : half_octaves(kLeast, kMost)) {
        const FrameInfo scaled = with_width(info, even(value));
        if (1.0 * scaled.width * scaled.height <= kMostPixels) values.push_back(scaled.width);
    }
    return values;
}

FrameInfo info_at(const SweepRequest& request, double value) {
    return request.param.empty() ? with_width(request.info, static_cast<int>(value)) : request.info;
}

// A gradient under noise: a kernel that mixes up rows, columns or channels shows errors.
template <class Sample>
void fill(const ImageView& image, double max_value) {
    std::minstd_rand noise;
    constexpr double kMost = std::minstd_rand::max();
    const std::size_t samples = image.row_bytes() / sizeof(Sample);
    for (int y = 0; y < image.height; ++y) {
        auto* const row = reinterpret_cast<Sample*>(image.row(y));
        for (std::size_t x = 0; x < samples; ++x) {
            const double ramp = static_cast<double>(x) / static_cast<double>(samples);
            row[x] =
                static_cast<Sample>(max_value * (ramp + static_cast<double>(noise()) / kMost) / 2);
        }
    }
}

ImageBuffer generated(const ConvProblem& p, double max_value) {
    ImageBuffer image(p.width, p.height, p.channels, p.type, Allocation::host);
    switch (p.type) {
        case PixelType::u8:
            fill<std::uint8_t>(image.view(), max_value);
            break;
        case PixelType::u16:
            fill<std::uint16_t>(image.view(), max_value);
            break;
        case PixelType::f32:
            fill<float>(image.view(), max_value);
            break;
    }
    return image;
}

ImageBuffer uploaded(const ImageView& host) {
    ImageBuffer image(host.width, host.height, host.channels, host.type, Allocation::device);
    copy_image(host, image.view(), nullptr);
    return image;
}

// The input of a step on generated pixels; without pixels where it convolves nothing.
void keep_generated(RaceRounds& rounds, const StepPlan& plan, const FrameInfo& info,
                    const Device& device) {
    std::vector<ImageBuffer> images;
    std::vector<ImageView> sources;
    for (const ConvProblem* problem : plan.problems()) {
        images.emplace_back();
        if (problem != nullptr) images.back() = generated(*problem, info.max_value());
        if (problem != nullptr && device.is_gpu()) images.back() = uploaded(images.back().view());
        sources.push_back(images.back().view());
    }
    rounds.keep(sources, nullptr);
}

}  // namespace

bool same_sweep(const SweepRequest& a, const SweepRequest& b) {
    return a.param == b.param && a.kernels == b.kernels && a.caches == b.caches &&
           a.start == b.start && same_format(a.info, b.info) && a.step.filter == b.step.filter &&
           without(a.step, a.param) == without(b.step, b.param);
}

std::vector<const ParamDef*> sweep_params(const FilterDef& filter) {
    std::vector<const ParamDef*> params;
    for (const ParamDef& param : filter.params) {
        const bool number = param.kind == ParamKind::number || param.kind == ParamKind::integer;
        if (number && param.unit == "px" && !param.advanced) params.push_back(&param);
    }
    return params;
}

std::vector<double> sweep_values(const SweepRequest& request) {
    if (request.param.empty()) return widths(request.info);
    constexpr double kMost = 128;
    const ParamDef& param = *find_param(*request.step.filter, request.param);
    const bool whole = param.kind == ParamKind::integer;
    std::vector<double> values;
    for (double value : half_octaves(whole ? 1 : 0.5, std::min(param.max, kMost))) {
        if (whole) value = std::round(value);
        if (value < param.min) continue;
        if (whole && !is_accepted(request, value)) ++value;
        if (value > param.max || !is_accepted(request, value)) continue;
        if (values.empty() || value > values.back()) values.push_back(value);
    }
    return values;
}

void Sweep::set(std::optional<SweepRequest> request) {
    paused_ = !request;
    if (paused_) rounds_.reset();  // frees memory
    if (paused_ || (now_.request && same_sweep(*now_.request, *request))) return;
    rounds_.reset();
    slow_.clear();
    next_ = 0;
    request->step = without(request->step, request->param);
    values_ = sweep_values(*request);
    now_ = {};
    now_.values = values_.size();
    now_.request = std::move(request);
    publish();
}

bool Sweep::take_turn() {
    if (paused_ || next_ >= values_.size()) return false;
    if (!rounds_) {
        begin_point();
    } else if (const std::optional<double> cost = rounds_->take_turn(wanted_)) {
        spent_seconds_ += *cost;
    } else if (wanted_ < kSamples && spent_seconds_ < kEnoughSeconds) {
        ++wanted_;
    } else {
        end_point();
    }
    return true;
}

void Sweep::begin_point() {
    wanted_ = kLeastSamples;
    spent_seconds_ = 0;
    const SweepRequest& request = *now_.request;
    try {
        const FrameInfo info = info_at(request, values_[next_]);
        const Step step = with(request.step, request.param, values_[next_]);
        std::vector<StepPlan> steps =
            plan_stack({step}, info, device_, with_measured_plans({})).steps;
        rounds_ = std::make_unique<RaceRounds>(device_);
        rounds_->set({.enabled = true, .kernels = kernels(), .caches = request.caches});
        const StepPlan plan = steps.front();
        rounds_->set_stacks({std::move(steps)});
        keep_generated(*rounds_, plan, info, device_);
    } catch (const std::exception& error) {
        rounds_ = std::make_unique<RaceRounds>(device_);  // an empty race, which ends the point
        now_.trouble = error.what();
    }
}

void Sweep::end_point() {
    const double value = values_[next_++];
    RaceSnapshot race = rounds_->snapshot();
    rounds_.reset();
    if (race.step.reference.empty()) {
        if (now_.trouble.empty())
            now_.trouble = race.trouble.empty() ? race.step.work : race.trouble;
        return publish();
    }
    for (const KernelResult& kernel : race.step.kernels)
        if (kernel.seconds.median_seconds() > kSlowSeconds) slow_.insert(kernel.kernel);
    if (slow_.contains(race.step.reference)) next_ = values_.size();
    now_.points.push_back({value, std::make_shared<const RaceSnapshot>(std::move(race))});
    publish();
}

void Sweep::publish() {
    now_.complete = next_ >= values_.size();
    if (!now_.points.empty()) now_.trouble.clear();
    result_ = std::make_shared<const SweepResult>(now_);
}

// Without the slow ones. The reference takes part in any case.
std::vector<std::string> Sweep::kernels() const {
    std::vector<std::string> names = now_.request->kernels;
    if (slow_.empty()) return names;
    if (names.empty())
        for (const ConvKernel& row : conv_kernels()) names.emplace_back(row.name);
    std::erase_if(names, [&](const std::string& name) { return slow_.contains(name); });
    names.push_back(now_.points.back().race->step.reference);
    return names;
}

// ---- the plot ----

namespace {

// The measured kernels at one value, the fastest first.
std::vector<RaceRow> measured_rows(const SweepPoint& point) {
    std::vector<RaceRow> rows = race_rows(*point.race, {});
    std::erase_if(rows, [](const RaceRow& row) { return !row.races || !row.measured(); });
    return rows;
}

const RaceRow* row_of(const std::vector<RaceRow>& rows, std::size_t kernel) {
    const auto found = std::ranges::find(rows, kernel, &RaceRow::index);
    return found == rows.end() ? nullptr : &*found;
}

struct Measured {
    double value = 0;
    std::vector<RaceRow> rows;
};

Crossover crossing(const Measured& before, const Measured& after, std::size_t from,
                   std::size_t to) {
    const std::array<const RaceRow*, 4> rows{row_of(before.rows, from), row_of(before.rows, to),
                                             row_of(after.rows, from), row_of(after.rows, to)};
    if (std::ranges::count(rows, nullptr) > 0)
        return {after.value, row_of(after.rows, to)->median_seconds, from, to};
    std::array<double, 4> logs{};
    std::ranges::transform(rows, logs.begin(),
                           [](const RaceRow* row) { return std::log(row->median_seconds); });
    const double lead_before = std::max(logs[1] - logs[0], 0.0);
    const double lag_after = logs[2] - logs[3];
    const double t = lead_before / (lead_before + lag_after);
    return {before.value * std::pow(after.value / before.value, t),
            std::exp(logs[1] + (logs[3] - logs[1]) * t), from, to};
}

std::vector<Crossover> crossovers_of(const std::vector<Measured>& points) {
    std::vector<Crossover> crossovers;
    const Measured* before = nullptr;
    std::optional<std::size_t> leader;
    for (const Measured& point : points) {
        const auto fastest = std::ranges::find_if(point.rows, &RaceRow::fastest);
        if (fastest == point.rows.end()) continue;
        const RaceRow* const row = leader ? row_of(point.rows, *leader) : nullptr;
        if (row == nullptr || !row->fastest) {
            if (leader) crossovers.push_back(crossing(*before, point, *leader, fastest->index));
            leader = fastest->index;
        }
        before = &point;
    }
    return crossovers;
}

std::string value_text(const SweepRequest& request, double value) {
    const ParamDef* const param =
        request.param.empty() ? nullptr : find_param(*request.step.filter, request.param);
    const bool whole = param == nullptr || param->kind == ParamKind::integer;
    return whole ? fmt::format("{:.0f} px", value) : fmt::format("{:.2g} px", value);
}

}  // namespace

SweepPlot sweep_plot(const SweepResult& sweep) {
    constexpr double kSpan = 4;
    SweepPlot plot;
    std::vector<Measured> points;
    double least = 0;
    double most = 0;
    for (const SweepPoint& point : sweep.points) {
        points.push_back({point.value, measured_rows(point)});
        for (const RaceRow& row : points.back().rows) {
            auto line = std::ranges::find(plot.lines, row.index, &SweepLine::kernel);
            if (line == plot.lines.end())
                line = plot.lines.insert(line, {.kernel = row.index, .marks = {}});
            const KernelResult& kernel = point.race->step.kernels[row.index];
            line->marks.push_back({point.value, row.median_seconds, kernel.planned, row.wrong});
            least = least > 0 ? std::min(least, row.median_seconds) : row.median_seconds;
            most = std::max(most, row.median_seconds);
        }
    }
    if (plot.lines.empty()) return plot;
    plot.times = axis_around(least, most, kSpan);
    plot.values = axis_around(points.front().value, points.back().value, kSpan);
    plot.crossovers = crossovers_of(points);
    return plot;
}

std::string sweep_sentence(const SweepResult& sweep, const SweepPlot& plot) {
    if (plot.lines.empty()) return "";
    const std::vector<KernelResult>& kernels = sweep.points.front().race->step.kernels;
    std::vector<std::string> parts;
    for (const Crossover& crossover : plot.crossovers)
        parts.push_back(fmt::format("{} up to {}", kernels[crossover.from].kernel,
                                    value_text(*sweep.request, crossover.value)));
    if (!plot.crossovers.empty()) {
        parts.push_back("then " + kernels[plot.crossovers.back().to].kernel);
    } else {
        const std::vector<RaceRow> rows = measured_rows(sweep.points.back());
        const auto fastest = std::ranges::find_if(rows, &RaceRow::fastest);
        if (fastest == rows.end()) return "";
        parts.push_back(kernels[fastest->index].kernel + " at every value");
    }
    return fmt::format("The fastest: {}.", fmt::join(parts, ", "));
}

std::string sweep_label(const SweepRequest& request) {
    if (request.param.empty()) return "Picture width (px)";
    const ParamDef& param = *find_param(*request.step.filter, request.param);
    return fmt::format("{} ({})", label_text(param), param.unit);
}

std::string sweep_csv(const SweepResult& sweep, const RaceOrigin& origin) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const SweepPoint& point : sweep.points) {
        const FrameInfo info = info_at(*sweep.request, point.value);
        for (const nlohmann::ordered_json& fields : race_csv_rows(*point.race, origin)) {
            nlohmann::ordered_json row = {
                {"parameter", sweep.request->param.empty() ? "width" : sweep.request->param},
                {"value", point.value},
                {"width", info.width},
                {"height", info.height}};
            row.update(fields);
            rows.push_back(std::move(row));
        }
    }
    return csv_text(rows);
}

void write_sweep(const std::string& path, const SweepResult& sweep, const RaceOrigin& origin,
                 Overwrite overwrite) {
    AtomicOutput file(path, {.overwrite = overwrite});
    file.write(sweep_csv(sweep, origin));
    file.commit();
}

}  // namespace weft
