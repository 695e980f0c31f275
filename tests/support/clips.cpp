#include "tests/support/clips.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <nlohmann/json.hpp>

extern char** environ;

namespace weft::test {

namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
    TemporaryFolder() {
        // Messages name files in it: a hyphen could make it look as if they named an option.
        std::string name = (fs::temp_directory_path() / "weft_tests.XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (getpid() == owner_) fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

 private:
    fs::path path_;
    pid_t owner_ = getpid();
};

struct Pipe {
    int read = -1;
    int write = -1;

    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe2");
        read = ends[0];
        write = ends[1];
    }
    ~Pipe() {
        close_end(read);
        close_end(write);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    static void close_end(int& end) {
        if (end >= 0) close(end);
        end = -1;
    }
};

pid_t spawn(const std::vector<std::string>& argv, const Pipe& in, const Pipe& out,
            const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
    std::vector<std::string> words = argv;
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    const int failure =
        posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw std::runtime_error(argv[0] + ": " + std::strerror(failure));
    return child;
}

// Appends the available bytes to `text`; closes `end` at end of file.
void drain(int& end, std::string& text) {
    std::array<char, 65536> buffer{};
    const ssize_t got = read(end, buffer.data(), buffer.size());
    if (got > 0)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
        Pipe::close_end(end);
}

// A child may stop reading early; its exit code shows whether that is an error.
void feed(int& end, std::string_view& input) {
    const ssize_t put = write(end, input.data(), input.size());
    if (put > 0) input.remove_prefix(static_cast<std::size_t>(put));
    if ((put < 0 && errno != EINTR && errno != EAGAIN) || input.empty()) Pipe::close_end(end);
}

void exchange(Pipe& in, Pipe& out, Pipe& err, std::string_view input, CommandResult& result) {
    if (input.empty())
        Pipe::close_end(in.write);
    else
        fcntl(in.write, F_SETFL, O_NONBLOCK);
    while (out.read >= 0 || err.read >= 0) {
        std::array<pollfd, 3> ends{
            {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}, {in.write, POLLOUT, 0}}};
        if (poll(ends.data(), ends.size(), -1) < 0) continue;
        if (ends[0].revents != 0) drain(out.read, result.out);
        if (ends[1].revents != 0) drain(err.read, result.err);
        if (ends[2].revents != 0) feed(in.write, input);
    }
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool in_path(const char* program) {
    const char* path = std::getenv("PATH");
    std::string rest = path ? path : "";
    while (!rest.empty()) {
        const std::size_t colon = rest.find(':');
        const fs::path candidate = fs::path(rest.substr(0, colon)) / program;
        if (access(candidate.c_str(), X_OK) == 0) return true;
        rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    }
    return false;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, std::string_view input) {
    std::signal(SIGPIPE, SIG_IGN);
    Pipe in;
    Pipe out;
    Pipe err;
    const pid_t child = spawn(argv, in, out, err);
    Pipe::close_end(in.read);
    Pipe::close_end(out.write);
    Pipe::close_end(err.write);
    CommandResult result;
    exchange(in, out, err, input, result);
    result.exit_code = wait_for(child);
    return result;
}

bool succeeds(const std::vector<std::string>& argv) {
    try {
        return run_command(argv).exit_code == 0;
    } catch (const std::runtime_error&) {
        return false;
    }
}

std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    bool quoted = false;
    bool open = false;
    for (char c : text) {
        if (c == '\'') {
            quoted = !quoted;
            if (!open) words.emplace_back();
            open = true;
        } else if (c == ' ' && !quoted) {
            open = false;
        } else {
            if (!open) words.emplace_back();
            open = true;
            words.back() += c;
        }
    }
    return words;
}

const fs::path& clip_dir() {
    static const TemporaryFolder folder;
    return folder.path();
}

std::string why_no_ffmpeg() {
    for (const char* program : {"ffmpeg", "ffprobe"})
        if (!in_path(program)) return std::string("no ") + program + " program in PATH";
    return {};
}

fs::path make_clip(const std::string& name, std::string_view args) {
    static std::map<std::string, std::string> made;
    fs::path file = clip_dir() / name;
    const auto [entry, is_new] = made.emplace(name, args);
    if (!is_new) {
        if (entry->second != args) throw std::logic_error("two recipes for clip " + name);
        return file;
    }
    std::vector<std::string> argv = {"ffmpeg", "-nostdin", "-v", "error", "-y"};
    for (std::string& word : split_words(args))
        argv.push_back(word.starts_with('@') ? (clip_dir() / word.substr(1)).string() : word);
    argv.push_back(file.string());
    const CommandResult result = run_command(argv);
    if (result.exit_code == 0) return file;
    made.erase(name);
    throw std::runtime_error("ffmpeg cannot make " + name + ": " + result.err);
}

fs::path make_joined_clip(const std::string& name, const std::string& first,
                          const std::string& second) {
    Bytes bytes = read_bytes(make_clip(name + "_first.ts", first));
    const Bytes more = read_bytes(
        make_clip(name + "_second.ts",
                  second + " -output_ts_offset 1.1 -mpegts_flags initial_discontinuity"));
    bytes.insert(bytes.end(), more.begin(), more.end());
    return write_bytes(name + ".ts", bytes);
}

nlohmann::json ffprobe(const fs::path& file, std::string_view args) {
    std::vector<std::string> argv = {"ffprobe", "-v", "quiet", "-of", "json"};
    for (std::string& word : split_words(args)) argv.push_back(word);
    argv.push_back("file:" + file.string());
    const CommandResult result = run_command(argv);
    return nlohmann::json::parse(result.out.empty() ? "{}" : result.out);
}

std::int64_t count_frames(const fs::path& file) {
    const nlohmann::json probed =
        ffprobe(file, "-count_frames -select_streams V:0 -show_entries stream=nb_read_frames");
    const std::string count = probed.at("streams").at(0).value("nb_read_frames", "0");
    return count == "N/A" ? 0 : std::stoll(count);
}

Bytes read_bytes(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + file.string());
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

fs::path write_bytes(const std::string& name, const Bytes& bytes) {
    fs::path file = clip_dir() / name;
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) throw std::runtime_error("cannot write " + file.string());
    return file;
}

}  // namespace weft::test
