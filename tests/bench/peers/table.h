// The peers' rows, by library. Adding one is a source file and its line in table.cpp.
#pragma once

#include <vector>

#include "tests/bench/peers.h"

namespace weft::bench {

std::vector<ImagePeer> npp_peers();

}  // namespace weft::bench
