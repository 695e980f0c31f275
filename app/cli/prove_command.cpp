#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "app/batch/batch_runner.h"
#include "app/batch/for_all.h"
#include "app/batch/job_list.h"
#include "app/batch/prover.h"
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/reports.h"
#include "app/cli/shared_options.h"
#include "app/cli/signals.h"
#include "app/cli/stall_guard.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/media_names.h"
#include "app/pipeline/names.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/version.h"
#include "filters/text/nearest.h"
#include "filters/text/printable.h"
#include "kernels/device/cgroup.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(Examples:
  weft prove out/
  weft prove --recursive --sample 1% out/
  weft prove --inputs /mnt/films out/a.mkv
  weft prove --json report.json out/ && jq '.files[] | select(.verdict != "proven")' report.json

Compares each output with the receipt that weft batch --receipts wrote next to it, recomputes the
frames from the input on this machine, and decodes lossless outputs. The outputs are not changed.
Exit codes: 0 all proven, 3 some cannot be proven (no receipt, input or output), 4 at least one is wrong.)";

struct ProveParser {
    ProveOptions options;
    std::string sample;
    std::string gpu = "auto";
    std::string json;
    std::optional<int> jobs;
    int cpus = 0;
    bool recursive = false;
    CommandLine line{"weft prove [--sample 1%] FOLDER|FILE…",
                     "Verifies outputs against their receipts, on any machine.", kExamples};

    ProveParser() {
        OptionGroup group = line.group("Options");
        group.add_flag("--recursive", recursive, "Include subfolders");
        group.add_text("--sample", "N%", sample, "Recompute only this share of the frames [100%]");
        group.add_text("--inputs", "FOLDER", options.inputs,
                       "The folder of the inputs [as in the receipts]");
        group.add_number("--jobs", jobs, 1, 1024,
                         "Number of outputs checked at once [depends on cores and memory]");
        add_cpus_option(group, cpus);
        add_gpu_option(group, gpu);
        add_json_option(group, json);
    }
};

double parse_sample(const std::string& text) {
    double percent = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, percent);
    const bool in_range = percent > 0 && percent <= 100;  // false for NaN
    if (error != std::errc{} || std::string_view(stop, end) != "%" || !in_range)
        throw Error(
            Outcome::usage,
            fmt::format("--sample {}: expected a percentage up to 100%, such as 1%", shown(text)));
    return percent / 100;
}

std::string proof_text(const ProveResult& result) {
    std::string text = frames_text(result.frames);
    if (result.recomputed != result.frames)
        text += fmt::format(", {} of them recomputed", result.recomputed);
    if (result.equal == result.recomputed)
        text += ", bit for bit";
    else if (result.difference)
        text += fmt::format(", within {:.3g} of {:.3g} levels", *result.difference,
                            result.allowed_difference);
    if (result.decoded > 0) text += "; the output decodes to these frames";
    return text;
}

std::string line_of(const ProveResult& result) {
    std::string text =
        fmt::format("{}: {}: ", printable_line(result.output), verdict_text(result.verdict));
    if (result.verdict == Verdict::proven) return text + proof_text(result) + "\n";
    for (std::size_t k = 0; k < result.reasons.size(); ++k)
        text += (k == 0 ? "" : "; ") + printable_line(result.reasons[k]);
    return text + "\n";
}

Json result_json(const ProveResult& result) {
    return {{"output", result.output},
            {"verdict", verdict_text(result.verdict)},
            {"reasons", result.reasons},
            {"frames", result.frames},
            {"frames_computed", result.recomputed},
            {"frames_equal", result.equal},
            {"first_different", or_null(result.first_different)},
            {"frames_decoded_equal", result.decoded},
            {"allowed_difference", result.allowed_difference},
            {"largest_difference", or_null(result.difference)}};
}

struct Counts {
    std::size_t proven = 0;
    std::size_t unproven = 0;
    std::size_t wrong = 0;
};

Counts counts_of(const std::vector<ProveResult>& results) {
    const auto count = [&](Verdict verdict) {
        return static_cast<std::size_t>(
            std::ranges::count(results, verdict, &ProveResult::verdict));
    };
    return {count(Verdict::proven), count(Verdict::unproven), count(Verdict::wrong)};
}

Outcome outcome_of(const Counts& counts) {
    if (counts.wrong > 0) return Outcome::damaged;
    return counts.unproven > 0 ? Outcome::some_failed : Outcome::ok;
}

std::string summary(const Counts& counts) {
    return fmt::format("{} proven, {} wrong, {} not proven", counts.proven, counts.wrong,
                       counts.unproven);
}

// The last line of a failed run: the first output with the worst verdict, and the counts.
std::string failure_text(const std::vector<ProveResult>& results, const Counts& counts) {
    const ProveResult& first = *std::ranges::max_element(results, {}, &ProveResult::verdict);
    return fmt::format("{}: {}: {}; {}", printable_line(first.output), verdict_text(first.verdict),
                       printable_line(first.reasons.front()), summary(counts));
}

Json report_json(const ProveParser& parser, const DeviceChoice& choice,
                 const std::vector<ProveResult>& results, Outcome outcome) {
    const Counts counts = counts_of(results);
    Json files = Json::array();
    for (const ProveResult& result : results) files.push_back(result_json(result));
    return {{"schema", 1},
            {"weft", kVersion},
            {"device", device_json(choice)},
            {"sample", parser.options.sample},
            {"exit_code", exit_code(outcome)},
            {"counts",
             {{"proven", counts.proven}, {"wrong", counts.wrong}, {"not_proven", counts.unproven}}},
            {"files", std::move(files)}};
}

// Alone in the state of a proof, which may outlive the command if its thread is abandoned.
struct Proof {
    std::string output;
    std::shared_ptr<const ProveOptions> options;
    std::shared_ptr<Heartbeat> heart = std::make_shared<Heartbeat>();
    std::optional<ProveResult> result = {};
};

ProveResult prove_guarded(StallGuard& guard, const std::string& output,
                          const std::shared_ptr<const ProveOptions>& options,
                          const std::stop_token& stop) {
    const auto proof = std::make_shared<Proof>(Proof{.output = output, .options = options});
    const auto work = [proof](const std::stop_token& stop_work) {
        proof->result = prove_output(proof->output, *proof->options, proof->heart, stop_work);
    };
    try {
        guard.run(output, proof->heart, work, stop);
    } catch (const Error& error) {
        ProveResult failed;
        failed.output = output;
        failed.verdict = Verdict::unproven;
        failed.reasons = {error.what()};
        return failed;
    }
    return std::move(*proof->result);
}

// Prints the verdicts in the order in which they are reached. Ends early if a signal arrives.
std::vector<ProveResult> prove_all(const std::vector<std::string>& outputs,
                                   const ProveOptions& options, int jobs, StallGuard& guard,
                                   const SignalWatch& signals, bool print) {
    const auto shared = std::make_shared<const ProveOptions>(options);
    std::vector<std::optional<ProveResult>> found(outputs.size());
    std::mutex printing;
    try {
        for_all(outputs.size(), static_cast<std::size_t>(jobs), signals.token(),
                [&](std::size_t k) {
                    found[k] = prove_guarded(guard, outputs[k], shared, signals.token());
                    const std::scoped_lock lock(printing);
                    if (print) print_output(line_of(*found[k]));
                });
    } catch (const Cancelled&) {  // the others are reported
    }
    std::vector<ProveResult> results;
    for (std::optional<ProveResult>& result : found)
        if (result) results.push_back(std::move(*result));
    return results;
}

bool is_still(const std::string& output) {
    return output_name(output) == std::filesystem::path(output).filename() &&
           find_container(output, "").kind == OutputKind::still && !is_sequence(output);
}

int jobs_of(const std::vector<std::string>& outputs, const Device& device) {
    return jobs_for({.files = outputs.size(),
                     .stills = std::ranges::all_of(outputs, is_still),
                     .encodes = false,
                     .gpus = device.is_gpu() ? 1 : 0,
                     .cores = usable_cores(),
                     .memory_bytes = available_memory_bytes()});
}

}  // namespace

std::vector<OptionHelp> prove_options() {
    return ProveParser().line.options();
}

Outcome run_prove(Arguments arguments) {
    ProveParser parser;
    bool help_requested = false;
    const std::vector<std::string> paths = parser.line.parse(arguments, help_requested);
    if (help_requested) {
        print_output(parser.line.help());
        return Outcome::ok;
    }
    if (paths.empty())
        throw Error(Outcome::usage, "no folder or file was given: weft prove FOLDER or FILE");
    if (parser.cpus > 0) use_cores(parser.cpus);
    if (!parser.sample.empty()) parser.options.sample = parse_sample(parser.sample);
    const std::string& json = parser.json;
    if (!json.empty()) check_report_path("--json", json, {}, RunFiles());
    if (!json.empty()) check_report_file("--json", json, Overwrite::refuse);
    SignalWatch signals;
    const std::vector<std::string> outputs = outputs_to_prove(paths, parser.recursive);
    if (outputs.empty())
        throw Error(Outcome::usage,
                    fmt::format("{}: no outputs and no receipts found{}", paths.front(),
                                parser.recursive ? "" : " (--recursive includes subfolders)"));
    const DeviceChoice choice = choose_devices(parse_one_gpu_request(parser.gpu));
    parser.options.device = choice.devices.front();
    parser.options.claims = claims_of(outputs);
    const int jobs = parser.jobs.value_or(jobs_of(outputs, parser.options.device));
    parser.options.decoder_threads = threads_for(jobs);
    StallGuard guard;
    const std::vector<ProveResult> results =
        prove_all(outputs, parser.options, jobs, guard, signals, json != "-");
    const Counts counts = counts_of(results);
    const Outcome signal = signals.outcome();
    const Outcome outcome = signal == Outcome::ok ? outcome_of(counts) : signal;
    if (json != "-") print_output(summary(counts) + "\n");
    if (!json.empty()) write_report(json, json_page(report_json(parser, choice, results, outcome)));
    if (outcome != Outcome::ok)
        print_error(signal == Outcome::ok
                        ? failure_text(results, counts)
                        : fmt::format("stopped by a signal after {} of {} outputs", results.size(),
                                      outputs.size()));
    if (guard.has_abandoned()) leave(outcome);
    return outcome;
}

}  // namespace weft
