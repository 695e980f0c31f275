#include "app/media/picture/nvjpeg.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kernels/device/loaded_library.h"

namespace weft {
namespace {

// nvJPEG's own types and values, the same from version 11 to 13, so that nothing of the CUDA
// toolkit is needed to build this.
using Status = int;
using Handle = Nvjpeg::Handle*;
struct OpaqueDecoder;
struct OpaqueState;
struct OpaquePinned;
struct OpaqueBuffer;
struct OpaqueStream;
struct OpaqueParams;
struct OpaqueEncoderState;
struct OpaqueEncoderParams;
using Decoder = OpaqueDecoder*;
using DecoderState = OpaqueState*;
using PinnedBuffer = OpaquePinned*;
using DeviceBuffer = OpaqueBuffer*;
using JpegStream = OpaqueStream*;
using DecodeParams = OpaqueParams*;
using EncoderState = OpaqueEncoderState*;
using EncoderParams = OpaqueEncoderParams*;

constexpr Status kSuccess = 0;
constexpr int kDefaultBackend = 0;
constexpr int kGpuHuffmanBackend = 2;  // NVJPEG_BACKEND_GPU_HYBRID
constexpr int kYuvOutput = 1;

struct Image {
    std::array<unsigned char*, 4> channel{};
    std::array<std::size_t, 4> pitch{};
};

// The functions in use, by their exported names without "nvjpeg".
struct Functions {
    LoadedLibrary library{"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so.11"};
    bool complete = true;

    template <class Function>
    Function find(std::string_view name) {
        const auto function = library.find<Function>(fmt::format("nvjpeg{}", name).c_str());
        complete = complete && function != nullptr;
        return function;
    }

    Status (*create)(int, void*, void*, unsigned, Handle*) = find<decltype(create)>("CreateEx");
    Status (*destroy)(Handle) = find<decltype(destroy)>("Destroy");
    Status (*decoder_create)(Handle, int,
                             Decoder*) = find<decltype(decoder_create)>("DecoderCreate");
    Status (*decoder_destroy)(Decoder) = find<decltype(decoder_destroy)>("DecoderDestroy");
    Status (*state_create)(Handle, Decoder,
                           DecoderState*) = find<decltype(state_create)>("DecoderStateCreate");
    Status (*state_destroy)(DecoderState) = find<decltype(state_destroy)>("JpegStateDestroy");
    Status (*pinned_create)(Handle, void*,
                            PinnedBuffer*) = find<decltype(pinned_create)>("BufferPinnedCreate");
    Status (*pinned_destroy)(PinnedBuffer) = find<decltype(pinned_destroy)>("BufferPinnedDestroy");
    Status (*device_create)(Handle, void*,
                            DeviceBuffer*) = find<decltype(device_create)>("BufferDeviceCreate");
    Status (*device_destroy)(DeviceBuffer) = find<decltype(device_destroy)>("BufferDeviceDestroy");
    Status (*attach_pinned)(DecoderState, PinnedBuffer) =
        find<decltype(attach_pinned)>("StateAttachPinnedBuffer");
    Status (*attach_device)(DecoderState, DeviceBuffer) =
        find<decltype(attach_device)>("StateAttachDeviceBuffer");
    Status (*stream_create)(Handle,
                            JpegStream*) = find<decltype(stream_create)>("JpegStreamCreate");
    Status (*stream_destroy)(JpegStream) = find<decltype(stream_destroy)>("JpegStreamDestroy");
    Status (*parse)(Handle, const unsigned char*, std::size_t, int, int,
                    JpegStream) = find<decltype(parse)>("JpegStreamParse");
    Status (*component_size)(JpegStream, unsigned, unsigned*, unsigned*) =
        find<decltype(component_size)>("JpegStreamGetComponentDimensions");
    Status (*component_count)(JpegStream, unsigned*) =
        find<decltype(component_count)>("JpegStreamGetComponentsNum");
    Status (*subsampling)(JpegStream,
                          int*) = find<decltype(subsampling)>("JpegStreamGetChromaSubsampling");
    Status (*params_create)(Handle,
                            DecodeParams*) = find<decltype(params_create)>("DecodeParamsCreate");
    Status (*params_destroy)(DecodeParams) = find<decltype(params_destroy)>("DecodeParamsDestroy");
    Status (*set_output)(DecodeParams,
                         int) = find<decltype(set_output)>("DecodeParamsSetOutputFormat");
    Status (*supported)(Decoder, JpegStream, DecodeParams,
                        int*) = find<decltype(supported)>("DecoderJpegSupported");
    Status (*decode_host)(Handle, Decoder, DecoderState, DecodeParams,
                          JpegStream) = find<decltype(decode_host)>("DecodeJpegHost");
    Status (*transfer)(Handle, Decoder, DecoderState, JpegStream,
                       StreamView) = find<decltype(transfer)>("DecodeJpegTransferToDevice");
    Status (*decode_device)(Handle, Decoder, DecoderState, Image*,
                            StreamView) = find<decltype(decode_device)>("DecodeJpegDevice");
    Status (*encoder_state_create)(Handle, EncoderState*, StreamView) =
        find<decltype(encoder_state_create)>("EncoderStateCreate");
    Status (*encoder_state_destroy)(EncoderState) =
        find<decltype(encoder_state_destroy)>("EncoderStateDestroy");
    Status (*encoder_params_create)(Handle, EncoderParams*, StreamView) =
        find<decltype(encoder_params_create)>("EncoderParamsCreate");
    Status (*encoder_params_destroy)(EncoderParams) =
        find<decltype(encoder_params_destroy)>("EncoderParamsDestroy");
    Status (*set_optimized)(EncoderParams, int, StreamView) =
        find<decltype(set_optimized)>("EncoderParamsSetOptimizedHuffman");
    Status (*set_sampling)(EncoderParams, int, StreamView) =
        find<decltype(set_sampling)>("EncoderParamsSetSamplingFactors");
    Status (*copy_tables)(EncoderParams, JpegStream, StreamView) =
        find<decltype(copy_tables)>("EncoderParamsCopyQuantizationTables");
    Status (*encode_yuv)(Handle, EncoderState, EncoderParams, const Image*, int, int, int,
                         StreamView) = find<decltype(encode_yuv)>("EncodeYUV");
    Status (*retrieve)(Handle, EncoderState, unsigned char*, std::size_t*,
                       StreamView) = find<decltype(retrieve)>("EncodeRetrieveBitstream");
};

const Functions& nvjpeg() {
    static const Functions functions;
    return functions;
}

void check(Status status, std::string_view doing) {
    if (status == kSuccess) return;
    throw std::runtime_error(fmt::format("nvJPEG failed to {}: status {}", doing, status));
}

// An object of the library and the function that destroys it.
template <class Object>
using Owned = std::unique_ptr<std::remove_pointer_t<Object>, Status (*)(Object)>;

template <class Object, class Create>
Owned<Object> made(Status (*destroy)(Object), const Create& create) {
    Object object = nullptr;
    check(create(&object), "start");
    return Owned<Object>(object, destroy);
}

Owned<JpegStream> made_stream(Handle handle) {
    return made<JpegStream>(nvjpeg().stream_destroy, [&](JpegStream* stream) {
        return nvjpeg().stream_create(handle, stream);
    });
}

void parse(Handle handle, std::span<const std::uint8_t> jpeg, JpegStream stream) {
    check(nvjpeg().parse(handle, jpeg.data(), jpeg.size(), 0, 0, stream), "read the headers");
}

Image image_of(const PlaneViews& planes) {
    Image image;
    for (std::size_t k = 0; k < planes.size(); ++k) {
        image.channel.at(k) = static_cast<unsigned char*>(planes[k].data);
        image.pitch.at(k) = static_cast<std::size_t>(planes[k].pitch_bytes);
    }
    return image;
}

void require_sizes(JpegStream stream, const PlaneViews& planes) {
    unsigned count = 0;
    check(nvjpeg().component_count(stream, &count), "count the components");
    bool same = count == planes.size();
    for (unsigned k = 0; same && k < count; ++k) {
        unsigned width = 0;
        unsigned height = 0;
        check(nvjpeg().component_size(stream, k, &width, &height), "measure a component");
        same = std::cmp_equal(width, planes[k].width) && std::cmp_equal(height, planes[k].height);
    }
    if (!same) throw std::runtime_error("nvJPEG sees components of other sizes");
}

}  // namespace

std::string why_no_nvjpeg() {
    return nvjpeg().complete ? "" : "JPEGs on the GPU need nvJPEG 11 to 13, which was not found";
}

Nvjpeg::Nvjpeg() {
    if (!nvjpeg().complete) throw NvjpegUnavailable(why_no_nvjpeg());
    check(nvjpeg().create(kDefaultBackend, nullptr, nullptr, 0, &handle_), "start");
}

Nvjpeg::~Nvjpeg() {
    (void)nvjpeg().destroy(handle_);
}

struct NvjpegDecoder::State {
    explicit State(Handle its_handle) : handle(its_handle) {
        check(nvjpeg().attach_pinned(state.get(), pinned.get()), "start");
        check(nvjpeg().attach_device(state.get(), device.get()), "start");
        check(nvjpeg().set_output(params.get(), kYuvOutput), "start");
    }

    Handle handle;
    Owned<Decoder> decoder = made<Decoder>(nvjpeg().decoder_destroy, [this](Decoder* made) {
        return nvjpeg().decoder_create(handle, kGpuHuffmanBackend, made);
    });
    Owned<PinnedBuffer> pinned = made<PinnedBuffer>(
        nvjpeg().pinned_destroy,
        [this](PinnedBuffer* made) { return nvjpeg().pinned_create(handle, nullptr, made); });
    Owned<DeviceBuffer> device = made<DeviceBuffer>(
        nvjpeg().device_destroy,
        [this](DeviceBuffer* made) { return nvjpeg().device_create(handle, nullptr, made); });
    Owned<DecoderState> state = made<DecoderState>(
        nvjpeg().state_destroy,
        [this](DecoderState* made) { return nvjpeg().state_create(handle, decoder.get(), made); });
    Owned<JpegStream> stream = made_stream(handle);
    Owned<DecodeParams> params = made<DecodeParams>(
        nvjpeg().params_destroy,
        [this](DecodeParams* made) { return nvjpeg().params_create(handle, made); });
};

NvjpegDecoder::NvjpegDecoder(std::shared_ptr<const Nvjpeg> library)
    : library_(std::move(library)), state_(std::make_unique<State>(library_->handle())) {}

NvjpegDecoder::~NvjpegDecoder() = default;

void NvjpegDecoder::decode(std::span<const std::uint8_t> jpeg, const PlaneViews& planes,
                           StreamView stream) {
    const State& own = *state_;
    parse(own.handle, jpeg, own.stream.get());
    require_sizes(own.stream.get(), planes);
    int unsupported = 0;
    check(nvjpeg().supported(own.decoder.get(), own.stream.get(), own.params.get(), &unsupported),
          "examine the picture");
    if (unsupported != 0) throw std::runtime_error("nvJPEG does not decode such pictures");
    check(nvjpeg().decode_host(own.handle, own.decoder.get(), own.state.get(), own.params.get(),
                               own.stream.get()),
          "decode");
    check(
        nvjpeg().transfer(own.handle, own.decoder.get(), own.state.get(), own.stream.get(), stream),
        "decode");
    Image image = image_of(planes);
    check(nvjpeg().decode_device(own.handle, own.decoder.get(), own.state.get(), &image, stream),
          "decode");
}

struct NvjpegEncoder::State {
    State(Handle its_handle, StreamView its_stream) : handle(its_handle), stream(its_stream) {
        check(nvjpeg().set_optimized(params.get(), 1, stream), "start");
    }

    Handle handle;
    StreamView stream;
    Owned<EncoderState> state = made<EncoderState>(
        nvjpeg().encoder_state_destroy,
        [this](EncoderState* made) { return nvjpeg().encoder_state_create(handle, made, stream); });
    Owned<EncoderParams> params =
        made<EncoderParams>(nvjpeg().encoder_params_destroy, [this](EncoderParams* made) {
            return nvjpeg().encoder_params_create(handle, made, stream);
        });
    Owned<JpegStream> like = made_stream(handle);
};

NvjpegEncoder::NvjpegEncoder(std::shared_ptr<const Nvjpeg> library, StreamView stream)
    : library_(std::move(library)), state_(std::make_unique<State>(library_->handle(), stream)) {}

NvjpegEncoder::~NvjpegEncoder() = default;

std::vector<std::uint8_t> NvjpegEncoder::encode(const PlaneViews& planes,
                                                std::span<const std::uint8_t> like) {
    const State& own = *state_;
    int subsampling = 0;
    parse(own.handle, like, own.like.get());
    check(nvjpeg().subsampling(own.like.get(), &subsampling), "read the subsampling");
    check(nvjpeg().copy_tables(own.params.get(), own.like.get(), own.stream), "copy the tables");
    check(nvjpeg().set_sampling(own.params.get(), subsampling, own.stream), "set the subsampling");
    const Image image = image_of(planes);
    check(nvjpeg().encode_yuv(own.handle, own.state.get(), own.params.get(), &image, subsampling,
                              planes[0].width, planes[0].height, own.stream),
          "encode");
    std::size_t bytes = 0;
    check(nvjpeg().retrieve(own.handle, own.state.get(), nullptr, &bytes, own.stream), "encode");
    std::vector<std::uint8_t> jpeg(bytes);
    check(nvjpeg().retrieve(own.handle, own.state.get(), jpeg.data(), &bytes, own.stream),
          "fetch the picture");
    StreamEvent done;
    done.record(own.stream);
    done.wait();
    jpeg.resize(bytes);
    return jpeg;
}

}  // namespace weft
