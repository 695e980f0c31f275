#include "app/cli/command_line.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"
#include "app/media/write/encoder_traits.h"
#include "app/pipeline/names.h"
#include "filters/text/nearest.h"

namespace weft {
namespace {

struct Word {
    std::string_view typed;
    std::string_view name;
};

// ffmpeg's spelling of options that have a long name here. The help shows a name's first spelling.
constexpr std::array kWords = {
    Word{"-vf", "--vf"},
    Word{"-o", "--output"},
    Word{"-y", "--overwrite"},
    Word{"-n", "--skip-existing"},
    Word{"-ss", "--start"},
    Word{"-t", "--duration"},
    Word{"-to", "--end"},
    Word{"-an", "--no-audio"},
    Word{"-sn", "--no-subtitles"},
    Word{"-c:v", "--video-codec"},
    Word{"-c:a", "--audio-codec"},
    Word{"-crf", "--crf"},
    Word{"-q:v", "--quality"},
    Word{"-b:v", "--bit-rate"},
    Word{"-preset", "--encoder-preset"},
    Word{"-pix_fmt", "--pixel-format"},
    Word{"-threads", "--threads"},
    Word{"-f", "--format"},
    Word{"-framerate", "--framerate"},
    Word{"-hwaccel", "--hwaccel"},
    Word{"-loglevel", "--loglevel"},
    Word{"-v", "--loglevel"},
    Word{"-h", "--help"},
    Word{"-filter:v", "--vf"},
    Word{"-codec:v", "--video-codec"},
    Word{"-vcodec", "--video-codec"},
    Word{"-codec:a", "--audio-codec"},
    Word{"-acodec", "--audio-codec"},
    Word{"-preset:v", "--encoder-preset"},
    Word{"-qscale:v", "--quality"},
    Word{"-metadata", "--metadata"},
    Word{"-movflags", "--movflags"},
};

// Accepted for pasted ffmpeg lines, without effect: weft prints no banner and asks no questions.
constexpr std::array<std::string_view, 2> kNeedless = {"-hide_banner", "-nostdin"};

// Options with the only value that weft takes, since that is what it does.
struct UsualOption {
    std::string_view word;
    std::string_view value;
};

constexpr std::array kUsual = {
    UsualOption{"-c", "copy"},       UsualOption{"-codec", "copy"},  UsualOption{"-c:s", "copy"},
    UsualOption{"-codec:s", "copy"}, UsualOption{"-scodec", "copy"}, UsualOption{"-c:d", "copy"},
    UsualOption{"-codec:d", "copy"}, UsualOption{"-dcodec", "copy"}, UsualOption{"-c:t", "copy"},
    UsualOption{"-map", "0"},
};

// Options of ffmpeg that weft lacks, and the remedy for each.
struct ForeignOption {
    std::string_view word;
    std::string_view advice;
};

constexpr std::array kForeign = {
    ForeignOption{"-map", "all streams are kept; -an and -sn leave out audio and subtitles"},
    ForeignOption{"-r",
                  "frames keep their timestamps; with fps=RATE in -vf, weft prints the command "
                  "that changes them"},
    ForeignOption{"-frames:v", "-ss and -t choose a part of the video"},
    ForeignOption{"-vframes", "-ss and -t choose a part of the video"},
    ForeignOption{"-progress", "--progress=json prints events on standard error"},
    ForeignOption{"-stats", "progress is shown on a terminal"},
    ForeignOption{"-nostats", "--progress=none hides the progress"},
    ForeignOption{"-b:a", "audio is copied; -c:a converts it at the encoder's default bit rate"},
    ForeignOption{"-filter_complex", "-vf takes a chain of filters"},
    ForeignOption{"-c", "all other streams are copied; -c:v chooses the video encoder"},
    ForeignOption{"-codec", "all other streams are copied; -c:v chooses the video encoder"},
    ForeignOption{"-c:s", "subtitles are copied, or converted to what the container can hold"},
    ForeignOption{"-codec:s", "subtitles are copied, or converted to what the container can hold"},
    ForeignOption{"-scodec", "subtitles are copied, or converted to what the container can hold"},
    ForeignOption{"-af", "audio is copied; filter it with ffmpeg before or afterwards"},
    ForeignOption{"-s",
                  "frames keep their size; with scale=WIDTH:HEIGHT in -vf, weft prints the command "
                  "that changes it"},
    ForeignOption{"-aspect", "ffmpeg -i OUT -map 0 -c copy -aspect … NEW changes a finished file"},
    ForeignOption{"-sseof", "-ss counts from the beginning; weft info shows the duration"},
    ForeignOption{"-version", "weft --version shows the version"},
    ForeignOption{"-filters", "weft list filters shows the filters"},
    ForeignOption{"-formats", "weft -formats shows the formats"},
    ForeignOption{"-encoders", "ffmpeg -encoders shows them; -c:v takes their names"},
    ForeignOption{"-codecs", "ffmpeg -codecs shows them; -c:v takes their names"},
    ForeignOption{"-pix_fmts", "ffmpeg -pix_fmts shows them; -pix_fmt takes their names"},
    ForeignOption{"-vn", "the video is what weft filters; ffmpeg -vn extracts the sound"},
    ForeignOption{"-dn", "data streams are kept where the container can hold them"},
    ForeignOption{"-vsync", "frames keep their timestamps"},
    ForeignOption{"-fps_mode", "frames keep their timestamps"},
    ForeignOption{"-shortest", "streams keep their lengths; -t cuts all of them"},
    ForeignOption{"-pass", "the video is encoded in one pass; -crf sets the quality"},
    ForeignOption{"-passlogfile", "the video is encoded in one pass; -crf sets the quality"},
    ForeignOption{"-map_metadata", "tags are kept; -metadata KEY= removes one"},
    ForeignOption{"-map_chapters", "chapters are kept"},
    ForeignOption{"-lossless", "--lossless stores the filtered pixels exactly"},
    ForeignOption{"-lavfi", "-vf takes a chain of filters"},
    ForeignOption{"-filter:a", "audio is copied; filter it with ffmpeg before or afterwards"},
    ForeignOption{"-ar", "audio keeps its sample rate"},
    ForeignOption{"-ac", "audio keeps its channels"},
    ForeignOption{"-ab", "audio is copied; -c:a converts it at the encoder's default bit rate"},
    ForeignOption{"-b", "-b:v sets the bit rate of the video"},
    ForeignOption{"-strict", "leave it out; --strict is another option, an error for each loss"},
    ForeignOption{"-re", "files are read as fast as they are filtered"},
    ForeignOption{"-stream_loop", "the input is read once"},
    ForeignOption{"-loop", "a picture is filtered once; ffmpeg makes a video of it afterwards"},
    ForeignOption{"-start_number", "a sequence begins with its first file; outputs count from 1"},
    ForeignOption{"-pattern_type", "numbered pictures are named shot_%04d.png"},
    ForeignOption{"-update", "leave it out; a name without %d is that of one picture"},
    ForeignOption{"-bsf:v", "ffmpeg -i OUT -map 0 -c copy -bsf:v … NEW changes a finished file"},
    ForeignOption{"-tag:v", "HEVC in mp4 and mov is tagged hvc1, as players expect"},
    ForeignOption{"-max_muxing_queue_size", "leave it out; no such limit exists"},
    ForeignOption{"-noautorotate", "the rotation is kept as it is"},
    ForeignOption{"-disposition:s:0", "the labels of streams are kept"},
    ForeignOption{"-disposition:a:0", "the labels of streams are kept"},
    ForeignOption{"-itsoffset", "streams keep their times"},
    ForeignOption{"-sws_flags", "frames keep their size"},
    ForeignOption{"-frames", "-ss and -t choose a part of the video"},
    ForeignOption{"-report", "--json writes a report, --trace a timeline"},
};

const KnownOption* find_option(std::string_view name, std::span<const KnownOption> known) {
    const auto found = std::ranges::find(known, name, &KnownOption::name);
    return found == known.end() ? nullptr : &*found;
}

// The option for a word like "-vf" or "--vf", or null.
const KnownOption* option_of(std::string_view word, std::span<const KnownOption> known) {
    if (word.starts_with("--")) return find_option(word, known);
    const auto found = std::ranges::find(kWords, word, &Word::typed);
    return found == kWords.end() ? nullptr : find_option(found->name, known);
}

// The name of an encoder's option in a word like "-tune" or "-profile:v"; empty for another word.
std::string encoder_option(std::string_view word) {
    const bool foreign = std::ranges::find(kForeign, word, &ForeignOption::word) != kForeign.end();
    if (word.starts_with("--") || foreign) return "";
    std::string name(word.substr(1, word.find(':') - 1));
    const std::string_view stream = word.substr(1 + name.size());
    const bool of_video = stream.empty() || stream == ":v" || stream == ":v:0";
    return of_video && is_encoder_option(name) ? name : "";
}

// "weft batch, weft view": the commands that have the option, typed as the help shows it.
std::string commands_with(std::string_view word) {
    std::vector<std::string> names;
    for (const Command& command : commands())
        if (command.options != nullptr) {
            const std::vector<OptionHelp> options = command.options();
            if (std::ranges::find(options, word, &OptionHelp::word) != options.end())
                names.push_back(fmt::format("weft {}", command.name));
        }
    return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_unknown(std::string_view word, std::span<const KnownOption> known) {
    if (const std::string others = commands_with(word); !others.empty())
        throw Error(Outcome::usage,
                    fmt::format("{} is an option of {}, not of this command", word, others));
    const auto foreign = std::ranges::find(kForeign, word, &ForeignOption::word);
    if (foreign != kForeign.end())
        throw Error(Outcome::usage,
                    fmt::format("weft has no option {}: {}", word, foreign->advice));
    std::vector<std::string> typed;
    for (const KnownOption& option : known) typed.push_back(typed_form(option.name));
    std::vector<std::string_view> names(typed.begin(), typed.end());
    for (const KnownOption& option : known) names.emplace_back(option.name);
    // All options of one letter are one edit apart.
    const std::string_view near = word.size() > 2 ? nearest_name(word, names) : "";
    throw Error(Outcome::usage,
                near.empty()
                    ? fmt::format("unknown option {}; --help lists the options", shown(word))
                    : fmt::format("unknown option {}: did you mean '{}'?", shown(word), near));
}

bool is_json_name(std::string_view text) {
    return text.ends_with(".json");
}

// Names of reports in other formats, which no input has.
bool is_text_name(std::string_view text) {
    return text.ends_with(".txt") || text.ends_with(".log") || text.ends_with(".jsonl");
}

class Splitter {
 public:
    Splitter(std::span<const std::string> arguments, std::span<const KnownOption> known)
        : rest_(arguments), known_(known) {}

    SplitArguments split() {
        while (!rest_.empty()) {
            const std::string& word = take();
            if (word == "--") {
                out_.inputs.insert(out_.inputs.end(), rest_.begin(), rest_.end());
                break;
            }
            if (word.size() < 2 || word[0] != '-')
                out_.inputs.push_back(word);
            else if (word == "-i")
                out_.inputs.push_back(next_value(word));
            else if (std::ranges::find(kNeedless, word) == kNeedless.end())
                option(word);
        }
        return std::move(out_);
    }

 private:
    const std::string& take() {
        const std::string& word = rest_.front();
        rest_ = rest_.subspan(1);
        return word;
    }

    bool usual_option(const std::string& word) {
        const auto usual = std::ranges::find(kUsual, word, &UsualOption::word);
        if (usual == kUsual.end() || rest_.empty() || rest_.front() != usual->value ||
            find_option("--audio-codec", known_) == nullptr)
            return false;
        take();
        if (word == "-c" || word == "-codec") out_.options.emplace_back("--audio-codec=copy");
        return true;
    }

    // -profile:v high and -metadata:s:a:0 language=fra are values of one option each.
    bool named_option(const std::string& word) {
        constexpr std::string_view kOfTag = "-metadata:";
        const bool of_tag =
            word.starts_with(kOfTag) && find_option("--metadata", known_) != nullptr;
        const std::string name = of_tag ? "" : encoder_option(word);
        if (!of_tag && (name.empty() || find_option("--encoder-option", known_) == nullptr))
            return false;
        const std::string value = next_value(word);
        out_.options.push_back(
            of_tag ? fmt::format("--metadata={}:{}", word.substr(kOfTag.size()), value)
                   : fmt::format("--encoder-option={}={}", name, value));
        return true;
    }

    void option(const std::string& word) {
        const std::size_t equals = word.find('=');
        const KnownOption* found = option_of(word.substr(0, equals), known_);
        if (found == nullptr && (usual_option(word) || named_option(word))) return;
        if (found == nullptr) refuse_unknown(word.substr(0, equals), known_);
        if (!found->takes_value) {
            if (equals != std::string::npos)
                throw Error(Outcome::usage,
                            fmt::format("{} takes no value", typed_form(found->name)));
            out_.options.push_back(found->name);
            return;
        }
        std::string text =
            equals == std::string::npos ? value_of(word, *found) : word.substr(equals + 1);
        if (text.empty()) throw Error(Outcome::usage, fmt::format("{} needs a value", word));
        out_.options.push_back(fmt::format("{}={}", found->name, text));
    }

    std::string value_of(const std::string& word, const KnownOption& option) {
        if (option.name == "--json" && !rest_.empty() && is_text_name(rest_.front()))
            throw Error(Outcome::usage, fmt::format("--json takes a file name that ends in .json; "
                                                    "use --json={} to write to this file",
                                                    shown(rest_.front())));
        if (option.name == "--json")
            return !rest_.empty() && is_json_name(rest_.front()) ? take() : "-";
        return next_value(word);
    }

    std::string next_value(const std::string& word) {
        if (rest_.empty() || rest_.front() == "--" || option_of(rest_.front(), known_) != nullptr)
            throw Error(Outcome::usage, fmt::format("{} needs a value", word));
        return take();
    }

    std::span<const std::string> rest_;
    std::span<const KnownOption> known_;
    SplitArguments out_;
};

std::string help_word(const DeclaredOption& option) {
    const std::string word = typed_form(option.name);
    return option.placeholder.empty() ? word : fmt::format("{} {}", word, option.placeholder);
}

// An option's lines on the help page.
std::string help_lines(const DeclaredOption& option) {
    constexpr std::size_t kColumn = 28;
    const std::string word = "  " + help_word(option);
    const std::string gap = word.size() < kColumn ? "" : "\n" + std::string(kColumn, ' ');
    return fmt::format("{:<{}}{}{}\n", word, kColumn, gap, option.help);
}

void refuse(const std::string& name, const std::string& why_not) {
    if (!why_not.empty())
        throw Error(Outcome::usage, fmt::format("{}: {}", typed_form(name), why_not));
}

}  // namespace

SplitArguments split_arguments(std::span<const std::string> arguments,
                               std::span<const KnownOption> known) {
    return Splitter(arguments, known).split();
}

std::string typed_form(const std::string& long_name) {
    const auto found = std::ranges::find(kWords, long_name, &Word::name);
    return found == kWords.end() ? long_name : std::string(found->typed);
}

std::string long_form(std::string_view typed) {
    const auto found = std::ranges::find(kWords, typed, &Word::typed);
    return std::string(found == kWords.end() ? typed : found->name);
}

DeclaredOption& OptionGroup::add(std::string name, std::string placeholder, std::string help,
                                 std::function<void(const std::string&)> take) {
    return options_.emplace_back(DeclaredOption{name_, std::move(name), std::move(placeholder),
                                                std::move(help), std::move(take)});
}

void OptionGroup::add_flag(std::string name, bool& given, std::string help) {
    add(std::move(name), "", std::move(help), [&given](const std::string&) { given = true; });
}

DeclaredOption& OptionGroup::add_text(std::string name, std::string placeholder, std::string& text,
                                      std::string help) {
    return add(std::move(name), std::move(placeholder), std::move(help),
               [&text](const std::string& value) { text = value; });
}

void OptionGroup::add_choice(const std::string& name, std::string placeholder, std::string& text,
                             std::vector<std::string_view> words, std::string help) {
    add(name, std::move(placeholder), std::move(help),
        [name, &text, words = std::move(words)](const std::string& value) {
            refuse(name, why_not_one_of(value, words));
            text = value;
        });
}

std::int64_t OptionGroup::parse_whole(const std::string& name, const std::string& text,
                                      std::int64_t least, std::int64_t most) {
    refuse(name, why_not_whole_number(text, least, most));
    return std::stoll(text);
}

CommandLine::CommandLine(std::string usage, std::string summary, std::string examples)
    : usage_(std::move(usage)), summary_(std::move(summary)), examples_(std::move(examples)) {
    group("Options").add("--help", "", "Show this page", nullptr);
}

std::vector<std::string> CommandLine::parse(std::span<const std::string> arguments,
                                            bool& help_requested) {
    std::vector<KnownOption> known;
    for (const DeclaredOption& option : options_)
        known.push_back({option.name, !option.placeholder.empty()});
    SplitArguments split = split_arguments(arguments, known);
    help_requested = std::ranges::find(split.options, "--help") != split.options.end();
    if (help_requested) return {};
    for (const std::string& word : split.options) take(word, split.options);
    return std::move(split.inputs);
}

// Passes the value of a word such as "--output=x.mkv" to its option.
void CommandLine::take(const std::string& word, std::span<const std::string> words) const {
    const std::string name = word.substr(0, word.find('='));
    const auto option = std::ranges::find(options_, name, &DeclaredOption::name);
    const auto is_same = [&](const std::string& other) { return other.starts_with(name + "="); };
    if (option->once && std::ranges::count_if(words, is_same) > 1)
        throw Error(Outcome::usage,
                    fmt::format("{} is given more than once; give it once, or run the program once "
                                "per value",
                                typed_form(name)));
    option->take(word.size() > name.size() ? word.substr(name.size() + 1) : "");
}

std::string CommandLine::help() const {
    std::vector<std::string> groups;
    for (const DeclaredOption& option : options_)
        if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
    std::string text = fmt::format("{}\n\nUsage: {}\n", summary_, usage_);
    for (const std::string& group : groups) {
        text += fmt::format("\n{}:\n", group);
        for (const DeclaredOption& option : options_)
            if (option.group == group) text += help_lines(option);
    }
    return fmt::format("{}\n{}\n", text, examples_);
}

std::vector<OptionHelp> CommandLine::options() const {
    std::vector<OptionHelp> options;
    for (const DeclaredOption& option : options_)
        options.push_back({typed_form(option.name), option.placeholder, option.help});
    return options;
}

}  // namespace weft
