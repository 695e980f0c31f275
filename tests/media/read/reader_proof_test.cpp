// The proof of a file is true of all its streams: a field that hides packets of any stream is
// reported, and healthy files of many muxers are proven.
#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

struct ProofRow {
    const char* name;
    const char* source;
    Mutation mutation;
    const char* reported;  // a part of the damage, the doubt or a note
};

void PrintTo(const ProofRow& row, std::ostream* out) {
    *out << row.source << " " << row.name;
}

Bytes text(std::string_view word) {
    return {word.begin(), word.end()};
}

// Writes `value` at `offset` bytes from the start of the last `marker`, or the `nth` from 1.
Mutation put(std::string_view marker, std::ptrdiff_t offset, const Bytes& value, int nth = 0) {
    return [=](Bytes bytes) {
        const Bytes wanted = text(marker);
        auto at = std::find_end(bytes.begin(), bytes.end(), wanted.begin(), wanted.end());
        for (int k = 0; k < nth; ++k)
            at = std::search(k == 0 ? bytes.begin() : at + 1, bytes.end(), wanted.begin(),
                             wanted.end());
        EXPECT_NE(at, bytes.end());
        std::copy(value.begin(), value.end(), at + offset);
        return bytes;
    };
}

Bytes twice(Bytes bytes) {
    const Bytes again = bytes;
    bytes.insert(bytes.end(), again.begin(), again.end());
    return bytes;
}

// A second index, whose boxes are nested deeper than any stack.
Bytes with_deep_index(Bytes bytes) {
    constexpr std::uint32_t kLevels = 1'000'000;
    const auto begin_box = [&](std::uint32_t levels, std::string_view type) {
        for (const unsigned shift : {24U, 16U, 8U, 0U})
            bytes.push_back(static_cast<std::uint8_t>(8 * levels >> shift));
        bytes.insert(bytes.end(), type.begin(), type.end());
    };
    begin_box(kLevels + 2, "moov");
    begin_box(kLevels + 1, "trak");
    for (std::uint32_t left = kLevels; left > 0; --left) begin_box(left, "mdia");
    return bytes;
}

// The same stream, with its packets under another number.
Bytes with_another_pid(Bytes bytes) {
    const std::size_t half = bytes.size();
    bytes = twice(std::move(bytes));
    constexpr std::uint8_t kVideo = 0x00;  // 0x100
    constexpr std::uint8_t kOther = 0x77;  // 0x177
    for (std::size_t at = half; at + 188 <= bytes.size(); at += 188)
        if ((bytes[at + 1] & 0x1FU) == 1 && bytes[at + 2] == kVideo) bytes[at + 2] = kOther;
    return bytes;
}

// The sound is the last track of mp4 files, and the last stream of AVI files.
std::vector<ProofRow> reported_rows() {
    const char* const other_file = "another file follows this one";
    const char* const no_track = "belong to no track";
    return {
        {"time_of_a_fragment", "fragments.mp4", put("tfdt", 8, {0x7F, 0, 0, 0}, 1), "can be read"},
        {"fragment_of_another_track", "fragments.mp4", put("tfhd", 11, {1}), "cannot be decoded"},
        {"samples_of_a_fragment", "fragments.mp4", put("trun", 11, {1}), "list of samples"},
        {"size_of_a_sample", "fragments.mp4", put("trun", 20, {0, 0, 0, 9}, 2), no_track},
        {"list_of_samples_renamed", "fragments.mp4", put("trun", 0, text("skip")), no_track},
        {"time_in_the_closing_index", "fragments.mp4", put("tfra", 22, {0x7F}),
         "index after the last fragment"},
        {"track_renamed", "plain.mp4", put("trak", 0, text("free")), no_track},
        {"track_too_long", "plain.mp4", put("trak", -2, {0x7F}, 1), "incomplete"},
        {"size_of_sound", "plain.mp4", put("stsz", 12 + 10 * 4, {0, 0, 0, 9}), no_track},
        {"place_of_sound", "plain.mp4", put("stco", 12 + 3 * 4, {0, 0, 0x10, 0}), "two samples"},
        {"times_of_sound", "plain.mp4", put("stts", 12, {0, 0, 0, 9}), "has times for"},
        {"format_of_sound", "plain.mp4", put("stsc", 20, {0, 0, 0, 2}), "can be read"},
        {"clock_of_sound", "plain.mp4", put("mdhd", 16, {0, 0, 0x56, 0x22}), "edit list hides"},
        {"clock_of_the_movie", "plain.mp4", put("mvhd", 16, {0, 0, 0, 100}), "edit list"},
        {"edits_of_sound", "plain.mp4", put("elst", 12, {0, 0, 1, 0}), "edit list hides"},
        {"handler_of_sound", "plain.mp4", put("soun", 0, text("text")), "handler"},
        {"header_of_aac", "plain.mp4", put("esds", 39, {0x17, 0x00}), "header"},
        {"index_of_sound", "mjpeg.avi", put("idx1", 8 + 16 + 12, {9, 0, 0, 0}), "its index"},
        {"chunk_of_sound_renamed", "mjpeg.avi", put("01wb", 0, text("JUNK"), 5), "its index"},
        {"stream_renamed", "mjpeg.avi", put("strh", 0, text("xtrh")), "streams"},
        {"rate_of_sound", "mjpeg.avi", put("auds", 24, {1, 1}), "bytes of sound per second"},
        {"deep_index", "plain.mp4", with_deep_index, "contradicts another"},
        {"joined", "plain.mp4", twice, other_file},
        {"joined", "late.nut", twice, other_file},
        {"joined", "windows.wmv", twice, other_file},
        {"joined", "anim.apng", twice, other_file},
        {"another_number", "plain.ts", with_another_pid, "not filtered"},
    };
}

std::string all_reported(const ReadResult& got) {
    std::string all = got.error + got.damage.reason;
    for (const std::string& note : got.notes) all += " " + note;
    return all;
}

class MediaReaderProof : public testing::TestWithParam<ProofRow> {};

TEST_P(MediaReaderProof, ReportsAHiddenPart) {
    const ProofRow& row = GetParam();
    const auto file =
        mutate(recipe(row.source), std::string(row.name) + "_" + row.source, row.mutation);
    const ReadResult got = read_all(file);
    EXPECT_NE(all_reported(got).find(row.reported), std::string::npos)
        << all_reported(got) << "; proven by " << got.damage.proven_by;
    EXPECT_TRUE(got.damaged() || !got.notes.empty() || got.damage.proven_by.empty())
        << got.damage.proven_by;
}

INSTANTIATE_TEST_SUITE_P(Fields, MediaReaderProof, testing::ValuesIn(reported_rows()),
                         [](const auto& row) {
                             return test_name(std::string(row.param.source) + "_" + row.param.name);
                         });

class MediaReaderProven : public testing::TestWithParam<const char*> {};

TEST_P(MediaReaderProven, HealthyFile) {
    const ReadResult got = read_all(recipe(GetParam()));
    EXPECT_FALSE(got.damaged()) << got.error << got.damage.reason;
    EXPECT_NE(got.damage.proven_by, "") << got.damage.reason;
}

INSTANTIATE_TEST_SUITE_P(Files, MediaReaderProven,
                         testing::Values("plain.mp4", "faststart.mp4", "fragments.mp4", "dash.mp4",
                                         "cmaf.mp4", "separate.mp4", "every.mp4", "smooth.mp4",
                                         "hybrid.mp4", "late.mp4", "hint.mp4", "subtitles.mp4",
                                         "ima.mov", "alaw.mov", "pcm.mov", "stamped.mov",
                                         "edited.mp4", "edited.mov", "longaudio.mp4", "vfr.mp4",
                                         "cover.mp4", "mpeg4.avi", "mjpeg.avi", "h264.avi",
                                         "vbr.avi", "plain.mkv"),
                         [](const auto& row) { return test_name(row.param); });

}  // namespace
}  // namespace weft::test
