// The part of NPP in use, declared as in its headers (13.0), with pointers to pixels as void*. All
// pointers to pixels and taps are device memory. Taps are stored in reverse order: NPP convolves
// where we correlate. The functions with taps only support the border "replicate".
#pragma once

#include <cstddef>
#include <string>

#include "kernels/device/device.h"

namespace weft::bench::npp {

struct Size {
    int width, height;
};
struct Point {
    int x, y;
};

// Sets up an NppStreamContext.
struct Context {
    StreamView stream;
    int device;
    int multiprocessors;
    int max_threads_per_multiprocessor;
    int max_threads_per_block;
    std::size_t shared_bytes_per_block;
    int compute_major;
    int compute_minor;
    unsigned stream_flags;
    int reserved;
};

constexpr int kReplicate = 2;  // NppiBorderType
constexpr int kMirror = 4;
constexpr int kNormL2 = 2;     // NppiNorm
constexpr int kMask3x3 = 200;  // NppiMaskSize

// A function's source and target: pitch in bytes, the whole image.
struct Images {
    const void* src;
    int src_step;
    Size size;
    void* dst;
    int dst_step;
};

using Status = int;  // 0: done; below 0: refused
using FilterFloat = Status (*)(const void*, int, Size, Point, void*, int, Size, const float* taps,
                               Size, Point anchor, int border, Context);
using FilterInteger = Status (*)(const void*, int, Size, Point, void*, int, Size, const int* taps,
                                 Size, Point anchor, int divisor, int border, Context);
using FilterLine = Status (*)(const void*, int, Size, Point, void*, int, Size, const float* taps,
                              int count, int anchor, int border, Context);
using FilterGauss = Status (*)(const void*, int, Size, Point, void*, int, Size, int mask,
                               int border, Context);
using FilterGaussAdvanced = Status (*)(const void*, int, Size, Point, void*, int, Size, int count,
                                       const float* taps, int border, Context);
using FilterBox = Status (*)(const void*, int, Size, Point, void*, int, Size, Size mask,
                             Point anchor, int border, Context);
using FilterBoxAdvanced = Status (*)(const void*, int, Size, Point, void*, int, Size, Size mask,
                                     Point anchor, int border, unsigned char* buffer, Context);
using BoxBufferSize = Status (*)(Size, int channels, int* bytes);
using GradientVectorSobel = Status (*)(const void*, int, Size, Point, void* x, int, void* y, int,
                                       void* magnitude, int, void* angle, int, Size, int mask,
                                       int norm, int border, Context);
using Convert = Status (*)(const void*, int, void*, int, Size, Context);

// All functions, loaded once; null if a library or a function is missing.
struct Functions {
    FilterFloat filter_u8[5];  // by channels: 1, 2, 4
    FilterFloat filter_f32;
    FilterInteger filter_integer_u8[5];  // 1, 4
    FilterLine row_u8[5], column_u8[5];  // 1, 4
    FilterLine row_f32, column_f32;
    FilterGauss gauss_f32;
    FilterGauss gauss_u8[5];                   // 1, 4
    FilterGaussAdvanced gauss_advanced_u8[5];  // 1, 4
    FilterBox box_u8;
    FilterBoxAdvanced box_advanced_u8;
    BoxBufferSize box_buffer_bytes;
    GradientVectorSobel sobel_u8;
    Convert to_u8;
    std::string why_not;  // empty: all are there
};
const Functions& functions();

}  // namespace weft::bench::npp
