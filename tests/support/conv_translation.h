// Converts a convolution to the oracle's types, for the tests of kernels and of stacks.
#pragma once

#include <stdexcept>

#include "filters/operation.h"
#include "tests/support/oracle.h"

namespace weft::test {

inline oracle::Edge oracle_edge(Border border) {
    switch (border) {
        case Border::reflect101:
            return oracle::Edge::reflect101;
        case Border::reflect:
            return oracle::Edge::reflect;
        case Border::replicate:
            return oracle::Edge::replicate;
        case Border::wrap:
            return oracle::Edge::wrap;
        case Border::constant:
            return oracle::Edge::constant;
        case Border::ffmpeg:
            return oracle::Edge::ffmpeg;
        case Border::ffmpeg_backwards:
            return oracle::Edge::ffmpeg_backwards;
    }
    throw std::logic_error("no such border");
}

inline oracle::Combination oracle_combination(Combine combine) {
    switch (combine) {
        case Combine::single:
            return oracle::Combination::single;
        case Combine::magnitude:
            return oracle::Combination::magnitude;
        case Combine::maximum:
            return oracle::Combination::maximum;
    }
    throw std::logic_error("no such combination");
}

inline oracle::Matrix oracle_matrix(const Taps& taps) {
    return {.width = taps.width,
            .height = taps.height,
            .anchor_x = taps.anchor_x,
            .anchor_y = taps.anchor_y,
            .weights = {taps.weights.begin(), taps.weights.end()},
            .row = {taps.row.begin(), taps.row.end()},
            .column = {taps.column.begin(), taps.column.end()}};
}

}  // namespace weft::test
