// Makes exports slow, however fast the machine is. Loaded by LD_PRELOAD; the environment chooses:
//
//   WEFT_SLOW_WHILE=FILE  every encoder takes a second per frame for as long as this file exists
//   WEFT_SLOW_FROM=N      from the Nth frame of the program on
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

namespace {

using SendFrame = int (*)(void*, const void*);

std::atomic<long> g_frames;

bool is_slow() {
    const char* file = std::getenv("WEFT_SLOW_WHILE");
    return file != nullptr && access(file, F_OK) == 0;
}

}  // namespace

extern "C" int avcodec_send_frame(void* codec, const void* frame) {
    static const auto real = reinterpret_cast<SendFrame>(dlsym(RTLD_NEXT, "avcodec_send_frame"));
    const char* from = std::getenv("WEFT_SLOW_FROM");
    if (++g_frames >= (from != nullptr ? std::strtol(from, nullptr, 10) : 0))
        for (int look = 0; look < 100 && is_slow(); ++look) (void)usleep(10'000);
    return real(codec, frame);
}
