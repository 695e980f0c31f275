#include "tests/bench/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

namespace weft::bench {

namespace {

constexpr double kWidth = 640, kHeight = 420;  // per panel
constexpr double kLeft = 60, kRight = 190, kTop = 36, kBottom = 44;
constexpr std::array kColours = {"#1b6ca8", "#c0392b", "#27864a", "#8e44ad", "#d68910", "#117a8b",
                                 "#7d3c1e", "#34495e", "#c2185b", "#6d8b00", "#4a4de0", "#00a38d",
                                 "#b35900", "#9b7fd1", "#5c8ab0", "#d96a6a", "#3f6b2a", "#a8327d"};

using Line = std::map<int, double>;  // size of the taps: µs

struct Panel {
    std::string title;
    std::map<std::string, Line> kernels = {};
    std::set<std::string> peers = {};
    std::set<int> sizes = {};
    Line copy_floor = {}, fma_floor = {};

    bool empty() const { return sizes.size() < 2; }
};

// A kernel has the same colour in all panels; the copy is black.
std::map<std::string, std::string> colours_of(const Results& r) {
    std::map<std::string, std::string> colours = {{"copy", "#000000"}};
    std::size_t next = 0;
    for (const Measurement& m : r.rows)
        if (!m.series.empty() && m.timed() &&
            colours.try_emplace(m.kernel, kColours.at(next % kColours.size())).second)
            ++next;
    return colours;
}

std::vector<Panel> panels_of(const Results& r) {
    std::vector<Panel> panels;
    for (const Measurement& m : r.rows) {
        if (m.series.empty() || !m.timed()) continue;
        auto panel = std::ranges::find(panels, m.series, &Panel::title);
        if (panel == panels.end()) panel = panels.insert(panels.end(), Panel{.title = m.series});
        const double bytes_rate = r.ceilings.copy_bytes_per_second;
        if (bytes_rate > 0) {
            panel->copy_floor[m.size] = m.floor.bytes / bytes_rate * 1e6;
            panel->fma_floor[m.size] = m.floor.flops / 2 / r.ceilings.fma_per_second * 1e6;
        }
        panel->sizes.insert(m.size);
        panel->kernels[m.kernel][m.size] = m.cold.median * 1e6;
        if (m.peer) panel->peers.insert(m.kernel);
    }
    std::erase_if(panels, [](const Panel& p) { return p.empty(); });
    return panels;
}

struct Scale {
    double low = 1, high = 10;
    double from = 0, to = 1;

    double at(double value) const {
        return from +
               (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) * (to - from);
    }
};

struct Axes {
    Scale x, y;
};

Axes axes_of(const Panel& p) {
    double low = 1e9;
    double high = 0;
    const auto widen = [&](const Line& line) {
        for (const auto& [size, us] : line) {
            low = std::min(low, us);
            high = std::max(high, us);
        }
    };
    for (const auto& [name, line] : p.kernels) widen(line);
    widen(p.copy_floor);
    return {.x = {.low = static_cast<double>(*p.sizes.begin()) / 1.1,
                  .high = static_cast<double>(*p.sizes.rbegin()) * 1.1,
                  .from = kLeft,
                  .to = kWidth - kRight},
            .y = {.low = low / 1.5, .high = high * 1.5, .from = kHeight - kBottom, .to = kTop}};
}

std::string polyline(const Axes& axes, const Line& line, const std::string& style) {
    std::string points;
    for (const auto& [size, us] : line)
        if (us >= axes.y.low)
            points += fmt::format("{:.1f},{:.1f} ", axes.x.at(size), axes.y.at(us));
    return fmt::format("<polyline fill=\"none\" points=\"{}\" {}/>\n", points, style);
}

std::string text(double x, double y, const std::string& words, const std::string& style = {}) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, words);
}

std::string grid(const Panel& p, const Axes& axes) {
    std::string out;
    for (const int size : p.sizes)
        out += text(axes.x.at(size), kHeight - kBottom + 16, std::to_string(size),
                    "text-anchor=\"middle\"");
    for (int power = 0; std::pow(10, power) < axes.y.high; ++power) {
        const double decade = std::pow(10, power);
        for (const double us : {decade, 2 * decade, 5 * decade}) {
            if (us < axes.y.low || us > axes.y.high) continue;
            const double y = axes.y.at(us);
            out += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#e4e4e4\"/>\n", kLeft, y,
                               kWidth - kRight);
            out += text(kLeft - 6, y + 4, fmt::format("{:g}", us), "text-anchor=\"end\"");
        }
    }
    out += text((kLeft + kWidth - kRight) / 2, kHeight - 8, "side of the taps",
                "text-anchor=\"middle\"");
    return out + text(8, kTop - 6, "µs");
}

std::string panel_svg(const Panel& p, const std::map<std::string, std::string>& colours,
                      double top) {
    const Axes axes = axes_of(p);
    std::string out = fmt::format("<g transform=\"translate(0 {:.0f})\">\n", top);
    out += text(kLeft, 20, p.title, "font-weight=\"bold\"") + grid(p, axes);
    constexpr const char* kFloor = "stroke=\"#999\" stroke-width=\"5\" stroke-opacity=\"0.5\"";
    out += polyline(axes, p.copy_floor, kFloor) + polyline(axes, p.fma_floor, kFloor);
    double legend = kTop + 6;
    for (const auto& [name, line] : p.kernels) {
        const std::string& colour = colours.at(name);
        const char* const dash = p.peers.contains(name) ? "stroke-dasharray=\"6 4\"" : "";
        const std::string style = fmt::format("stroke=\"{}\" stroke-width=\"2\" {}", colour, dash);
        out += polyline(axes, line, style);
        for (const auto& [size, us] : line)
            out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                               axes.x.at(size), axes.y.at(us), colour);
        out += fmt::format("<path d=\"M{} {}h18\" {}/>\n", kWidth - kRight + 8, legend, style);
        out += text(kWidth - kRight + 30, legend + 4, name);
        legend += 16;
    }
    out += fmt::format("<path d=\"M{} {}h18\" {}/>\n", kWidth - kRight + 8, legend, kFloor);
    return out + text(kWidth - kRight + 30, legend + 4, "copy, fp32 ceilings") + "</g>\n";
}

}  // namespace

std::string to_svg(const Results& r) {
    const std::vector<Panel> panels = panels_of(r);
    const std::map<std::string, std::string> colours = colours_of(r);
    std::string body;
    double top = 24;
    for (const Panel& p : panels) {
        body += panel_svg(p, colours, top);
        top += kHeight;
    }
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
               "font-family=\"sans-serif\" font-size=\"11\">\n"
               "<title>weft bench</title>\n"
               "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
               kWidth, top) +
           text(8, 16, fmt::format("{}, {}, cold medians", r.device.name, r.date)) + body +
           "</svg>\n";
}

}  // namespace weft::bench
