// NVIDIA's nvJPEG, loaded on first use: neither the build nor the program requires it. Decodes and
// encodes one picture at a time; its results differ from libav's by at most one level, as its
// transforms round differently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/device/device.h"
#include "kernels/device/stream.h"
#include "kernels/plane_views.h"

namespace weft {

// Empty, or a clause that the library is missing. Searches once per process, for libnvjpeg.so.13,
// .12 and .11 as the dynamic linker does.
std::string why_no_nvjpeg();

// The library is missing, or still starting: software takes the picture, and nothing has failed.
class NvjpegUnavailable : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The library on one GPU. Starting it takes 0.27 s on an H100, so one is shared. For any number of
// threads.
class Nvjpeg {
 public:
    // On the current device. Throws NvjpegUnavailable without the library, std::runtime_error if it
    // does not start.
    Nvjpeg();
    ~Nvjpeg();
    Nvjpeg(const Nvjpeg&) = delete;
    Nvjpeg& operator=(const Nvjpeg&) = delete;

    struct Handle;
    Handle* handle() const { return handle_; }

 private:
    Handle* handle_ = nullptr;
};

// Owns page-locked and GPU memory of about twice the largest picture so far. For one thread at a
// time, with the device of `library` current.
class NvjpegDecoder {
 public:
    // Throws std::runtime_error.
    explicit NvjpegDecoder(std::shared_ptr<const Nvjpeg> library);
    ~NvjpegDecoder();
    NvjpegDecoder(const NvjpegDecoder&) = delete;
    NvjpegDecoder& operator=(const NvjpegDecoder&) = delete;

    // Decodes into `planes` in GPU memory: the picture's components, of 8 bits, in its own
    // subsampling, one to a plane. Returns with the work on `stream`; the bytes are not used any
    // more. Does not notice data that are damaged or end early. Throws std::runtime_error for
    // pictures that nvJPEG does not take and planes of other sizes.
    void decode(std::span<const std::uint8_t> jpeg, const PlaneViews& planes, StreamView stream);

 private:
    struct State;
    std::shared_ptr<const Nvjpeg> library_;  // outlives state_
    std::unique_ptr<State> state_;
};

// Owns memory and is used by threads like an NvjpegDecoder.
class NvjpegEncoder {
 public:
    // Its memory is ordered by `stream`, which outlives the encoder.
    NvjpegEncoder(std::shared_ptr<const Nvjpeg> library, StreamView stream);
    ~NvjpegEncoder();
    NvjpegEncoder(const NvjpegEncoder&) = delete;
    NvjpegEncoder& operator=(const NvjpegEncoder&) = delete;

    // Encodes three planes of 8 bits in GPU memory, on the encoder's stream, with the quantisation
    // tables of `like`, a JPEG of the same subsampling, and Huffman tables made for the picture.
    // Blocks. Throws std::runtime_error.
    std::vector<std::uint8_t> encode(const PlaneViews& planes, std::span<const std::uint8_t> like);

 private:
    struct State;
    std::shared_ptr<const Nvjpeg> library_;  // outlives state_
    std::unique_ptr<State> state_;
};

}  // namespace weft
