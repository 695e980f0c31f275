#include "kernels/device/launch_graph.h"

#include <exception>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/stream.h"

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

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
    std::size_t count = 0;
    cuda_check(cudaGraphGetNodes(graph, nullptr, &count), "count the nodes of a graph");
    std::vector<cudaGraphNode_t> nodes(count);
    if (count > 0)
        cuda_check(cudaGraphGetNodes(graph, nodes.data(), &count), "list the nodes of a graph");
    return nodes;
}

int most_threads() {
    int device = 0;
    cuda_check(cudaGetDevice(&device), "read the current GPU");
    int threads = 0;
    cuda_check(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device),
               "read the GPU's threads per multiprocessor");
    return threads;
}

// The runtime does not know the kernels that a library loads by the driver.
LaunchFacts facts_of(cudaGraphNode_t node) {
    cudaKernelNodeParams launch{};
    cudaFuncAttributes code{};
    if (cudaGraphKernelNodeGetParams(node, &launch) != cudaSuccess ||
        cudaFuncGetAttributes(&code, launch.func) != cudaSuccess) {
        (void)cudaGetLastError();
        return {};
    }
    const dim3& grid = launch.gridDim;
    const dim3& block = launch.blockDim;
    LaunchFacts facts;
    facts.blocks = static_cast<int>(grid.x * grid.y * grid.z);
    facts.threads = static_cast<int>(block.x * block.y * block.z);
    facts.registers = code.numRegs;
    facts.shared_bytes = static_cast<int>(code.sharedSizeBytes + launch.sharedMemBytes);
    int resident = 0;
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, launch.func, facts.threads,
                                                             launch.sharedMemBytes),
               "compute the occupancy of a kernel");
    facts.occupancy = static_cast<double>(resident) * facts.threads / most_threads();
    return facts;
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

std::vector<LaunchFacts> recorded_launches(const std::function<void(StreamView)>& enqueue) {
    const Stream stream;
    const GraphPtr graph = capture(stream.view(), [&] { enqueue(stream.view()); });
    std::vector<LaunchFacts> launches;
    for (cudaGraphNode_t node : nodes_of(graph.get())) {
        cudaGraphNodeType type{};
        cuda_check(cudaGraphNodeGetType(node, &type), "read a node of a graph");
        if (type == cudaGraphNodeTypeKernel) launches.push_back(facts_of(node));
    }
    return launches;
}

void LaunchGraph::Destroy::operator()(CUgraphExec_st* g) const noexcept {
    (void)cudaGraphExecDestroy(g);
}

}  // namespace weft
