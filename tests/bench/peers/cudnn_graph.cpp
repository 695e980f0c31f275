#include <algorithm>
#include <cstdint>
#include <cudnn.h>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"
#include "tests/bench/peers.h"
#include "tests/bench/peers/cudnn_handle.h"
#include "tests/bench/peers/cudnn_layer.h"
#include "tests/bench/peers/layer_weights.h"
#include "tests/bench/peers/library.h"

namespace weft::bench {

namespace {

// All functions in use but those of cudnn_handle.h, with the types of cudnn.h.
struct Functions {
    Library library{"libcudnn.so.9", "libcudnn.so.8"};

    decltype(&cudnnBackendCreateDescriptor) create_descriptor =
        library.find<decltype(&cudnnBackendCreateDescriptor)>("cudnnBackendCreateDescriptor");
    decltype(&cudnnBackendDestroyDescriptor) destroy_descriptor =
        library.find<decltype(&cudnnBackendDestroyDescriptor)>("cudnnBackendDestroyDescriptor");
    decltype(&cudnnBackendSetAttribute) set_attribute =
        library.find<decltype(&cudnnBackendSetAttribute)>("cudnnBackendSetAttribute");
    decltype(&cudnnBackendGetAttribute) get_attribute =
        library.find<decltype(&cudnnBackendGetAttribute)>("cudnnBackendGetAttribute");
    decltype(&cudnnBackendFinalize) finalize =
        library.find<decltype(&cudnnBackendFinalize)>("cudnnBackendFinalize");
    decltype(&cudnnBackendExecute) execute =
        library.find<decltype(&cudnnBackendExecute)>("cudnnBackendExecute");
};

Functions& functions() {
    static Functions once;
    return once;
}

constexpr auto type_of(const std::int64_t*) {
    return CUDNN_TYPE_INT64;
}
constexpr auto type_of(const float*) {
    return CUDNN_TYPE_FLOAT;
}
constexpr auto type_of(const void* const*) {
    return CUDNN_TYPE_VOID_PTR;
}
constexpr auto type_of(const cudnnHandle_t*) {
    return CUDNN_TYPE_HANDLE;
}
constexpr auto type_of(const cudnnDataType_t*) {
    return CUDNN_TYPE_DATA_TYPE;
}
constexpr auto type_of(const cudnnConvolutionMode_t*) {
    return CUDNN_TYPE_CONVOLUTION_MODE;
}
constexpr auto type_of(const cudnnBackendHeurMode_t*) {
    return CUDNN_TYPE_HEUR_MODE;
}
constexpr auto type_of(const cudnnBackendNumericalNote_t*) {
    return CUDNN_TYPE_NUMERICAL_NOTE;
}

// Owns a part of cuDNN's graph API: attributes, which are fixed when it is finished.
class Descriptor {
 public:
    explicit Descriptor(cudnnBackendDescriptorType_t type) {
        cudnnBackendDescriptor_t made = nullptr;
        cudnn_check(functions().create_descriptor(type, &made), "make a descriptor");
        owned_.reset(made);
    }

    template <class T>
    void set(cudnnBackendAttributeName_t name, std::initializer_list<T> values) {
        set(name, type_of(values.begin()), static_cast<std::int64_t>(values.size()),
            values.begin());
    }
    void set(cudnnBackendAttributeName_t name, const Descriptor& part) {
        cudnnBackendDescriptor_t value = part.get();
        set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
    }

    // False if cuDNN does not support it.
    bool finished() { return functions().finalize(get()) == CUDNN_STATUS_SUCCESS; }
    void finish() { cudnn_check(functions().finalize(get()), "describe a layer"); }

    // At most `most` values.
    template <class T>
    std::vector<T> values(cudnnBackendAttributeName_t name, std::int64_t most) const {
        std::vector<T> out(static_cast<std::size_t>(most));
        std::int64_t count = 0;
        cudnn_check(
            functions().get_attribute(get(), name, type_of(out.data()), most, &count, out.data()),
            "read an attribute");
        out.resize(static_cast<std::size_t>(std::min(count, most)));
        return out;
    }
    std::int64_t number(cudnnBackendAttributeName_t name) const {
        return values<std::int64_t>(name, 1).at(0);
    }
    // At most `most` parts, all of one type.
    std::vector<Descriptor> parts(cudnnBackendAttributeName_t name,
                                  cudnnBackendDescriptorType_t type, std::int64_t most) const {
        std::vector<Descriptor> out;
        std::vector<cudnnBackendDescriptor_t> raw;
        for (std::int64_t k = 0; k < most; ++k) raw.push_back(out.emplace_back(type).get());
        std::int64_t count = 0;
        cudnn_check(functions().get_attribute(get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most,
                                              &count, raw.data()),
                    "read an attribute");
        out.erase(out.begin() + std::min(count, most), out.end());
        return out;
    }

    cudnnBackendDescriptor_t get() const { return owned_.get(); }

 private:
    struct Destroy {
        void operator()(void* p) const noexcept { (void)functions().destroy_descriptor(p); }
    };

    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void* values) {
        cudnn_check(functions().set_attribute(get(), name, type, count, values),
                    "describe a layer");
    }

    std::unique_ptr<void, Destroy> owned_;
};

enum Tensor : std::int64_t { kInput, kWeights, kOutput };  // unique IDs

struct Extent {
    std::int64_t images, channels, height, width;
};

Descriptor tensor(Tensor id, const LayerProblem& p, const Extent& e) {
    const bool last = p.layout == LayerLayout::nhwc;
    const std::int64_t plane = e.height * e.width;
    Descriptor out(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    out.set<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
    out.set(CUDNN_ATTR_TENSOR_DATA_TYPE,
            {p.type == LayerType::f16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT});
    out.set(CUDNN_ATTR_TENSOR_DIMENSIONS, {e.images, e.channels, e.height, e.width});
    out.set<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES,
                          {e.channels * plane, last ? 1 : plane,
                           last ? e.width * e.channels : e.width, last ? e.channels : 1});
    out.set<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
    out.finish();
    return out;
}

// The layer as a graph of one operation. cuDNN derives the groups from the channels.
class Graph {
 public:
    explicit Graph(const LayerProblem& p)
        : input_(tensor(kInput, p, {p.batch, p.in_channels, p.height, p.width})),
          weights_(tensor(kWeights, p, {p.out_channels, p.group_inputs(), p.taps.y, p.taps.x})),
          output_(tensor(kOutput, p, {p.batch, p.out_channels, p.out_height(), p.out_width()})) {
        convolution_.set<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2});
        convolution_.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, {CUDNN_DATA_FLOAT});
        convolution_.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, {CUDNN_CROSS_CORRELATION});
        set_pair(CUDNN_ATTR_CONVOLUTION_DILATIONS, p.dilation.y, p.dilation.x);
        set_pair(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, p.stride.y, p.stride.x);
        set_pair(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, p.padding.y, p.padding.x);
        set_pair(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, p.padding.y, p.padding.x);
        convolution_.finish();
        operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution_);
        operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, input_);
        operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, weights_);
        operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, output_);
        operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, {1.0F});
        operation_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, {0.0F});
        operation_.finish();
        // The stream of the last launch may be gone.
        set_cudnn_stream(nullptr);
        graph_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, {cudnn_handle()});
        graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation_);
        graph_.finish();
    }

    // Engines and their settings as a heuristic ranks them; none if it does not support the graph.
    std::vector<Descriptor> engines(cudnnBackendHeurMode_t mode) const {
        Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, {mode});
        if (!heuristic.finished()) return {};
        std::int64_t count = 0;
        cudnn_check(functions().get_attribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                              CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
                    "rank its engines");
        return heuristic.parts(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
                               count);
    }

 private:
    void set_pair(cudnnBackendAttributeName_t name, std::int64_t y, std::int64_t x) {
        convolution_.set(name, {y, x});
    }

    Descriptor input_, weights_, output_;
    Descriptor convolution_{CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR};
    Descriptor operation_{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR};
    Descriptor graph_{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
};

using Notes = std::vector<cudnnBackendNumericalNote_t>;

bool has(const Notes& notes, cudnnBackendNumericalNote_t note) {
    return std::ranges::find(notes, note) != notes.end();
}

// On f32, tensor cores multiply in TF32.
bool exact_enough(const Notes& notes, LayerType type, bool tf32) {
    if (type == LayerType::f16) return true;
    return !has(notes, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) &&
           (tf32 || !has(notes, CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
}

std::string name_of(const Descriptor& engine, const Notes& notes) {
    std::string name = "engine " + std::to_string(engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
    if (has(notes, CUDNN_NUMERICAL_NOTE_TENSOR_CORE)) name += ", tensor cores";
    if (has(notes, CUDNN_NUMERICAL_NOTE_WINOGRAD)) name += ", winograd";
    if (has(notes, CUDNN_NUMERICAL_NOTE_FFT)) name += ", fft";
    return name;
}

// An engine that is ready to run.
struct Plan {
    Descriptor engine, plan;
    std::string name;
    std::size_t workspace_bytes = 0;
};

constexpr std::int64_t kMostWorkspace = 8LL << 30;

// Nothing if the engine does not support the graph, rounds more than allowed or needs more memory.
std::optional<Plan> plan_of(Descriptor configured, LayerType type, bool tf32) {
    const std::vector<Descriptor> engine =
        configured.parts(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
    const auto notes = engine.at(0).values<cudnnBackendNumericalNote_t>(
        CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
    if (!exact_enough(notes, type, tf32)) return std::nullopt;
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, {cudnn_handle()});
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configured);
    if (!plan.finished()) return std::nullopt;
    const std::int64_t bytes = plan.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
    if (bytes > kMostWorkspace) return std::nullopt;
    return Plan{std::move(configured), std::move(plan), name_of(engine.at(0), notes),
                static_cast<std::size_t>(bytes)};
}

class CudnnGraph : public PeerLayer {
 public:
    CudnnGraph(const LayerProblem& p, bool tf32)
        : graph_(p), weights_(upload(weights_in_layout(p))) {
        std::vector<Plan> plans = ranked(p.type, tf32);
        for (const Plan& plan : plans)
            workspace_bytes_ = std::max(workspace_bytes_, plan.workspace_bytes);
        workspace_ = device_array<std::byte>(workspace_bytes_);
        plan_.emplace(std::move(plans.at(fastest(plans, p))));
    }

    std::string note() const override { return plan_->name; }

    void launch(const void* input, void* output, StreamView stream) override {
        cudnn_check(run(*plan_, input, output, stream), "compute a layer");
    }

 private:
    static constexpr std::size_t kTimed = 10;
    static constexpr int kLaunches = 10;

    // At most kTimed plans, best first as the heuristics rank them; at least one.
    std::vector<Plan> ranked(LayerType type, bool tf32) const {
        std::vector<Plan> out;
        for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
            for (Descriptor& engine : graph_.engines(mode)) {
                if (out.size() == kTimed) return out;
                if (auto plan = plan_of(std::move(engine), type, tf32))
                    out.push_back(std::move(*plan));
            }
        }
        if (out.empty()) throw std::runtime_error("cuDNN has no engine for this layer");
        return out;
    }

    std::size_t fastest(const std::vector<Plan>& plans, const LayerProblem& p) const {
        const std::size_t size = bytes_per_element(p.type);
        const std::size_t bytes = static_cast<std::size_t>(p.inputs()) * size;
        const auto input = device_array<std::byte>(bytes);
        const auto output = device_array<std::byte>(static_cast<std::size_t>(p.outputs()) * size);
        const Stream stream;
        cuda_check(cudaMemsetAsync(input.get(), 0, bytes, stream.view()), "clear a layer's input");
        GpuTimer timer;
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < plans.size(); ++k) {
            cudnnStatus_t status = run(plans[k], input.get(), output.get(), stream.view());
            timer.start(stream.view());
            for (int n = 0; n < kLaunches && status == CUDNN_STATUS_SUCCESS; ++n)
                status = run(plans[k], input.get(), output.get(), stream.view());
            timer.stop(stream.view());
            const double seconds = timer.seconds();
            if (status != CUDNN_STATUS_SUCCESS || seconds >= least) continue;
            best = k;
            least = seconds;
        }
        return best;
    }

    cudnnStatus_t run(const Plan& plan, const void* input, void* output, StreamView stream) const {
        set_cudnn_stream(stream);
        Descriptor operands(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
        operands.set<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, {kInput, kWeights, kOutput});
        operands.set<const void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                                  {input, weights_.get(), output});
        operands.set<const void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {workspace_.get()});
        operands.finish();
        return functions().execute(cudnn_handle(), plan.plan.get(), operands.get());
    }

    Graph graph_;
    DeviceArray<std::byte> weights_;
    DeviceArray<std::byte> workspace_;
    std::size_t workspace_bytes_ = 0;
    std::optional<Plan> plan_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_cudnn_graph(const LayerProblem& p, const Device& device,
                                                   bool tf32) {
    use_device(device);
    return std::make_unique<CudnnGraph>(p, tf32);
}

}  // namespace weft::bench
