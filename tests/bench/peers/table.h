// The peers' rows, by library. A new one takes a source file and its line in table.cpp.
#pragma once

#include <vector>

#include "tests/bench/peers.h"

namespace weft::bench {

std::vector<ImagePeer> npp_peers();
std::vector<LayerPeer> layer_peer_rows();

}  // namespace weft::bench
