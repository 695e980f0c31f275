#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/terminal/messages.h"
#include "app/media/output/partial_name.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  weft clean out/
  weft clean --recursive /shared/films/

Each run removes what runs on the same machine left there when they died. What another machine or
an earlier boot left stays until this command removes it: hidden files named
.NAME.weft-….partial that were not written to for a day, by the file server's clock.)";

constexpr std::chrono::hours kLeastAge{24};

struct CleanParser {
    bool recursive = false;
    CommandLine line{"weft clean [--recursive] FOLDER…",
                     "Removes unfinished outputs that dead runs have left.", kExamples};

    CleanParser() {
        line.app().add_flag("--recursive", recursive, "Look into the folders below, too");
    }
};

// A folder and, if `recursive`, its subfolders; links are not followed.
std::vector<fs::path> folders_of(const fs::path& root, bool recursive) {
    std::vector<fs::path> folders = {root};
    std::error_code error;
    if (!fs::is_directory(root, error))
        throw Error(Outcome::usage, fmt::format("{}: is no folder", root.string()));
    if (!recursive) return folders;
    for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
         it.increment(error))
        if (it->is_directory(error) && !it->is_symlink(error) &&
            !is_partial_name(it->path().filename().string()))
            folders.push_back(it->path());
    if (error)
        throw Error(Outcome::failed,
                    fmt::format("{}: cannot be listed: {}", root.string(), error.message()));
    std::ranges::sort(folders);
    return folders;
}

}  // namespace

std::vector<OptionHelp> clean_options() {
    return CleanParser().line.options();
}

Outcome run_clean(Arguments arguments) {
    CleanParser parser;
    bool help_requested = false;
    const std::vector<std::string> roots = parser.line.parse(arguments, help_requested);
    if (help_requested) {
        print_output(parser.line.help());
        return Outcome::ok;
    }
    if (roots.empty()) throw Error(Outcome::usage, "weft clean takes the folders to clean");
    for (const std::string& root : roots)
        for (const fs::path& folder : folders_of(root, parser.recursive))
            for (const fs::path& path : remove_old_partials(folder, kLeastAge))
                print_output(fmt::format("removed {}\n", path.string()));
    return Outcome::ok;
}

}  // namespace weft
