#include "app/media/metadata/jpeg_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

using Table = JpegTables::Table;
using Tables = std::array<std::optional<Table>, 4>;

// The places by rows of the values in the order of the file, which follows the diagonals.
constexpr std::array<std::uint8_t, 64> kZigzag = [] {
    std::array<std::uint8_t, 64> places{};
    std::size_t k = 0;
    for (int diagonal = 0; diagonal < 15; ++diagonal)
        for (int step = std::max(0, diagonal - 7); step <= std::min(diagonal, 7); ++step) {
            const int x = diagonal % 2 == 0 ? step : diagonal - step;
            places.at(k++) = static_cast<std::uint8_t>(8 * (diagonal - x) + x);
        }
    return places;
}();

// Values of 16 bits above 255, for which libav's encoder has no room, become 255.
Table read_table(FileCursor& cursor, int bytes) {
    Table table{};
    for (const std::uint8_t place : kZigzag)
        table.at(place) =
            static_cast<std::uint16_t>(std::clamp<std::uint64_t>(cursor.big(bytes), 1, 255));
    return table;
}

// False for numbers that no table has.
bool read_tables(FileCursor& cursor, std::int64_t end, Tables& tables) {
    while (cursor.at() < end && !cursor.ended()) {
        const unsigned kind = cursor.u8();
        const unsigned number = kind & 15U;
        if (kind >> 4U > 1 || number >= tables.size()) return false;
        tables.at(number) = read_table(cursor, kind >> 4U == 0 ? 1 : 2);
    }
    return true;
}

// The numbers of the components' tables; empty for samples of more than 8 bits.
std::vector<std::size_t> read_components(FileCursor& cursor) {
    const bool is_8_bit = cursor.u8() == 8;
    cursor.skip(4);  // the size of the picture
    std::vector<std::size_t> numbers(is_8_bit ? cursor.u8() : 0);
    for (std::size_t& number : numbers) {
        cursor.skip(2);  // the component's name and its subsampling
        number = cursor.u8();
    }
    return numbers;
}

// The encoder has one table for both components of the chroma: the finer values of both.
std::optional<JpegTables> chosen(const Tables& tables, const std::vector<std::size_t>& numbers) {
    const auto is_there = [&](std::size_t k) { return k < tables.size() && tables.at(k); };
    if (numbers.empty() || !std::ranges::all_of(numbers, is_there)) return std::nullopt;
    const auto table_of = [&](std::size_t component) {
        return *tables.at(numbers[std::min(component, numbers.size() - 1)]);
    };
    JpegTables found{.luma = table_of(0), .chroma = table_of(1)};
    const Table second = table_of(std::min<std::size_t>(2, numbers.size() - 1));
    for (std::size_t k = 0; k < second.size(); ++k)
        found.chroma.at(k) = std::min(found.chroma.at(k), second.at(k));
    return found;
}

}  // namespace

std::optional<JpegTables> read_jpeg_tables(const InputFile& file) {
    constexpr unsigned kFirstFrame = 0xC0;
    constexpr unsigned kLastFrame = 0xC2;  // those after it are lossless, or not decoded by libav
    constexpr unsigned kScan = 0xDA;
    constexpr unsigned kTables = 0xDB;
    Tables tables;
    std::vector<std::size_t> numbers;
    FileCursor cursor(file);
    if (cursor.big(2) != 0xFFD8U) return std::nullopt;
    while (cursor.u8() == 0xFF) {
        unsigned marker = cursor.u8();
        while (marker == 0xFF) marker = cursor.u8();
        if (marker == kScan) return chosen(tables, numbers);
        const auto size = static_cast<std::int64_t>(cursor.big(2));
        const std::int64_t end = cursor.at() + size - 2;
        if (size < 2) return std::nullopt;
        if (marker == kTables && !read_tables(cursor, end, tables)) return std::nullopt;
        if (marker >= kFirstFrame && marker <= kLastFrame) numbers = read_components(cursor);
        cursor.go(end);
    }
    return std::nullopt;
}

int libjpeg_quality(const JpegTables& tables) {
    // The sums of T.81's example, table K.1, which libjpeg has at 50: of all values, and of the
    // lowest 4x4 frequencies, which no limit of 255 cuts.
    constexpr double kSum = 3688;
    constexpr double kLowSum = 259;
    const Table& luma = tables.luma;
    int low = 0;
    for (std::size_t row = 0; row < 4; ++row)
        for (std::size_t column = 0; column < 4; ++column) low += luma.at(8 * row + column);
    const bool is_cut = std::ranges::max(luma) == 255;
    const double size =
        is_cut ? low / kLowSum : std::accumulate(luma.begin(), luma.end(), 0) / kSum;
    const double quality = size < 1 ? 100 - 50 * size : 50 / size;
    return std::max(1, static_cast<int>(std::lround(quality)));
}

}  // namespace weft
