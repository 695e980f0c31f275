// Other libraries' functions as rows beside ours. They live in the plug-in libweft-peers.so, which
// weft-bench alone loads and which finds its libraries when it runs: nothing needs them installed.
#pragma once

#include <span>
#include <string>

#include "tests/bench/work.h"

namespace weft::bench {

// A function of a library that filters an image.
struct ImagePeer {
    ConvKernel row;  // `why_not` tells a missing library too; `limits`: how its work differs
    Allowance (*allowance)(const ConvProblem&) = nullptr;
    // What it computes instead, where its taps cannot be given: its result is held against that.
    ConvProblem (*solves)(const ConvProblem&) = nullptr;
};

// A layer that can say how it is computed: which algorithm a library chose.
class PeerLayer : public PreparedLayer {
 public:
    virtual std::string note() const = 0;
};

// A function of a library that computes a layer.
struct LayerPeer {
    ConvKernel row = {};  // its layer form
    // By how much of Σ|w x| its sums may err more than fp32 sums.
    double (*relative)(const LayerProblem&) = nullptr;
};

// Everything that the plug-in has; its function `weft_peers` returns it.
struct PeerTables {
    std::span<const ImagePeer> images;
    std::span<const LayerPeer> layers;
};
using PeersFunction = const PeerTables& (*)();

// The plug-in beside this program. Empty tables where it is missing or does not load, and then a
// sentence.
const PeerTables& peer_tables();
const std::string& why_no_peers();

inline std::span<const ImagePeer> image_peers() {
    return peer_tables().images;
}
inline std::span<const LayerPeer> layer_peers() {
    return peer_tables().layers;
}

}  // namespace weft::bench
