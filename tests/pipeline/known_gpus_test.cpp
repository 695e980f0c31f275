#include "app/pipeline/known_gpus.h"

#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

Device gpu(int ordinal, const char* name) {
    return {ordinal,  name,       132,           9,     0, std::size_t{150} << 30,
            62914560, 1980000000, 4916736000000, "13.0"};
}

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A machine with two GPUs that counts the child processes that probe them.
class PipelineKnownGpus : public ::testing::Test {
 protected:
    GpuProbe ask(const std::string& machine) {
        return known_gpus(file, machine,
                          {[this] {
                               ++children;
                               return probe;
                           },
                           [this](const std::vector<Device>&) { return answers; }});
    }

    test::TemporaryFolder folder;
    fs::path file = folder.path() / "cache" / "gpus.json";
    GpuProbe probe{{gpu(0, "First \"GPU\""), gpu(3, "Second")}, ""};
    bool answers = true;
    int children = 0;
};

TEST_F(PipelineKnownGpus, TheChildProbesOnce) {
    for (int start = 0; start < 3; ++start) {
        const GpuProbe known = ask("machine");
        ASSERT_EQ(known.devices.size(), 2U);
        EXPECT_EQ(known.why_none, "");
        EXPECT_EQ(known.devices[0].name, "First \"GPU\"");
        EXPECT_EQ(known.devices[1].ordinal, 3);
        EXPECT_EQ(known.devices[1].multiprocessors, 132);
        EXPECT_EQ(known.devices[1].compute_major, 9);
        EXPECT_EQ(known.devices[1].compute_minor, 0);
        EXPECT_EQ(known.devices[1].memory_bytes, std::size_t{150} << 30);
        EXPECT_EQ(known.devices[1].l2_bytes, 62914560U);
        EXPECT_EQ(known.devices[1].clock_hz, 1980000000U);
        EXPECT_EQ(known.devices[1].memory_bytes_per_second, 4916736000000U);
        EXPECT_EQ(known.devices[1].driver_version, "13.0");
    }
    EXPECT_EQ(children, 1);
}

TEST_F(PipelineKnownGpus, AnotherMachineIsProbedAgain) {
    ask("machine");
    ask("machine after a start");
    ask("machine");
    EXPECT_EQ(children, 3);
}

TEST_F(PipelineKnownGpus, WithoutAFileOrAMachineTheChildProbesEachTime) {
    ask("");
    ask("");
    EXPECT_FALSE(fs::exists(file));
    file.clear();
    ask("machine");
    ask("machine");
    EXPECT_EQ(children, 4);
}

TEST_F(PipelineKnownGpus, NoGpuIsNotRemembered) {
    probe = {{}, "no NVIDIA driver is loaded"};
    for (int start = 0; start < 2; ++start) EXPECT_EQ(ask("machine").why_none, probe.why_none);
    EXPECT_EQ(children, 2);
    EXPECT_FALSE(fs::exists(file));
}

TEST_F(PipelineKnownGpus, AReasonIsNewUntilItIsKept) {
    EXPECT_TRUE(remember_reason(file, "no driver"));
    EXPECT_FALSE(remember_reason(file, "no driver"));
    EXPECT_TRUE(remember_reason(file, "no device"));
    EXPECT_FALSE(remember_reason(file, "no device"));
    EXPECT_TRUE(remember_reason(file, "no driver"));
    const fs::path no_folder = file / "no-gpu.txt";
    EXPECT_TRUE(remember_reason(no_folder, "no driver"));
    EXPECT_TRUE(remember_reason(no_folder, "no driver"));
}

TEST_F(PipelineKnownGpus, AChangedAnswerOfTheDriverIsReportedAndForgotten) {
    ask("machine");
    answers = false;
    const GpuProbe known = ask("machine");
    EXPECT_TRUE(known.devices.empty());
    EXPECT_EQ(known.why_none, "the NVIDIA driver does not report First \"GPU\" as it did before");
    EXPECT_EQ(children, 1);
    ask("machine");
    EXPECT_EQ(children, 2);
}

TEST_F(PipelineKnownGpus, AnIncompleteFileIsReplaced) {
    ask("machine");
    const std::string whole = text_of(file);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, whole.size() / 2}) {
        std::ofstream(file, std::ios::trunc) << whole.substr(0, bytes);
        EXPECT_EQ(ask("machine").devices.size(), 2U) << bytes;
        EXPECT_EQ(text_of(file), whole) << bytes;
    }
    EXPECT_EQ(children, 4);
}

// A cast would make 4294967299 the ordinal 3, and 8.5e30 is undefined behaviour.
TEST_F(PipelineKnownGpus, AFileWithAnImpossibleNumberIsReplaced) {
    ask("machine");
    const std::string whole = text_of(file);
    const std::string ordinal = "\"ordinal\": 3";
    ASSERT_NE(whole.find(ordinal), std::string::npos) << whole;
    for (const char* number : {"4294967299", "8.5e30", "-1e400", "2.5", "null", "\"3\""}) {
        std::string changed = whole;
        changed.replace(whole.find(ordinal), ordinal.size(),
                        fmt::format("\"ordinal\": {}", number));
        std::ofstream(file, std::ios::trunc) << changed;
        EXPECT_EQ(ask("machine").devices[1].ordinal, 3) << number;
        EXPECT_EQ(text_of(file), whole) << number;
    }
    EXPECT_EQ(children, 7);
}

TEST_F(PipelineKnownGpus, AFolderThatCannotBeCreatedOnlyCostsTime) {
    std::ofstream(folder.path() / "cache") << "a file";
    EXPECT_EQ(ask("machine").devices.size(), 2U);
    EXPECT_EQ(ask("machine").devices.size(), 2U);
    EXPECT_EQ(children, 2);
}

TEST(PipelineMachineText, NamesTheBootAndStaysTheSame) {
    const std::string text = machine_text();
    std::ifstream boot("/proc/sys/kernel/random/boot_id");
    std::string id;
    std::getline(boot, id);
    EXPECT_EQ(text.substr(0, id.size()), id);
    EXPECT_EQ(machine_text(), text);
}

}  // namespace
}  // namespace weft
