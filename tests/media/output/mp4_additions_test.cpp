// The place of an index in a file whose boxes the test makes. Whole files are judged by ffprobe, in
// the tests of the program.
#include "app/media/output/mp4_additions.h"

#include <cstdint>
#include <vector>

#include "tests/media/output/output_folder.h"

namespace weft {
namespace {

std::string big(std::uint64_t value, int bytes) {
    std::string text;
    for (int k = bytes - 1; k >= 0; --k) text += static_cast<char>(value >> (8 * k));
    return text;
}

std::string box(const std::string& type, const std::string& content) {
    return big(8 + content.size(), 4) + type + content;
}

std::string table(const std::string& type, const std::vector<std::uint64_t>& chunks) {
    std::string content = big(0, 4) + big(chunks.size(), 4);
    for (const std::uint64_t chunk : chunks) content += big(chunk, type == "stco" ? 4 : 8);
    return box(type, content);
}

std::string index_with(const std::string& tables) {
    const std::string track =
        box("trak", box("tkhd", "x") + box("mdia", box("minf", box("stbl", tables))));
    return box("moov", box("mvhd", "y") + track + box("udta", "z"));
}

struct Row {
    std::vector<std::uint64_t> chunks;
    const char* type;   // of the table
    const char* moved;  // its type afterwards
};

TEST(MediaMp4Additions, TheIndexMovesBeforeTheData) {
    char name[] = "/tmp/weft_index_XXXXXX";
    const FileDescriptor file(mkstemp(name));
    ASSERT_TRUE(file.is_open());
    fs::remove(name);
    const std::string head = box("ftyp", "isom") + box("free", "");
    const std::string data = box("mdat", std::string(3 << 20, 'd'));  // more than is moved at once
    const std::string rest = box("uuid", "rest");
    for (const auto& [chunks, type, moved] : {Row{{28, 100}, "stco", "stco"},
                                              {{28, 0xFFFFFFF0}, "stco", "co64"},
                                              {{28, 0x1FFFFFF00}, "co64", "co64"},
                                              {{}, "stco", "stco"}}) {
        SCOPED_TRACE(testing::Message() << type << " to " << moved);
        ASSERT_EQ(ftruncate(file.get(), 0), 0);
        FileSink sink(file.get(), "x.mp4");
        const std::string index = index_with(table(type, chunks));
        const std::string bytes = head + data + index + rest;
        sink.seek(0);
        sink.write(bytes.data(), static_cast<std::int64_t>(bytes.size()));
        move_index_first(sink);
        std::vector<std::uint64_t> expected = chunks;
        const std::size_t by = index_with(table(moved, chunks)).size();
        for (std::uint64_t& chunk : expected) chunk += by;
        const std::string want = box("ftyp", "isom") + index_with(table(moved, expected)) +
                                 box("free", "") + data + rest;
        std::string got(static_cast<std::size_t>(sink.size()), '\0');
        ASSERT_EQ(pread(file.get(), got.data(), got.size(), 0), static_cast<ssize_t>(got.size()));
        EXPECT_TRUE(got == want);
    }
}

}  // namespace
}  // namespace weft
