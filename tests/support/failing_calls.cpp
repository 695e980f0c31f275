// Makes a program run out of memory or threads, its decoder stall, or its file server lose answers.
// Loaded by LD_PRELOAD; the environment chooses:
//
//   WEFT_FAIL_ALLOCATION=N  the Nth call of malloc, calloc, realloc, … from main() on returns null
//   WEFT_FAIL_THREAD=N      the Nth call of pthread_create from main() on returns EAGAIN
//   WEFT_FAIL_ALL_AFTER=1   all later calls fail, too
//   WEFT_KILL_RENAME=N      the Nth call of rename from main() on kills the program
//   WEFT_STALL_PACKET=N     the Nth call of avcodec_send_packet never returns
//   WEFT_NO_SESSION=1       avcodec_open2 of an encoder named …_nvenc returns ENOMEM, as libav does
//                           if all of the GPU's encoder sessions are in use
//   WEFT_LOST_ANSWERS=1     rename and linkat do their work and return EIO
//   WEFT_FAIL_COUNTS=FILE   "ALLOCATIONS THREADS" are written there when main() returns
//
// Calls of all threads count. Calls that libraries make before or after main() do not.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

// glibc's internal names: looking the public ones up with dlsym() would allocate.
extern "C" {
void* __libc_malloc(std::size_t bytes);                           // NOLINT
void* __libc_calloc(std::size_t count, std::size_t bytes);        // NOLINT
void* __libc_realloc(void* memory, std::size_t bytes);            // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t bytes);  // NOLINT
}

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
using OpenCodec = int (*)(void*, const void*, void*);
using SendPacket = int (*)(void*, const void*);
using Rename = int (*)(const char*, const char*);
using Link = int (*)(int, const char*, int, const char*, int);
using CreateThread = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

// Counts calls of one kind; one of them fails, or all from that one on.
struct Calls {
    std::atomic<long> count = 0;
    long failing = 0;  // 0: none
    bool all_after = false;

    bool next_fails() {
        const long number = ++count;
        return failing > 0 && (number == failing || (all_after && number > failing));
    }
};

std::atomic<bool> g_in_main = false;
Calls g_allocations;
Calls g_threads;
Calls g_packets;
Calls g_renames;
Main g_main = nullptr;

bool allocation_fails() {
    if (!g_in_main || !g_allocations.next_fails()) return false;
    errno = ENOMEM;
    return true;
}

long number_in(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtol(text, nullptr, 10) : 0;
}

int lost_answer(int result) {
    if (result != 0 || number_in("WEFT_LOST_ANSWERS") == 0) return result;
    errno = EIO;
    return -1;
}

void report_counts() {
    const char* path = std::getenv("WEFT_FAIL_COUNTS");
    std::FILE* file = path != nullptr ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) return;
    (void)std::fprintf(file, "%ld %ld\n", g_allocations.count.load(), g_threads.count.load());
    (void)std::fclose(file);
}

int counted_main(int argc, char** argv, char** environment) {
    g_allocations.failing = number_in("WEFT_FAIL_ALLOCATION");
    g_threads.failing = number_in("WEFT_FAIL_THREAD");
    g_allocations.all_after = g_threads.all_after = number_in("WEFT_FAIL_ALL_AFTER") != 0;
    g_packets.failing = number_in("WEFT_STALL_PACKET");
    g_renames.failing = number_in("WEFT_KILL_RENAME");
    g_in_main = true;
    const int code = g_main(argc, argv, environment);
    g_in_main = false;
    report_counts();
    return code;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
    return allocation_fails() ? nullptr : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
    return allocation_fails() ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* memory, std::size_t bytes) {
    return allocation_fails() ? nullptr : __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
    return allocation_fails() ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
    void* made = memalign(alignment, bytes);
    if (made == nullptr) return ENOMEM;
    *memory = made;
    return 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
    static const auto real = reinterpret_cast<CreateThread>(dlsym(RTLD_NEXT, "pthread_create"));
    if (g_in_main && g_threads.next_fails()) return errno = EAGAIN;
    return real(thread, attributes, run, argument);
}

int rename(const char* from, const char* to) {
    static const auto real = reinterpret_cast<Rename>(dlsym(RTLD_NEXT, "rename"));
    if (g_in_main && g_renames.next_fails()) (void)kill(getpid(), SIGKILL);
    return lost_answer(real(from, to));
}

int linkat(int folder, const char* from, int new_folder, const char* to, int flags) {
    static const auto real = reinterpret_cast<Link>(dlsym(RTLD_NEXT, "linkat"));
    return lost_answer(real(folder, from, new_folder, to, flags));
}

int avcodec_open2(void* context, const void* codec, void* options) {
    static const auto real = reinterpret_cast<OpenCodec>(dlsym(RTLD_NEXT, "avcodec_open2"));
    // AVCodec begins with the name.
    const char* name = codec != nullptr ? *static_cast<const char* const*>(codec) : "";
    if (std::strstr(name, "_nvenc") != nullptr && number_in("WEFT_NO_SESSION") != 0) return -ENOMEM;
    return real(context, codec, options);
}

int avcodec_send_packet(void* codec, const void* packet) {
    static const auto real = reinterpret_cast<SendPacket>(dlsym(RTLD_NEXT, "avcodec_send_packet"));
    if (g_packets.next_fails())
        for (std::atomic<long> turns = 0;;) ++turns;
    return real(codec, packet);
}

int __libc_start_main(Main main, int argc, char** argv, void (*init)(),  // NOLINT
                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
    static const auto real = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
    g_main = main;
    return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
}
