#include "app/cli/command_line.h"

#include <algorithm>

#include "app/cli/arguments.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

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

}  // namespace

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
    std::ranges::reverse(split.options);  // CLI11 expects them in reverse order
    try {
        app_.parse(split.options);
    } catch (const CLI::ParseError& error) {
        throw Error(ExitCode::usage, in_typed_words(error.what()));
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
