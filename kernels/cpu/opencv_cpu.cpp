// Idea    One path for every type, border and tap set: strips of rows are padded and converted to
//         f32 (the border rules are ours, so an image smaller than the taps and `wrap` work),
//         OpenCV sums them, and a row loop finishes with one fused multiply-add and one rounding.
//         Where fp32 sums could be half a level off (rounding.h) the strips are doubles.
// Source  OpenCV's filter2D and sepFilter2D.
// Threads one slot with its own scratch for each thread; a slot takes the next strip until none is
//         left. Pixels do not depend on where their strip begins, so the number of threads does
//         not affect results.
// Limits  none within ConvProblem.
// Cost    f32 throughout is faster than OpenCV's 8-bit functions, measured at 1280×720 gray, one
//         thread, AVX-512: 5×5 filter2D f32 0.86 ms + 0.3 conversion and finish, u8 1.67 ms;
//         asymmetric 13-tap sepFilter2D f32 1.78, u8 2.95; and its 8-bit smoothing rounds half
//         up in fixed point. Scratch stays in the second-level cache for all but very large taps.
#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <vector>

#include <opencv2/core.hpp>

#include "kernels/common/quotient.h"
#include "kernels/conv_kernel.h"
#include "kernels/cpu/cpu_terms.h"
#include "kernels/cpu/opencv_sum.h"
#include "kernels/cpu/padded_strip.h"
#include "kernels/device/parallel_slots.h"
#include "kernels/pixels/host_rows.h"
#include "kernels/rounding.h"

namespace weft {

namespace {

// Multiply-adds per pixel: all channels and tap sets, by factors where those are used.
double work_per_pixel(const ConvProblem& p) {
    double work = 0;
    for (int c = 0; c < p.channels; ++c)
        for (const Taps& t : p.channel(c).taps)
            work += prefers_factors(t) ? t.width + t.height : t.width * t.height;
    return work;
}

// Factored taps are rounded less than the same taps one by one, but not all of them may be.
bool needs_double(const ConvProblem& p) {
    const bool all_factored = every_tap_set(p, prefers_factors);
    return factored_rounding(p) > kLargestRounding ||
           (!all_factored && dense_rounding(p) > kLargestRounding);
}

// A thread is worth waking for 1 million multiply-adds, about 35 µs.
int threads_for(const ConvProblem& p) {
    const double work = work_per_pixel(p) * p.width * p.height;
    return static_cast<int>(std::clamp(work / 1e6, 1.0, 1.0 * std::max(1, cv::getNumThreads())));
}

// Rows of a strip. Each strip converts, and for factored taps filters along x, taps height - 1
// rows more than it has: with twice that many rows the extra is half of one pass. At least 32, so
// that a call's set-up (about 10 µs) does not show, and no more than fill 64 MB a slot (padded
// rows and sums) unless 32 rows do. Strips are evened out over the threads.
int strip_rows(const ConvProblem& p) {
    constexpr double kSlotBytes = 64e6;
    constexpr int kFewRows = 32;
    constexpr int kMinRows = 8;
    const int halo = p.taps().height - 1;
    const double row_bytes = 4.0 * p.channels * (p.width + p.taps().width - 1);
    const double affordable = (kSlotBytes / row_bytes - halo) / 2;
    const int most = static_cast<int>(std::clamp(affordable, 1.0 * kFewRows, 1e6));
    const int wanted = std::clamp(2 * halo, kFewRows, most);
    const int threads = threads_for(p);
    const int strips = ceil_div(ceil_div(p.height, wanted), threads) * threads;
    return std::max(kMinRows, ceil_div(p.height, strips));
}

// OpenCV throws its own exception when memory runs out.
template <class Work>
auto with_bad_alloc(const Work& work) {
    try {
        return work();
    } catch (const cv::Exception& error) {
        if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
        throw;
    }
}

class PreparedOpencv final : public PreparedConv {
 public:
    explicit PreparedOpencv(const ConvProblem& problem);
    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override;

 private:
    struct Slot {
        cv::Mat padded;               // with the halo
        cv::Mat padded_wide;          // the same in double
        std::vector<cv::Mat> planes;  // its channels: all that are summed, or the current one
        cv::Mat sums, next, part, scratch;
        cv::Mat finished;            // scaled sums of doubles
        std::vector<std::byte> row;  // one channel's finished samples
    };

    // Channels are separated if each has taps of its own or they are summed.
    bool by_planes() const { return problem_.conv.size() > 1 || problem_.sums_channels; }
    bool needs_scratch() const;
    Slot make_slot() const;
    void run_strip(const ImageView& src, const ImageView& dst, int first_row, Slot& slot) const;
    // The inputs of consecutive entries of problem_.conv, one each, which are summed.
    struct Inputs {
        int first_entry;
        std::vector<cv::Mat> images;
    };

    void add_up(const Inputs& inputs, std::size_t set, const cv::Mat& result, Slot& slot) const;
    cv::Mat combine(const Inputs& inputs, int rows, Slot& slot) const;
    cv::Mat as_floats(const cv::Mat& sums, int entry, Slot& slot) const;
    void finish_row(const float* sums, int entry, std::byte* out, Slot& slot) const;

    ConvProblem problem_;
    StripPadder padder_;
    int depth_;  // CV_32F or CV_64F, for sums
    int strip_rows_;
    std::vector<std::vector<OpencvSum>> sums_;  // [channel, or 0 for all alike][tap set]
    std::vector<Slot> slots_;
};

PreparedOpencv::PreparedOpencv(const ConvProblem& problem)
    : problem_(problem),
      padder_(problem),
      depth_(needs_double(problem) ? CV_64F : CV_32F),
      strip_rows_(strip_rows(problem)) {
    for (int c = 0; c < (by_planes() ? problem_.channels : 1); ++c) {
        std::vector<OpencvSum>& sets = sums_.emplace_back();
        for (const Taps& taps : problem_.channel(c).taps) sets.emplace_back(taps, depth_);
    }
    const int strips = ceil_div(problem_.height, strip_rows_);
    const int slots = std::min(threads_for(problem_), strips);
    for (int i = 0; i < slots; ++i) slots_.push_back(make_slot());
}

bool PreparedOpencv::needs_scratch() const {
    for (const std::vector<OpencvSum>& sets : sums_)
        for (const OpencvSum& sum : sets)
            if (sum.needs_scratch()) return true;
    return false;
}

PreparedOpencv::Slot PreparedOpencv::make_slot() const {
    const ConvProblem& p = problem_;
    const cv::Size size(p.width, strip_rows_);
    const cv::Size with_halo(size.width + p.taps().width - 1, size.height + p.taps().height - 1);
    const int channels = by_planes() ? 1 : p.channels;
    const int type = CV_MAKETYPE(depth_, channels);
    Slot slot;
    slot.padded.create(with_halo, CV_32FC(p.channels));
    if (depth_ == CV_64F) {
        slot.padded_wide.create(with_halo, CV_64FC(p.channels));
        slot.finished.create(size, CV_32FC(channels));
    }
    if (by_planes()) slot.planes.resize(p.sums_channels ? p.channels : 1);
    for (cv::Mat& plane : slot.planes) plane.create(with_halo, type);
    if (slot.planes.size() > 1) slot.part.create(size, type);
    slot.sums.create(size, type);
    if (needs_scratch()) slot.scratch.create(size, type);
    if (p.combine != Combine::single) slot.next.create(size, type);
    if (by_planes()) slot.row.resize(bytes_per_sample(p.type) * p.width);
    return slot;
}

void PreparedOpencv::launch(const ImageView& src, const ImageView& dst, StreamView) {
    check_images(problem_, src, dst, MemorySpace::host);
    std::atomic<int> next_row = 0;
    with_bad_alloc([&] {
        parallel_slots(static_cast<int>(slots_.size()), [&](int slot) {
            for (int y = next_row.fetch_add(strip_rows_); y < problem_.height;
                 y = next_row.fetch_add(strip_rows_))
                run_strip(src, dst, y, slots_[slot]);
        });
    });
}

void PreparedOpencv::run_strip(const ImageView& src, const ImageView& dst, int first_row,
                               Slot& slot) const {
    const int rows = std::min(strip_rows_, problem_.height - first_row);
    cv::Mat padded = slot.padded.rowRange(0, rows + problem_.taps().height - 1);
    padder_.fill(src, first_row, padded);
    if (depth_ == CV_64F) {
        const cv::Mat wide = slot.padded_wide.rowRange(0, padded.rows);
        padded.convertTo(wide, CV_64F);
        padded = wide;
    }
    for (int entry = 0; entry < (by_planes() ? problem_.out_channels() : 1); ++entry) {
        Inputs inputs{entry, {padded}};
        if (by_planes()) inputs.images.resize(slot.planes.size());
        for (std::size_t k = 0; k < slot.planes.size(); ++k) {
            inputs.images[k] = slot.planes[k].rowRange(0, padded.rows);
            cv::extractChannel(padded, inputs.images[k], entry + static_cast<int>(k));
        }
        const cv::Mat sums = as_floats(combine(inputs, rows, slot), entry, slot);
        for (int r = 0; r < rows; ++r)
            finish_row(sums.ptr<float>(r), entry, dst.row(first_row + r), slot);
    }
}

void PreparedOpencv::add_up(const Inputs& inputs, std::size_t set, const cv::Mat& result,
                            Slot& slot) const {
    const cv::Mat scratch =
        slot.scratch.empty() ? cv::Mat() : slot.scratch.rowRange(0, result.rows);
    for (std::size_t k = 0; k < inputs.images.size(); ++k) {
        const cv::Mat part = k == 0 ? result : slot.part.rowRange(0, result.rows);
        const std::size_t entry = static_cast<std::size_t>(inputs.first_entry) + k;
        sums_[entry][set].apply(inputs.images[k], part, scratch);
        if (k > 0) cv::add(result, part, result);
    }
}

// The combined sums of `rows` rows, in slot.sums.
cv::Mat PreparedOpencv::combine(const Inputs& inputs, int rows, Slot& slot) const {
    cv::Mat result = slot.sums.rowRange(0, rows);
    add_up(inputs, 0, result, slot);
    for (std::size_t k = 1; k < sums_.front().size(); ++k) {
        const cv::Mat next = slot.next.rowRange(0, rows);
        add_up(inputs, k, next, slot);
        if (problem_.combine == Combine::maximum) {
            cv::max(result, next, result);
            continue;
        }
        if (depth_ == CV_64F) {
            cv::magnitude(result, next, result);
            continue;
        }
        const std::size_t count = result.total() * result.channels();
        row_ops().magnitude(result.ptr<float>(), next.ptr<float>(), count);
    }
    return result;
}

// Doubles are scaled before they become floats: only results are small enough for that.
cv::Mat PreparedOpencv::as_floats(const cv::Mat& sums, int entry, Slot& slot) const {
    if (depth_ == CV_32F) return sums;
    const ChannelConv& conv = problem_.channel(entry);
    cv::Mat finished = slot.finished.rowRange(0, sums.rows);
    sums.convertTo(finished, CV_32F, conv.scale, conv.bias);
    return finished;
}

void PreparedOpencv::finish_row(const float* sums, int entry, std::byte* out, Slot& slot) const {
    const ConvProblem& p = problem_;
    const ChannelConv& conv = p.channel(entry);
    const bool scaled = depth_ == CV_64F;
    const RowFinish how{scaled ? 1.0F : conv.scale, scaled ? 0.0F : conv.bias, p.max_value};
    if (!by_planes()) {
        row_ops().finish(sums, out, p.type, static_cast<std::size_t>(p.width) * p.channels, how);
        return;
    }
    row_ops().finish(sums, slot.row.data(), p.type, p.width, how);
    row_ops().scatter(slot.row.data(), out + entry * bytes_per_sample(p.type), p.type,
                      p.out_channels(), p.width);
}

std::unique_ptr<PreparedConv> prepare(const ConvProblem& problem, const Device&) {
    validate(problem);
    return with_bad_alloc([&] { return std::make_unique<PreparedOpencv>(problem); });
}

Cost cost(const ConvProblem& p) {
    const double pixels = static_cast<double>(p.width) * p.height;
    return {.bytes = pixels * (p.channels + p.out_channels()) *
                     static_cast<double>(bytes_per_sample(p.type)),
            .flops = 2.0 * pixels * work_per_pixel(p),
            .flops_formula =
                "2 × width × height of the taps, or 2 × (width + height) where factors "
                "are quicker, for each tap set and sample"};
}

}  // namespace

extern constinit const ConvKernel kOpencvCpuKernel = {
    .name = "opencv_cpu",
    .summary =
        "padded f32 strips through OpenCV on every core: the fallback that is always available",
    .source = "OpenCV filter2D and sepFilter2D",
    .limits = "none: any taps, border, type and size",
    .space = MemorySpace::host,
    .sums_channels = true,
    .sums_in_double = true,
    .why_not = [](const ConvProblem&, const Device& device) { return why_not_on_cpu(device); },
    .prepare = prepare,
    .cost = cost,
    .time = [](const ConvProblem& p,
               const Device&) { return cpu_time(p, 0.6 + 0.05 * work_per_pixel(p) / p.channels); },
    .reason = "{size} {sums} {type} on the CPU",
};

}  // namespace weft
