#include "tests/bench/measure.h"

#include <algorithm>
#include <optional>

#include "kernels/device/stream.h"

namespace weft::bench {

namespace {

constexpr int kLeastHostSamples = 3;

bool is_wanted(const std::string& name, const Wanted& wanted) {
    return wanted.empty() || std::ranges::any_of(wanted, [&](const std::string& w) {
               return name == w || name.starts_with(w + "/");
           });
}

void time_on_host(const Enqueue& enqueue, Effort effort, Measurement& m) {
    effort.least_samples = kLeastHostSamples;
    m.cold = m.hot = time_host([&] { enqueue(0, nullptr); }, effort);
}

void time_on_device(const Enqueue& enqueue, std::size_t sets, const Effort& effort,
                    Measurement& m) {
    m.cold = time_gpu(enqueue, sets, effort);
    m.hot = time_gpu(enqueue, 1, effort);
}

// Null without a GPU.
StreamView view_of(const std::optional<Stream>& stream) {
    return stream ? stream->view() : nullptr;
}

void check_and_time(const Contender& c, Work& work, const Effort& effort, Measurement& m) {
    std::optional<Stream> stream;
    if (c.space == MemorySpace::device) stream.emplace();
    const Enqueue enqueue = c.prepare(m.note);
    work.poison(c.space, view_of(stream));
    enqueue(0, view_of(stream));
    m.why_not = work.why_wrong(c, view_of(stream));
    m.wrong = !m.why_not.empty();
    if (m.wrong) return;
    if (c.space == MemorySpace::host) {
        time_on_host(enqueue, effort, m);
    } else {
        time_on_device(enqueue, work.sets(), effort, m);
    }
}

void measure(const Contender& c, Work& work, const Effort& effort, Measurement& m) {
    try {
        check_and_time(c, work, effort, m);
    } catch (const std::exception& e) {
        m.why_not = e.what();
        m.wrong = !c.peer;  // a peer may refuse
    }
}

}  // namespace

std::vector<Measurement> measure_case(const BenchCase& c, const Device& device,
                                      const Wanted& wanted, const Effort& effort) {
    const std::unique_ptr<Work> work = c.open(device);
    const Measurement blank{.case_name = c.name,
                            .series = c.series,
                            .size = c.size,
                            .kernel = "copy",
                            .floor = work->floor()};
    std::vector<Measurement> out = {blank};
    const Enqueue copy = [&](std::size_t set, StreamView stream) { work->copy(set, stream); };
    if (device.is_gpu()) {
        time_on_device(copy, work->sets(), effort, out.back());
    } else {
        time_on_host(copy, effort, out.back());
    }
    for (const Contender& contender : work->contenders()) {
        if (!is_wanted(contender.name, wanted)) continue;
        Measurement m = blank;
        m.kernel = contender.name;
        m.peer = contender.peer;
        m.planned = contender.planned;
        m.note = contender.note;
        m.why_not = contender.why_not;
        if (m.why_not.empty()) measure(contender, *work, effort, m);
        out.push_back(std::move(m));
    }
    return out;
}

}  // namespace weft::bench
