#include "app/cli/complete/completion.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/cli/complete/stack_completion.h"
#include "app/cli/terminal/messages.h"
#include "app/pipeline/preset_folders.h"
#include "app/viewer/shell/key_list.h"
#include "filters/filter.h"
#include "filters/preset.h"
#include "filters/text/printable.h"
#include "kernels/conv_kernel.h"
#include "kernels/device/device.h"

namespace weft {
namespace {

// Completions from a list whose rows have a name and a summary.
template <class Rows>
Completions row_words(const Rows& rows, std::string_view typed) {
    Completions found;
    for (const auto& row : rows) found.offer(typed, std::string(row.name), row.summary);
    return found;
}

Completions filter_words(std::string_view typed) {
    return row_words(filters(), typed);
}

Completions kernel_words(std::string_view typed) {
    return row_words(conv_kernels(), typed);
}

// "a,b,c": the last one is completed.
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

Completions preset_or_file_words(std::string_view typed) {
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
    found.offer(typed, "auto", "a GPU where there is one");
    found.offer(typed, "require", "fail without one");
    found.offer(typed, "off", "the CPU");
    found.offer(typed, "all", "every GPU: weft batch");
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

// weft list WHAT NAME
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

// `words` are those after the command.
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

}  // namespace

void Completions::offer(std::string_view typed, std::string word, std::string_view help) {
    if (word.starts_with(typed)) words.push_back({std::move(word), std::string(help)});
}

Completions complete(std::span<const std::string> words) {
    if (words.empty()) return first_words("");
    if (words.size() == 1) return first_words(words.front());
    if (words.front() == "help") return words.size() == 2 ? command_words(words[1]) : Completions{};
    const Command* const command = find_command(words.front());
    return command == nullptr ? Completions{.files = true}
                              : complete_command(*command, words.subspan(1));
}

ExitCode print_completions(Arguments words) {
    const Completions found = complete(words);
    std::string text;
    for (const Candidate& candidate : found.words)
        text += candidate.help.empty() ? fmt::format("{}\n", candidate.word)
                                       : fmt::format("{}\t{}\n", candidate.word, candidate.help);
    if (found.files) text += ":files\n";
    if (found.continues) text += ":continues\n";
    print_output(text);
    return ExitCode::ok;
}

}  // namespace weft
