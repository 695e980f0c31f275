// Other libraries' functions as rows to compare with. They are in the plug-in libweft-peers.so,
// which only weft-bench loads and which finds its libraries at run time: none need be installed.
#pragma once

#include <span>
#include <string>

#include "kernels/layers/layer_kernel.h"
#include "tests/bench/work.h"

namespace weft::bench {

// A library function that filters an image.
struct ImagePeer {
    ConvKernel row;  // `why_not` also reports a missing library; `limits`: how its work differs
    Allowance (*allowance)(const ConvProblem&) = nullptr;
    // The problem that it solves instead if its taps cannot be set; its result is compared with
    // that.
    ConvProblem (*solves)(const ConvProblem&) = nullptr;
};

// A layer that reports how it is computed: the algorithm that the library chose.
class PeerLayer : public PreparedLayer {
 public:
    virtual std::string note() const = 0;
};

// A library function that computes a layer.
struct LayerPeer {
    LayerKernel row = {};
    // Allowed error of its sums beyond that of fp32 sums, as a share of Σ|w x|.
    double (*relative)(const LayerProblem&) = nullptr;
};

// All peers of the plug-in, returned by its function `weft_peers`.
struct PeerTables {
    std::span<const ImagePeer> images;
    std::span<const LayerPeer> layers;
};
using PeersFunction = const PeerTables* (*)();

// The plug-in in this program's folder. If it is missing or does not load, the tables are empty and
// why_no_peers() gives the reason.
const PeerTables& peer_tables();
const std::string& why_no_peers();

inline std::span<const ImagePeer> image_peers() {
    return peer_tables().images;
}
inline std::span<const LayerPeer> layer_peers() {
    return peer_tables().layers;
}

}  // namespace weft::bench
