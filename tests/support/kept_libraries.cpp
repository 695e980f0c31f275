// Keeps libraries in memory until the program ends. Loaded by LD_PRELOAD in builds with sanitizers:
// what only the variables of an unloaded OpenGL driver pointed to would be reported as leaked, by
// functions without a name that no suppression can match.
#include <dlfcn.h>

extern "C" int dlclose(void* /*library*/) noexcept {
    return 0;
}
