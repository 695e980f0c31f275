// Streams, events, memory and the current device.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/gpu_monitor.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"

namespace weft {

namespace {

std::string mebibytes(std::size_t bytes) {
    return std::to_string((bytes + (1U << 20) - 1) >> 20) + " MiB";
}

}  // namespace

void* allocate_cuda(std::size_t bytes, Allocation where) {
    void* memory = nullptr;
    if (where == Allocation::pinned)
        cuda_check(cudaMallocHost(&memory, bytes),
                   "allocate " + mebibytes(bytes) + " of page-locked memory");
    else
        cuda_check(cudaMalloc(&memory, bytes), "allocate " + mebibytes(bytes) + " on the GPU");
    return memory;
}

// A release cannot report an error; after a sticky one it fails too, and the process is over
// anyway.
void release_cuda(void* memory, Allocation where) noexcept {
    if (where == Allocation::pinned) {
        (void)cudaFreeHost(memory);
    } else {
        (void)cudaFree(memory);
    }
}

void use_device(const Device& device) {
    if (device.is_gpu()) cuda_check(cudaSetDevice(device.ordinal), "select the GPU");
}

// The program does not link the driver's library: the runtime knows where its functions are.
CUctx_st* current_driver_context() {
    cuda_check(cudaFree(nullptr), "start the GPU's context");
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    cuda_check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 4000,
                                                cudaEnableDefault, &found),
               "find the driver's cuCtxGetCurrent");
    CUctx_st* context = nullptr;
    if (function == nullptr || reinterpret_cast<int (*)(CUctx_st**)>(function)(&context) != 0 ||
        context == nullptr)
        throw CudaError("the GPU's driver does not report the current context",
                        cudaErrorDeviceUninitialized);
    return context;
}

std::string pci_bus_id(const Device& device) {
    char id[32] = {};
    cuda_check(cudaDeviceGetPCIBusId(id, sizeof(id), device.ordinal), "find the GPU on its bus");
    return id;
}

Stream::Stream() {
    cudaStream_t stream = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a CUDA stream");
    stream_.reset(stream);
}

void Stream::synchronize() const {
    cuda_check(cudaStreamSynchronize(view()), "wait for the GPU");
}

void Stream::Destroy::operator()(CUstream_st* s) const noexcept {
    (void)cudaStreamDestroy(s);
}

StreamEvent::StreamEvent() {
    cudaEvent_t event = nullptr;
    cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
               "create a CUDA event");
    event_.reset(event);
}

void StreamEvent::record(StreamView stream) {
    cuda_check(cudaEventRecord(event_.get(), stream), "record an event");
}

void StreamEvent::make_wait(StreamView stream) const {
    cuda_check(cudaStreamWaitEvent(stream, event_.get(), 0), "make a stream wait for an event");
}

void StreamEvent::wait() const {
    cuda_check(cudaEventSynchronize(event_.get()), "wait for the GPU");
}

void StreamEvent::Destroy::operator()(CUevent_st* e) const noexcept {
    (void)cudaEventDestroy(e);
}

bool is_page_locked(const void* memory) {
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, memory), "ask about memory");
    return attributes.type == cudaMemoryTypeHost;
}

namespace {

// While a graph is recorded, a plain record would only be an order between streams.
void record_time(cudaEvent_t event, StreamView stream, std::string_view doing) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cuda_check(cudaStreamIsCapturing(stream, &capture), "ask whether a graph is recorded");
    const bool plain = capture == cudaStreamCaptureStatusNone;
    cuda_check(cudaEventRecordWithFlags(event, stream,
                                        plain ? cudaEventRecordDefault : cudaEventRecordExternal),
               doing);
}

}  // namespace

GpuTimer::GpuTimer() {
    for (auto* owner : {&start_, &stop_}) {
        cudaEvent_t event = nullptr;
        cuda_check(cudaEventCreate(&event), "create a CUDA event");
        owner->reset(event);
    }
}

void GpuTimer::start(StreamView stream) {
    record_time(start_.get(), stream, "record the start event");
}

void GpuTimer::stop(StreamView stream) {
    record_time(stop_.get(), stream, "record the stop event");
}

double GpuTimer::seconds() const {
    cuda_check(cudaEventSynchronize(stop_.get()), "wait for the stop event");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()),
               "read the time between two events");
    return static_cast<double>(milliseconds) * 1e-3;
}

double GpuTimer::seconds_after(const GpuTimer& earlier) const {
    cuda_check(cudaEventSynchronize(start_.get()), "wait for the start event");
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, earlier.start_.get(), start_.get()),
               "read the time between two start events");
    return static_cast<double>(milliseconds) * 1e-3;
}

void GpuTimer::Destroy::operator()(CUevent_st* e) const noexcept {
    (void)cudaEventDestroy(e);
}

struct StreamBlocker::Latch {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;

    void wait() {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, std::chrono::milliseconds(100), [this] { return open; });
    }
};

StreamBlocker::StreamBlocker(StreamView stream) : latch_(std::make_shared<Latch>()) {
    using Owner = std::shared_ptr<Latch>;
    auto owner = std::make_unique<Owner>(latch_);
    const auto wait = [](void* data) {
        (*std::unique_ptr<Owner>(static_cast<Owner*>(data)))->wait();
    };
    cuda_check(cudaLaunchHostFunc(stream, wait, owner.get()), "hold back a CUDA stream");
    (void)owner.release();  // the stream owns it now
}

void StreamBlocker::release() noexcept {
    const std::scoped_lock lock(latch_->mutex);
    latch_->open = true;
    latch_->changed.notify_all();
}

namespace {

std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

void cuda_check(cudaError_t code, std::string_view doing, std::source_location where) {
    if (code == cudaSuccess) return;
    (void)cudaGetLastError();
    std::string message = "failed to ";
    message.append(doing).append(": ").append(cudaGetErrorString(code));
    message.append(" (").append(cudaGetErrorName(code)).append(") at ");
    message.append(base_name(where.file_name())).append(":").append(std::to_string(where.line()));
    throw CudaError(message, code);
}

}  // namespace weft
