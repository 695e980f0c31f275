// The compiled variants of column_row_reuse: the launch files and the CPU model of the tests
// instantiate these lists. Block sizes make vector loads of 8 or 16 bytes where whole pixels allow;
// a strip has as many rows as the registers hold.
#pragma once

#include "kernels/reuse/reuse_ring.cuh"
#include "kernels/reuse/reuse_rolling.cuh"
#include "kernels/reuse/reuse_strip.cuh"
#include "kernels/reuse/reuse_tile.cuh"

namespace weft {

template <class... S>
struct Variants {};

// Tile<pixel, channels, taps per side, block, rows, blocks>. On an H100 at 3840×2160, f32 gray of
// 3×3 takes 24.5 µs in two rows and 24.9 in three; 5×5 27.3, 26.2 and 26.4 in two to four. 7×7
// would take 32.3 at best. In two to four channels 9×9 takes 78, 140 and 207, where strips take
// 207, 270 and 446.
using TileForms = Variants<Tile<F32, 1, 3, 4, 2, 8>, Tile<F32, 1, 5, 4, 3, 9>,    //
                           Tile<F32, 2, 3, 4, 2, 8>, Tile<F32, 2, 5, 4, 3, 8>,    //
                           Tile<F32, 2, 7, 4, 3, 8>, Tile<F32, 2, 9, 4, 4, 6>,    //
                           Tile<F32, 3, 3, 12, 2, 6>, Tile<F32, 3, 5, 12, 2, 6>,  //
                           Tile<F32, 3, 7, 12, 2, 5>, Tile<F32, 3, 9, 12, 2, 4>,  //
                           Tile<F32, 4, 3, 8, 2, 8>, Tile<F32, 4, 5, 8, 2, 6>,    //
                           Tile<F32, 4, 7, 8, 3, 5>, Tile<F32, 4, 9, 8, 3, 4>>;

// Ring<taps per side, warps, rows, blocks>. On an H100, 9×9 takes 34.1 µs at 3840×2160, 12.2 at
// 1920×1080 and 6.9 at 1280×720 with four warps of two rows; 34.2, 12.5 and 7.4 of three rows;
// 35.1, 12.3 and 7.7 of four; and 35.5, 12.8 and 7.5 with eight warps of two. 11×11 to 15×15 need
// steps of 10 to 14 rows: 11×11 takes 46.9, 15.0 and 8.8 with eight warps of two rows, and 46.2,
// 15.5 and 8.5 with four of three.
using RingForms = Variants<Ring<7, 4, 2, 8>, Ring<9, 4, 2, 8>, Ring<11, 8, 2, 5>,  //
                           Ring<13, 8, 2, 5>, Ring<15, 8, 2, 5>>;

// Each list of rolling and strip forms is compiled in a file of its own, and so is a module of its
// own: a GPU for which there is no machine code compiles only those that it uses.
//
// Rolling<pixel, channels, taps per side, tap sets, block>
using RollingGrayForms = Variants<Rolling<U8, 1, 3, 1, 16>, Rolling<U8, 1, 5, 1, 8>,  //
                                  Rolling<U8, 1, 7, 1, 8>, Rolling<U8, 1, 9, 1, 8>,   //
                                  Rolling<U8, 1, 3, 2, 8>, Rolling<U8, 1, 5, 2, 8>>;
using RollingColorForms = Variants<Rolling<U8, 2, 3, 1, 16>, Rolling<U8, 2, 5, 1, 8>,   //
                                   Rolling<U8, 2, 7, 1, 8>, Rolling<U8, 2, 9, 1, 8>,    //
                                   Rolling<U8, 3, 3, 1, 12>, Rolling<U8, 3, 5, 1, 12>,  //
                                   Rolling<U8, 3, 7, 1, 12>, Rolling<U8, 3, 9, 1, 12>,  //
                                   Rolling<U8, 4, 3, 1, 16>, Rolling<U8, 4, 5, 1, 8>,   //
                                   Rolling<U8, 4, 7, 1, 8>, Rolling<U8, 4, 9, 1, 8>>;
using RollingDeepForms =
    Variants<Rolling<U16, 1, 3, 1, 8>, Rolling<U16, 1, 5, 1, 8>, Rolling<U16, 1, 7, 1, 8>,
             Rolling<U16, 1, 9, 1, 8>, Rolling<U16, 1, 3, 2, 8>, Rolling<U16, 2, 3, 1, 8>,
             Rolling<U16, 2, 5, 1, 8>, Rolling<U16, 2, 7, 1, 8>, Rolling<U16, 3, 3, 1, 12>,
             Rolling<U16, 3, 5, 1, 12>, Rolling<U16, 4, 3, 1, 8>, Rolling<U16, 4, 5, 1, 8>,
             Rolling<F32, 1, 3, 2, 8>>;

// Strip<pixel, channels, block, rows, several tap sets>. Images that give the tallest strips too
// few blocks have lower ones.
using StripU8Forms =
    Variants<Strip<U8, 1, 8, 8, false>, Strip<U8, 1, 8, 4, false>, Strip<U8, 1, 8, 2, false>,
             Strip<U8, 2, 8, 8, false>, Strip<U8, 2, 8, 4, false>, Strip<U8, 2, 8, 2, false>,
             Strip<U8, 3, 12, 5, false>, Strip<U8, 3, 12, 2, false>, Strip<U8, 4, 16, 4, false>,
             Strip<U8, 4, 16, 2, false>, Strip<U8, 1, 8, 4, true>, Strip<U8, 2, 8, 4, true>,
             Strip<U8, 3, 12, 3, true>, Strip<U8, 4, 16, 2, true>>;
using StripU16Forms =
    Variants<Strip<U16, 1, 8, 8, false>, Strip<U16, 1, 8, 4, false>, Strip<U16, 1, 8, 2, false>,
             Strip<U16, 2, 8, 8, false>, Strip<U16, 2, 8, 4, false>, Strip<U16, 2, 8, 2, false>,
             Strip<U16, 3, 12, 5, false>, Strip<U16, 3, 12, 2, false>, Strip<U16, 4, 16, 4, false>,
             Strip<U16, 4, 16, 2, false>, Strip<U16, 1, 8, 4, true>, Strip<U16, 2, 8, 4, true>,
             Strip<U16, 3, 12, 3, true>, Strip<U16, 4, 16, 2, true>>;
using StripF32Forms =
    Variants<Strip<F32, 1, 8, 8, false>, Strip<F32, 1, 8, 4, false>, Strip<F32, 1, 8, 2, false>,
             Strip<F32, 2, 8, 8, false>, Strip<F32, 2, 8, 4, false>, Strip<F32, 2, 8, 2, false>,
             Strip<F32, 3, 12, 4, false>, Strip<F32, 3, 12, 3, false>, Strip<F32, 4, 16, 3, false>,
             Strip<F32, 4, 16, 1, false>, Strip<F32, 1, 8, 4, true>, Strip<F32, 2, 8, 4, true>,
             Strip<F32, 3, 12, 2, true>, Strip<F32, 4, 16, 2, true>>;

template <class P>
constexpr PixelType pixel_type_of();
template <>
constexpr PixelType pixel_type_of<U8>() {
    return PixelType::u8;
}
template <>
constexpr PixelType pixel_type_of<U16>() {
    return PixelType::u16;
}
template <>
constexpr PixelType pixel_type_of<F32>() {
    return PixelType::f32;
}

// The compiled variants of a list, which the files made of reuse_rolling.cu.in and
// reuse_strip.cu.in define.
template <class Forms>
std::span<const RollingVariant> compiled_rolling();

template <class Forms>
std::span<const StripVariant> compiled_strips();

template <class S>
constexpr int alignment_of() {
    return static_cast<int>(alignof(Words<S::kBlock / S::Pixel::kPerWord>));
}

}  // namespace weft
