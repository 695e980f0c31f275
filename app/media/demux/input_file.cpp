#include "app/media/demux/input_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <xxhash.h>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr int kIoBufferBytes = 64 << 10;

[[noreturn]] void refuse_input(const std::string& path, std::string_view why) {
    throw MediaError(Outcome::failed, fmt::format("{}: {}", path, why));
}

std::string_view why_not_regular(mode_t mode) {
    if (S_ISDIR(mode)) return "is a folder, not a video or an image";
    if (S_ISFIFO(mode)) return "is a FIFO; only regular files and - (standard input) are opened";
    if (S_ISSOCK(mode)) return "is a socket; only regular files and - are opened";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "is a device; only regular files and - are opened";
    return "is not a regular file";
}

// A local file of that name is found first.
[[noreturn]] void refuse_missing(const std::string& path) {
    if (errno == ENOENT && is_address(path))
        throw MediaError(Outcome::usage,
                         fmt::format("{0}: weft opens local files only: download it first, or pipe "
                                     "it: curl {0} | weft batch -",
                                     path));
    refuse_input(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
}

struct stat checked(int result, const struct stat& info, const std::string& path) {
    if (result != 0) refuse_missing(path);
    if (!S_ISREG(info.st_mode)) refuse_input(path, why_not_regular(info.st_mode));
    if (info.st_size == 0) refuse_input(path, "is empty (0 bytes)");
    return info;
}

struct stat stat_path(const std::string& path) {
    struct stat info {};
    return checked(stat(path.c_str(), &info), info, path);
}

struct stat stat_fd(int fd, const std::string& path) {
    struct stat info {};
    return checked(fstat(fd, &info), info, path);
}

void free_state(XXH3_state_t* state) noexcept {
    XXH3_freeState(state);
}

bool are_same(const timespec& one, const timespec& other) {
    return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

// XXH3 of bytes that arrive in parts, at 10 GB/s.
class ReadHash {
 public:
    ReadHash() : state_(XXH3_createState()) {
        if (!state_) throw std::bad_alloc();
        reset();
    }

    void reset() { XXH3_64bits_reset(state_.get()); }
    void add(std::span<const std::uint8_t> bytes) {
        XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
    }
    std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
    std::unique_ptr<XXH3_state_t, CDelete<free_state>> state_;
};

struct ReadPiece {
    std::int64_t begin = 0;
    std::int64_t bytes = 0;
    std::uint64_t hash = 0;
};

}  // namespace

// Notices that local processes write to the files that are open, by one inotify instance of the
// process, because closing one takes 10 ms.
class WriteWatch {
 public:
    struct Events {
        int users = 0;
        bool written = false;
        bool attributes_set = false;  // a link, a mode, a time
    };

    static WriteWatch& instance() {
        static WriteWatch watch;
        return watch;
    }

    // Returns a negative number if the file cannot be watched.
    int add(int fd) {
        const std::scoped_lock lock(mutex_);
        const std::string self = fmt::format("/proc/self/fd/{}", fd);
        const int watch = inotify_add_watch(fd_, self.c_str(), IN_MODIFY | IN_ATTRIB);
        if (watch >= 0) ++files_[watch].users;
        return watch;
    }

    void remove(int watch) noexcept {
        const std::scoped_lock lock(mutex_);
        const auto file = files_.find(watch);
        if (file == files_.end() || --file->second.users > 0) return;
        files_.erase(file);
        inotify_rm_watch(fd_, watch);
    }

    // Returns the events of any time since the first user of the file opened it.
    Events events(int watch) {
        const std::scoped_lock lock(mutex_);
        alignas(inotify_event) std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::read(fd_, buffer.data(), buffer.size())) > 0;)
            for (ssize_t at = 0; at < got;) {
                const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
                take(*event);
                at += static_cast<ssize_t>(sizeof *event + event->len);
            }
        const auto file = files_.find(watch);
        return file == files_.end() ? Events{} : file->second;
    }

 private:
    WriteWatch() : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

    // An overflow may hide a write to any of them.
    void take(const inotify_event& event) {
        for (auto& [watch, file] : files_) {
            if (watch != event.wd && (event.mask & IN_Q_OVERFLOW) == 0) continue;
            file.written = file.written || (event.mask & (IN_MODIFY | IN_Q_OVERFLOW)) != 0;
            file.attributes_set = file.attributes_set || (event.mask & IN_ATTRIB) != 0;
        }
    }

    int fd_;
    std::mutex mutex_;
    std::map<int, Events> files_;
};

// The bytes that were read of a file, as hashes: 24 bytes for each seek. libav's index takes as
// much.
class ReadPieces {
 public:
    // Bytes that follow the latest ones belong to the same piece.
    void add(std::int64_t begin, std::span<const std::uint8_t> bytes) {
        if (bytes.empty()) return;
        if (begin != last_.begin + last_.bytes) {
            if (last_.bytes > 0) pieces_.push_back({last_.begin, last_.bytes, hash_.digest()});
            last_ = {.begin = begin};
            hash_.reset();
        }
        hash_.add(bytes);
        last_.bytes += static_cast<std::int64_t>(bytes.size());
    }

    std::vector<ReadPiece> all() const {
        std::vector<ReadPiece> pieces = pieces_;
        pieces.push_back({last_.begin, last_.bytes, hash_.digest()});
        return pieces;
    }

 private:
    std::vector<ReadPiece> pieces_;
    ReadPiece last_;
    ReadHash hash_;
};

bool is_address(std::string_view path) {
    const std::size_t colon = path.find("://");
    return colon != std::string_view::npos && colon > 0 &&
           path.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == colon;
}

InputFile::InputFile(std::string path, std::shared_ptr<Heartbeat> heart)
    : path_(std::move(path)), heart_(std::move(heart)), pieces_(std::make_unique<ReadPieces>()) {
    if (path_ == "-") {
        fd_ = STDIN_FILENO;
        if (::read(fd_, nullptr, 0) < 0 && errno == EBADF)
            refuse_input("standard input",
                         "is closed or not open for reading: redirect it from a file or a pipe");
        if (fstat(fd_, &opened_) == 0 && S_ISREG(opened_.st_mode)) size_ = opened_.st_size;
        // A file is read by offsets from its beginning, wherever earlier reads left it.
        if (seekable()) lseek(fd_, 0, SEEK_SET);
    } else {
        open_regular();
    }
    compared_ = opened_;
    if (seekable()) watch_ = WriteWatch::instance().add(fd_);
    make_io();
}

InputFile::~InputFile() {
    if (watch_ >= 0) WriteWatch::instance().remove(watch_);
}

// The second check, on the open descriptor, closes the race with a swap of the name.
void InputFile::open_regular() {
    if (path_.find('\0') != std::string::npos) refuse_input(path_, "has a zero byte in its name");
    stat_path(path_);
    file_ = FileDescriptor(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file_.is_open())
        refuse_input(path_, fmt::format("cannot be opened: {}", std::strerror(errno)));
    fd_ = file_.get();
    opened_ = stat_fd(fd_, path_);
    size_ = opened_.st_size;
}

void InputFile::make_io() {
    const auto read_packet = [](void* self, std::uint8_t* into, int bytes) {
        return static_cast<InputFile*>(self)->read({into, static_cast<std::size_t>(bytes)});
    };
    const auto seek_to = [](void* self, std::int64_t offset, int whence) {
        return static_cast<InputFile*>(self)->seek(offset, whence);
    };
    auto* buffer = static_cast<unsigned char*>(av_malloc(kIoBufferBytes));
    if (!buffer) throw_no_memory(path_);
    io_.reset(avio_alloc_context(buffer, kIoBufferBytes, 0, this, read_packet, nullptr,
                                 seekable() ? +seek_to : nullptr));
    if (io_) return;
    av_free(buffer);
    throw_no_memory(path_);
}

// libav may read the same bytes repeatedly, which is no progress.
void InputFile::moved_by(std::int64_t bytes) {
    at_ += bytes;
    unclaimed_ += bytes;
    if (at_ <= seen_) return;
    heart_->beat(at_ - std::exchange(seen_, at_));
}

// libav passes no exceptions on. False: no memory is left.
bool InputFile::remember(std::span<const std::uint8_t> bytes) noexcept {
    try {
        pieces_->add(at_, bytes);
        return true;
    } catch (const std::bad_alloc&) {
        system_error_ = ENOMEM;
        return false;
    }
}

int InputFile::read(std::span<std::uint8_t> into) {
    if (heart_->given_up() || packet_is_overdue()) return AVERROR_EXIT;
    for (;;) {
        const Heartbeat::Scope wait = heart_->wait();
        const ssize_t got = ::read(fd_, into.data(), into.size());
        if (got > 0) {
            if (seekable() && !remember(into.first(static_cast<std::size_t>(got))))
                return AVERROR(ENOMEM);
            moved_by(got);
            return static_cast<int>(got);
        }
        if (got == 0) return AVERROR_EOF;
        if (errno == EINTR) continue;
        system_error_ = errno;
        return AVERROR(errno);
    }
}

std::int64_t InputFile::seek(std::int64_t offset, int whence) {
    if ((whence & AVSEEK_SIZE) != 0) return size_;
    const off_t at = lseek(fd_, offset, whence & ~AVSEEK_FORCE);
    if (at < 0) return AVERROR(errno);
    return at_ = at;
}

std::size_t InputFile::read_at(std::int64_t offset, std::span<std::uint8_t> into) const {
    if (!seekable() || offset < 0) return 0;
    const std::size_t done = copy_at(offset, into);
    pieces_->add(offset, into.first(done));
    return done;
}

std::size_t InputFile::copy_at(std::int64_t offset, std::span<std::uint8_t> into) const {
    const Heartbeat::Scope wait = heart_->wait();
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t got = pread(fd_, into.data() + done, into.size() - done,
                                  static_cast<off_t>(offset) + static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            refuse_input(
                path_, fmt::format("cannot be read at byte {}: {}",
                                   offset + static_cast<std::int64_t>(done), std::strerror(errno)));
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    heart_->beat();  // our own checks read a file twice, and end
    return done;
}

bool InputFile::holds_what_was_read() const {
    return std::ranges::all_of(pieces_->all(), [this](const ReadPiece& piece) {
        constexpr std::int64_t kBlock = std::int64_t{1} << 20;
        std::vector<std::uint8_t> block(static_cast<std::size_t>(std::min(piece.bytes, kBlock)));
        ReadHash hash;
        for (std::int64_t done = 0; done < piece.bytes;) {
            const std::int64_t wanted = std::min(piece.bytes - done, kBlock);
            const std::size_t got = copy_at(
                piece.begin + done, std::span(block).first(static_cast<std::size_t>(wanted)));
            if (got == 0) return false;
            hash.add(std::span(block).first(got));
            done += static_cast<std::int64_t>(got);
        }
        return hash.digest() == piece.hash;
    });
}

std::string InputFile::change() const {
    struct stat now {};
    if (!seekable()) return {};
    const auto changed = [&](const std::string& what) {
        return fmt::format("{} changed while it was being read ({})", path_, what);
    };
    if (fstat(fd_, &now) != 0) return changed(std::strerror(errno));
    if (now.st_size != opened_.st_size)
        return changed(
            fmt::format("{} bytes at first, {} bytes now", opened_.st_size, now.st_size));
    const bool same_time = are_same(compared_.st_mtim, now.st_mtim);
    if (same_time && are_same(compared_.st_ctim, now.st_ctim)) return {};
    const WriteWatch::Events events = WriteWatch::instance().events(watch_);
    if (events.written || (!same_time && !events.attributes_set)) return changed("it was modified");
    if (!holds_what_was_read())
        return changed("it holds other bytes now than those that were read");
    compared_ = now;
    return {};
}

void InputFile::check_errors() const {
    if (system_error_ == 0) return;
    refuse_input(path_, fmt::format("cannot be read: {}", std::strerror(system_error_)));
}

}  // namespace weft
