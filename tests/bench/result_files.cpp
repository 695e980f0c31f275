// Machine-readable results: JSON and CSV.
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/bench/report.h"

namespace weft::bench {

namespace {

nlohmann::json to_json(const Timing& t) {
    return {{"median_us", t.median * 1e6},
            {"p95_us", t.p95 * 1e6},
            {"spread", t.spread},
            {"samples", t.samples},
            {"graph", t.graph},
            {"launches_per_sample", t.launches_per_sample}};
}

nlohmann::json to_json(const Limit& l) {
    nlohmann::json out = {{"group", l.group},
                          {"name", l.name},
                          {"value", l.value},
                          {"unit", l.unit},
                          {"note", l.note}};
    if (l.per_clock_sm > 0) out["per_clock_sm"] = l.per_clock_sm;
    return out;
}

nlohmann::json to_json(const Results& r, const Measurement& m) {
    nlohmann::json row = {{"case", m.case_name}, {"kernel", m.kernel}, {"peer", m.peer}};
    if (!m.series.empty()) row["series"] = m.series;
    if (m.size > 0) row["size"] = m.size;
    if (m.planned) row["planned"] = true;
    if (!m.note.empty()) row["note"] = m.note;
    if (!m.timed()) {
        row[m.wrong ? "wrong" : "not_run"] = m.why_not;
        return row;
    }
    const Standing s = standing(r, m);
    row["cold"] = to_json(m.cold);
    row["hot"] = to_json(m.hot);
    row["bytes"] = m.floor.bytes;
    row["flops"] = m.floor.flops;
    row["gb_per_s"] = s.gb_per_s;
    row["times_copy"] = s.times_copy;
    row["of_copy_ceiling"] = s.of_copy;
    row["of_fma_ceiling"] = s.of_fma;
    row["times_fastest"] = s.times_fastest;
    row["tie"] = s.tie;
    return row;
}

Timing timing_of(const nlohmann::json& j) {
    return {.median = j["median_us"].get<double>() * 1e-6,
            .p95 = j["p95_us"].get<double>() * 1e-6,
            .spread = j["spread"],
            .samples = j["samples"],
            .launches_per_sample = j["launches_per_sample"],
            .graph = j["graph"]};
}

Limit limit_of(const nlohmann::json& j) {
    return {.group = j["group"],
            .name = j["name"],
            .unit = j["unit"],
            .value = j["value"],
            .per_clock_sm = j.value("per_clock_sm", 0.0),
            .note = j["note"]};
}

Measurement measurement_of(const nlohmann::json& j) {
    Measurement m{.case_name = j["case"],
                  .series = j.value("series", ""),
                  .size = j.value("size", 0),
                  .kernel = j["kernel"],
                  .peer = j["peer"],
                  .planned = j.value("planned", false),
                  .note = j.value("note", ""),
                  .why_not = j.value("not_run", ""),
                  .wrong = j.contains("wrong")};
    if (m.wrong) m.why_not = j["wrong"];
    if (!m.timed()) return m;
    m.cold = timing_of(j["cold"]);
    m.hot = timing_of(j["hot"]);
    m.floor = {.bytes = j["bytes"], .flops = j["flops"]};
    return m;
}

Results parsed(const nlohmann::json& j) {
    Results r;
    r.device.name = j["device"];
    r.device.driver_version = j["driver_cuda"];
    r.device.multiprocessors = j["multiprocessors"];
    r.suite = j["suite"];
    r.clocks = j["clocks"];
    r.date = j["date"];
    r.commit = j["commit"];
    r.ceilings = {.copy_bytes_per_second = j["copy_ceiling_gb_per_s"].get<double>() * 1e9,
                  .fma_per_second = j["fma_ceiling_t_per_s"].get<double>() * 1e12,
                  .sm_hertz = j["sm_mhz"].get<double>() * 1e6};
    for (const nlohmann::json& limit : j["limits"]) r.limits.push_back(limit_of(limit));
    for (const nlohmann::json& row : j["rows"]) r.rows.push_back(measurement_of(row));
    return r;
}

std::string quoted(std::string text) {
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2))
        text.insert(at, 1, '"');
    return '"' + text + '"';
}

}  // namespace

std::string to_json(const Results& r) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Measurement& m : r.rows) rows.push_back(to_json(r, m));
    nlohmann::json limits = nlohmann::json::array();
    for (const Limit& l : r.limits) limits.push_back(to_json(l));
    const nlohmann::json out = {{"schema", 2},
                                {"suite", r.suite},
                                {"device", r.device.name},
                                {"driver_cuda", r.device.driver_version},
                                {"multiprocessors", r.device.multiprocessors},
                                {"clocks", r.clocks},
                                {"date", r.date},
                                {"commit", r.commit},
                                {"copy_ceiling_gb_per_s", r.ceilings.copy_bytes_per_second * 1e-9},
                                {"fma_ceiling_t_per_s", r.ceilings.fma_per_second * 1e-12},
                                {"sm_mhz", r.ceilings.sm_hertz * 1e-6},
                                {"limits", limits},
                                {"rows", rows}};
    return out.dump(1) + "\n";
}

Results from_json(const std::string& text) {
    try {
        return parsed(nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception& e) {
        throw std::runtime_error(std::string("these are no results of schema 2: ") + e.what());
    }
}

std::string to_csv(const Results& r) {
    std::string out =
        "case,kernel,peer,cold_us,cold_spread,cold_p95_us,hot_us,samples,gb_per_s,times_copy,"
        "of_copy_ceiling,of_fma_ceiling,times_fastest,tie,not_run,wrong\n";
    for (const Measurement& m : r.rows) {
        const Standing s = standing(r, m);
        out += fmt::format("{},{},{},", quoted(m.case_name), quoted(m.kernel), m.peer ? 1 : 0);
        out += m.timed() ? fmt::format(
                               "{:.4f},{:.5f},{:.4f},{:.4f},{},{:.2f},{:.4f},{:.5f},{:.5f},"
                               "{:.4f},{},,\n",
                               m.cold.median * 1e6, m.cold.spread, m.cold.p95 * 1e6,
                               m.hot.median * 1e6, m.cold.samples, s.gb_per_s, s.times_copy,
                               s.of_copy, s.of_fma, s.times_fastest, s.tie ? 1 : 0)
                         : fmt::format(",,,,,,,,,,,{},{}\n", quoted(m.wrong ? "" : m.why_not),
                                       quoted(m.wrong ? m.why_not : ""));
    }
    return out;
}

}  // namespace weft::bench
