#include "kernels/device/launch_graph.h"

#include <exception>

#include "kernels/device/cuda_check.cuh"

namespace weft {

namespace {

// Always ends the capture: a stream left capturing rejects all other work.
cudaGraph_t capture(StreamView stream, const std::function<void()>& enqueue) {
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
               "begin the capture of a graph");
    std::exception_ptr failure;
    try {
        enqueue();
    } catch (...) {
        failure = std::current_exception();
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t code = cudaStreamEndCapture(stream, &graph);
    if (failure) {
        if (code == cudaSuccess) (void)cudaGraphDestroy(graph);
        (void)cudaGetLastError();
        std::rethrow_exception(failure);
    }
    cuda_check(code, "end the capture of a graph");
    return graph;
}

}  // namespace

LaunchGraph::LaunchGraph(StreamView stream, const std::function<void()>& enqueue) {
    cudaGraph_t graph = capture(stream, enqueue);
    cudaGraphExec_t ready = nullptr;
    const cudaError_t code = cudaGraphInstantiate(&ready, graph, 0);
    (void)cudaGraphDestroy(graph);
    cuda_check(code, "instantiate a graph");
    graph_.reset(ready);
}

void LaunchGraph::replay(StreamView stream) const {
    cuda_check(cudaGraphLaunch(graph_.get(), stream), "replay a graph");
}

void LaunchGraph::Destroy::operator()(CUgraphExec_st* g) const noexcept {
    (void)cudaGraphExecDestroy(g);
}

}  // namespace weft
