// Completion for the Tab key in a shell. The scripts of bash, zsh and fish call `weft complete
// WORD…`, so that they contain no names of their own.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/terminal/messages.h"
#include "app/pipeline/folders.h"
#include "app/viewer/shell/key_list.h"
#include "filters/filter.h"
#include "filters/preset.h"
#include "filters/text/printable.h"
#include "kernels/conv_kernel.h"
#include "kernels/device/device.h"

namespace weft {
namespace {

struct Candidate {
    std::string word;  // replaces the typed word
    std::string help;  // one line, or empty
};

struct Completions {
    std::vector<Candidate> words = {};
    bool files = false;      // file names fit too
    bool continues = false;  // the words can be continued: add no space

    // Adds `word` if it begins with `typed`.
    void offer(std::string_view typed, std::string word, std::string_view help = {}) {
        if (word.starts_with(typed)) words.push_back({std::move(word), std::string(help)});
    }
};

// ---- inside a stack of filters: -vf gaussian=sig… ----

// Start of the part after the last unquoted `separator`; npos inside quotes.
std::size_t last_part(std::string_view text, char separator) {
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\'') quoted = !quoted;
        if (!quoted && text[at] == '\\')
            ++at;
        else if (!quoted && text[at] == separator)
            begin = at + 1;
    }
    return quoted ? std::string_view::npos : begin;
}

Completions filter_names(std::string_view before, std::string_view typed) {
    Completions found{.continues = true};
    const auto offer = [&](std::string_view name, const FilterDef& filter) {
        if (name.starts_with(typed))
            found.words.push_back({fmt::format("{}{}", before, name), std::string(filter.summary)});
    };
    for (const auto list : {filters(), ffmpeg_filters()}) {
        for (const FilterDef& filter : list) {
            offer(name_of(filter, Names::typed), filter);
            if (typed.empty()) continue;
            for (const std::string_view alias : aliases_of(filter, Names::typed))
                offer(alias, filter);
        }
    }
    return found;
}

bool is_set(const ParamDef& param, std::string_view settings) {
    return settings.starts_with(fmt::format("{}=", param.name)) ||
           settings.find(fmt::format(":{}=", param.name)) != std::string_view::npos;
}

using ParamList = std::vector<const ParamDef*>;

Completions param_names(const ParamList& params, std::string_view before, std::string_view settings,
                        std::string_view typed) {
    Completions found{.continues = true};
    for (const ParamDef* param : params)
        if (param->name.starts_with(typed) && !is_set(*param, settings))
            found.words.push_back(
                {fmt::format("{}{}=", before, param->name), std::string(param->help)});
    return found;
}

Completions param_values(const ParamDef& param, std::string_view before, std::string_view typed) {
    Completions found{.files = param.kind == ParamKind::file, .continues = true};
    for (const std::string_view choice : param.choices)
        if (choice.starts_with(typed))
            found.words.push_back({fmt::format("{}{}", before, choice), ""});
    return found;
}

// Completes the last of the `settings` at the end of `typed`, which are separated by ':'.
Completions complete_settings(const ParamList& params, std::string_view typed,
                              std::string_view settings) {
    const std::size_t at = last_part(settings, ':');
    if (at == std::string_view::npos) return {};
    const std::string_view setting = settings.substr(at);
    const std::size_t value_at = setting.find('=');
    if (value_at == std::string_view::npos)
        return param_names(params, typed.substr(0, typed.size() - setting.size()), settings,
                           setting);
    const std::string_view name = setting.substr(0, value_at);
    const auto param = std::ranges::find_if(params, [&](const ParamDef* known) {
        return known->name == name ||
               std::ranges::find(known->aliases, name) != known->aliases.end();
    });
    if (param == params.end()) return {};
    const std::string_view value = setting.substr(value_at + 1);
    return param_values(**param, typed.substr(0, typed.size() - value.size()), value);
}

// Completes the end of `typed`, an incomplete stack: names of filters, then parameters that the
// filter does not have yet, then the words that a parameter accepts. Nothing inside quotes.
Completions complete_stack(std::string_view typed) {
    const std::size_t step_at = last_part(typed, ',');
    if (step_at == std::string_view::npos) return {};
    const std::string_view step = typed.substr(step_at);
    const std::size_t equals = step.find('=');
    if (equals == std::string_view::npos) return filter_names(typed.substr(0, step_at), step);
    const FilterDef* const filter = find_filter(step.substr(0, equals), Names::typed);
    if (filter == nullptr) return {};
    return complete_settings(all_params(*filter), typed, step.substr(equals + 1));
}

// ---- other words ----

// Completions from a list whose rows have a name and a summary.
template <class Rows>
Completions row_words(const Rows& rows, std::string_view typed) {
    Completions found;
    for (const auto& row : rows) found.offer(typed, std::string(row.name), row.summary);
    return found;
}

Completions filter_words(std::string_view typed) {
    Completions found;
    for (const auto list : {filters(), ffmpeg_filters()})
        for (const FilterDef& filter : list)
            found.offer(typed, name_of(filter, Names::typed), filter.summary);
    return found;
}

Completions kernel_words(std::string_view typed) {
    return row_words(conv_kernels(), typed);
}

// Completes the last name of a list such as "a,b,c".
Completions kernel_list_words(std::string_view typed) {
    const std::size_t last = typed.rfind(',') + 1;  // npos + 1 is 0
    Completions found = kernel_words(typed.substr(last));
    for (Candidate& kernel : found.words) kernel.word.insert(0, typed.substr(0, last));
    found.continues = true;
    return found;
}

Completions preset_words(std::string_view typed) {
    Completions found;
    // A shell reads one word per line: names that need escapes cannot be completed.
    for (const PresetFile& preset : find_presets(preset_folders()))
        if (printable_line(preset.name) == preset.name) found.offer(typed, preset.name);
    return found;
}

// A name or a file, and after it parameters that every filter takes.
Completions preset_or_file_words(std::string_view typed) {
    const std::size_t colon = typed.find(':');
    if (colon != std::string_view::npos) {
        ParamList params;
        for (const ParamDef& param : step_params()) params.push_back(&param);
        return complete_settings(params, typed, typed.substr(colon + 1));
    }
    Completions found = preset_words(typed);
    found.files = true;
    return found;
}

void offer_gpus(Completions& found, std::string_view typed) {
    for (const Device& gpu : probe_gpus().devices)
        found.offer(typed, std::to_string(gpu.ordinal), gpu.name);
}

Completions device_words(std::string_view typed) {
    Completions found;
    offer_gpus(found, typed);
    found.offer(typed, "cpu", cpu_device().name);
    return found;
}

Completions gpu_words(std::string_view typed) {
    Completions found;
    found.offer(typed, "auto", "use a GPU if there is one");
    found.offer(typed, "require", "fail without a GPU");
    found.offer(typed, "off", "the CPU");
    found.offer(typed, "all", "every GPU (weft batch)");
    offer_gpus(found, typed);
    return found;
}

Completions key_words(std::string_view typed) {
    Completions found;
    for (const KeyRow& row : kKeyRows)
        for (const std::string_view key : row.keys)
            if (!key.empty()) found.offer(typed, std::string(key), row.name);
    return found;
}

struct Source {
    std::string_view name;  // an option, or a list of `weft list`
    Completions (*words)(std::string_view typed);
};

constexpr std::array kOptionValues = {
    Source{"-vf", complete_stack},         Source{"--preset", preset_or_file_words},
    Source{"--kernel", kernel_list_words}, Source{"--kernels", kernel_list_words},
    Source{"--baseline", kernel_words},    Source{"--gpu", gpu_words},
};

constexpr std::array kLists = {
    Source{"filters", filter_words}, Source{"kernels", kernel_words},
    Source{"devices", device_words}, Source{"presets", preset_words},
    Source{"keys", key_words},
};

// "json|none" offers its words; "NAME" offers nothing; "FILE" and "OUTPUT" offer files.
Completions words_of_help(const OptionHelp& option, std::string_view typed) {
    Completions found;
    std::string_view rest = option.value;
    found.files = rest.find("FILE") != std::string_view::npos || rest == "OUTPUT";
    while (!rest.empty()) {
        const std::size_t bar = std::min(rest.find('|'), rest.size());
        if (std::ranges::all_of(rest.substr(0, bar), [](char c) { return c >= 'a' && c <= 'z'; }))
            found.offer(typed, std::string(rest.substr(0, bar)));
        rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
    return found;
}

Completions option_values(const OptionHelp& option, std::string_view typed) {
    for (const Source& source : kOptionValues)
        if (source.name == option.word) return source.words(typed);
    return words_of_help(option, typed);
}

Completions option_words(const std::vector<OptionHelp>& options, std::string_view typed) {
    Completions found;
    for (const OptionHelp& option : options) found.offer(typed, option.word, option.text);
    return found;
}

Completions command_words(std::string_view typed) {
    return row_words(commands(), typed);
}

Completions first_words(std::string_view typed) {
    Completions found = command_words(typed);
    found.offer(typed, "help", "Show the options of a command");
    if (typed.starts_with("-")) {
        found.offer(typed, "--help", "Show the commands");
        found.offer(typed, "--version", "Show the version");
    }
    return found;
}

// Completes the words of weft list WHAT NAME.
Completions list_words(std::span<const std::string> words) {
    Completions found;
    if (words.size() == 1)
        for (const Source& list : kLists) found.offer(words.back(), std::string(list.name));
    if (words.size() == 2)
        for (const Source& list : kLists)
            if (list.name == words.front()) return list.words(words.back());
    return found;
}

const Command* find_command(std::string_view name) {
    const auto found = std::ranges::find(commands(), name, &Command::name);
    return found == commands().end() ? nullptr : &*found;
}

// Completes the words after the command's name.
Completions complete_command(const Command& command, std::span<const std::string> words) {
    const std::vector<OptionHelp> options =
        command.options == nullptr ? std::vector<OptionHelp>{} : command.options();
    const std::string& typed = words.back();
    if (words.size() > 1)
        for (const OptionHelp& option : options)
            if (option.word == words[words.size() - 2] && !option.value.empty() &&
                !option.value.starts_with('['))
                return option_values(option, typed);
    if (typed.starts_with('-')) return option_words(options, typed);
    if (command.name == "list") return list_words(words);
    return {.files = true};
}

// Completes the last of `words`, the typed words after "weft"; the last one may be empty.
Completions complete(std::span<const std::string> words) {
    if (words.empty()) return first_words("");
    if (words.size() == 1) return first_words(words.front());
    if (words.front() == "help") return words.size() == 2 ? command_words(words[1]) : Completions{};
    const Command* const command = find_command(words.front());
    return command == nullptr ? Completions{.files = true}
                              : complete_command(*command, words.subspan(1));
}

}  // namespace

Outcome print_completions(Arguments words) {
    const Completions found = complete(words);
    std::string text;
    for (const Candidate& candidate : found.words)
        text += candidate.help.empty() ? fmt::format("{}\n", candidate.word)
                                       : fmt::format("{}\t{}\n", candidate.word, candidate.help);
    if (found.files) text += ":files\n";
    if (found.continues) text += ":continues\n";
    print_output(text);
    return Outcome::ok;
}

}  // namespace weft
