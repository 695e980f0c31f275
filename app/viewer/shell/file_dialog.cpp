#include "app/viewer/shell/file_dialog.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/media/libav/error.h"
#include "app/viewer/shell/child_process.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr int kCancelled = 1;  // exit status of both programs

std::string environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
    return value == nullptr ? "" : value;
}

std::string find_on_path(const std::string& program) {
    const std::string path = environment("PATH");
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const fs::path candidate = fs::path(path.substr(begin, end - begin)) / program;
        if (candidate.is_absolute() && access(candidate.c_str(), X_OK) == 0)
            return candidate.string();
        begin = end + 1;
    }
    return "";
}

[[noreturn]] void throw_not_started(const std::string& program, int error) {
    throw Error(Outcome::failed,
                fmt::format("{}: cannot start: {}", program, std::strerror(error)));
}

// "Video (*.mp4 *.mkv)", or separated by a bar for zenity.
std::string filter_text(const DialogFilter& filter, bool zenity) {
    return zenity ? fmt::format("{} | {}", filter.label, fmt::join(filter.patterns, " "))
                  : fmt::format("{} ({})", filter.label, fmt::join(filter.patterns, " "));
}

std::vector<std::string> zenity_command(const std::string& program, const DialogRequest& request) {
    std::vector<std::string> argv{program, "--file-selection", "--separator=\n"};
    if (!request.title.empty()) argv.push_back("--title=" + request.title);
    if (!request.start.empty()) argv.push_back("--filename=" + request.start);
    if (request.kind == DialogRequest::Kind::save)
        argv.emplace_back("--save");
    else if (request.several)
        argv.emplace_back("--multiple");
    for (const DialogFilter& filter : request.filters)
        argv.push_back("--file-filter=" + filter_text(filter, true));
    return argv;
}

std::vector<std::string> kdialog_command(const std::string& program, const DialogRequest& request) {
    std::vector<std::string> argv{program};
    if (!request.title.empty()) argv.insert(argv.end(), {"--title", request.title});
    if (request.several && request.kind == DialogRequest::Kind::open)
        argv.insert(argv.end(), {"--multiple", "--separate-output"});
    argv.emplace_back(request.kind == DialogRequest::Kind::save ? "--getsavefilename"
                                                                : "--getopenfilename");
    argv.push_back(request.start.empty() ? "." : request.start);
    std::vector<std::string> filters;
    for (const DialogFilter& filter : request.filters)
        filters.push_back(filter_text(filter, false));
    if (!filters.empty()) argv.push_back(fmt::format("{}", fmt::join(filters, " | ")));
    return argv;
}

}  // namespace

std::string find_dialog_program() {
    const bool kde = environment("XDG_CURRENT_DESKTOP").find("KDE") != std::string::npos;
    const std::string first = find_on_path(kde ? "kdialog" : "zenity");
    return !first.empty() ? first : find_on_path(kde ? "zenity" : "kdialog");
}

std::vector<std::string> dialog_command(const std::string& program, const DialogRequest& request) {
    return fs::path(program).filename() == "kdialog" ? kdialog_command(program, request)
                                                     : zenity_command(program, request);
}

std::vector<std::string> parse_dialog_output(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    std::vector<std::string> paths;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n/", 1), text.size());
        paths.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return paths;
}

FileDialog::~FileDialog() {
    if (!is_open()) return;
    kill(child_, SIGKILL);
    int status = 0;
    (void)wait_for_child(child_, 0, status);
    close();
}

void FileDialog::open(const std::string& program, const DialogRequest& request) {
    if (is_open()) return;
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_not_started(program, errno);
    FileDescriptor output(ends[0]);
    FileDescriptor input(ends[1]);
    pid_t child = -1;
    const int error = start_child(dialog_command(program, request), {.output = input.get()}, child);
    if (error != 0) throw_not_started(program, error);
    (void)fcntl(output.get(), F_SETFL, O_NONBLOCK);
    pipe_ = std::move(output);
    child_ = child;
    program_ = program;
    text_.clear();
}

std::optional<DialogAnswer> FileDialog::poll() {
    if (!is_open() || read_available()) return std::nullopt;
    int status = 0;
    const int got = wait_for_child(child_, WNOHANG, status);
    if (got == 0) return std::nullopt;  // the child has closed its output and is about to exit
    close();
    return answer(status);
}

bool FileDialog::read_available() {
    std::array<char, 4096> buffer{};
    while (true) {
        const ssize_t got = read(pipe_.get(), buffer.data(), buffer.size());
        if (got > 0)
            text_.append(buffer.data(), static_cast<std::size_t>(got));
        else if (got == 0)
            return false;
        else if (errno != EINTR)
            return errno == EAGAIN;
    }
}

DialogAnswer FileDialog::answer(int status) {
    const bool ended = WIFEXITED(status);
    if (ended && WEXITSTATUS(status) == 0) return {parse_dialog_output(text_), ""};
    if (ended && WEXITSTATUS(status) == kCancelled) return {};
    const int code = ended ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {{}, fmt::format("{}: exited with code {}", program_, code)};
}

void FileDialog::close() {
    pipe_ = {};
    child_ = -1;
}

}  // namespace weft
