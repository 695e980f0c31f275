#include <algorithm>
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/terminal/messages.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/output/atomic_output.h"
#include "app/media/output/partial_name.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  weft clean out/
  weft clean --recursive /shared/films/

Completes numbered sequences whose run was killed while it moved pictures into place.
Each run removes leftovers of crashed runs on the same machine. Leftovers of other machines or an
earlier boot stay until this command removes them: hidden files named .NAME.weft-….partial that have
not been written to for a day, by the file server's clock.)";

constexpr std::chrono::hours kLeastAge{24};

struct CleanParser {
    bool recursive = false;
    CommandLine line{"weft clean [--recursive] FOLDER…",
                     "Removes unfinished outputs left by crashed runs.", kExamples};

    CleanParser() {
        line.group("Options").add_flag("--recursive", recursive, "Include subfolders");
    }
};

// The folders that killed writers of sequences have left in `folder`.
std::vector<fs::path> moving_folders(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (is_moving_name(it->path().filename().string())) found.push_back(it->path());
    return found;
}

// A folder and, if `recursive`, its subfolders; links are not followed.
std::vector<fs::path> folders_of(const fs::path& root, bool recursive) {
    std::vector<fs::path> folders = {root};
    std::error_code error;
    if (!fs::is_directory(root, error))
        throw Error(Outcome::usage, fs::exists(root, error)
                                        ? fmt::format("{}: not a folder", root.string())
                                        : fmt::format("{}: no such folder", root.string()));
    if (!recursive) return folders;
    for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
         it.increment(error))
        if (it->is_directory(error) && !it->is_symlink(error) &&
            !is_partial_name(it->path().filename().string()) &&
            !is_moving_name(it->path().filename().string()))
            folders.push_back(it->path());
    if (error)
        throw Error(Outcome::failed,
                    fmt::format("{}: cannot list the folder: {}", root.string(), error.message()));
    std::ranges::sort(folders);
    return folders;
}

// The number of leftovers that it has removed or put into place.
std::size_t clean(const fs::path& folder) {
    std::size_t count = 0;
    for (const fs::path& path : moving_folders(folder)) {
        if (!finish_move(path))
            throw Error(
                Outcome::failed,
                fmt::format("{}: the pictures in this folder stay there: another process or "
                            "user owns them, or the files that they would replace have "
                            "changed since; move or remove the pictures yourself",
                            path.string()));
        print_output(fmt::format("moved the pictures in {} into place\n", path.string()));
        ++count;
    }
    for (const fs::path& path : remove_old_partials(folder, kLeastAge)) {
        print_output(fmt::format("removed {}\n", path.string()));
        ++count;
    }
    return count;
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
    if (roots.empty()) throw Error(Outcome::usage, "no folder was given: weft clean FOLDER");
    std::size_t count = 0;
    for (const std::string& root : roots)
        for (const fs::path& folder : folders_of(root, parser.recursive)) count += clean(folder);
    if (count == 0) print_output("nothing to remove: there is no leftover older than a day\n");
    return Outcome::ok;
}

}  // namespace weft
