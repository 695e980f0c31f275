#include "app/pipeline/measured_plans.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weft::test {
namespace {

Device gpu(const std::string& name) {
    return {.ordinal = 0,
            .name = name,
            .multiprocessors = 46,
            .compute_major = 8,
            .compute_minor = 9,
            .memory_bytes = std::size_t{12} << 30,
            .l2_bytes = std::size_t{36} << 20,
            .driver_version = "13.0"};
}

ConvProblem gray(int width, int height, PixelType type = PixelType::f32) {
    ConvProblem p;
    p.width = width;
    p.height = height;
    p.type = type;
    p.max_value = 255.0F;
    std::vector<float> w(49);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i) / 100.0F;
    p.conv = {{.taps = {dense_taps(7, 7, w)}}};
    return p;
}

// A kernel other than the planned one that can run the problem and computes in fp32.
std::string another(const ConvProblem& p, const Device& device) {
    const Plan planned = plan(p, device);
    for (const ConvKernel& kernel : conv_kernels())
        if (kernel.arithmetic == Arithmetic::fp32 && kernel.name != planned.kernel->name &&
            why_cannot(kernel, p, device).empty())
            return std::string(kernel.name);
    return "";
}

class PipelineMeasuredPlans : public testing::Test {
 protected:
    void SetUp() override {
        const std::string reason = why_cannot(*find_kernel("direct"), problem_, device_);
        if (!reason.empty()) GTEST_SKIP() << reason;
    }
    std::string chosen(const MeasuredPlans& plans, const ConvProblem& p, const Device& device) {
        return std::string(plans.applied(plan(p, device), p, device).kernel->name);
    }
    std::string planned(const ConvProblem& p, const Device& device) {
        return std::string(plan(p, device).kernel->name);
    }

    Device device_ = gpu("NVIDIA GeForce RTX 4070");
    ConvProblem problem_ = gray(1920, 1080);
    TemporaryFolder folder_;
};

}  // namespace

TEST_F(PipelineMeasuredPlans, AreKeptInAFile) {
    const std::string kernel = another(problem_, device_);
    ASSERT_NE(kernel, "");
    MeasuredPlans plans;
    EXPECT_EQ(chosen(plans, problem_, device_), planned(problem_, device_));
    plans.remember(problem_, device_, kernel);
    plans.save(folder_.path() / "new" / "plans.json");
    const MeasuredPlans read(folder_.path() / "new" / "plans.json");
    const Plan plan = read.applied(weft::plan(problem_, device_), problem_, device_);
    EXPECT_EQ(plan.kernel->name, kernel);
    EXPECT_EQ(
        plan.reason,
        "1920×1080 f32, 7×7 taps, reflect101: the fastest that weft tune measured on this GPU");
    ASSERT_FALSE(plan.passed_over.empty());
    EXPECT_EQ(plan.passed_over.back().kernel, planned(problem_, device_));
}

TEST_F(PipelineMeasuredPlans, HoldForOneGpuOneShapeAndOneSize) {
    const std::string kernel = another(problem_, device_);
    MeasuredPlans plans;
    plans.remember(problem_, device_, kernel);
    EXPECT_EQ(chosen(plans, gray(1900, 1060), device_), kernel);  // about the same size
    for (const ConvProblem& other : {gray(640, 360), gray(7680, 4320)})
        EXPECT_EQ(chosen(plans, other, device_), planned(other, device_));
    ConvProblem fewer = problem_;
    fewer.conv.front().taps.front().weights[3] = 0.0F;
    EXPECT_EQ(chosen(plans, fewer, device_), planned(fewer, device_));
    const Device other = gpu("NVIDIA A100-SXM4-80GB");
    EXPECT_EQ(chosen(plans, problem_, other), planned(problem_, other));
    Device driver = device_;
    driver.driver_version = "13.1";
    EXPECT_EQ(chosen(plans, problem_, driver), planned(problem_, driver));
}

// Results must stay within the same bounds, and a kernel may have gone or learned to refuse.
TEST_F(PipelineMeasuredPlans, LeaveOutWhatCannotReplaceThePlannedKernel) {
    const ConvProblem bytes = gray(1920, 1080, PixelType::u8);
    for (const char* kernel : {"no_such_kernel", "opencv_cpu", "box_sum", "fft", ""}) {
        MeasuredPlans plans;
        plans.remember(problem_, device_, kernel);
        plans.remember(bytes, device_, kernel);
        EXPECT_EQ(chosen(plans, problem_, device_), planned(problem_, device_)) << kernel;
        EXPECT_EQ(chosen(plans, bytes, device_), planned(bytes, device_)) << kernel;
    }
}

TEST_F(PipelineMeasuredPlans, IgnoreAFileOfAnotherForm) {
    for (const char* text :
         {"", "{", "[]", R"({"weft_measured_plans": 2, "kernels": {"a": "b"}})",
          R"({"weft_measured_plans": 1, "kernels": {"a": 3}})", R"({"weft_measured_plans": 1})"}) {
        const MeasuredPlans plans(folder_.write("plans.json", text));
        EXPECT_EQ(chosen(plans, problem_, device_), planned(problem_, device_)) << text;
    }
    EXPECT_NO_THROW(MeasuredPlans(folder_.path() / "missing.json"));
}

}  // namespace weft::test
