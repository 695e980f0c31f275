#include "tests/bench/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <memory>

#include <fmt/format.h>

namespace weft::bench {

namespace {

// The copy of the case, or the fastest contender.
const Measurement* copy_of(const Results& all, const Measurement& m) {
    const auto found = std::ranges::find_if(all.rows, [&](const Measurement& other) {
        return other.case_name == m.case_name && other.kernel == "copy";
    });
    return found == all.rows.end() ? nullptr : &*found;
}

const Measurement* fastest_of(const Results& all, const Measurement& m) {
    const Measurement* best = nullptr;
    for (const Measurement& other : all.rows) {
        if (other.case_name != m.case_name || other.kernel == "copy" || !other.timed()) continue;
        if (best == nullptr || other.cold.median < best->cold.median) best = &other;
    }
    return best;
}

std::string heading(const Results& r) {
    std::string out = fmt::format("{}, driver for CUDA {}{}{}, {}{}\n", r.device.name,
                                  r.device.driver_version.empty() ? "-" : r.device.driver_version,
                                  r.clocks.empty() ? "" : ", ", r.clocks, r.date,
                                  r.commit.empty() ? "" : ", commit " + r.commit);
    if (r.ceilings.fma_per_second > 0)
        out += fmt::format("ceilings: copy {:.0f} GB/s, fp32 {:.1f} TFMA/s at {:.0f} MHz\n",
                           r.ceilings.copy_bytes_per_second * 1e-9,
                           r.ceilings.fma_per_second * 1e-12, r.ceilings.sm_hertz * 1e-6);
    return out + "\n";
}

std::string rank_text(const Standing& s, const Measurement& m) {
    if (m.kernel == "copy") return "";
    if (s.tie) return "=";
    return s.times_fastest <= 1.0 ? "fastest" : fmt::format("{:.2f}x", s.times_fastest);
}

using Cells = std::array<std::string, 11>;

constexpr std::array kHeadings = {"case", "kernel", "cold us", "+-%",   "hot us", "n",
                                  "GB/s", "x copy", "%copy",   "%fp32", "rank"};

Cells cells_of(const Results& r, const Measurement& m) {
    const Standing s = standing(r, m);
    return {m.case_name,
            m.planned ? m.kernel + " *" : m.kernel,
            fmt::format("{:.2f}", m.cold.median * 1e6),
            fmt::format("{:.1f}", m.cold.spread * 50),
            fmt::format("{:.2f}", m.hot.median * 1e6),
            std::to_string(m.cold.samples),
            fmt::format("{:.0f}", s.gb_per_s),
            fmt::format("{:.2f}", s.times_copy),
            r.ceilings.copy_bytes_per_second > 0 ? fmt::format("{:.0f}", s.of_copy * 100) : "-",
            r.ceilings.fma_per_second > 0 && m.kernel != "copy"
                ? fmt::format("{:.0f}", s.of_fma * 100)
                : "-",
            rank_text(s, m)};
}

std::string line_of(const Cells& c) {
    return fmt::format("{:<20} {:<28} {:>9} {:>5} {:>9} {:>4} {:>6} {:>7} {:>6} {:>6} {:>8}\n",
                       c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10]);
}

std::string why_text(const Measurement& m) {
    return fmt::format("{}: {}", m.wrong ? "WRONG" : "not run", m.why_not);
}

// The reasons of one case, each with the names of all contenders that it rules out.
std::vector<std::string> reasons_of(const Results& r, const std::string& case_name) {
    std::vector<std::pair<std::string, std::string>> named;  // reason: names
    for (const Measurement& m : r.rows) {
        if (m.case_name != case_name || m.timed()) continue;
        const std::string reason = why_text(m);
        const auto same =
            std::ranges::find(named, reason, &std::pair<std::string, std::string>::first);
        if (same == named.end()) {
            named.emplace_back(reason, m.kernel);
        } else {
            same->second += ", " + m.kernel;
        }
    }
    std::vector<std::string> out;
    for (const auto& [reason, names] : named) out.push_back(names + " " + reason);
    return out;
}

std::vector<std::string> case_names(const Results& r) {
    std::vector<std::string> out;
    for (const Measurement& m : r.rows)
        if (out.empty() || out.back() != m.case_name) out.push_back(m.case_name);
    return out;
}

// One line per row through `line`, then one per reason through `reason`.
template <class Line, class Reason>
std::string table_of(const Results& r, Line line, Reason reason) {
    std::string out;
    for (const std::string& name : case_names(r)) {
        for (const Measurement& m : r.rows)
            if (m.case_name == name && m.timed()) out += line(cells_of(r, m));
        for (const std::string& why : reasons_of(r, name)) out += reason(name, why);
    }
    return out;
}

std::string limits_text(const Results& r, const char* row) {
    std::string out;
    for (const Limit& l : r.limits)
        out +=
            fmt::format(fmt::runtime(row), l.group, l.name, fmt::format("{:.4g}", l.value), l.unit,
                        l.per_clock_sm > 0 ? fmt::format("{:.1f}", l.per_clock_sm) : "-", l.note);
    return out;
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

Standing standing(const Results& r, const Measurement& m) {
    if (!m.timed()) return {};
    Standing s;
    const double seconds = m.cold.median;
    s.gb_per_s = m.floor.bytes / seconds * 1e-9;
    if (const Measurement* copy = copy_of(r, m)) s.times_copy = seconds / copy->cold.median;
    if (r.ceilings.copy_bytes_per_second > 0)
        s.of_copy = m.floor.bytes / seconds / r.ceilings.copy_bytes_per_second;
    if (r.ceilings.fma_per_second > 0)
        s.of_fma = m.floor.flops / 2 / seconds / r.ceilings.fma_per_second;
    if (const Measurement* best = fastest_of(r, m)) {
        s.times_fastest = seconds / best->cold.median;
        s.tie = best != &m && tie(m.cold, best->cold);
    }
    return s;
}

std::string to_text(const Results& r) {
    std::string out = heading(r);
    if (!r.limits.empty()) {
        out += fmt::format("{:<14} {:<40} {:>10} {:<8} {:>9}  {}\n", "limit", "of", "value", "unit",
                           "clock*SM", "note");
        out += limits_text(r, "{:<14} {:<40} {:>10} {:<8} {:>9}  {}\n") + "\n";
    }
    if (r.rows.empty()) return out;
    Cells headings;
    std::ranges::copy(kHeadings, headings.begin());
    out += line_of(headings);
    out += table_of(r, line_of, [](const std::string& name, const std::string& why) {
        return fmt::format("{:<20} {}\n", name, why);
    });
    return out + "* what the planner takes\n";
}

std::string to_markdown(const Results& r) {
    std::string out = heading(r);
    if (!r.limits.empty()) {
        out +=
            "| limit | of | value | unit | per clock and SM | note |\n|---|---|---|---|---|---|\n";
        out += limits_text(r, "| {} | {} | {} | {} | {} | {} |\n") + "\n";
    }
    if (r.rows.empty()) return out;
    for (const char* h : kHeadings) out += fmt::format("| {} ", h);
    out += "|\n";
    for (std::size_t k = 0; k < kHeadings.size(); ++k) out += "|---";
    out += "|\n";
    const auto line = [](const Cells& cells) {
        std::string row;
        for (const std::string& cell : cells) row += fmt::format("| {} ", cell);
        return row + "|\n";
    };
    return out + table_of(r, line, [](const std::string& name, const std::string& why) {
               return fmt::format("| {} | {} |\n", name, why);
           });
}

}  // namespace weft::bench
