// The callbacks of Halide's CUDA runtime, linked into libhalide_peers.so by halide_peers.py.
// Each function replaces a weak one of the runtime.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void* stream;
static char message[512];

void halide_peers_set_stream(void* value) {
    stream = value;
}

// The last error, which is forgotten.
void halide_peers_take_message(char* to, int size) {
    snprintf(to, (size_t)size, "%s", message);
    message[0] = '\0';
}

void halide_error(void* user, const char* text) {
    (void)user;
    snprintf(message, sizeof message, "%s", text);
}

// Machines without the CUDA toolkit have the driver under its versioned name only.
void* halide_load_library(const char* name) {
    return dlopen(strcmp(name, "libcuda.so") == 0 ? "libcuda.so.1" : name, RTLD_LAZY);
}

// The caller's context, which is current.
int halide_cuda_acquire_context(void* user, void** context, bool create) {
    typedef int (*GetCurrent)(void**);
    static GetCurrent get_current;
    (void)user;
    (void)create;
    if (get_current == NULL) {
        void* driver = halide_load_library("libcuda.so");
        if (driver != NULL) *(void**)&get_current = dlsym(driver, "cuCtxGetCurrent");
    }
    *context = NULL;
    if (get_current != NULL && get_current(context) == 0 && *context != NULL) return 0;
    halide_error(user, "no CUDA context is current");
    return -1;
}

int halide_cuda_release_context(void* user) {
    (void)user;
    return 0;
}

int halide_cuda_get_stream(void* user, void* context, void** out) {
    (void)user;
    (void)context;
    *out = stream;
    return 0;
}

// Would unload its modules when the process ends, after the driver has.
void halide_cuda_cleanup(void) {}
