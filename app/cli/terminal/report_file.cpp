#include "app/cli/terminal/report_file.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "app/cli/terminal/messages.h"
#include "app/media/libav/error.h"
#include "app/media/output/partial_name.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

// The first bytes written by json_page() and Trace::write().
constexpr std::array<std::string_view, 2> kOwnBeginnings = {
    "{\n  \"schema\": 1", R"({"displayTimeUnit":"ms","traceEvents":[)"};

bool is_own_report(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return false;
    std::ifstream file(path, std::ios::binary);
    std::array<char, 64> bytes{};
    file.read(bytes.data(), bytes.size());
    const std::string_view begin(bytes.data(), static_cast<std::size_t>(file.gcount()));
    if (file.bad()) return false;
    for (const std::string_view own : kOwnBeginnings)
        if (begin.starts_with(own)) return true;
    return begin.empty() && file.eof();
}

// A repeated run, for example with -n, may replace its previous report.
OutputOptions options_for(const std::string& where, Overwrite overwrite) {
    return {.overwrite = is_own_report(where) ? Overwrite::replace : overwrite};
}

}  // namespace

void check_report_file(std::string_view option, const std::string& where, Overwrite overwrite) {
    if (where == "-") return;
    const fs::path target = follow_links(where);
    if (is_name_of_ours(target.filename().string()))
        throw Error(Outcome::usage,
                    fmt::format("{} {}: receipts and unfinished work have such names; choose "
                                "another one",
                                option, where));
    const OutputOptions options = options_for(where, overwrite);
    std::error_code error;
    if (options.overwrite != Overwrite::replace && fs::is_regular_file(target, error))
        throw Error(
            Outcome::usage,
            fmt::format("{} {}: exists and is not a report of weft; -y replaces it, or choose "
                        "another name",
                        option, where));
    check_output_path(target, options.overwrite);
}

void write_report(const std::string& where, const std::string& text, Overwrite overwrite) {
    if (where == "-") {
        print_output(text);
        return;
    }
    AtomicOutput file(where, options_for(where, overwrite));
    file.write(text);
    file.commit();
}

void write_trace(const std::string& where, const Trace& trace, Overwrite overwrite) {
    AtomicOutput file(where, options_for(where, overwrite));
    trace.write([&](std::string_view text) { file.write(text); });
    file.commit();
}

}  // namespace weft
