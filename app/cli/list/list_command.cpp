#include <array>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/list/list_tables.h"
#include "app/cli/terminal/messages.h"
#include "app/pipeline/names.h"
#include "app/pipeline/report/json_text.h"

namespace weft {
namespace {

struct Listing {
    std::string_view what;
    // Output for one name, or for all if it is empty. Throws Error(usage) for an unknown name.
    std::string (*text)(const std::string& name);
    nlohmann::ordered_json (*json)(const std::string& name);
};

constexpr std::array kListings = {
    Listing{"filters", filters_text, filters_json}, Listing{"kernels", kernels_text, kernels_json},
    Listing{"devices", devices_text, devices_json}, Listing{"presets", presets_text, presets_json},
    Listing{"keys", keys_text, keys_json},
};

constexpr const char* kExamples = R"(Examples:
  weft list filters
  weft list filters gaussian
  weft list kernels
  weft list presets --json)";

const Listing& find_listing(const std::string& what) {
    std::vector<std::string_view> names;
    for (const Listing& listing : kListings) {
        if (listing.what == what) return listing;
        names.push_back(listing.what);
    }
    throw unknown_name("list of", what, names);
}

struct ListParser {
    bool json = false;
    CommandLine line{"weft list filters|kernels|devices|presets|keys [NAME] [--json]",
                     "Lists filters, kernels, devices, presets or keys, or shows one in detail.",
                     kExamples};

    ListParser() { line.group("Options").add_flag("--json", json, "Print JSON"); }
};

}  // namespace

std::vector<OptionHelp> list_options() {
    return ListParser().line.options();
}

Outcome run_list(Arguments arguments) {
    ListParser parser;
    bool help_requested = false;
    const std::vector<std::string> words = parser.line.parse(arguments, help_requested);
    if (help_requested) {
        print_output(parser.line.help());
        return Outcome::ok;
    }
    if (words.empty() || words.size() > 2)
        throw Error(Outcome::usage,
                    "weft list takes filters, kernels, devices, presets or keys, and one name");
    const Listing& listing = find_listing(words.front());
    const std::string name = words.size() > 1 ? words[1] : "";
    print_output(parser.json ? json_page(listing.json(name)) : listing.text(name));
    return Outcome::ok;
}

}  // namespace weft
