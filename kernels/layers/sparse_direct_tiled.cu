// Launches sparse_direct_tiled.cuh.
#include "kernels/layers/prepared_layer.cuh"
#include "kernels/layers/sparse_direct_tiled.cuh"

namespace weft {

namespace {

struct SparseKernels {
    template <class F>
    SparseKernel tiled() const {
        return sparse_direct_tiled<F>;
    }
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_sparse(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const SparseRows rows = sparse_rows(p);
    const auto kernel =
        p.type == LayerType::f32 ? sparse_direct<ElementF32> : sparse_direct<ElementF16>;
    DeviceArray<int> begin = upload(rows.begin);
    DeviceArray<float> values = upload(rows.values);
    DeviceArray<TapPlace> places = upload(rows.places);
    SparseArgs args;
    args.shape = layer_shape(p);
    args.begin = begin.get();
    args.values = values.get();
    args.places = places.get();
    args.pixels = static_cast<unsigned>(p.outputs() / p.out_channels);
    args.pixel_blocks = (args.pixels + kSparseDirectBlock - 1) / kSparseDirectBlock;
    const LaunchShape shape{.blocks = args.pixel_blocks * static_cast<unsigned>(p.out_channels),
                            .threads = dim3(32, kSparseDirectWarps)};
    auto body = [=, begin = std::move(begin), values = std::move(values),
                 places = std::move(places)](const void* input, void* output,
                                             StreamView stream) mutable {
        args.input = input;
        args.output = output;
        launch(kernel, shape, stream, args, "launch sparse_direct");
    };
    return prepared_layer(device, std::move(body));
}

std::unique_ptr<PreparedLayer> prepare_layer_sparse_tiled(const LayerProblem& p,
                                                          const Device& device) {
    validate(p);
    use_device(device);
    const SparseTiledPlan plan = plan_sparse_tiled(p, sparse_form(p));
    const SparseKernel kernel = pick_sparse(plan.form, p.type, SparseKernels{});
    const LaunchShape shape{.blocks = static_cast<unsigned>(plan.blocks),
                            .threads = dim3(32, static_cast<unsigned>(plan.form.warps)),
                            .shared_bytes = plan.shared_bytes};
    allow_all_shared_memory(kernel);
    DeviceArray<std::uint32_t> lists = upload(plan.lists);
    DeviceArray<int> rows = upload(plan.rows);
    SparseTiledArgs args = plan.args;
    args.lists = lists.get();
    args.rows = rows.get();
    auto body = [=, lists = std::move(lists), rows = std::move(rows)](
                    const void* input, void* output, StreamView stream) mutable {
        args.input = input;
        args.output = output;
        launch(kernel, shape, stream, args, "launch sparse_direct_tiled");
    };
    return prepared_layer(device, std::move(body));
}

}  // namespace weft
