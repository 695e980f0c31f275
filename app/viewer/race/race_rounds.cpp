#include "app/viewer/race/race_rounds.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "app/pipeline/report/stage_timer.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

bool same(const ConvProblem* a, const ConvProblem* b) {
    return a == nullptr || b == nullptr ? a == b : *a == *b;
}

bool same_shape(const ImageView& a, const ImageView& b) {
    return a.width == b.width && a.height == b.height && a.channels == b.channels &&
           a.type == b.type && a.space == b.space;
}

std::vector<std::string> image_kernels() {
    std::vector<std::string> names;
    for (const ConvKernel& row : conv_kernels()) names.emplace_back(row.name);
    return names;
}

}  // namespace

bool takes_part(const RaceSettings& settings, const StepResult& step, const KernelResult& kernel) {
    if (kernel.kernel == step.reference || kernel.kernel == step.baseline) return true;
    if (settings.kernels.empty()) return kernel.why_not.empty();
    return std::ranges::find(settings.kernels, kernel.kernel) != settings.kernels.end();
}

void RaceRounds::set(const RaceSettings& settings) {
    const bool anew = settings.enabled != settings_.enabled || settings.stack != settings_.stack ||
                      settings.step != settings_.step || settings.caches != settings_.caches ||
                      settings.start != settings_.start;
    settings_ = settings;
    if (anew) return forget();
    if (race_) result_.baseline = settings.baseline.empty() ? result_.reference : settings.baseline;
}

void RaceRounds::set_stacks(StackPlans stacks) {
    stacks_ = std::move(stacks);
    const StepPlan* const step = planned();
    if (race_ && step != nullptr && same_work(*step))
        describe_plan(*step, result_);
    else
        forget();
}

// The step to race; null if it does not exist.
const StepPlan* RaceRounds::planned() const {
    if (settings_.stack >= stacks_.size()) return nullptr;
    const std::vector<StepPlan>& steps = stacks_[settings_.stack];
    return settings_.step < steps.size() ? &steps[settings_.step] : nullptr;
}

bool RaceRounds::same_work(const StepPlan& step) const {
    return step.filter == raced_.filter &&
           std::ranges::equal(
               step.problems(), raced_.problems(),
               [](const ConvProblem* a, const ConvProblem* b) { return same(a, b); });
}

void RaceRounds::forget() {
    race_.reset();
    kept_.clear();
    sources_.clear();
    result_ = {};
    frames_ = 0;
    missed_ = false;
    map_.reset();
    mapped_frame_ = 0;
    trouble_.clear();
}

void RaceRounds::build() {
    raced_ = *planned();
    result_ = {};
    const RaceChoice choice{.kernels = image_kernels(),
                            .baseline = settings_.baseline,
                            .caches = settings_.caches,
                            .window = kWindow};
    race_ = std::make_unique<StepRace>(raced_, device_, choice, result_);
    if (device_.is_gpu() && !stream_) stream_.emplace();
    last_turn_ = std::max<std::size_t>(race_->turns(), 1) - 1;  // so that the copy comes first
    taken_.assign(race_->turns(), 0);
}

// Whether a frame is kept of a step that exists.
bool RaceRounds::can_race() const {
    return settings_.enabled && planned() != nullptr && trouble_.empty() && !sources_.empty();
}

std::optional<std::size_t> RaceRounds::unprepared() const {
    for (std::size_t turn = 0; turn < race_->turns(); ++turn)
        if (!race_->is_prepared(turn) && takes_turns(turn)) return turn;
    return std::nullopt;
}

bool RaceRounds::is_prepared() const {
    return !can_race() || (race_ && !unprepared());
}

bool RaceRounds::prepare() {
    if (is_prepared()) return false;
    const std::optional<std::size_t> turn = race_ ? unprepared() : std::nullopt;
    try {
        if (turn)
            race_->prepare(*turn, sources_, stream_ ? stream_->view() : nullptr);
        else
            build();
    } catch (const std::exception& error) {
        if (turn) {
            fail(*turn, error.what());
        } else {
            forget();
            trouble_ = error.what();
        }
    }
    return true;
}

void RaceRounds::keep(std::span<const ImageView> sources, StreamView stream) {
    if (!settings_.enabled || planned() == nullptr || !trouble_.empty()) return;
    try {
        kept_.resize(sources.size());
        sources_.resize(sources.size());
        StageTimer clock(device_.is_gpu());
        clock.start(stream);
        for (std::size_t k = 0; k < sources.size(); ++k) keep_image(k, sources[k], stream);
        clock.stop(stream);
        (void)clock.seconds();  // waits: turns may use another stream
        ++frames_;
        missed_ = false;
        if (!race_) return;
        race_->begin_frame();
        taken_.assign(race_->turns(), 0);
    } catch (const std::exception& error) {
        forget();
        trouble_ = error.what();
    }
}

void RaceRounds::keep_image(std::size_t k, const ImageView& source, StreamView stream) {
    if (planned()->problems()[k] == nullptr) return;
    if (!same_shape(kept_[k].view(), source)) {
        const auto where =
            source.space == MemorySpace::device ? Allocation::device : Allocation::host;
        kept_[k] = {source.width, source.height, source.channels, source.type, where};
    }
    sources_[k] = kept_[k].view();
    copy_image(source, sources_[k], stream);
}

std::optional<double> RaceRounds::take_turn(std::int64_t most) {
    return take_turn(most, stream_ ? stream_->view() : nullptr);
}

std::optional<double> RaceRounds::take_turn(std::int64_t most, StreamView stream) {
    while (prepare()) {
    }
    const auto began = std::chrono::steady_clock::now();
    const auto cost = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    if (wants_map()) {
        make_map(stream);
        return cost();
    }
    const std::optional<std::size_t> turn = next_turn(most);
    if (!turn) return std::nullopt;
    last_turn_ = *turn;
    ++taken_[*turn];
    try {
        race_->take_turn(*turn, sources_, stream);
    } catch (const std::exception& error) {
        fail(*turn, error.what());
    }
    return cost();
}

bool RaceRounds::wants_map() const {
    return race_ && frames_ > 0 && !settings_.map_of.empty() &&
           (mapped_frame_ != frames_ || mapped_kernel_ != settings_.map_of);
}

// A kernel that does not run has no map; the race reports why.
void RaceRounds::make_map(StreamView stream) {
    mapped_frame_ = frames_;
    mapped_kernel_ = settings_.map_of;
    map_.reset();
    try {
        map_ =
            std::make_shared<const ErrorMap>(race_->error_map(settings_.map_of, sources_, stream));
    } catch (const std::exception&) {
        map_.reset();
    }
}

std::optional<std::size_t> RaceRounds::next_turn(std::int64_t most) {
    if (!race_ || frames_ == 0) return std::nullopt;
    const std::size_t turns = race_->turns();
    for (std::size_t k = 1; k <= turns; ++k) {
        const std::size_t turn = (last_turn_ + k) % turns;
        if (taken_[turn] < most && takes_turns(turn)) return turn;
    }
    return std::nullopt;
}

bool RaceRounds::takes_turns(std::size_t turn) const {
    if (turn < StepRace::kLimitTurns) return true;
    const KernelResult& kernel = result_.kernels[race_->kernel_of(turn)];
    return kernel.why_not.empty() && takes_part(settings_, result_, kernel);
}

// A failing kernel leaves the race; a failing limit or reference ends it.
void RaceRounds::fail(std::size_t turn, const std::string& sentence) {
    if (turn >= StepRace::kLimitTurns &&
        result_.kernels[race_->kernel_of(turn)].kernel != result_.reference) {
        result_.kernels[race_->kernel_of(turn)].why_not = sentence;
        return;
    }
    forget();
    trouble_ = sentence;
}

RaceSnapshot RaceRounds::snapshot() const {
    RaceSnapshot snapshot;
    snapshot.settings = settings_;
    snapshot.device = device_;
    snapshot.step = result_;
    if (map_ && map_->kernel == settings_.map_of) snapshot.map = map_;
    snapshot.trouble = trouble_;
    snapshot.frames = frames_;
    if (!settings_.enabled || !trouble_.empty()) return snapshot;
    if (planned() == nullptr)
        snapshot.trouble =
            fmt::format("the stack has no step {} with kernels to race", settings_.step + 1);
    else
        snapshot.wants_frame = frames_ == 0 || (missed_ && is_prepared());
    return snapshot;
}

}  // namespace weft
