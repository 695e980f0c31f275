#include <cusparse.h>
#include <stdexcept>
#include <vector>

#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "tests/bench/peers/blas_layer.h"
#include "tests/bench/peers/im2col.cuh"
#include "tests/bench/peers/library.h"

namespace weft::bench {

namespace {

struct Functions {
    Library library{"libcusparse.so.12"};
    decltype(&cusparseCreate) create = library.find<decltype(&cusparseCreate)>("cusparseCreate");
    decltype(&cusparseSetStream) set_stream =
        library.find<decltype(&cusparseSetStream)>("cusparseSetStream");
    decltype(&cusparseGetErrorString) error_string =
        library.find<decltype(&cusparseGetErrorString)>("cusparseGetErrorString");
    decltype(&cusparseCreateCsr) create_csr =
        library.find<decltype(&cusparseCreateCsr)>("cusparseCreateCsr");
    decltype(&cusparseCsrSetStridedBatch) set_csr_batch =
        library.find<decltype(&cusparseCsrSetStridedBatch)>("cusparseCsrSetStridedBatch");
    decltype(&cusparseDestroySpMat) destroy_sparse =
        library.find<decltype(&cusparseDestroySpMat)>("cusparseDestroySpMat");
    decltype(&cusparseCreateDnMat) create_dense =
        library.find<decltype(&cusparseCreateDnMat)>("cusparseCreateDnMat");
    decltype(&cusparseDnMatSetStridedBatch) set_dense_batch =
        library.find<decltype(&cusparseDnMatSetStridedBatch)>("cusparseDnMatSetStridedBatch");
    decltype(&cusparseDnMatSetValues) set_values =
        library.find<decltype(&cusparseDnMatSetValues)>("cusparseDnMatSetValues");
    decltype(&cusparseDestroyDnMat) destroy_dense =
        library.find<decltype(&cusparseDestroyDnMat)>("cusparseDestroyDnMat");
    decltype(&cusparseSpMM_bufferSize) buffer_bytes =
        library.find<decltype(&cusparseSpMM_bufferSize)>("cusparseSpMM_bufferSize");
    decltype(&cusparseSpMM) multiply = library.find<decltype(&cusparseSpMM)>("cusparseSpMM");
};

Functions& functions() {
    static Functions once;
    return once;
}

void check(cusparseStatus_t status, const char* doing) {
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuSPARSE failed to ") + doing + ": " +
                                 functions().error_string(status));
}

cusparseHandle_t handle() {
    static auto* const once = [] {
        cusparseHandle_t made = nullptr;
        check(functions().create(&made), "start");
        return made;
    }();
    return once;
}

// Compressed rows of one group's weights.
struct Rows {
    std::vector<int> begins{0}, columns;
    std::vector<float> values;
};

Rows rows_of(const LayerProblem& p, int group) {
    Rows rows;
    const int length = p.sum_length();
    for (int m = group * p.group_outputs(); m < (group + 1) * p.group_outputs(); ++m) {
        for (int k = 0; k < length; ++k) {
            const float w = p.weights[static_cast<std::size_t>(m) * length + k];
            if (w == 0.0F) continue;
            rows.columns.push_back(k);
            rows.values.push_back(w);
        }
        rows.begins.push_back(static_cast<int>(rows.columns.size()));
    }
    return rows;
}

constexpr cusparseSpMMAlg_t kAlgorithm = CUSPARSE_SPMM_CSR_ALG2;  // for row-major matrices

// Weights of one group times its part of the columns, for all images.
class Product {
 public:
    Product(const LayerProblem& p, int group, float* columns) {
        const Rows rows = rows_of(p, group);
        begins_ = upload(rows.begins);
        indices_ = upload(rows.columns);
        values_ = upload(rows.values);
        const int length = p.sum_length();
        const std::int64_t places = static_cast<std::int64_t>(p.out_height()) * p.out_width();
        const std::int64_t outputs = p.group_outputs();
        const Functions& f = functions();
        check(
            f.create_csr(&weights_, outputs, length, static_cast<std::int64_t>(rows.values.size()),
                         begins_.get(), indices_.get(), values_.get(), CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
            "describe the weights");
        check(f.set_csr_batch(weights_, p.batch, 0, 0), "repeat the weights");
        check(f.create_dense(&columns_, length, places, places, columns + group * length * places,
                             CUDA_R_32F, CUSPARSE_ORDER_ROW),
              "describe the columns");
        check(f.set_dense_batch(columns_, p.batch, p.groups * length * places),
              "describe the images");
        check(f.create_dense(&output_, outputs, places, places, columns, CUDA_R_32F,
                             CUSPARSE_ORDER_ROW),
              "describe the output");
        check(f.set_dense_batch(output_, p.batch, p.groups * outputs * places),
              "describe the images");
        offset_ = group * outputs * places;
        std::size_t bytes = 0;
        check(f.buffer_bytes(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                             CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, weights_, columns_, &kZero,
                             output_, CUDA_R_32F, kAlgorithm, &bytes),
              "size its workspace");
        buffer_ = device_array<unsigned char>(bytes);
    }
    ~Product() {
        const Functions& f = functions();
        if (weights_ != nullptr) (void)f.destroy_sparse(weights_);
        for (cusparseDnMatDescr_t matrix : {columns_, output_})
            if (matrix != nullptr) (void)f.destroy_dense(matrix);
    }
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;

    void multiply(float* output) {
        const Functions& f = functions();
        check(f.set_values(output_, output + offset_), "take the output");
        check(f.multiply(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                         CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, weights_, columns_, &kZero,
                         output_, CUDA_R_32F, kAlgorithm, buffer_.get()),
              "multiply");
    }

 private:
    static constexpr float kOne = 1, kZero = 0;

    DeviceArray<int> begins_, indices_;
    DeviceArray<float> values_;
    DeviceArray<unsigned char> buffer_;
    cusparseSpMatDescr_t weights_ = nullptr;
    cusparseDnMatDescr_t columns_ = nullptr, output_ = nullptr;
    std::int64_t offset_ = 0;
};

class CusparseLayer : public PreparedLayer {
 public:
    explicit CusparseLayer(const LayerProblem& p)
        : shape_(layer_shape(p)), columns_(device_array<float>(im2col_elements(p))) {
        // The stream of the last launch may be gone.
        check(functions().set_stream(handle(), nullptr), "take a stream");
        for (int g = 0; g < p.groups; ++g)
            products_.push_back(std::make_unique<Product>(p, g, columns_.get()));
    }

    void launch(const void* input, void* output, StreamView stream) override {
        im2col(shape_, static_cast<const float*>(input), columns_.get(), stream);
        check(functions().set_stream(handle(), stream), "take a stream");
        for (const std::unique_ptr<Product>& product : products_)
            product->multiply(static_cast<float*>(output));
    }

 private:
    LayerShape shape_;
    DeviceArray<float> columns_;
    std::vector<std::unique_ptr<Product>> products_;
};

}  // namespace

const std::string& why_no_cusparse() {
    return functions().library.why_not();
}

std::unique_ptr<PreparedLayer> prepare_cusparse(const LayerProblem& p, const Device& device) {
    use_device(device);
    return std::make_unique<CusparseLayer>(p);
}

}  // namespace weft::bench
