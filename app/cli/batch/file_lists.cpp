#include "app/cli/batch/file_lists.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "app/cli/terminal/report_file.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // a million names of 64 bytes

[[noreturn]] void refuse_list(const std::string& list, const std::string& why) {
    throw Error(Outcome::failed, fmt::format("--input-list {}: {}", list, why));
}

std::string text_of(std::FILE* file, const std::string& list) {
    std::string text;
    std::array<char, 65536> part{};
    while (const std::size_t got = std::fread(part.data(), 1, part.size(), file)) {
        text.append(part.data(), got);
        if (text.size() > kMostBytes)
            refuse_list(list, "longer than 64 MiB: is it a list of files?");
    }
    if (std::ferror(file) != 0)
        refuse_list(list, fmt::format("cannot be read: {}", std::strerror(errno)));
    return text;
}

std::string text_of(const std::string& list) {
    if (list == "-") return text_of(stdin, list);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(list.c_str(), "rbe"),
                                                               std::fclose);
    if (!file) refuse_list(list, fmt::format("cannot be read: {}", std::strerror(errno)));
    return text_of(file.get(), list);
}

// A list that was written on Windows has a carriage return at the end of each line. In a name it is
// possible, but rare.
std::string without_return(const std::string& line) {
    std::error_code error;
    const bool ends = line.ends_with('\r') && !std::filesystem::exists(line, error);
    return ends ? line.substr(0, line.size() - 1) : line;
}

// Whether the file is empty or each of its lines is an input of this run.
bool lists_only_inputs(const std::string& path, const std::vector<JobFile>& files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::set<std::string_view> inputs;
    std::size_t longest = 0;
    for (const JobFile& file : files) {
        inputs.insert(file.input);
        longest += file.input.size() + 1;
    }
    const auto size = std::filesystem::file_size(path, error);
    if (error || size > longest) return false;
    std::ifstream list(path, std::ios::binary);
    for (std::string line; std::getline(list, line);)
        if (!inputs.contains(without_return(line))) return false;
    return !list.bad();
}

}  // namespace

std::vector<std::string> read_input_list(const std::string& list) {
    const std::string text = text_of(list);
    const char separator = text.find('\0') == std::string::npos ? '\n' : '\0';
    std::vector<std::string> names;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        std::string name = text.substr(at, end - at);
        if (separator == '\n') name = without_return(name);
        if (!name.empty()) names.push_back(std::move(name));
        at = end + 1;
    }
    if (names.empty())
        throw Error(Outcome::usage,
                    fmt::format("--input-list {}: the list is empty; nothing to do", list));
    return names;
}

FailedList::FailedList(std::string path, const std::vector<JobFile>& files, Overwrite overwrite)
    : path_(std::move(path)),
      overwrite_(lists_only_inputs(path_, files) ? Overwrite::replace : overwrite) {
    check_report_file("--failed-list", path_, overwrite_);
}

std::size_t FailedList::write(const std::vector<FileResult>& results) const {
    std::string text;
    std::size_t left_out = 0;
    for (const FileResult& result : results) {
        if (result.status == FileStatus::ok || result.status == FileStatus::skipped) continue;
        if (result.input.find('\n') == std::string::npos)
            text += result.input + "\n";
        else
            ++left_out;
    }
    write_report(path_, text, overwrite_);
    return left_out;
}

}  // namespace weft
