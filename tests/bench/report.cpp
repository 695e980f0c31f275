#include "tests/bench/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft::bench {

namespace {

const Measurement* find(const std::vector<Measurement>& all, const std::string& case_name,
                        std::string_view kernel) {
    const auto found = std::ranges::find_if(all, [&](const Measurement& m) {
        return m.case_name == case_name && m.kernel == kernel && m.why_not.empty();
    });
    return found == all.end() ? nullptr : &*found;
}

// The cold time of `kernel` on the same case over this one's: above 1, this one is faster. 0: none.
double times_faster(const std::vector<Measurement>& all, const Measurement& m,
                    std::string_view kernel) {
    const Measurement* const other = find(all, m.case_name, kernel);
    return other == nullptr ? 0.0 : other->cold.median / m.cold.median;
}

std::string ratio_text(double ratio) {
    return ratio == 0.0 ? "-" : fmt::format("{:.2f}", ratio);
}

nlohmann::json to_json(const Timing& t) {
    return {{"median_us", t.median * 1e6},
            {"p95_us", t.p95 * 1e6},
            {"samples", t.samples},
            {"launches_per_sample", t.launches_per_sample}};
}

std::string row_text(const std::vector<Measurement>& all, const Measurement& m, bool markdown) {
    const char* const skipped = markdown ? "| {} | {} | {}: {} |\n" : "{:<20} {:<17} {}: {}\n";
    if (!m.why_not.empty())
        return fmt::format(fmt::runtime(skipped), m.case_name, m.kernel,
                           m.wrong ? "WRONG" : "not run", m.why_not);
    const char* const timed =
        markdown ? "| {} | {} | {:.2f} | {:.2f} | {:.2f} | {} | {:.0f} | {} | {} |\n"
                 : "{:<20} {:<17} {:>9.2f} {:>9.2f} {:>9.2f} {:>7} {:>7.0f} {:>8} {:>9}\n";
    return fmt::format(fmt::runtime(timed), m.case_name, m.kernel, m.cold.median * 1e6,
                       m.cold.p95 * 1e6, m.hot.median * 1e6, m.cold.samples,
                       m.bytes / m.cold.median * 1e-9, ratio_text(times_faster(all, m, "copy")),
                       ratio_text(times_faster(all, m, "direct")));
}

}  // namespace

std::string gpu_clocks(const Device& device) {
    const std::string command = fmt::format(
        "nvidia-smi -i {} --query-gpu=clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null",
        device.ordinal);
    struct Close {
        void operator()(FILE* f) const noexcept { (void)pclose(f); }
    };
    const std::unique_ptr<FILE, Close> pipe(popen(command.c_str(), "r"));
    std::array<char, 128> line{};
    if (!pipe || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return {};
    std::string text = line.data();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return "SM, memory: " + text;
}

std::string date_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    (void)gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    (void)std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

std::string to_text(const RunInfo& run, const std::vector<Measurement>& all, bool markdown) {
    std::string out =
        fmt::format("{}, driver for CUDA {}{}{}, {}{}\n\n", run.device.name,
                    run.device.driver_version, run.clocks.empty() ? "" : ", ", run.clocks, run.date,
                    run.commit.empty() ? "" : ", commit " + run.commit);
    if (markdown) {
        out +=
            "| 3840×2160 | kernel | cold µs | p95 | hot µs | samples | GB/s | copy/time | "
            "direct/time |\n|---|---|---|---|---|---|---|---|---|\n";
    } else {
        out += fmt::format("{:<20} {:<17} {:>9} {:>9} {:>9} {:>7} {:>7} {:>8} {:>9}\n", "3840x2160",
                           "kernel", "cold us", "p95", "hot us", "samples", "GB/s", "copy/t",
                           "direct/t");
    }
    for (const Measurement& m : all) out += row_text(all, m, markdown);
    return out;
}

std::string to_json(const RunInfo& run, const std::vector<Measurement>& all) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Measurement& m : all) {
        nlohmann::json row = {{"case", m.case_name}, {"kernel", m.kernel}};
        if (m.why_not.empty()) {
            row["cold"] = to_json(m.cold);
            row["hot"] = to_json(m.hot);
            row["gb_per_s"] = m.bytes / m.cold.median * 1e-9;
            row["copy_over_time"] = times_faster(all, m, "copy");
            row["direct_over_time"] = times_faster(all, m, "direct");
        } else {
            row[m.wrong ? "wrong" : "not_run"] = m.why_not;
        }
        rows.push_back(std::move(row));
    }
    const nlohmann::json out = {{"schema", 1},
                                {"device", run.device.name},
                                {"driver_cuda", run.device.driver_version},
                                {"multiprocessors", run.device.multiprocessors},
                                {"clocks", run.clocks},
                                {"date", run.date},
                                {"commit", run.commit},
                                {"width", 3840},
                                {"height", 2160},
                                {"rows", rows}};
    return out.dump(1) + "\n";
}

}  // namespace weft::bench
