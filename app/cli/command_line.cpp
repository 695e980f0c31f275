#include "app/cli/command_line.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"
#include "filters/text/nearest.h"

namespace weft {
namespace {

struct Word {
    std::string_view typed;
    std::string_view name;
};

// CLI11 2.1 supports neither multi-letter words with one dash nor names with a colon.
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
};

// Accepted for pasted ffmpeg lines, without effect: weft prints no banner and asks no questions.
constexpr std::array<std::string_view, 2> kNeedless = {"-hide_banner", "-nostdin"};

// Options of ffmpeg that weft lacks, and the remedy for each.
struct ForeignOption {
    std::string_view word;
    std::string_view advice;
};

constexpr std::array kForeign = {
    ForeignOption{"-map", "all streams are kept; -an and -sn leave out audio and subtitles"},
    ForeignOption{"-r", "frames keep their timestamps"},
    ForeignOption{"-frames:v", "-ss and -t choose a part of the video"},
    ForeignOption{"-vframes", "-ss and -t choose a part of the video"},
    ForeignOption{"-progress", "--progress=json prints events on standard error"},
    ForeignOption{"-stats", "progress is shown on a terminal"},
    ForeignOption{"-nostats", "--progress=none hides the progress"},
    ForeignOption{"-b:a", "audio is copied; -c:a converts it at the encoder's default bit rate"},
    ForeignOption{"-tune", "-preset and -crf tune the encoder"},
    ForeignOption{"-g", "the encoder chooses the key frames"},
    ForeignOption{"-movflags", "tags and chapters are always kept"},
    ForeignOption{"-filter_complex", "-vf takes a chain of filters"},
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

    void option(const std::string& word) {
        const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
        const KnownOption* found = option_of(word.substr(0, equals), known_);
        if (found == nullptr) refuse_unknown(word.substr(0, equals), known_);
        if (!found->takes_value) {
            if (equals != std::string::npos)
                throw Error(Outcome::usage, fmt::format("{} takes no value", found->name));
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

std::string typed_word(const CLI::Option& option) {
    return typed_form("--" + option.get_lnames().front());
}

// Shows the words that users type, and the usage line unchanged.
class TypedFormatter : public CLI::Formatter {
 public:
    explicit TypedFormatter(std::string usage) : usage_(std::move(usage)) { column_width(28); }

    std::string make_usage(const CLI::App*, std::string) const override {
        return "\nUsage: " + usage_ + "\n";
    }
    // Separates groups by one empty line instead of two.
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
        for (std::size_t at = help.find("\n\n\n"); at != std::string::npos;
             at = help.find("\n\n\n", at))
            help.erase(at, 1);
        return help;
    }
    std::string make_option_name(const CLI::Option* option, bool) const override {
        return typed_word(*option);
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_option_text().empty() ? "" : " " + option->get_option_text();
    }

 private:
    std::string usage_;
};

std::vector<KnownOption> known_options(const CLI::App& app) {
    std::vector<KnownOption> known;
    for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
            known.push_back({"--" + name, option->get_items_expected_max() > 0});
    return known;
}

// Of several -o only one could be meant; other options may be repeated, and the last one counts.
void refuse_repeated(const CLI::App& app, const std::vector<std::string>& words) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_multi_option_policy() != CLI::MultiOptionPolicy::Throw) continue;
        const std::string start = "--" + option->get_lnames().front() + "=";
        if (std::ranges::count_if(
                words, [&](const std::string& word) { return word.starts_with(start); }) > 1)
            throw Error(
                Outcome::usage,
                fmt::format(
                    "{} is given more than once; give it once, or run the program once per value",
                    typed_word(*option)));
    }
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

std::string in_typed_words(std::string message) {
    for (const Word& word : kWords) {
        const std::size_t at = message.find(word.name);
        if (at == std::string::npos) continue;
        message.replace(at, word.name.size(), word.typed);
        break;
    }
    return message;
}

CommandLine::CommandLine(const std::string& usage, const std::string& summary,
                         const std::string& examples)
    : app_(summary) {
    app_.formatter(std::make_shared<TypedFormatter>(usage));
    app_.set_help_flag("--help", "Show this page");
    app_.footer(examples);
    app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

std::vector<std::string> CommandLine::parse(std::span<const std::string> arguments,
                                            bool& help_requested) {
    SplitArguments split = split_arguments(arguments, known_options(app_));
    help_requested = std::ranges::find(split.options, "--help") != split.options.end();
    if (help_requested) return {};
    refuse_repeated(app_, split.options);
    std::ranges::reverse(split.options);  // CLI11 expects them in reverse order
    try {
        app_.parse(split.options);
    } catch (const CLI::ParseError& error) {
        throw Error(Outcome::usage, in_typed_words(error.what()));
    }
    return std::move(split.inputs);
}

std::vector<OptionHelp> CommandLine::options() const {
    std::vector<OptionHelp> options;
    for (const CLI::Option* option : app_.get_options())
        options.push_back(
            {typed_word(*option), option->get_option_text(), option->get_description()});
    return options;
}

}  // namespace weft
