// Reports memory and thread shortages, and detects them where libav hides them.
#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace weft {

// Clauses for messages: the shortage and its remedy.
inline constexpr std::string_view kNoMemory =
    "not enough memory; close other programs, or filter fewer files at once (--jobs 1)";
inline constexpr std::string_view kNoThread =
    "no further thread can be started; end other programs, or raise the limit (ulimit -u, or that "
    "of the container)";

// The exception's text; kNoMemory for std::bad_alloc, and kNoThread for the system's "Resource
// temporarily unavailable".
std::string reason_of(const std::exception& error);

// Throws MediaError(failed) with AVERROR(ENOMEM).
[[noreturn]] void throw_no_memory();
[[noreturn]] void throw_no_memory(const std::string& path);

// Makes errno a proof of a shortage. A malloc() that fails in one of glibc's arenas and succeeds in
// another leaves ENOMEM there: of 160 photos, 16 at a time, 55 were refused for no other reason.
// All threads share one arena from then on, so call it before any other thread starts.
void share_one_arena() noexcept;

// Watches libav calls on the current thread, from construction on. If an allocation fails, libav
// may report damage, an early end of the file, or success with a part left out. malloc() leaves
// ENOMEM in errno, pthread_create() EAGAIN; libav itself never sets errno. Its own threads are not
// watched. The program has called share_one_arena().
class ShortageWatch {
 public:
    ShortageWatch();

    // Throws MediaError(failed) with AVERROR(ENOMEM) if memory has run out since, whatever the
    // calls returned. Like the other two, not for calls that reach a GPU driver, which sets errno
    // when nothing is wrong.
    void check(std::string_view doing, const std::string& path) const;
    // The same if the call's `result` is negative.
    void check_failed(int result, std::string_view doing, const std::string& path) const;
    // The same for a call that starts threads, when none may be left: AVERROR(EAGAIN).
    void check_started(int result, std::string_view doing, const std::string& path) const;
};

}  // namespace weft
