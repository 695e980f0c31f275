#include "tests/bench/peers.h"

#include <dlfcn.h>
#include <filesystem>

namespace weft::bench {

namespace {

struct Loaded {
    PeerTables tables;
    std::string why_not;
};

// Never unloaded: rows hold functions of the plug-in.
Loaded load() {
    const std::filesystem::path file =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libweft-peers.so";
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const reason = dlerror();
        return {.tables = {}, .why_not = std::string("no peers: ") + (reason ? reason : "")};
    }
    void* const symbol = dlsym(library, "weft_peers");
    if (symbol == nullptr)
        return {.tables = {}, .why_not = "no peers: " + file.string() + " is not ours"};
    return {.tables = *reinterpret_cast<PeersFunction>(symbol)(), .why_not = {}};
}

const Loaded& loaded() {
    static const Loaded once = load();
    return once;
}

}  // namespace

const PeerTables& peer_tables() {
    return loaded().tables;
}

const std::string& why_no_peers() {
    return loaded().why_not;
}

}  // namespace weft::bench
