#include "app/viewer/shell/toml_file.h"

#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "app/pipeline/folders.h"
#include "filters/text/text_file.h"
#include "filters/text/toml_limits.h"

namespace weft {

namespace fs = std::filesystem;

std::string put_aside(const fs::path& path, const std::string& what) {
    fs::path aside = path;
    aside += ".bad";
    std::error_code error;
    fs::rename(path, aside, error);
    return error ? what : fmt::format("{}; the file is now {}", what, aside.string());
}

TomlFile read_toml_file(const fs::path& path) {
    std::error_code error;
    if (path.empty() || !fs::exists(path, error)) return {};
    try {
        const std::string text = read_text_file(path);
        if (const auto excess = toml_excess(text)) {
            const std::string what = fmt::format(
                "{}:{}: {}", path.string(), place_in(text, excess->offset).line, excess->message);
            return {.table = {}, .problem = put_aside(path, what)};
        }
        return {.table = toml::parse(text), .problem = ""};
    } catch (const toml::parse_error& problem) {
        const std::string what = fmt::format("{}:{}: {}", path.string(),
                                             problem.source().begin.line, problem.description());
        return {.table = {}, .problem = put_aside(path, what)};
    } catch (const std::runtime_error& problem) {
        return {.table = {}, .problem = problem.what()};
    }
}

void write_toml_file(const fs::path& path, const toml::table& table) {
    if (path.empty()) return;
    std::ostringstream text;
    text << table << '\n';
    write_file(path, text.str());
}

}  // namespace weft
