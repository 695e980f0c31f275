// Replaces the CUDA sources of devices and pixel operations in a CPU-only build: the same
// functions, each of which explains how to get a build with CUDA. Kernels have none: see
// cuda_only().
#include <stdexcept>

#include "kernels/device/cublas.h"
#include "kernels/device/cuda_build.h"
#include "kernels/device/gl_buffer.h"
#include "kernels/device/gpu_monitor.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/launch_graph.h"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"
#include "kernels/pixels/image_difference.h"
#include "kernels/pixels/pixel_ops_backend.h"
#include "kernels/pixels/sample_means_backend.h"
#include "kernels/pixels/working_ops_backend.h"

namespace weft {

namespace {

[[noreturn]] void refuse_cuda() {
    throw std::runtime_error(why_no_cuda());
}

}  // namespace

std::string why_no_cublas() {
    return why_no_cuda();
}

GpuProbe probe_gpus() {
    return {.devices = {}, .why_none = why_no_cuda()};
}

bool driver_sees(const std::vector<Device>& gpus) noexcept {
    return gpus.empty();
}

std::string pci_bus_id(const Device&) {
    refuse_cuda();
}

void use_device(const Device& device) {
    if (device.is_gpu()) refuse_cuda();
}

CUctx_st* current_driver_context() {
    refuse_cuda();
}

void* allocate_cuda(std::size_t, Allocation) {
    refuse_cuda();
}
void release_cuda(void*, Allocation) noexcept {}

Stream::Stream() {
    refuse_cuda();
}
void Stream::synchronize() const {
    refuse_cuda();
}
void Stream::Destroy::operator()(CUstream_st*) const noexcept {}

StreamEvent::StreamEvent() {
    refuse_cuda();
}
void StreamEvent::record(StreamView) {
    refuse_cuda();
}
void StreamEvent::make_wait(StreamView) const {
    refuse_cuda();
}
void StreamEvent::wait() const {
    refuse_cuda();
}
void StreamEvent::Destroy::operator()(CUevent_st*) const noexcept {}

LaunchGraph::LaunchGraph(StreamView, const std::function<void()>&) {
    refuse_cuda();
}
void LaunchGraph::replay(StreamView) const {
    refuse_cuda();
}
void LaunchGraph::Destroy::operator()(CUgraphExec_st*) const noexcept {}
std::vector<LaunchFacts> recorded_launches(const std::function<void(StreamView)>&) {
    refuse_cuda();
}

bool is_page_locked(const void*) {
    return false;
}

GpuTimer::GpuTimer() {
    refuse_cuda();
}
void GpuTimer::start(StreamView) {
    refuse_cuda();
}
void GpuTimer::stop(StreamView) {
    refuse_cuda();
}
double GpuTimer::seconds() const {
    refuse_cuda();
}
double GpuTimer::seconds_after(const GpuTimer&) const {
    refuse_cuda();
}
void GpuTimer::Destroy::operator()(CUevent_st*) const noexcept {}

std::string why_no_gl_interop(const Device&) {
    return "filters run on the CPU";
}
GlBuffer::GlBuffer(unsigned) {
    refuse_cuda();
}
void GlBuffer::Unregister::operator()(cudaGraphicsResource*) const noexcept {}
GlMapping::GlMapping(const GlBuffer& buffer, StreamView stream)
    : resource_(buffer.resource_.get()), stream_(stream) {
    refuse_cuda();
}
GlMapping::~GlMapping() = default;

struct StreamBlocker::Latch {};
StreamBlocker::StreamBlocker(StreamView) {
    refuse_cuda();
}
void StreamBlocker::release() noexcept {}

struct GpuDifference::Sums {};
GpuDifference::GpuDifference() {
    refuse_cuda();
}
GpuDifference::~GpuDifference() = default;
GpuDifference::GpuDifference(GpuDifference&&) noexcept = default;
GpuDifference& GpuDifference::operator=(GpuDifference&&) noexcept = default;
void GpuDifference::add(const ImageView&, const ImageView&, StreamView) {
    refuse_cuda();
}
ImageDifference GpuDifference::take(StreamView) {
    refuse_cuda();
}

namespace device_ops {

void blend_frames(const TemporalBlend&, std::span<const ImageView>, const ImageView&, float,
                  unsigned, StreamView) {
    refuse_cuda();
}
void extract_luma(const ChannelView&, const ChannelView&, const ChannelView&, const LumaWeights&,
                  const ImageView&, StreamView) {
    refuse_cuda();
}
void extract_channel(const ChannelView&, int, const ImageView&, StreamView) {
    refuse_cuda();
}
void spread_luma(const ImageView&, const ImageView&, unsigned, StreamView) {
    refuse_cuda();
}
void fill_channels(const ImageView&, float, unsigned, StreamView) {
    refuse_cuda();
}
int mix_images(std::span<const MixedPart>, StreamView) {
    refuse_cuda();
}
int take_means(std::span<const MeanPart>, StreamView) {
    refuse_cuda();
}
int copy_images(std::span<const CopiedImage>, StreamView) {
    refuse_cuda();
}
void copy_image(const ImageView&, const ImageView&, StreamView) {
    refuse_cuda();
}
void copy_by_kernel(const ImageView&, const ImageView&, StreamView) {
    refuse_cuda();
}
void to_working(const WorkingRule&, std::span<const WorkingComponent>, std::span<const ImageView>,
                StreamView) {
    refuse_cuda();
}
void from_working(const WorkingRule&, std::span<const ImageView>, std::span<const WorkingComponent>,
                  std::span<const WorkingTarget>, StreamView) {
    refuse_cuda();
}

}  // namespace device_ops

}  // namespace weft
