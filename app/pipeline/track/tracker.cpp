#include "app/pipeline/track/tracker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "app/pipeline/track/camera_cut.h"
#include "app/pipeline/track/correlation.h"

namespace weft {
namespace {

// About this many samples of the object are compared.
constexpr double kSamples = 1200;
// A part of the mean correlation below which the object was not found. With 0.86, an object that
// looks alike took over where two crossed.
constexpr double kThreshold = 0.92;
// The same once the object was lost, where others like it may be met first.
constexpr double kReturnThreshold = 0.95;
// The latest looks change faster than the template, and may confirm a match that is still like it.
// While a head turned by 23 degrees and back they stayed above 0.97; where an edge comes
// between, they fall below 0.95 within three frames.
constexpr double kLatestThreshold = 0.95;
// Below it, the match is not the object; above it, the object may be turned or partly hidden.
constexpr double kLeastLikeness = 0.5;
// The same where the object was lost or would have jumped.
constexpr double kLeastReturnLikeness = 0.75;
// A match that is farther from the expected place than this part of the object's size is a jump,
// and needs a correlation that is higher by kJump. A camera that is held by hand jerks less.
constexpr double kNear = 0.4;
constexpr double kJump = 0.1;
// The likeness of a rival is multiplied by it in each frame that does not show the rival.
constexpr double kRivalRate = 0.9;
// From this likeness on, the looks of a rival and of the object are the same.
constexpr double kTwin = 0.9;
// For so long, an object that such a rival hides is expected where its course leads to.
constexpr int kCoastFrames = 25;
// The box grows by this part of its size in each frame in which the object is not found.
constexpr double kGrowth = 0.04;
// Added to each side of the box, as a part of its width or height, and at least of its mean side.
constexpr double kMargin = 0.08;
// An object of which less is in the picture is not found.
constexpr double kLeastInside = 0.35;

// 1 inside the ellipse of the box and 0 near its edge, where background may be seen. -1 to 1 is the
// box.
float ellipse(double x, double y) {
    return static_cast<float>(std::clamp((0.95 - std::hypot(x, y)) / 0.3, 0.0, 1.0));
}

// 0.5 at the threshold, and for the mean the most of a box that was not drawn.
double confidence_of(double ratio, double threshold) {
    return std::clamp(0.5 + 0.5 * (ratio - threshold) / (1 - threshold), 0.0, 0.999);
}

// A template on the pixels of a coarse level, and the sums for every place of a row.
struct Tap {
    int x, y;
    float weight, value;
};

void add_tap(const float* __restrict samples, const Tap& tap, std::size_t count,
             float* __restrict product, float* __restrict sum, float* __restrict squares) {
    const float w = tap.weight;
    const float wt = tap.weight * tap.value;
    for (std::size_t i = 0; i < count; ++i) {
        const float s = samples[i];
        product[i] += wt * s;
        sum[i] += w * s;
        squares[i] += w * s * s;
    }
}

}  // namespace

int Tracker::finest_level(const TrackBox& box) {
    const double spacing = std::sqrt(box.width * box.height / kSamples);
    return std::max(0, static_cast<int>(std::lround(std::log2(std::max(spacing, 1.0)))));
}

Tracker::Tracker(const GrayPyramid& first, const TrackBox& box)
    : picture_width_(first.width()),
      picture_height_(first.height()),
      width_(box.width),
      height_(box.height) {
    spacing_ = std::max(std::exp2(finest_level(box)), std::sqrt(width_ * height_ / kSamples) / 1.5);
    columns_ = std::max(4, static_cast<int>(std::lround(width_ / spacing_)));
    rows_ = std::max(4, static_cast<int>(std::lround(height_ / spacing_)));
    pose_ = {box.left + box.width / 2, box.top + box.height / 2};
    first_box_ = box_of(pose_);
    std::vector<float> inside;
    first_ = sample(first, pose_, &inside);
    weights_.resize(first_.size());
    for (int row = 0; row < rows_; ++row)
        for (int column = 0; column < columns_; ++column) {
            const auto k = static_cast<std::size_t>(row * columns_ + column);
            weights_[k] =
                inside[k] * ellipse((2.0 * column + 1) / columns_ - 1, (2.0 * row + 1) / rows_ - 1);
        }
    normalise(first_, weights_);
    recent_ = template_ = latest_ = first_;
    ellipse_ = weights_;
    change_.assign(weights_.size(), 0);
    mixed_ = first_;
    thumbnail_ = thumbnail_of(first);
}

double Tracker::size() const {
    return std::sqrt(width_ * height_) * pose_.scale;
}

SampleGrid Tracker::grid_of(const GrayPyramid& frame, const Pose& pose) const {
    return grid_around(
        frame, pose.x, pose.y,
        {spacing_ * pose.scale * pose.stretch, spacing_ * pose.scale, pose.angle, columns_, rows_});
}

// Samples outside the picture are 0, as in `inside`, which is otherwise 1.
std::vector<float> Tracker::sample(const GrayPyramid& frame, const Pose& pose,
                                   std::vector<float>* inside) const {
    std::vector<float> samples(static_cast<std::size_t>(columns_) *
                               static_cast<std::size_t>(rows_));
    inside->assign(samples.size(), 0);
    const SampleGrid grid = grid_of(frame, pose);
    for (int row = 0; row < rows_; ++row)
        grid.each(row, columns_, [&](int column, float value) {
            const auto k = static_cast<std::size_t>(row * columns_ + column);
            samples[k] = value;
            (*inside)[k] = 1;
        });
    return samples;
}

double Tracker::correlation(const GrayPyramid& frame, const Pose& pose,
                            const std::vector<float>& looks) const {
    const SampleGrid grid = grid_of(frame, pose);
    CorrelationSums sums;
    for (int row = 0; row < rows_; ++row) {
        const auto at = static_cast<std::size_t>(row * columns_);
        const float* weights = &weights_[at];
        const float* pattern = &looks[at];
        grid.each(row, columns_, [&](int column, float value) {
            sums.add(weights[column], value - 128, pattern[column]);
        });
    }
    const double all = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    return sums.weight < kLeastInside * all ? -1 : sums.correlation();
}

// Moves along one axis to the peak of a parabola through three correlations.
void Tracker::improve(const GrayPyramid& frame, const std::vector<float>& looks, Match& match,
                      const Pose& axis) const {
    const auto moved = [&](double by) {
        const Pose& from = match.pose;
        const Pose to{from.x + by * axis.x, from.y + by * axis.y,
                      from.scale * (1 + by * axis.scale), from.angle + by * axis.angle,
                      from.stretch * (1 + by * axis.stretch)};
        return Match{to, correlation(frame, to, looks)};
    };
    const Match less = moved(-1);
    const Match more = moved(1);
    const double bend = less.correlation - 2 * match.correlation + more.correlation;
    Match best = match;
    if (bend < 0) {
        const double peak = 0.5 * (less.correlation - more.correlation) / bend;
        best = moved(std::clamp(peak, -1.5, 1.5));
    }
    for (const Match& other : {less, more, match})
        if (other.correlation > best.correlation) best = other;
    match = best;
}

void Tracker::climb(const GrayPyramid& frame, const std::vector<float>& looks, Match& match) const {
    constexpr double kSize = 0.03;
    constexpr double kAngle = 0.03;
    const double pixel = spacing_ * match.pose.scale;
    for (const double step : {1.0, 0.5, 0.25, 0.12}) {
        improve(frame, looks, match, {step * pixel, 0, 0, 0, 0});
        improve(frame, looks, match, {0, step * pixel, 0, 0, 0});
        improve(frame, looks, match, {0, 0, step * kSize, 0, 0});
        improve(frame, looks, match, {0, 0, 0, step * kAngle, 0});
        improve(frame, looks, match, {0, 0, 0, 0, step * kSize});
        // The height alone.
        improve(frame, looks, match, {0, 0, step * kSize, 0, -step * kSize});
    }
}

Tracker::Match Tracker::best_near(const GrayPyramid& frame, const std::vector<float>& looks,
                                  const Pose& pose, int reach, double step) const {
    Match best{pose, -1};
    for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) {
            Match match{pose, 0};
            match.pose.x += x * step;
            match.pose.y += y * step;
            match.correlation = correlation(frame, match.pose, looks);
            if (match.correlation > best.correlation) best = match;
        }
    return best;
}

Tracker::Window Tracker::window(const GrayPyramid& frame) const {
    const double reach = 1.0 + 0.25 * frames_away_;
    const double x = width_ * pose_.scale * reach + std::abs(speed_x_);
    const double y = height_ * pose_.scale * reach + std::abs(speed_y_);
    const double both = std::max({x, y, 24.0});
    return {std::max(pose_.x + speed_x_ - both, 0.0), std::max(pose_.y + speed_y_ - both, 0.0),
            std::min<double>(pose_.x + speed_x_ + both, frame.width()),
            std::min<double>(pose_.y + speed_y_ + both, frame.height())};
}

// The places with the highest correlations on a coarse level.
std::vector<Tracker::Pose> Tracker::search(const GrayPyramid& frame,
                                           const std::vector<float>& looks,
                                           const Window& window) const {
    // On two cores, 20 million steps take as long as a frame of 1080p may.
    constexpr double kMostSteps = 2e7;
    constexpr std::size_t kMost = 4;
    const double pixel = spacing_ * pose_.scale;
    int level = frame.nearest_level(static_cast<int>(std::lround(std::log2(pixel))) + 1);
    const auto steps = [&](int k) {
        const double unit = std::exp2(-k);
        return (window.right - window.left) * (window.bottom - window.top) * unit * unit * width_ *
               height_ * pose_.scale * pose_.scale * unit * unit;
    };
    while (steps(level) > kMostSteps && level < frame.coarsest()) ++level;
    const double unit = std::exp2(-level);
    const GrayImage& image = frame.level(level);

    // The template turned and scaled to pixels of this level, by the mean of the samples in each.
    const double half = std::hypot(width_, height_) / 2 * pose_.scale * unit;
    const int extent = static_cast<int>(std::ceil(half));
    const double to_columns = 1 / (unit * pixel);
    const double cosine = std::cos(pose_.angle);
    const double sine = std::sin(pose_.angle);
    std::vector<Tap> taps;
    CorrelationSums of_template;
    for (int y = -extent; y <= extent; ++y)
        for (int x = -extent; x <= extent; ++x) {
            constexpr int kParts = 4;
            float weight = 0;
            float value = 0;
            for (int part = 0; part < kParts * kParts; ++part) {
                const int down = part / kParts;
                const double u = x + (part % kParts + 0.5) / kParts - 0.5;
                const double v = y + (down + 0.5) / kParts - 0.5;
                const auto column = static_cast<int>(std::floor(
                    (u * cosine + v * sine) * to_columns / pose_.stretch + columns_ / 2.0));
                const auto row = static_cast<int>(
                    std::floor((v * cosine - u * sine) * to_columns + rows_ / 2.0));
                if (column < 0 || row < 0 || column >= columns_ || row >= rows_) continue;
                const auto k = static_cast<std::size_t>(row * columns_ + column);
                weight += weights_[k];
                value += weights_[k] * looks[k];
            }
            if (weight < 0.1F) continue;
            taps.push_back({x, y, weight / (kParts * kParts), value / weight});
            of_template.add(taps.back().weight, 0, taps.back().value);
        }

    const int left = std::max(static_cast<int>(window.left * unit), 0);
    const int top = std::max(static_cast<int>(window.top * unit), 0);
    const int right = std::min(static_cast<int>(window.right * unit), image.width - 1);
    const int bottom = std::min(static_cast<int>(window.bottom * unit), image.height - 1);
    if (taps.empty() || left > right || top > bottom) return {};

    // Pixels beyond the picture repeat its edge.
    const auto count = static_cast<std::size_t>(right - left + 1);
    const std::size_t padded = count + 2 * static_cast<std::size_t>(extent);
    const int padded_rows = bottom - top + 1 + 2 * extent;
    std::vector<float> pixels(padded * static_cast<std::size_t>(padded_rows));
    for (int y = 0; y < padded_rows; ++y) {
        const std::uint8_t* row = image.row(std::clamp(top + y - extent, 0, image.height - 1));
        float* to = &pixels[padded * static_cast<std::size_t>(y)];
        for (std::size_t x = 0; x < padded; ++x)
            to[x] = static_cast<float>(
                        row[std::clamp(left + static_cast<int>(x) - extent, 0, image.width - 1)]) -
                    128;
    }

    struct Place {
        int x, y;
        double correlation;
    };
    std::vector<Place> places;
    std::vector<float> product(count);
    std::vector<float> sum(count);
    std::vector<float> squares(count);
    std::vector<std::vector<float>> map;
    for (int y = top; y <= bottom; ++y) {
        std::ranges::fill(product, 0.0F);
        std::ranges::fill(sum, 0.0F);
        std::ranges::fill(squares, 0.0F);
        for (const Tap& tap : taps)
            add_tap(&pixels[padded * static_cast<std::size_t>(y - top + tap.y + extent) +
                            static_cast<std::size_t>(tap.x + extent)],
                    tap, count, product.data(), sum.data(), squares.data());
        std::vector<float>& row = map.emplace_back(count);
        for (std::size_t x = 0; x < count; ++x) {
            CorrelationSums sums = of_template;
            sums.i = sum[x];
            sums.ii = squares[x];
            sums.it = product[x];
            row[x] = static_cast<float>(sums.correlation());
        }
    }
    // Local peaks, the highest first.
    for (int y = 0; y < static_cast<int>(map.size()); ++y)
        for (int x = 0; x < static_cast<int>(count); ++x) {
            const float here = map[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
            bool peak = here > 0.2F;
            for (int dy = -1; peak && dy <= 1; ++dy)
                for (int dx = -1; peak && dx <= 1; ++dx) {
                    const int ny = y + dy;
                    const int nx = x + dx;
                    if (ny < 0 || nx < 0 || ny >= static_cast<int>(map.size()) ||
                        nx >= static_cast<int>(count))
                        continue;
                    peak = map[static_cast<std::size_t>(ny)][static_cast<std::size_t>(nx)] <= here;
                }
            if (peak) places.push_back({left + x, top + y, here});
        }
    std::ranges::sort(places, std::greater{}, &Place::correlation);
    if (places.size() > kMost) places.resize(kMost);
    std::vector<Pose> poses;
    for (const Place& place : places)
        poses.push_back({(place.x + 0.5) / unit, (place.y + 0.5) / unit, pose_.scale, pose_.angle,
                         pose_.stretch});
    return poses;
}

Tracker::Found Tracker::find(const GrayPyramid& frame, const std::vector<float>& looks) const {
    const double pixel = spacing_ * pose_.scale;
    Pose predicted = pose_;
    predicted.x += speed_x_;
    predicted.y += speed_y_;
    std::vector<Pose> candidates = search(frame, looks, window(frame));
    candidates.push_back(predicted);
    candidates.push_back(pose_);
    Found found{{pose_, -1}, {pose_, -1}};
    for (const Pose& candidate : candidates) {
        const Match match = best_near(frame, looks, candidate, 3, pixel);
        const bool near =
            std::hypot(match.pose.x - predicted.x, match.pose.y - predicted.y) < kNear * size();
        Match& best = near ? found.near : found.far;
        if (match.correlation > best.correlation) best = match;
    }
    climb(frame, looks, found.near);
    if (found.far.correlation > kLeastReturnLikeness * found.near.correlation)
        climb(frame, looks, found.far);
    return found;
}

// The looks change slowly, and never away from the first ones.
void Tracker::learn(const GrayPyramid& frame, const Pose& pose) {
    constexpr float kRate = 0.02F;
    constexpr float kLatestRate = 0.3F;
    std::vector<float> inside;
    std::vector<float> now = sample(frame, pose, &inside);
    if (std::ranges::find(inside, 0.0F) != inside.end()) return;
    normalise(now, weights_);
    learn_weights(now);
    for (std::size_t k = 0; k < now.size(); ++k) {
        recent_[k] += kRate * (now[k] - recent_[k]);
        latest_[k] += kLatestRate * (now[k] - latest_[k]);
        template_[k] = 0.5F * (first_[k] + recent_[k]);
    }
    normalise(template_, weights_);
    for (std::size_t k = 0; k < now.size(); ++k) mixed_[k] = template_[k] + latest_[k];
}

// Samples that change show the background next to the object, on which it moves. Later changes are
// not learned: something that comes between must stay visible to the confidence.
void Tracker::learn_weights(const std::vector<float>& now) {
    constexpr int kFrames = 40;
    constexpr float kRate = 0.05F;
    constexpr float kLeastUsual = 0.1F;  // the variance of the looks is 1
    if (frames_found_ > kFrames) return;
    const float rate = std::max(1.0F / static_cast<float>(frames_found_), kRate);
    std::vector<float> inside;
    for (std::size_t k = 0; k < now.size(); ++k) {
        const float change = now[k] - latest_[k];
        change_[k] += rate * (change * change - change_[k]);
        if (ellipse_[k] > 0) inside.push_back(change_[k]);
    }
    if (inside.empty()) return;
    const auto middle = inside.begin() + static_cast<std::ptrdiff_t>(inside.size() / 2);
    std::ranges::nth_element(inside, middle);
    const float usual = std::max(4 * *middle, kLeastUsual);
    for (std::size_t k = 0; k < now.size(); ++k) {
        const float ratio = change_[k] / usual;
        weights_[k] = ellipse_[k] / (1 + ratio * ratio);
    }
}

// The template as an exposure shows it during which the object moves by (x, y) pixels.
std::vector<float> Tracker::smeared(double x, double y) const {
    constexpr int kSteps = 9;
    const double cosine = std::cos(pose_.angle) / (spacing_ * pose_.scale);
    const double sine = std::sin(pose_.angle) / (spacing_ * pose_.scale);
    const double columns = x * cosine + y * sine;
    const double rows = y * cosine - x * sine;
    std::vector<float> smeared(template_.size());
    for (int step = 0; step < kSteps; ++step) {
        const double part = step / (kSteps - 1.0) - 0.5;
        const auto right = static_cast<int>(std::lround(columns * part));
        const auto down = static_cast<int>(std::lround(rows * part));
        for (int row = 0; row < rows_; ++row)
            for (int column = 0; column < columns_; ++column) {
                const int from = std::clamp(row + down, 0, rows_ - 1) * columns_ +
                                 std::clamp(column + right, 0, columns_ - 1);
                smeared[static_cast<std::size_t>(row * columns_ + column)] +=
                    template_[static_cast<std::size_t>(from)] / kSteps;
            }
    }
    return smeared;
}

// The correlation with the template, smeared if the object is where its speed has led and if that
// makes them more alike.
double Tracker::likeness(const GrayPyramid& frame, const Match& match) const {
    const double x = match.pose.x - pose_.x;
    const double y = match.pose.y - pose_.y;
    double best = match.correlation;
    const double way = std::hypot(x, y);
    const bool expected = std::hypot(x - speed_x_, y - speed_y_) < 0.5 * way;
    if (way < 2 * spacing_ * pose_.scale || !expected) return best;
    for (const double exposure : {0.25, 0.5, 0.9})
        best = std::max(best, correlation(frame, match.pose, smeared(exposure * x, exposure * y)));
    return best;
}

void Tracker::move_to(const Pose& pose) {
    const bool jump = frames_away_ > 0;
    speed_x_ = jump ? 0 : 0.5 * (speed_x_ + pose.x - pose_.x);
    speed_y_ = jump ? 0 : 0.5 * (speed_y_ + pose.y - pose_.y);
    pose_ = pose;
    frames_away_ = 0;
}

void Tracker::turn_round() {
    speed_x_ = -speed_x_;
    speed_y_ = -speed_y_;
    course_x_ = -course_x_;
    course_y_ = -course_y_;
}

void Tracker::stay() {
    speed_x_ = speed_y_ = 0;
    ++frames_away_;
    lost_ = true;
}

void Tracker::accept(const GrayPyramid& frame, const Match& match, double correlation) {
    constexpr double kRate = 0.05;
    constexpr double kCourseRate = 0.15;
    ++frames_found_;
    mean_ += std::max(1.0 / frames_found_, kRate) * (correlation - mean_);
    if (!lost_ && margin_ == 0) {
        const double rate = std::max(1.0 / frames_found_, kCourseRate);
        course_x_ += rate * (match.pose.x - pose_.x - course_x_);
        course_y_ += rate * (match.pose.y - pose_.y - course_y_);
    }
    move_to(match.pose);
    margin_ = 0;
    lost_ = false;
    learn(frame, pose_);
}

// An exposure of half the time between frames, as is usual, smears the object by a quarter of its
// way to both sides. Narrow objects may be turned to the side, and have the same edges.
TrackBox Tracker::box_of(const Pose& pose) const {
    constexpr double kSmear = 0.25;
    const double w = width_ * pose.scale * std::max(pose.stretch, 1.0);
    const double h = height_ * pose.scale;
    const double least = kMargin * size();
    const double cosine = std::abs(std::cos(pose.angle));
    const double sine = std::abs(std::sin(pose.angle));
    const double grown = margin_ + doubt_ * size();
    const double width = w * cosine + h * sine +
                         2 * (std::max(least, kMargin * w) + grown + kSmear * std::abs(speed_x_));
    const double height = w * sine + h * cosine +
                          2 * (std::max(least, kMargin * h) + grown + kSmear * std::abs(speed_y_));
    return {pose.x - width / 2, pose.y - height / 2, width, height};
}

// The best match of all places if the object was lost; otherwise the one near the expected place,
// unless another is much better.
Tracker::Choice Tracker::choose(const GrayPyramid& frame) const {
    const Found found = find(frame, mixed_);
    Choice choice{found.near, 0, lost_};
    if (found.far.correlation > 0) choice.rival = correlation(frame, found.far.pose, template_);
    if (!lost_ && found.far.correlation > found.near.correlation + kJump) {
        choice.match = found.far;
        choice.jumped = true;
    }
    if (!lost_) return choice;
    const Found like_before = find(frame, template_);
    for (const Match& other : {found.far, like_before.near, like_before.far})
        if (other.correlation > choice.match.correlation) choice.match = other;
    return choice;
}

// The less the object is like in the first frame, the less is known of its edges: those of a head
// that turns are a fifth of its width away from where the eyes and the mouth lead to expect them.
// It may be turned for long before it looks as before, but never as long as it exists.
void Tracker::doubt(double first_ratio) {
    constexpr double kOfChange = 1.8;
    constexpr double kOfRoot = 0.45;
    constexpr double kMost = 0.4;
    constexpr double kForget = 0.02;
    const double change = std::max(1 - first_ratio, 0.0);
    // A small turn makes the features move and changes little else.
    const double moved = std::max(kOfChange * change, kOfRoot * std::sqrt(change));
    doubt_ = std::max((1 - kForget) * doubt_, std::min(moved, kMost));
}

bool Tracker::is_after_cut(const GrayPyramid& frame, double confidence) {
    const GrayImage& now = thumbnail_of(frame);
    if (!has_contrast(now)) return false;
    const bool cut = confidence < 0.5 && is_cut(thumbnail_, now);
    thumbnail_ = now;
    return cut;
}

// The object is where its course leads to, and nothing that takes another way is the object.
TrackedBox Tracker::coast(const GrayPyramid& frame) {
    constexpr int kSteadyFrames = 3;
    speed_x_ = course_x_;
    speed_y_ = course_y_;
    const Match match = find(frame, mixed_).near;
    const double x = match.pose.x - pose_.x - course_x_;
    const double y = match.pose.y - pose_.y - course_y_;
    const bool steady = std::hypot(x - beside_x_, y - beside_y_) < std::max(2.0, 0.04 * size());
    steady_frames_ = steady ? steady_frames_ + 1 : 0;
    beside_x_ = x;
    beside_y_ = y;
    const double like = correlation(frame, match.pose, template_);
    if (steady_frames_ >= kSteadyFrames && like >= kReturnThreshold * mean_) {
        coasting_ = 0;
        accept(frame, match, like);
        return {box_of(pose_), confidence_of(like / mean_, kThreshold)};
    }
    pose_.x += course_x_;
    pose_.y += course_y_;
    if (--coasting_ == 0) stay();
    margin_ = std::min(margin_ + kGrowth * size(), size());
    return {box_of(pose_), 0};
}

std::optional<TrackedBox> Tracker::next(const GrayPyramid& frame) {
    if (frame.width() != picture_width_ || frame.height() != picture_height_) return std::nullopt;
    if (coasting_ > 0) {
        if (is_after_cut(frame, 0)) return std::nullopt;
        return coast(frame);
    }
    const auto [match, rival, jumped] = choose(frame);
    const double unsmeared = correlation(frame, match.pose, template_);
    const double like = std::max(likeness(frame, {match.pose, unsmeared}), 0.0);
    const double mean = frames_found_ > 0 ? mean_ : std::max(like, 0.7);
    const double ratio = like / mean;
    // An object that returns must be more alike than the others that were seen next to it.
    const double threshold =
        jumped ? std::clamp((1 + rival_) / 2, kReturnThreshold, 0.995) : kThreshold;
    double confidence = confidence_of(ratio, threshold);
    if (ratio >= (jumped ? kLeastReturnLikeness : kLeastLikeness))
        confidence =
            std::max(confidence, confidence_of(correlation(frame, match.pose, latest_) / mean,
                                               std::max(threshold, kLatestThreshold)));
    if (is_after_cut(frame, confidence)) return std::nullopt;
    if (!lost_ && rival_ >= kTwin && (jumped || confidence < 0.5)) {
        coasting_ = kCoastFrames;
        steady_frames_ = 0;
        return coast(frame);
    }
    if (confidence >= 0.5) {
        if (!jumped) rival_ = std::max(rival / mean, kRivalRate * rival_);
        doubt((correlation(frame, match.pose, first_) + like - unsmeared) / mean);
        accept(frame, match, ratio >= kThreshold ? like : mean);
        return TrackedBox{box_of(pose_), confidence};
    }
    const double away =
        std::hypot(match.pose.x - pose_.x - speed_x_, match.pose.y - pose_.y - speed_y_);
    if (ratio >= kLeastLikeness && away < 0.5 * size()) {
        // The shape of an object that is partly hidden cannot be seen.
        Pose moved = pose_;
        moved.x = match.pose.x;
        moved.y = match.pose.y;
        move_to(moved);
    } else {
        stay();
    }
    const double growth = std::max(std::hypot(speed_x_, speed_y_), kGrowth * size());
    margin_ = std::min(margin_ + growth, size());
    return TrackedBox{box_of(pose_), confidence};
}

}  // namespace weft
