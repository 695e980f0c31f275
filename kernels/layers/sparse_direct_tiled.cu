// Launches sparse_direct_tiled.cuh.
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/sparse_direct_tiled.cuh"

namespace weft {

namespace {

class PreparedSparse : public PreparedLayer {
 public:
    PreparedSparse(const LayerProblem& p, const Device& device, const SparseRows& rows)
        : device_(device),
          type_(p.type),
          begin_(upload(rows.begin)),
          values_(upload(rows.values)),
          places_(upload(rows.places)) {
        args_.shape = layer_shape(p);
        args_.begin = begin_.get();
        args_.values = values_.get();
        args_.places = places_.get();
        args_.pixels = static_cast<unsigned>(p.outputs() / p.out_channels);
        args_.pixel_blocks = (args_.pixels + kSparseDirectBlock - 1) / kSparseDirectBlock;
        blocks_ = args_.pixel_blocks * static_cast<unsigned>(p.out_channels);
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        const dim3 block(32, kSparseDirectWarps);
        if (type_ == LayerType::f32)
            sparse_direct<ElementF32><<<blocks_, block, 0, stream>>>(args_);
        else
            sparse_direct<ElementF16><<<blocks_, block, 0, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch sparse_direct");
    }

 private:
    Device device_;
    LayerType type_;
    DeviceArray<int> begin_;
    DeviceArray<float> values_;
    DeviceArray<TapPlace> places_;
    SparseArgs args_;
    unsigned blocks_ = 0;
};

struct SparseKernels {
    template <class F>
    SparseKernel tiled() const {
        return sparse_direct_tiled<F>;
    }
};

class PreparedSparseTiled : public PreparedLayer {
 public:
    PreparedSparseTiled(const LayerProblem& p, const Device& device, const SparseTiledPlan& plan)
        : device_(device),
          kernel_(pick_sparse(plan.form, p.type, SparseKernels{})),
          lists_(upload(plan.lists)),
          rows_(upload(plan.rows)),
          args_(plan.args),
          shape_{.blocks = static_cast<unsigned>(plan.blocks),
                 .threads = dim3(32, static_cast<unsigned>(plan.form.warps)),
                 .shared_bytes = plan.shared_bytes} {
        args_.lists = lists_.get();
        args_.rows = rows_.get();
        allow_all_shared_memory(kernel_);
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        weft::launch(kernel_, shape_, stream, args_, "launch sparse_direct_tiled");
    }

 private:
    Device device_;
    SparseKernel kernel_;
    DeviceArray<std::uint32_t> lists_;
    DeviceArray<int> rows_;
    SparseTiledArgs args_;
    LaunchShape shape_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_sparse(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedSparse>(p, device, sparse_rows(p));
}

std::unique_ptr<PreparedLayer> prepare_layer_sparse_tiled(const LayerProblem& p,
                                                          const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedSparseTiled>(p, device, plan_sparse_tiled(p, sparse_form(p)));
}

}  // namespace weft
