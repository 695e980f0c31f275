#include "app/media/libav/shortage.h"

#include <cerrno>
#include <filesystem>
#include <malloc.h>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "app/media/libav/ffmpeg.h"

namespace weft {

namespace {

[[noreturn]] void fail(std::string_view doing, const std::string& path, std::string_view why,
                       int av_code) {
    throw MediaError(Outcome::failed, fmt::format("{}: {} failed: {}", path, doing, why), av_code);
}

}  // namespace

std::string reason_of(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return std::string(kNoMemory);
    // Its text names the call of the standard library instead of the fault.
    const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error);
    if (file != nullptr)
        return fmt::format("{}: {}", file->path1().string(), file->code().message());
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again)
        return std::string(kNoThread);
    return error.what();
}

void throw_no_memory() {
    throw MediaError(Outcome::failed, std::string(kNoMemory), AVERROR(ENOMEM));
}

void throw_no_memory(const std::string& path) {
    throw MediaError(Outcome::failed, fmt::format("{}: {}", path, kNoMemory), AVERROR(ENOMEM));
}

void share_one_arena() noexcept {
    (void)mallopt(M_ARENA_MAX, 1);  // refused by the allocators of sanitizers, which have no arenas
}

ShortageWatch::ShortageWatch() {
    errno = 0;
}

void ShortageWatch::check(std::string_view doing, const std::string& path) const {
    if (errno == ENOMEM) fail(doing, path, kNoMemory, AVERROR(ENOMEM));
}

void ShortageWatch::check_failed(int result, std::string_view doing,
                                 const std::string& path) const {
    if (result == AVERROR(ENOMEM) || (result < 0 && errno == ENOMEM))
        fail(doing, path, kNoMemory, AVERROR(ENOMEM));
}

void ShortageWatch::check_started(int result, std::string_view doing,
                                  const std::string& path) const {
    check_failed(result, doing, path);
    if (result == AVERROR(EAGAIN) || (result < 0 && errno == EAGAIN))
        fail(doing, path, kNoThread, AVERROR(EAGAIN));
}

}  // namespace weft
