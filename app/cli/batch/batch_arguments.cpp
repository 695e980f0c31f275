#include "app/cli/batch/batch_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

extern "C" {
#include <libavutil/eval.h>
}

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/names.h"
#include "app/cli/shared_options.h"
#include "app/media/libav/error.h"
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

// Texts that are converted after CLI11 has parsed them.
struct Texts {
    RangeWords range;
    std::string frame_rate;
    std::string kernel;
    std::string gpu = "auto";
    std::string hwaccel = "none";
    std::string verify;
    std::string fields;
    bool exact = false;
    std::string on_change = "fail";
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
    bool check = false;
    std::string failed_list;
    std::string crf;
    bool overwrite = false;
    bool skip = false;
    bool no_audio = false;
    bool no_subtitles = false;
};

// libav's maximum for encoders that keep a frame in each thread.
constexpr int kMostThreads = 64;

// ffmpeg's log levels that show no progress.
bool is_silent(std::string_view level) {
    return level == "quiet" || level == "panic" || level == "fatal" || level == "error";
}

// The encoder checks its own range, once it is chosen; no encoder has a wider one.
double parse_crf(const std::string& text) {
    constexpr double kMost = 63;
    double crf = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, crf);
    const bool in_range = crf >= 0 && crf <= kMost;  // false for NaN
    if (error != std::errc{} || stop != end || !in_range)
        throw Error(Outcome::usage,
                    fmt::format("-crf {}: expected a number from 0 (best) to 51 (libx264, libx265, "
                                "NVENC) or 63 (libvpx-vp9, AV1 encoders)",
                                shown(text)));
    return crf;
}

// In ffmpeg's notation; the encoder checks its own range.
void check_bit_rate(const std::string& text) {
    char* end = nullptr;
    const double rate = av_strtod(text.c_str(), &end);
    if (*end != '\0' || !std::isfinite(rate) || rate < 1)
        throw Error(Outcome::usage,
                    fmt::format("-b:v {}: expected bits per second, such as 4M, 800k or 4000000",
                                shown(text)));
}

// The options that decide the outputs: a plan stores them, and --run takes them from there.
constexpr std::array<std::string_view, 24> kPlanned = {
    "--kernel",      "--fields",   "--exact",      "--format",         "--start",
    "--duration",    "--end",      "--no-audio",   "--no-subtitles",   "--video-codec",
    "--audio-codec", "--crf",      "--bit-rate",   "--encoder-preset", "--pixel-format",
    "--threads",     "--lossless", "--strict",     "--hwaccel",        "--keep-damaged",
    "--on-change",   "--verify",   "--max-pixels", "--max-side"};

struct BatchParser {
    BatchOptions options;
    Texts texts;
    CommandLine line{kUsage, kSummary, kExamples};

    BatchParser();
    void add_what();
    void add_fields();
    void add_where();
    void add_plan();
    void add_which_part();
    void add_encoder();
    void add_how();
    void add_reports();
    void finish();
    void finish_shard();
    void require_work() const;
    void check_plan_options() const;
    std::vector<PlanOption> planned_options();
    CheckForm check_form() const;
    void take_form(const BatchParser& given, const PlanHead& plan);
    std::string no_output() const;
    void check_names() const;
    void finish_choices();
};

BatchParser::BatchParser() {
    add_what();
    add_fields();
    add_where();
    add_plan();
    add_which_part();
    add_encoder();
    add_how();
    add_reports();
}

void BatchParser::add_what() {
    CLI::App& app = line.app();
    add_stack_options(app, options.stack, "Filters");
    app.add_option(
           "--kernel", texts.kernel,
           "Force a kernel for all steps, or one per step (,direct: only the second); table: "
           "the planner's choice, ignoring weft tune")
        ->option_text("NAME[,NAME...]")
        ->group("Filters");
    add_gpus_option(app, texts.gpu, "Filters");
}

void BatchParser::add_fields() {
    line.app()
        .add_option("--fields", texts.fields,
                    "split: filter each field of interlaced video as a separate picture")
        ->option_text("split")
        ->check(one_of({"split"}))
        ->group("Filters");
    line.app()
        .add_flag(
            "--exact", texts.exact,
            "Give the same bits on every device: taps become whole numbers, which may be slower")
        ->group("Filters");
}

void BatchParser::add_where() {
    CLI::App& app = line.app();
    app.add_option("--output", options.output,
                   "A file, - for standard output, a folder (if the name ends in / or there are "
                   "several inputs), or null: to write nothing")
        ->option_text("OUTPUT")
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
        ->group("Output");
    app.add_flag("--overwrite", texts.overwrite, "Replace existing outputs and reports")
        ->group("Output");
    app.add_flag("--skip-existing", texts.skip, "Skip existing outputs")->group("Output");
    app.add_flag("--recursive", options.recursive,
                 "Process folders recursively and mirror their structure")
        ->group("Output");
    app.add_option("--input-list", texts.input_list,
                   "Read more inputs from FILE, one per line; - is standard input")
        ->option_text("FILE")
        ->group("Output");
    app.add_option("--format", options.writer.format,
                   "Container of the output, or of standard input if only the input is -")
        ->option_text("NAME")
        ->group("Output");
}

void BatchParser::add_plan() {
    CLI::App& app = line.app();
    const auto group = "Many machines";
    app.add_option("--shard", texts.shard,
                   "Filter only part I of N of the inputs, or the part of this batch engine task")
        ->option_text("I/N|auto|auto/N")
        ->group(group);
    app.add_option("--plan", texts.plan,
                   "Check the batch, divide its files into shards and write the plan to FILE")
        ->option_text("FILE")
        ->group(group);
    app.add_option("--shards", texts.shards, "Number of shards in the plan [1]")
        ->option_text("N")
        ->check(whole_number(1, kMostShards))
        ->group(group);
    app.add_option("--split", texts.split,
                   "Let up to N tasks share each video of the plan; --shards defaults to N")
        ->option_text("N")
        ->check(whole_number(1, kMostShards))
        ->group(group);
    app.add_option("--run", texts.run,
                   "Filter the files of a plan, or of one of its shards (--shard)")
        ->option_text("FILE")
        ->group(group);
    app.add_flag("--check", texts.check,
                 "With --run: print the files without a valid receipt; -f slurm and -f index print "
                 "the tasks to run again, -f json everything")
        ->group(group);
    app.add_flag("--join", options.join,
                 "With --run: join the finished parts of videos divided by --split")
        ->group(group);
    app.add_flag("--watch", options.watch,
                 "With --check: show the progress until all files are done")
        ->group(group);
}

void BatchParser::add_which_part() {
    CLI::App& app = line.app();
    add_range_options(app, texts.range, "Range");
    add_frame_rate_option(app, texts.frame_rate, "Range");
    app.add_flag("--no-audio", texts.no_audio, "Without audio")->group("Range");
    app.add_flag("--no-subtitles", texts.no_subtitles, "Without subtitles")->group("Range");
}

void BatchParser::add_encoder() {
    CLI::App& app = line.app();
    WriterOptions& writer = options.writer;
    const auto group = "Encoding";
    app.add_option("--video-codec", writer.video_codec, "Video encoder [by container]")
        ->option_text("CODEC")
        ->group(group);
    app.add_option("--audio-codec", writer.audio_codec, "Audio encoder, or copy [copy]")
        ->option_text("CODEC")
        ->group(group);
    app.add_option("--crf", texts.crf, "Constant quality, lower is better [18 for x264]")
        ->option_text("Q")
        ->group(group);
    app.add_option("--bit-rate", writer.bit_rate, "Video bit rate: 4M")
        ->option_text("RATE")
        ->group(group);
    app.add_option("--encoder-preset", writer.preset, "The encoder's own preset: slow")
        ->option_text("NAME")
        ->group(group);
    app.add_option("--pixel-format", writer.pixel_format, "Pixel format [the source's]")
        ->option_text("FORMAT")
        ->group(group);
    app.add_option("--threads", writer.threads,
                   "Threads of the video encoder; 0: depends on cores and files in flight [0]")
        ->option_text("N")
        ->check(whole_number(0, kMostThreads))
        ->group(group);
    app.add_flag("--lossless", writer.lossless, "Store the filtered pixels exactly")->group(group);
    app.add_flag("--strict", writer.strict,
                 "Fail instead of warning when the output cannot keep something")
        ->group(group);
}

void BatchParser::add_how() {
    CLI::App& app = line.app();
    const auto group = "Processing";
    app.add_option("--hwaccel", texts.hwaccel,
                   "Hardware decoding: if possible, required, or none [none]")
        ->option_text("auto|cuda|none")
        ->check(one_of({"auto", "cuda", "none"}))
        ->group(group);
    app.add_option("--jobs", options.jobs,
                   "Number of files processed at once [depends on cores, decoders and memory]")
        ->option_text("N")
        ->check(whole_number(1, 1024))
        ->group(group);
    app.add_flag("--dry-run", options.dry_run, "Print the plan without writing anything")
        ->group(group);
    add_explain_option(app, options.explain, group);
    app.add_flag("--keep-damaged", options.keep_damaged,
                 "Keep the usable part of a damaged input (exit code 4)")
        ->group(group);
    app.add_flag("--receipts", options.receipts,
                 "Write a receipt next to each output; with -n, skip outputs with a valid receipt")
        ->group(group);
    app.add_flag("--resume", options.resume,
                 "Keep finished segments, and continue an interrupted run after the last of them")
        ->group(group);
    app.add_option("--on-change", texts.on_change,
                   "If size, pixel format, range or matrix changes mid-stream: fail, or "
                   "convert to the first format [fail]")
        ->option_text("fail|scale")
        ->check(one_of({"fail", "scale"}))
        ->group(group);
    app.add_option("--verify", texts.verify,
                   "Read outputs back; decode also checks --lossless frame by frame "
                   "[packets; decode with --lossless]")
        ->option_text("packets|decode")
        ->check(one_of({"packets", "decode"}))
        ->group(group);
    app.add_option("--max-pixels", options.reader.limits.max_pixels,
                   "Refuse pictures with more pixels [268435456]")
        ->option_text("N")
        ->check(whole_number(1, std::numeric_limits<std::int64_t>::max()))
        ->group(group);
    app.add_option("--max-side", options.reader.limits.max_side,
                   "Refuse pictures with a longer side [65535]")
        ->option_text("N")
        ->check(whole_number(1, ConvProblem::kMaxSide))
        ->group(group);
}

void BatchParser::add_reports() {
    CLI::App& app = line.app();
    const auto group = "Processing";
    add_json_option(app, texts.json, group);
    app.add_option("--trace", texts.trace,
                   "Timeline of every stage and kernel, for Perfetto or chrome://tracing")
        ->option_text("FILE.json")
        ->group(group);
    app.add_option("--failed-list", texts.failed_list,
                   "Write the inputs that failed to FILE, one per line, for --input-list")
        ->option_text("FILE")
        ->group(group);
    app.add_option("--progress", texts.progress, "json: events on stderr")
        ->option_text("json|none")
        ->check(one_of({"json", "none"}))
        ->group(group);
    app.add_option("--loglevel", texts.loglevel,
                   "As in ffmpeg; error or quieter means --progress=none")
        ->option_text("LEVEL")
        ->check(one_of(
            {"quiet", "panic", "fatal", "error", "warning", "info", "verbose", "debug", "trace"}))
        ->group(group);
}

void BatchParser::finish() {
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
    options.kernels = parse_forced_kernels(texts.kernel);
    if (!texts.crf.empty()) options.writer.crf = parse_crf(texts.crf);
    if (!options.writer.bit_rate.empty()) check_bit_rate(options.writer.bit_rate);
    check_names();
    finish_choices();
    if (!options.run) return;
    options.receipts = true;
    if (options.writer.overwrite == Overwrite::refuse) options.writer.overwrite = Overwrite::skip;
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
    if (texts.check && !options.run) refuse("--check needs --run FILE");
    if (options.watch && !texts.check) refuse("--watch needs --check");
    if (!options.plan) return;
    if (!texts.shard.empty())
        refuse(
            "--shard cannot be used with --plan, which contains all shards: --shards N sets their "
            "number, "
            "and --run FILE --shard I/N filters one");
    if (options.json || options.trace || options.failed_list || options.dry_run)
        refuse(
            "--plan filters nothing: give --json, --trace, --failed-list and --dry-run to the runs "
            "of "
            "the plan");
}

// With --check, -f is the form of the list, not a container.
CheckForm BatchParser::check_form() const {
    const std::string& word = options.writer.format;
    if (word.empty()) return CheckForm::list;
    if (word == "slurm") return CheckForm::slurm;
    if (word == "index") return CheckForm::index;
    if (word == "json") return CheckForm::json;
    throw Error(Outcome::usage,
                fmt::format("--check -f {}: expected slurm, index or json", shown(word)));
}

// With --check the user's -f is the form, and the plan's the container.
void BatchParser::take_form(const BatchParser& given, const PlanHead& plan) {
    options.check = given.check_form();
    const auto planned = std::ranges::find(plan.options, "--format", &PlanOption::first);
    options.writer.format = planned == plan.options.end() ? "" : planned->second;
}

std::vector<PlanOption> BatchParser::planned_options() {
    std::vector<PlanOption> planned;
    for (const std::string_view name : kPlanned) {
        const CLI::Option& option = *line.app().get_option(std::string(name));
        if (option.count() == 0) continue;
        const bool takes_value = option.get_items_expected_max() > 0;
        planned.emplace_back(name, takes_value ? option.results().back() : "");
    }
    // The bits depend on it, and the parts of a video may be made on different machines.
    if (options.parts > 1 && options.writer.threads == 0)
        planned.emplace_back("--threads", std::to_string(usable_cores()));
    return planned;
}

// ffmpeg's last argument is the output.
std::string BatchParser::no_output() const {
    std::string text = "no output was given: -o FILE, -o FOLDER/ or -o -";
    if (options.inputs.size() < 2) return text;
    return fmt::format("{}; {} was read as an input: write -o {} to make it the output", text,
                       shown(options.inputs.back()), shown(options.inputs.back()));
}

void BatchParser::check_names() const {
    const WriterOptions& writer = options.writer;
    if (writer.video_codec == "copy")
        throw Error(Outcome::usage,
                    "-c:v copy: filtered video cannot be copied; leave out -c:v, or use "
                    "--lossless to keep every pixel");
    if (!writer.video_codec.empty())
        check_encoder_name("-c:v", writer.video_codec, AVMEDIA_TYPE_VIDEO);
    if (!writer.audio_codec.empty() && writer.audio_codec != "copy")
        check_encoder_name("-c:a", writer.audio_codec, AVMEDIA_TYPE_AUDIO);
    if (!writer.pixel_format.empty()) check_pixel_format_name(writer.pixel_format);
}

void BatchParser::finish_choices() {
    const RequestedRange range = parse_range(texts.range);
    options.reader.start_us = range.start_us;
    options.reader.end_us = range.end_us;
    options.writer.shift_us = range.start_us.value_or(0);
    if (range.end_us) options.writer.length_us = *range.end_us - options.writer.shift_us;
    options.reader.frame_rate = parse_frame_rate(texts.frame_rate);
    options.reader.audio = !texts.no_audio;
    options.reader.subtitles = !texts.no_subtitles;
    options.writer.overwrite = texts.overwrite ? Overwrite::replace
                               : texts.skip    ? Overwrite::skip
                                               : Overwrite::refuse;
    if (!texts.verify.empty())
        options.writer.verify = texts.verify == "decode" ? Verify::decode : Verify::packets;
    options.fields = texts.fields == "split" ? Fields::split : Fields::together;
    options.sums = texts.exact ? Sums::exact : Sums::as_given;
    options.on_change = texts.on_change == "scale" ? OnChange::scale : OnChange::fail;
    options.gpu = parse_gpu_request(texts.gpu);
    options.reader.hwaccel = texts.hwaccel == "cuda"   ? Hwaccel::cuda
                             : texts.hwaccel == "none" ? Hwaccel::none
                                                       : Hwaccel::automatic;
    options.progress = texts.progress == "json" ? ProgressMode::json
                       : texts.progress == "none" || is_silent(texts.loglevel)
                           ? ProgressMode::none
                           : ProgressMode::automatic;
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
    std::vector<std::string> words;
    for (const auto& [name, value] : plan.options) {
        if (std::ranges::find(kPlanned, name) == kPlanned.end())
            throw Error(Outcome::usage,
                        fmt::format("{}: the plan contains the option {}, which plans do not store",
                                    given.texts.run, shown(name)));
        words.push_back(value.empty() ? name : fmt::format("{}={}", name, value));
    }
    words.insert(words.end(), arguments.begin(), arguments.end());
    BatchParser parser;
    (void)parser.line.parse(words, help_requested);
    if (checks) parser.take_form(given, plan);
    parser.options.stack.stack = plan.stack;
    parser.options.shards = plan.shards;
    parser.finish();
    return std::move(parser.options);
}

std::string batch_help() {
    return BatchParser().line.help();
}

std::vector<OptionHelp> batch_options() {
    return BatchParser().line.options();
}

}  // namespace weft
