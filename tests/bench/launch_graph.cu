#include "kernels/cuda_check.cuh"
#include "tests/bench/launch_graph.h"

namespace weft::bench {

namespace {

std::size_t bytes_of(const ImageView& v) {
    return static_cast<std::size_t>(v.pitch_bytes) * static_cast<std::size_t>(v.height);
}

}  // namespace

LaunchGraph::LaunchGraph(StreamView stream, const std::function<void()>& enqueue) {
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
               "begin the capture of a graph");
    enqueue();
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(stream, &graph), "end the capture of a graph");
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

void copy_bytes(const ImageView& src, const ImageView& dst, StreamView stream) {
    cuda_check(cudaMemcpyAsync(dst.data, src.data, bytes_of(src), cudaMemcpyDeviceToDevice, stream),
               "copy within the GPU");
}

void poison(const ImageView& image, unsigned char byte, StreamView stream) {
    cuda_check(cudaMemsetAsync(image.data, byte, bytes_of(image), stream), "poison an output");
}

}  // namespace weft::bench
