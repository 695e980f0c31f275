// weft-bench: proves every GPU kernel row right on each case, then times it.
#include <cstdio>
#include <exception>
#include <fstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tests/bench/report.h"

namespace weft::bench {

namespace {

constexpr int kSkipped = 77;

struct Options {
    std::string json_file;
    std::string commit;
    std::string case_part;
    std::string kernel;
    bool markdown = false;
    int gpu = 0;
    Effort effort;
};

void define(CLI::App& app, Options& o) {
    app.add_option("--json", o.json_file, "write the results to FILE")->type_name("FILE");
    app.add_flag("--markdown", o.markdown, "print the table as Markdown");
    app.add_option("--commit", o.commit, "recorded with the results")->type_name("ID");
    app.add_option("--case", o.case_part, "only cases whose name contains TEXT")->type_name("TEXT");
    app.add_option("--kernel", o.kernel, "only this kernel row")->type_name("NAME");
    app.add_option("--gpu", o.gpu, "which GPU")->type_name("N");
    app.add_option("--samples", o.effort.samples, "samples of each timing")
        ->check(CLI::Range(1, 100000));
}

const Device* find_gpu(const GpuProbe& probe, int ordinal) {
    for (const Device& d : probe.devices)
        if (d.ordinal == ordinal) return &d;
    return nullptr;
}

std::vector<Measurement> measure_case(const BenchCase& c, const Device& device, const Options& o) {
    BenchImages images(c.problem);
    std::vector<Measurement> out = {measure_copy(c, images, o.effort)};
    for (const ConvKernel& row : conv_kernels()) {
        if (row.space != MemorySpace::device) continue;
        if (!o.kernel.empty() && row.name != o.kernel) continue;
        out.push_back(measure_row(row, device, c, images, o.effort));
    }
    return out;
}

int run(const Options& o, const Device& device) {
    use_device(device);
    RunInfo info{.device = device, .clocks = {}, .date = date_now(), .commit = o.commit};
    std::vector<Measurement> all;
    for (const BenchCase& c : bench_cases()) {
        if (c.name.find(o.case_part) == std::string::npos) continue;
        std::fprintf(stderr, "%s\n", c.name.c_str());
        for (Measurement& m : measure_case(c, device, o)) all.push_back(std::move(m));
        info.clocks = gpu_clocks(device);
    }
    std::fputs(to_text(info, all, o.markdown).c_str(), stdout);
    if (!o.json_file.empty()) {
        std::ofstream file(o.json_file);
        file << to_json(info, all) << std::flush;
        if (!file) {
            std::fprintf(stderr, "weft-bench: error: cannot write %s\n", o.json_file.c_str());
            return 5;
        }
    }
    for (const Measurement& m : all)
        if (m.wrong) return 1;
    return 0;
}

int run_with_gpu(const Options& o) {
    const GpuProbe probe = probe_gpus();
    if (probe.devices.empty()) {
        std::fprintf(stderr, "weft-bench: nothing to time: %s\n", probe.why_none.c_str());
        return kSkipped;
    }
    const Device* const device = find_gpu(probe, o.gpu);
    if (device == nullptr) {
        std::fprintf(stderr, "weft-bench: error: there is no GPU %d\n", o.gpu);
        return 2;
    }
    return run(o, *device);
}

}  // namespace

}  // namespace weft::bench

int main(int argc, char** argv) {
    try {
        CLI::App app{
            "Times every GPU kernel on 3840×2160 images, after checking its result against a "
            "naive sum in double. Exits 77 without a GPU, 1 if a result is wrong."};
        weft::bench::Options options;
        weft::bench::define(app, options);
        CLI11_PARSE(app, argc, argv)
        return weft::bench::run_with_gpu(options);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "weft-bench: error: %s\n", e.what());
        return 1;
    }
}
