#include "app/pipeline/device_choice.h"

#include <gtest/gtest.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

Device gpu(int ordinal) {
    Device device;
    device.ordinal = ordinal;
    device.name = "GPU " + std::to_string(ordinal);
    return device;
}

GpuProbe two_gpus() {
    return {{gpu(0), gpu(2)}, ""};
}
GpuProbe no_gpus() {
    return {{}, "no NVIDIA driver is loaded"};
}

// The message and exit outcome of a refusal; "" if nothing was refused.
struct Refusal {
    std::string what;
    Outcome outcome = Outcome::ok;
};

template <class Work>
Refusal refusal_of(const Work& work) {
    try {
        work();
        return {};
    } catch (const Error& error) {
        return {error.what(), error.outcome()};
    }
}

std::vector<int> chosen(std::string_view words, const GpuProbe& probe) {
    std::vector<int> ordinals;
    for (const Device& device : choose_devices(parse_gpu_request(words), probe).devices)
        ordinals.push_back(device.ordinal);
    return ordinals;
}

TEST(PipelineDevice, RequestsAreParsed) {
    EXPECT_EQ(parse_gpu_request("auto").mode, GpuMode::automatic);
    EXPECT_EQ(parse_gpu_request("require").mode, GpuMode::require);
    EXPECT_EQ(parse_gpu_request("off").mode, GpuMode::off);
    EXPECT_EQ(parse_gpu_request("all").mode, GpuMode::all);
    EXPECT_EQ(parse_gpu_request("12").ordinals, std::vector{12});
    EXPECT_EQ(parse_gpu_request("3,0,12").ordinals, (std::vector{3, 0, 12}));
    for (const char* bad : {"", "-1", "1x", "on", "AUTO", "99999999999", " 1", ",", "0,", ",0",
                            "0,,1", "0, 1", "0,auto", "all,0", "0;1"})
        EXPECT_EQ(refusal_of([&] { parse_gpu_request(bad); }).outcome, Outcome::usage) << bad;
    EXPECT_EQ(refusal_of([] { parse_gpu_request("2,0,2"); }).what,
              "--gpu 2,0,2: GPU 2 is listed twice");
}

TEST(PipelineDevice, OnlyABatchTakesSeveral) {
    for (const char* one : {"auto", "require", "off", "0", "12"})
        EXPECT_EQ(refusal_of([&] { parse_one_gpu_request(one); }).outcome, Outcome::ok) << one;
    for (const char* several : {"all", "0,1"})
        EXPECT_EQ(refusal_of([&] { parse_one_gpu_request(several); }).what,
                  "--gpu " + std::string(several) + ": only weft batch takes several GPUs");
}

TEST(PipelineDevice, GpusAreChosen) {
    struct Row {
        const char* words;
        std::vector<int> ordinals;
    };
    for (const auto& [words, ordinals] :
         {Row{"auto", {0}}, Row{"require", {0}}, Row{"off", {-1}}, Row{"2", {2}},
          Row{"0,2", {0, 2}}, Row{"2,0", {2, 0}}, Row{"all", {0, 2}}})
        EXPECT_EQ(chosen(words, two_gpus()), ordinals) << words;
    EXPECT_EQ(chosen("auto", no_gpus()), std::vector{-1});
}

TEST(PipelineDevice, AutomaticGivesTheReason) {
    EXPECT_EQ(choose_devices({GpuMode::automatic}, two_gpus()).reason, "");
    EXPECT_EQ(choose_devices({GpuMode::automatic}, no_gpus()).reason, "no NVIDIA driver is loaded");
}

TEST(PipelineDevice, MissingGpusFailWithSix) {
    struct Row {
        const char* words = "";
        GpuProbe probe;
        const char* what = "";
    };
    for (const Row& row :
         {Row{"require", no_gpus(), "--gpu require: no NVIDIA driver is loaded"},
          Row{"all", no_gpus(), "--gpu all: no NVIDIA driver is loaded"},
          Row{"0", no_gpus(), "GPU 0 is not usable: no NVIDIA driver is loaded"},
          Row{"1", two_gpus(),
              "GPU 1 does not exist or is not usable; usable GPUs are 0 (GPU 0), 2 (GPU 2)"},
          Row{"0,1", two_gpus(),
              "GPU 1 does not exist or is not usable; usable GPUs are 0 (GPU 0), 2 (GPU 2)"}}) {
        const Refusal refusal = refusal_of([&] { chosen(row.words, row.probe); });
        EXPECT_EQ(refusal.outcome, Outcome::no_gpu) << row.words;
        EXPECT_EQ(refusal.what, row.what);
    }
}

TEST(PipelineDevice, OffIgnoresGpus) {
    const DeviceChoice choice = choose_devices({GpuMode::off});
    EXPECT_FALSE(choice.devices.front().is_gpu());
    EXPECT_EQ(choice.reason, "");
}

}  // namespace
}  // namespace weft
