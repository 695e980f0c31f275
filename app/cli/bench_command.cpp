// weft bench: runs the separate program weft-bench from the same folder, as git does. The benchmark
// contains the tests' oracle, which the program itself must not.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.h"

namespace weft {

Outcome run_bench(Arguments arguments) {
    const std::filesystem::path program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "weft-bench";
    std::vector<std::string> words = {"weft bench"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    (void)std::signal(SIGUSR1, SIG_IGN);  // requests progress elsewhere; each case has its line
    (void)execv(program.c_str(), argv.data());
    if (errno == ENOENT)
        throw Error(
            Outcome::failed,
            fmt::format(
                "{}: the benchmark is a separate program, which is not installed: run "
                "./dev bench in weft's sources, or use the archive that ./dev package makes",
                program.string()));
    throw Error(Outcome::failed,
                fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
}

}  // namespace weft
