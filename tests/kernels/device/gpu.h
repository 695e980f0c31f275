// The GPU that the tests use, and a fixture that skips visibly without one.
#pragma once

#include <gtest/gtest.h>

#include "kernels/device/device.h"

namespace weft::test {

// Probed once per process.
inline const GpuProbe& gpus() {
    static const GpuProbe probe = probe_gpus();
    return probe;
}

// Requires that gpus() has one.
inline const Device& first_gpu() {
    return gpus().devices.front();
}

template <class Fixture>
class NeedsGpu : public Fixture {
 protected:
    void SetUp() override {
        if (gpus().devices.empty()) GTEST_SKIP() << "no GPU: " << gpus().why_none;
        Fixture::SetUp();
    }
};

}  // namespace weft::test
