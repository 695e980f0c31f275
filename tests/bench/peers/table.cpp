#include "tests/bench/peers/table.h"

// The symbol that weft-bench looks up in the plug-in.
extern "C" const weft::bench::PeerTables* weft_peers() {
    using namespace weft::bench;
    static const std::vector<ImagePeer> images = npp_peers();
    static const std::vector<LayerPeer> layers = layer_peer_rows();
    static const PeerTables tables{.images = images, .layers = layers};
    return &tables;
}
