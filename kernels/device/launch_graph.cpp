#include "kernels/device/launch_graph.h"

#include <exception>

#include "kernels/device/cuda_check.cuh"

namespace weft {

namespace {

struct DestroyGraph {
    void operator()(CUgraph_st* graph) const noexcept { (void)cudaGraphDestroy(graph); }
};
using GraphPtr = std::unique_ptr<CUgraph_st, DestroyGraph>;

// Always ends the capture: a stream left capturing rejects all other work.
GraphPtr capture(StreamView stream, const std::function<void()>& enqueue) {
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
               "begin the capture of a graph");
    std::exception_ptr failure;
    try {
        enqueue();
    } catch (...) {
        failure = std::current_exception();
    }
    cudaGraph_t captured = nullptr;
    const cudaError_t code = cudaStreamEndCapture(stream, &captured);
    GraphPtr graph(code == cudaSuccess ? captured : nullptr);
    if (failure) {
        (void)cudaGetLastError();
        std::rethrow_exception(failure);
    }
    cuda_check(code, "end the capture of a graph");
    return graph;
}

}  // namespace

LaunchGraph::LaunchGraph(StreamView stream, const std::function<void()>& enqueue) {
    const GraphPtr graph = capture(stream, enqueue);
    cudaGraphExec_t ready = nullptr;
    cuda_check(cudaGraphInstantiate(&ready, graph.get(), 0), "instantiate a graph");
    graph_.reset(ready);
}

void LaunchGraph::replay(StreamView stream) const {
    cuda_check(cudaGraphLaunch(graph_.get(), stream), "replay a graph");
}

void LaunchGraph::Destroy::operator()(CUgraphExec_st* g) const noexcept {
    (void)cudaGraphExecDestroy(g);
}

}  // namespace weft
