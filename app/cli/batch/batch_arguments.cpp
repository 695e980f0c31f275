#include "app/cli/batch/batch_arguments.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/shared_options.h"
#include "app/media/libav/error.h"
#include "filters/stack.h"
#include "filters/text/nearest.h"
#include "kernels/device/cgroup.h"

namespace weft {
namespace {

constexpr const char* kUsage = "weft batch (-vf STACK | --preset NAME) -o OUTPUT INPUT…";
constexpr const char* kSummary =
    "Filters videos and images and keeps everything else in the files. Outputs appear complete or "
    "not at all.";
constexpr const char* kExamples = R"(Examples:
  weft batch -vf gaussian=sigma=2 -o soft.mp4 holiday.mp4
  weft batch -vf "convolve=matrix='0 -1 0; -1 5 -1; 0 -1 0':planes=y" -o out/ *.mkv
  weft batch --preset edges --recursive -o edges/ videos/
  weft batch -vf unsharp --lossless -ss 1:30 -t 10 -o cut.mkv film.mkv
  weft batch -vf sobel --gpu all -o edges/ videos/
  weft batch -vf sobel --resume -n -o edges/ films/
  weft batch -vf sobel --shard 3/100 --receipts -n -o edges/ films/
  weft batch -vf sobel -o edges/ films/ --plan films.plan --shards 100
  weft batch --run films.plan --shard auto
  weft batch --run films.plan --check --watch
  find . -name '*.mov' -print0 | weft batch -vf sobel --input-list - -o edges/
  weft batch -vf sobel --dry-run -o x.mkv film.mkv
  ffmpeg -v error -i a.mov -f nut - | weft batch -vf box -f nut -o - - | ffplay -

INPUT is a file, a folder, a numbered sequence (shot_%04d.png) or - for standard input.
Exit codes: 0 success, 1 failure, 2 usage error, 3 some of several files failed, 4 damaged input,
5 output not written, 6 no GPU, 130 and 143 interrupted. SIGUSR1 prints the progress.
Control characters in names are printed escaped (\x1b). In JSON, each invalid byte of a name that is
not UTF-8 appears as \xff, and an extra field, such as "input_bytes", has the whole name
percent-encoded.)";

// Texts that are converted after all options are parsed.
struct Texts {
    std::string gpu = "auto";
    std::string progress;
    std::string loglevel;
    std::string json;
    std::string trace;
    std::string input_list;
    std::string shard;
    std::string plan;
    std::string run;
    int shards = 0;
    int split = 0;
    int cpus = 0;
    bool check = false;
    std::string failed_list;
    bool overwrite = false;
    bool skip = false;
};

// ffmpeg's log levels that show no progress.
bool is_silent(std::string_view level) {
    return level == "quiet" || level == "panic" || level == "fatal" || level == "error";
}

struct BatchParser {
    BatchOptions options;
    Texts texts;
    JobOptionWords words;
    CommandLine line{kUsage, kSummary, kExamples};

    BatchParser();
    void add_what();
    void add_where();
    void add_plan();
    void add_how();
    void add_reports();
    void finish();
    void finish_shard();
    void require_work() const;
    void check_plan_options() const;
    std::vector<PlanOption> planned_options();
    CheckForm check_form() const;
    std::string no_output() const;
    void finish_choices();
};

BatchParser::BatchParser() {
    add_what();
    add_where();
    add_plan();
    words.add_group(line, "Range");
    words.add_group(line, "Encoding");
    add_how();
    add_reports();
}

void BatchParser::add_what() {
    OptionGroup group = line.group("Filters");
    add_stack_options(group, options.stack);
    add_gpus_option(group, texts.gpu);
    words.add_group(line, "Filters");
}

void BatchParser::add_where() {
    OptionGroup group = line.group("Output");
    group
        .add_text("--output", "OUTPUT", options.output,
                  "A file, - for standard output, a folder (if the name ends in / or there are "
                  "several inputs), or null: to write nothing")
        .once = true;
    group.add_flag("--overwrite", texts.overwrite, "Replace existing outputs and reports");
    group.add_flag("--skip-existing", texts.skip, "Skip existing outputs");
    group.add_flag("--recursive", options.recursive,
                   "Process folders recursively and mirror their structure");
    group.add_text("--input-list", "FILE", texts.input_list,
                   "Read more inputs from FILE, one per line; - is standard input");
    words.add_group(line, "Output");
}

void BatchParser::add_plan() {
    OptionGroup group = line.group("Many machines");
    group.add_text("--shard", "I/N|auto|auto/N", texts.shard,
                   "Filter only part I of N of the inputs or, with auto, the part assigned to this "
                   "batch-engine task");
    group.add_text("--plan", "FILE", texts.plan,
                   "Check the batch, divide its files into shards and write the plan to FILE");
    group.add_number("--shards", texts.shards, 1, kMostShards, "Number of shards in the plan [1]");
    group.add_number("--split", texts.split, 1, kMostShards,
                     "Let up to N tasks share each video of the plan; --shards defaults to N");
    group.add_text("--run", "FILE", texts.run,
                   "Filter the files of a plan, or of one of its shards (--shard)");
    group.add_flag("--check", texts.check,
                   "With --run, print the files without a valid receipt; -f slurm and -f index "
                   "print the tasks to run again, -f json everything, and -f csv and -f html a "
                   "table of all files");
    group.add_flag("--join", options.join,
                   "With --run, join the finished parts of videos divided by --split");
    group.add_number("--try", options.trial, 1, kMostShards,
                     "With --run, filter only N files of all sizes, estimate the time and the size "
                     "of all, and save a picture of them before and after");
    group.add_flag("--watch", options.watch,
                   "With --check, show the progress until all files are done");
}

void BatchParser::add_how() {
    OptionGroup group = line.group("Processing");
    group.add_number("--jobs", options.jobs, 1, 1024,
                     "Number of files processed at once [depends on cores, decoders and memory]");
    add_cpus_option(group, texts.cpus);
    group.add_flag("--dry-run", options.dry_run, "Print the plan without writing anything");
    add_explain_option(group, options.explain);
    group.add_flag("--receipts", options.receipts,
                   "Write a receipt next to each output; with -n, skip outputs with a valid "
                   "receipt");
    group.add_flag(
        "--resume", options.resume,
        "Keep finished segments of 250 frames, and continue an interrupted run after the "
        "last of them");
    words.add_group(line, "Processing");
}

void BatchParser::add_reports() {
    OptionGroup group = line.group("Processing");
    add_json_option(group, texts.json);
    group.add_text("--trace", "FILE.json", texts.trace,
                   "Write a timeline of every stage and kernel for Perfetto or chrome://tracing");
    group.add_text("--failed-list", "FILE", texts.failed_list,
                   "Write the inputs that failed to FILE, one per line, for --input-list");
    group.add_choice("--progress", "json|none", texts.progress, {"json", "none"},
                     "Print events as JSON lines on standard error (json), or no progress (none)");
    group.add_choice(
        "--loglevel", "LEVEL", texts.loglevel,
        {"quiet", "panic", "fatal", "error", "warning", "info", "verbose", "debug", "trace"},
        "Verbosity, as in ffmpeg; error or quieter implies --progress=none");
}

void BatchParser::finish() {
    if (texts.cpus > 0) use_cores(texts.cpus);
    words.set(options.job);
    if (!texts.json.empty()) options.json = texts.json;
    if (!texts.trace.empty()) options.trace = texts.trace;
    if (!texts.input_list.empty()) options.input_list = texts.input_list;
    if (!texts.failed_list.empty()) options.failed_list = texts.failed_list;
    if (!texts.plan.empty()) options.plan = texts.plan;
    if (texts.split > 0) options.shards = options.parts = texts.split;
    if (texts.shards > 0) options.shards = texts.shards;
    if (!texts.run.empty()) options.run = texts.run;
    check_plan_options();
    finish_shard();
    if (options.plan) options.planned_options = planned_options();
    require_work();
    if (texts.overwrite && texts.skip)
        throw Error(Outcome::usage, "-y and -n are mutually exclusive");
    if (options.json == "-" && options.output == "-")
        throw Error(Outcome::usage,
                    "the report and the video cannot both go to standard output: --json FILE.json");
    if (options.trace == "-")
        throw Error(Outcome::usage, "--trace -: the timeline must go to a file");
    if (options.failed_list == "-")
        throw Error(Outcome::usage, "--failed-list -: the list must go to a file");
    if (options.input_list == "-" && std::ranges::find(options.inputs, "-") != options.inputs.end())
        throw Error(Outcome::usage, "standard input cannot be both the input list and an input");
    finish_choices();
    if (!options.run) return;
    options.receipts = true;
    if (options.job.writer.overwrite == Overwrite::refuse)
        options.job.writer.overwrite = Overwrite::skip;
}

// Engines report the number of tasks of a retry; a plan knows the number of its shards.
void BatchParser::finish_shard() {
    if (texts.shard.empty()) return;
    const Environment environment = [](const char* name) { return std::getenv(name); };
    const bool counted = options.run && texts.shard == "auto";
    options.shard =
        parse_shard(counted ? fmt::format("auto/{}", options.shards) : texts.shard, environment);
    if (options.run && options.shard->count != options.shards)
        throw Error(Outcome::usage,
                    fmt::format("--shard {}: the plan has {} shards, not {}", shown(texts.shard),
                                options.shards, options.shard->count));
}

void BatchParser::require_work() const {
    if (options.inputs.empty() && !options.input_list && !options.run)
        throw Error(Outcome::usage, "no input was given");
    if (options.output.empty() && !options.run) throw Error(Outcome::usage, no_output());
    check_stack_words(options.stack);
}

void BatchParser::check_plan_options() const {
    const auto refuse = [](const char* what) { throw Error(Outcome::usage, what); };
    if (texts.shards > 0 && !options.plan) refuse("--shards needs --plan");
    if (texts.split > 0 && !options.plan) refuse("--split needs --plan");
    if (options.join && !options.run) refuse("--join needs --run FILE");
    if (options.join && texts.check) refuse("--join and --check are mutually exclusive");
    if (options.trial > 0 && !options.run) refuse("--try needs --run FILE");
    if (options.trial > 0 && (texts.check || options.join || !texts.shard.empty()))
        refuse("--try chooses the files: it cannot be used with --check, --join or --shard");
    if (texts.check && !options.run) refuse("--check needs --run FILE");
    if (options.watch && !texts.check) refuse("--watch needs --check");
    if (!options.plan) return;
    if (!texts.shard.empty())
        refuse(
            "--shard cannot be used with --plan, which contains all shards: --shards N sets their "
            "number, and --run FILE --shard I/N filters one");
    if (options.json || options.trace || options.failed_list || options.dry_run)
        refuse(
            "--plan filters nothing: give --json, --trace, --failed-list and --dry-run to the runs "
            "of the plan");
}

std::string value_of(const std::vector<PlanOption>& options, std::string_view name) {
    const auto found = std::ranges::find(options, name, &PlanOption::first);
    return found == options.end() ? "" : found->second;
}

// With --check, -f is the form of the list, not a container.
CheckForm BatchParser::check_form() const {
    const std::string word = value_of(words.given(), "--format");
    if (word.empty()) return CheckForm::list;
    if (word == "slurm") return CheckForm::slurm;
    if (word == "index") return CheckForm::index;
    if (word == "json") return CheckForm::json;
    if (word == "csv") return CheckForm::csv;
    if (word == "html") return CheckForm::html;
    throw Error(Outcome::usage, fmt::format("--check -f {}: expected slurm, index, json, csv or "
                                            "html",
                                            shown(word)));
}

std::vector<PlanOption> BatchParser::planned_options() {
    std::vector<PlanOption> planned = words.given();
    // The bits depend on it, and the parts of a video may be made on different machines.
    if (options.parts > 1 && options.job.writer.threads == 0)
        planned.emplace_back("--threads", std::to_string(usable_cores()));
    return planned;
}

// ffmpeg's last argument is the output, which does not exist yet.
std::string BatchParser::no_output() const {
    std::string text = "no output was given: -o FILE, -o FOLDER/ or -o -";
    if (options.job.writer.format == "null")
        return "no output was given: write '-o null:', without -f, to filter without writing";
    std::error_code error;
    if (options.inputs.size() < 2 || std::filesystem::exists(options.inputs.back(), error))
        return text;
    return fmt::format("{}; {} was read as an input: write -o {} to make it the output", text,
                       shown(options.inputs.back()), shown(options.inputs.back()));
}

void BatchParser::finish_choices() {
    options.job.writer.overwrite = texts.overwrite ? Overwrite::replace
                                   : texts.skip    ? Overwrite::skip
                                                   : Overwrite::refuse;
    options.gpu = parse_gpu_request(texts.gpu);
    options.progress = texts.progress == "json" ? ProgressMode::json
                       : texts.progress == "none" || is_silent(texts.loglevel)
                           ? ProgressMode::none
                           : ProgressMode::automatic;
}

// The words that give a planned option as it was given: one per line of those that add up.
std::vector<std::string> words_of(const std::string& plan, const PlanOption& planned) {
    const auto& [name, value] = planned;
    const auto option = std::ranges::find(job_options(), typed_form(name), &JobOption::name);
    if (option == job_options().end())
        throw Error(Outcome::usage,
                    fmt::format("{}: the plan contains the option {}, which plans do not store",
                                plan, shown(name)));
    if (value.empty()) return {name};
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= value.size();) {
        const std::size_t end =
            option->adds_up ? std::min(value.find('\n', at), value.size()) : value.size();
        words.push_back(fmt::format("{}={}", name, value.substr(at, end - at)));
        at = end + 1;
    }
    return words;
}

}  // namespace

std::optional<BatchOptions> parse_batch(std::span<const std::string> arguments) {
    BatchParser parser;
    bool help_requested = false;
    parser.options.inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) return std::nullopt;
    if (parser.texts.run.empty()) {
        parser.finish();
        return std::move(parser.options);
    }
    if (!parser.texts.plan.empty())
        throw Error(
            Outcome::usage,
            "--plan writes a plan and --run filters the files of one: give only one of them");
    BatchOptions options;
    options.run = parser.texts.run;
    return options;
}

BatchOptions parse_planned_batch(std::span<const std::string> arguments, const PlanHead& plan) {
    bool help_requested = false;
    BatchParser given;
    const std::vector<std::string> inputs = given.line.parse(arguments, help_requested);
    std::vector<PlanOption> twice = given.planned_options();
    const bool checks = given.texts.check;
    if (checks) std::erase_if(twice, [](const PlanOption& o) { return o.first == "--format"; });
    const bool whole = inputs.empty() && given.texts.input_list.empty() &&
                       given.options.output.empty() && given.options.stack.stack.empty() &&
                       given.options.stack.preset.empty() && !given.options.recursive;
    if (!whole || !twice.empty())
        throw Error(
            Outcome::usage,
            fmt::format("--run: the plan contains the inputs, the output, the filters and all "
                        "options that affect the outputs{}: make a new plan to change "
                        "them",
                        twice.empty() ? "" : ", such as " + typed_form(twice[0].first)));
    if (const int now = definition_of(parse_stack(plan.stack.text)); now != plan.definition)
        throw Error(Outcome::usage,
                    fmt::format("{}: was made with definition {} of its filters, and this version "
                                "of weft has definition {}, which gives other pictures: make a new "
                                "plan",
                                given.texts.run, plan.definition, now));
    std::vector<std::string> words;
    for (const PlanOption& option : plan.options)
        std::ranges::move(words_of(given.texts.run, option), std::back_inserter(words));
    words.insert(words.end(), arguments.begin(), arguments.end());
    BatchParser parser;
    (void)parser.line.parse(words, help_requested);
    parser.options.stack.stored = plan.stack;
    parser.options.stack.folder = plan_folder(given.texts.run);
    parser.options.shards = plan.shards;
    parser.finish();
    if (checks) {
        parser.options.check = given.check_form();
        parser.options.job.writer.format = value_of(plan.options, "--format");
    }
    return std::move(parser.options);
}

std::string batch_help() {
    return BatchParser().line.help();
}

std::vector<OptionHelp> batch_options() {
    return BatchParser().line.options();
}

}  // namespace weft
