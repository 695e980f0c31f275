// weft-bench: proves every kernel and every peer correct on each case, then times it. `weft bench`
// runs this program.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/device/stream.h"
#include "tests/bench/peers.h"
#include "tests/bench/plot.h"
#include "tests/bench/report.h"

namespace weft::bench {

namespace {

constexpr int kSkipped = 77;  // exit code of a suite that cannot run here
constexpr int kUsage = 2;
constexpr int kCannotWrite = 5;
constexpr const char* kStandardOutput = "-";

struct Options {
    std::string suite = "image";
    std::string json_file, csv_file, plot_file;
    std::string commit;
    std::string from_file;
    std::string case_part;
    Wanted kernels;
    bool overwrite = false;
    bool markdown = false;
    bool list = false;
    std::string gpu = "0";
    unsigned seed = 0;
    Effort effort;
};

void define(CLI::App& app, Options& o) {
    app.add_option("--suite", o.suite, "Suite of cases to measure; --list names all")
        ->type_name("NAME");
    app.add_flag("--list", o.list, "Name the suites and their cases");
    app.add_option("--seed", o.seed, "Draw other problems for --suite random")
        ->type_name("N")
        ->check(CLI::Range(0, 1000000));
    app.add_option("--case", o.case_part, "Measure only cases whose name contains TEXT")
        ->type_name("TEXT");
    app.add_option("--kernel", o.kernels,
                   "Measure only this kernel or peer; npp selects all of npp/…")
        ->type_name("NAME")
        ->delimiter(',');
    // As in weft batch: standard output, unless a name follows.
    app.add_option("--json", o.json_file, "Write the results to FILE, or to standard output")
        ->type_name("[FILE]")
        ->expected(0, 1)
        ->default_str(kStandardOutput);
    app.add_option("--csv", o.csv_file, "Write the table to FILE")->type_name("FILE");
    app.add_option("--plot", o.plot_file, "Plot the time against the filter size")
        ->type_name("FILE.svg");
    app.add_flag("-y", o.overwrite,
                 "Replace existing files even if they are not results of weft bench");
    app.add_option("--from", o.from_file, "Show the results in FILE.json instead of measuring")
        ->type_name("FILE.json");
    app.add_flag("--markdown", o.markdown, "Print the table as Markdown");
    app.add_option("--commit", o.commit, "Commit ID to record with the results")->type_name("ID");
    app.add_option("--gpu", o.gpu, "Number of the GPU; off times the kernels of the CPU")
        ->type_name("N|off");
    app.add_option("--samples", o.effort.samples, "Maximum number of samples per timing")
        ->check(CLI::Range(1, 100000));
    app.add_option("--seconds", o.effort.seconds, "Time limit per timing")
        ->check(CLI::Range(0.001, 100.0));
}

int fail(int code, const std::string& why) {
    std::fprintf(stderr, "weft: error: %s\n", why.c_str());
    return code;
}

void list_suites(unsigned seed) {
    for (const Suite& suite : suites()) {
        std::fputs(fmt::format("{}: {}\n", suite.name, suite.summary).c_str(), stdout);
        if (suite.name == "all") continue;
        for (const BenchCase& c : cases_of(suite, seed))
            std::fputs(fmt::format("  {}\n", c.name).c_str(), stdout);
    }
}

std::string suite_names() {
    std::string names;
    for (const Suite& suite : suites())
        names += (names.empty() ? "" : ", ") + std::string(suite.name);
    return names;
}

// Null if `ordinal` is not the number of a GPU.
const Device* find_gpu(const GpuProbe& probe, const std::string& ordinal) {
    for (const Device& d : probe.devices)
        if (std::to_string(d.ordinal) == ordinal) return &d;
    return nullptr;
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Results of an earlier run, in any of the three forms, or nothing.
bool is_own(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::stringstream stream;
    stream << file.rdbuf();
    const std::string text = stream.str();
    if (!file.is_open()) return false;
    if (text.empty() || text.starts_with(to_csv({})) ||
        (text.starts_with("<svg ") && text.find("<title>weft bench</title>") != std::string::npos))
        return true;
    try {
        (void)from_json(text);
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

// As in weft batch: what to say if `name` must not be replaced; else nothing.
std::string why_not_replaced(const char* option, const std::string& name, const Options& o) {
    std::error_code error;
    const bool free = name.empty() || o.overwrite || name == kStandardOutput ||
                      !std::filesystem::is_regular_file(name, error) || is_own(name);
    return free ? ""
                : fmt::format(
                      "{} {}: exists and is not a report of weft; -y replaces it, or choose "
                      "another name",
                      option, name);
}

std::string why_no_reports(const Options& o) {
    for (const auto& [option, name] :
         {std::pair("--json", &o.json_file), std::pair("--csv", &o.csv_file),
          std::pair("--plot", &o.plot_file)})
        if (std::string why_not = why_not_replaced(option, *name, o); !why_not.empty())
            return why_not;
    return "";
}

bool write(const std::string& name, const std::string& text) {
    if (name.empty()) return true;
    if (name == kStandardOutput)
        return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    std::ofstream file(name);
    file << text << std::flush;
    return static_cast<bool>(file);
}

Results measure_suite(const Suite& suite, const Device& device, const Options& o) {
    Results results{.device = device,
                    .suite = std::string(suite.name),
                    .clocks = {},
                    .date = date_now(),
                    .commit = o.commit,
                    .ceilings = {},
                    .limits = {},
                    .rows = {}};
    if (device.is_gpu()) results.ceilings = measure_ceilings(device, o.effort);
    if (suite.limits != nullptr && o.case_part.empty())
        results.limits = suite.limits(device, o.effort);
    for (const BenchCase& c : cases_of(suite, o.seed)) {
        if (c.name.find(o.case_part) == std::string::npos) continue;
        std::fprintf(stderr, "%s\n", c.name.c_str());
        for (Measurement& m : measure_case(c, device, o.kernels, o.effort))
            results.rows.push_back(std::move(m));
        if (device.is_gpu()) results.clocks = gpu_clocks(device);
        // Written after each case: a library that crashes costs its case, not the run.
        if (o.json_file != kStandardOutput) (void)write(o.json_file, to_json(results));
    }
    return results;
}

bool has_case(const Suite& suite, const Options& o) {
    if (o.case_part.empty()) return true;  // a suite may have limits only
    return std::ranges::any_of(cases_of(suite, o.seed), [&](const BenchCase& c) {
        return c.name.find(o.case_part) != std::string::npos;
    });
}

std::string text_of(const std::string& name) {
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) throw std::runtime_error("cannot read " + name);
    return text.str();
}

int fail_to_write(const std::string& name) {
    return fail(kCannotWrite,
                "cannot write " + (name == kStandardOutput ? "to standard output" : name));
}

int show(const Results& results, const Options& o) {
    if (!write(o.json_file, to_json(results))) return fail_to_write(o.json_file);
    if (!write(o.csv_file, to_csv(results))) return fail_to_write(o.csv_file);
    if (!write(o.plot_file, to_svg(results))) return fail_to_write(o.plot_file);
    if (o.json_file != kStandardOutput)
        std::fputs((o.markdown ? to_markdown(results) : to_text(results)).c_str(), stdout);
    for (const Measurement& m : results.rows)
        if (m.wrong && !m.peer) return 1;
    return 0;
}

int run(const Options& o) {
    if (o.list) {
        list_suites(o.seed);
        return 0;
    }
    if (const std::string why_not = why_no_reports(o); !why_not.empty())
        return fail(kUsage, why_not);
    if (!o.from_file.empty()) return show(from_json(text_of(o.from_file)), o);
    const Suite* const suite = find_suite(o.suite);
    if (suite == nullptr)
        return fail(kUsage, fmt::format("no suite is called '{}': {}", o.suite, suite_names()));
    if (!has_case(*suite, o))
        return fail(kUsage,
                    fmt::format("--case {}: no case of the suite {} contains that in its name; "
                                "--list names them",
                                o.case_part, suite->name));
    const bool on_cpu = o.gpu == "off";
    if (!on_cpu && !is_number(o.gpu))
        return fail(
            kUsage,
            fmt::format("--gpu {}: expected the number of one GPU, such as 0, or off", o.gpu));
    const GpuProbe probe = on_cpu ? GpuProbe() : probe_gpus();
    if (!on_cpu && probe.devices.empty() && suite->needs_gpu) {
        std::fprintf(stderr, "weft-bench: nothing to time: %s\n", probe.why_none.c_str());
        return kSkipped;
    }
    const Device* const gpu = find_gpu(probe, o.gpu);
    if (!probe.devices.empty() && gpu == nullptr)
        return fail(kUsage, fmt::format("there is no GPU {}", o.gpu));
    const Device device = gpu != nullptr ? *gpu : cpu_device();
    use_device(device);
    if (device.is_gpu() && !why_no_peers().empty())
        std::fprintf(stderr, "weft-bench: %s\n", why_no_peers().c_str());
    return show(measure_suite(*suite, device, o), o);
}

}  // namespace

}  // namespace weft::bench

int main(int argc, char** argv) {
    try {
        CLI::App app{
            "Times every kernel and every peer that can be found, after checking its result "
            "against a naive sum in double. Exits with 77 without a GPU (except with --gpu "
            "off and with --suite smoke), and with 1 if one of our results is wrong.",
            "weft bench"};
        weft::bench::Options options;
        weft::bench::define(app, options);
        try {
            app.parse(argc, argv);
        } catch (const CLI::Success& help) {
            return app.exit(help);
        } catch (const CLI::ExtrasError&) {
            return weft::bench::fail(
                weft::bench::kUsage,
                fmt::format("weft bench takes no {}; weft bench --help lists its options",
                            fmt::join(app.remaining(), " ")));
        } catch (const CLI::ParseError& error) {
            return weft::bench::fail(weft::bench::kUsage, error.what());
        }
        return weft::bench::run(options);
    } catch (const std::exception& e) {
        return weft::bench::fail(1, e.what());
    }
}
