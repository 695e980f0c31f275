#include "app/media/check/jpeg_scan.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace weft {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::uint8_t kStart = 0xD8;
constexpr std::uint8_t kEnd = 0xD9;
constexpr std::uint8_t kFirstRestart = 0xD0;

std::size_t big16(Bytes bytes, std::size_t at) {
    return static_cast<std::size_t>(bytes[at]) << 8U | bytes[at + 1];
}

int greatest(const JpegScan& scan, int JpegScan::Component::*factor) {
    int most = 1;
    for (const JpegScan::Component& component : scan.components)
        most = std::max(most, component.*factor);
    return most;
}

bool read_tables(Bytes segment, JpegScan& scan) {
    while (!segment.empty()) {
        constexpr std::size_t kHead = 17;
        const unsigned kind = segment[0] >> 4U;
        const unsigned number = segment[0] & 15U;
        if (segment.size() < kHead || kind > 1 || number > 3) return false;
        JpegScan::Table& table = scan.tables[kind * 4 + number];
        std::ranges::copy(segment.subspan(1, 16), table.counts.begin());
        std::size_t symbols = 0;
        for (const std::uint8_t count : table.counts) symbols += count;
        if (segment.size() < kHead + symbols) return false;
        const Bytes named = segment.subspan(kHead, symbols);
        table.symbols.assign(named.begin(), named.end());
        segment = segment.subspan(kHead + symbols);
    }
    return true;
}

bool read_frame(Bytes segment, JpegScan& scan) {
    if (segment.size() < 6 || segment[0] != 8 || !scan.components.empty()) return false;
    scan.height = static_cast<int>(big16(segment, 1));
    scan.width = static_cast<int>(big16(segment, 3));
    const std::size_t count = segment[5];
    if ((count != 1 && count != 3) || segment.size() != 6 + 3 * count) return false;
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint8_t factors = segment[7 + 3 * k];
        JpegScan::Component component{
            .id = segment[6 + 3 * k], .horizontal = factors >> 4, .vertical = factors & 15};
        // A component alone is not interleaved: its units are single blocks (T.81, A.2.2).
        if (count == 1) component.horizontal = component.vertical = 1;
        if (component.horizontal < 1 || component.horizontal > 4 || component.vertical < 1 ||
            component.vertical > 4)
            return false;
        scan.components.push_back(component);
    }
    return scan.width > 0 && scan.height > 0;
}

// Requires all components in the frame's order, and the spectral selection of sequential coding.
bool read_scan(Bytes segment, JpegScan& scan) {
    const std::size_t count = scan.components.size();
    if (count == 0 || segment.size() != 4 + 2 * count || segment[0] != count) return false;
    for (std::size_t k = 0; k < count; ++k) {
        JpegScan::Component& component = scan.components[k];
        const unsigned dc = segment[2 + 2 * k] >> 4U;
        const unsigned ac = segment[2 + 2 * k] & 15U;
        if (segment[1 + 2 * k] != component.id || dc > 3 || ac > 3) return false;
        component.dc = dc;
        component.ac = ac;
    }
    return segment[1 + 2 * count] == 0 && segment[2 + 2 * count] == 63 &&
           segment[3 + 2 * count] == 0;
}

// False for segments of other kinds of coding, and broken ones.
bool read_segment(std::uint8_t marker, Bytes segment, JpegScan& scan) {
    constexpr std::uint8_t kBaseline = 0xC0;
    constexpr std::uint8_t kExtended = 0xC1;
    constexpr std::uint8_t kTables = 0xC4;
    constexpr std::uint8_t kArithmetic = 0xCC;
    constexpr std::uint8_t kLastFrame = 0xCF;
    constexpr std::uint8_t kRestartInterval = 0xDD;
    if (marker == kBaseline || marker == kExtended) return read_frame(segment, scan);
    if (marker == kTables) return read_tables(segment, scan);
    if (marker == kRestartInterval) {
        if (segment.size() != 2) return false;
        scan.restart_units = static_cast<int>(big16(segment, 0));
        return true;
    }
    const bool other_frame = marker > kExtended && marker <= kLastFrame;
    return !other_frame && marker != kArithmetic && marker > kEnd;
}

// The code at the beginning of 16 bits, and the bits of the number that follows it.
class Codes {
 public:
    struct Code {
        unsigned bits = 0;  // 0: no code begins so
        unsigned symbol = 0;
    };

    explicit Codes(const JpegScan::Table& table) : symbols_(&table.symbols) {
        std::uint32_t code = 0;
        std::int32_t index = 0;
        for (unsigned bits = 1; bits <= kMostBits; ++bits) {
            const unsigned count = table.counts[bits - 1];
            code <<= 1U;
            index_[bits] = index - static_cast<std::int32_t>(code);
            index += static_cast<std::int32_t>(count);
            code += count;
            end_[bits] = code << (kMostBits - bits);
            is_valid_ = is_valid_ && code <= 1U << bits;
        }
    }

    // A valid table has at least one code, and no more of a length than fit.
    bool is_valid() const { return is_valid_ && !symbols_->empty(); }

    Code find(std::uint32_t next16) const {
        for (unsigned bits = 1; bits <= kMostBits; ++bits)
            if (next16 < end_[bits]) {
                const auto code = static_cast<std::int32_t>(next16 >> (kMostBits - bits));
                return {bits, (*symbols_)[static_cast<std::size_t>(index_[bits] + code)]};
            }
        return {};
    }

 private:
    static constexpr unsigned kMostBits = 16;

    const std::vector<std::uint8_t>* symbols_;
    std::array<std::uint32_t, kMostBits + 1> end_{};   // the code after the last one, as 16 bits
    std::array<std::int32_t, kMostBits + 1> index_{};  // of a code's symbol, minus the code
    bool is_valid_ = true;
};

// The greatest sizes of differences and coefficients with samples of 8 bits (T.81, F.1.2).
constexpr unsigned kMostDcBits = 11;
constexpr unsigned kMostAcBits = 10;
constexpr unsigned kBlock = 64;  // coefficients

// One or more codes with their numbers.
struct Steps {
    static constexpr std::uint8_t kEnd = 128;   // added to `advance` by the end of a block
    static constexpr std::uint8_t kNone = 127;  // more than a block has, without its end

    std::uint8_t bits = 0;         // 0: no valid code
    std::uint8_t advance = kNone;  // in coefficients

    // Whether a block that has k coefficients is complete with these steps, and needs all of them.
    bool complete(unsigned k) const {
        return advance < kEnd ? k + advance == kBlock : k + advance < kEnd + kBlock;
    }
};

Steps make_steps(unsigned bits, unsigned advance) {
    return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(advance)};
}

Steps dc_step(Codes::Code code) {
    if (code.bits == 0 || code.symbol > kMostDcBits) return {};
    return make_steps(code.bits + code.symbol, 1);
}

Steps ac_step(Codes::Code code) {
    constexpr unsigned kEndOfBlock = 0;
    constexpr unsigned kSixteenZeros = 0xF0;
    const unsigned size = code.symbol & 15U;
    if (code.bits == 0 || size > kMostAcBits) return {};
    if (code.symbol == kEndOfBlock) return make_steps(code.bits, Steps::kEnd);
    if (size == 0 && code.symbol != kSixteenZeros) return {};
    return make_steps(code.bits + size, (code.symbol >> 4U) + 1);
}

// Tables are indexed with the next bits of the data, which callers pass as the highest of 64.
constexpr unsigned kIndexBits = 11;
constexpr std::size_t kEntries = std::size_t{1} << kIndexBits;

std::size_t table_index(std::uint64_t next) {
    return next >> (64 - kIndexBits);
}

// Returns the step that belongs to the next code.
class SingleSteps {
 public:
    struct Entry {
        Steps step;
        std::uint8_t code_bits = 0;  // 0: no valid code of at most kIndexBits
    };

    // The codes must be valid.
    SingleSteps(const Codes& codes, Steps (*step_of)(Codes::Code))
        : codes_(codes), step_of_(step_of) {
        for (std::size_t index = 0; index < kEntries;) {
            const Codes::Code code =
                codes.find(static_cast<std::uint32_t>(index << (16 - kIndexBits)));
            const bool fits = code.bits != 0 && code.bits <= kIndexBits;
            const std::size_t count = fits ? std::size_t{1} << (kIndexBits - code.bits) : 1;
            const Steps step = step_of(code);
            if (fits && step.bits != 0)
                std::fill_n(entries_.begin() + static_cast<std::ptrdiff_t>(index), count,
                            Entry{step, static_cast<std::uint8_t>(code.bits)});
            index += count;
        }
    }

    Steps find(std::uint64_t next) const {
        const Steps step = entries_[table_index(next)].step;
        return step.bits != 0 ? step
                              : step_of_(codes_.find(static_cast<std::uint32_t>(next >> 48U)));
    }
    const Entry& entry(std::size_t index) const { return entries_[index % kEntries]; }

 private:
    Codes codes_;
    Steps (*step_of_)(Codes::Code);
    std::array<Entry, kEntries> entries_{};
};

// The steps of all codes in the next bits, at once: two on average in photos. The number of the
// last one may extend beyond those bits. Tables of 12 bits are no faster in photos, and take 0.1 ms
// more to make (2 cores).
class QuickSteps {
 public:
    QuickSteps(const SingleSteps& first, const SingleSteps& others) {
        for (std::size_t index = 0; index < kEntries; ++index)
            entries_[index] = steps_of(first, others, index);
    }

    // Steps::bits is 0 if the next bits hold no whole code.
    Steps find(std::uint64_t next) const { return entries_[table_index(next)]; }

 private:
    static Steps steps_of(const SingleSteps& first, const SingleSteps& others, std::size_t index) {
        unsigned bits = 0;
        unsigned advance = 0;
        const SingleSteps* steps = &first;
        while (bits < kIndexBits && advance < Steps::kEnd) {
            const SingleSteps::Entry& next = steps->entry(index << bits);
            const bool is_whole = next.code_bits != 0 && bits + next.code_bits <= kIndexBits;
            const bool ends = next.step.advance >= Steps::kEnd;
            if (!is_whole || (!ends && advance + next.step.advance > kBlock)) break;
            bits += next.step.bits;
            advance += next.step.advance;
            steps = &others;
        }
        return bits == 0 ? Steps() : make_steps(bits, advance);
    }

    std::array<Steps, kEntries> entries_{};
};

struct BlockSteps {
    BlockSteps(const Codes& dc_codes, const Codes& ac_codes)
        : dc(dc_codes, dc_step), ac(ac_codes, ac_step), first(dc, ac), others(ac, ac) {}

    SingleSteps dc;
    SingleSteps ac;
    QuickSteps first;  // at the beginning of the block
    QuickSteps others;
};

// Entropy-coded bits, up to the next marker and then zeros. They are copied in chunks without the
// zero bytes that follow 0xFF bytes, so that reading is a load and a shift.
class Bits {
 public:
    static constexpr unsigned kAtOnce = 57;

    explicit Bits(Bytes data) : data_(data), chunk_(kChunk + kBlockBytes) { fill(); }

    // A block can be read after this without running out of the chunk. False if more was read than
    // there is.
    bool begin_block() {
        if (position_ > last_begin_ && !at_end_) fill();
        return position_ <= last_begin_;
    }
    // At least kAtOnce bits, from the highest one on.
    std::uint64_t next() const {
        std::uint64_t word = 0;
        std::memcpy(&word, chunk_.data() + position_ / 8, sizeof word);
        return __builtin_bswap64(word) << position_ % 8;
    }
    void skip(unsigned count) { position_ += count; }

    // The marker after fewer than eight unread bits; 0 if anything else follows. Reading continues
    // after it.
    std::uint8_t take_marker() {
        const std::size_t end = 8 * size_;
        if (!at_end_ || position_ > end || position_ + 8 <= end) return 0;
        while (at_ < data_.size() && data_[at_] == 0xFF) ++at_;
        const std::uint8_t marker = at_ < data_.size() ? data_[at_++] : 0;
        position_ = size_ = 0;
        at_end_ = false;
        fill();
        return marker;
    }

 private:
    static constexpr std::size_t kChunk = std::size_t{1} << 15U;
    // Above 209 bytes for codes of 16 bits with the largest numbers, and next()'s word.
    static constexpr std::size_t kBlockBytes = 256;

    // Moves the unread bits to the front and adds others.
    void fill() {
        const auto unread = chunk_.begin() + static_cast<std::ptrdiff_t>(position_ / 8);
        const auto end = chunk_.begin() + static_cast<std::ptrdiff_t>(size_);
        size_ = static_cast<std::size_t>(std::copy(unread, end, chunk_.begin()) - chunk_.begin());
        position_ %= 8;
        while (size_ < kChunk && !at_end_) {
            add_up_to_ff();
            if (size_ == kChunk) break;
            at_end_ = at_ + 1 >= data_.size() || data_[at_ + 1] != 0;
            if (at_end_) break;
            chunk_[size_++] = 0xFF;
            at_ += 2;
        }
        std::fill_n(chunk_.begin() + static_cast<std::ptrdiff_t>(size_), kBlockBytes, 0);
        last_begin_ = 8 * (at_end_ ? size_ : size_ - kBlockBytes);
    }
    // Adds bytes up to the next 0xFF, or to the end of the data or the chunk.
    void add_up_to_ff() {
        const Bytes room = data_.subspan(at_, std::min(kChunk - size_, data_.size() - at_));
        const void* ff = room.empty() ? nullptr : std::memchr(room.data(), 0xFF, room.size());
        const auto* end =
            ff == nullptr ? room.data() + room.size() : static_cast<const std::uint8_t*>(ff);
        std::copy(room.data(), end, chunk_.begin() + static_cast<std::ptrdiff_t>(size_));
        size_ += static_cast<std::size_t>(end - room.data());
        at_ += static_cast<std::size_t>(end - room.data());
    }

    Bytes data_;
    std::size_t at_ = 0;  // the first byte that is not in the chunk yet
    std::vector<std::uint8_t> chunk_;
    std::size_t size_ = 0;        // bytes of data in the chunk
    std::size_t position_ = 0;    // in bits
    std::size_t last_begin_ = 0;  // the last position where a block can begin
    bool at_end_ = false;         // a marker or nothing follows the chunk
};

bool skip_block(const BlockSteps& block, Bits& bits) {
    // Three lookups read the bits of a code each, the first two also skip a number.
    static_assert(3 * kIndexBits + kMostDcBits + kMostAcBits <= Bits::kAtOnce);
    if (!bits.begin_block()) return false;
    const QuickSteps* quick = &block.first;
    std::uint64_t next = 0;
    Steps steps;
    unsigned k = 0;
    const auto stays_in_block = [&] {
        steps = quick->find(next);
        if (k + steps.advance >= kBlock) return false;
        bits.skip(steps.bits);
        next <<= steps.bits;
        k += steps.advance;
        quick = &block.others;
        return true;
    };
    while (k < kBlock) {
        next = bits.next();
        if (stays_in_block() && stays_in_block() && stays_in_block()) continue;
        // The last of several steps may be the next block's, and codes may be long.
        if (!steps.complete(k)) steps = (k == 0 ? block.dc : block.ac).find(bits.next());
        const bool ends = steps.advance >= Steps::kEnd;
        if (steps.bits == 0 || (!ends && k + steps.advance > kBlock)) return false;
        bits.skip(steps.bits);
        if (ends) return true;
        k += steps.advance;
        quick = &block.others;
    }
    return true;
}

// Walks over a scan, unit by unit.
class ScanWalk {
 public:
    ScanWalk(const JpegScan& scan, Bytes jpeg) : scan_(scan), bits_(jpeg.subspan(scan.data_at)) {}

    bool run() {
        if (!make_tables()) return false;
        const std::int64_t columns = (scan_.width + scan_.unit_width() - 1) / scan_.unit_width();
        const std::int64_t units =
            columns * ((scan_.height + scan_.unit_height() - 1) / scan_.unit_height());
        for (std::int64_t unit = 0; unit < units; ++unit)
            if (!restart_before(unit) || !skip_unit()) return false;
        return bits_.take_marker() == kEnd;
    }

 private:
    bool make_tables() {
        for (const JpegScan::Component& component : scan_.components) {
            const Codes dc(scan_.tables[component.dc]);
            const Codes ac(scan_.tables[4 + component.ac]);
            if (!dc.is_valid() || !ac.is_valid()) return false;
            const auto made = steps_.try_emplace({component.dc, component.ac}, dc, ac).first;
            blocks_.insert(blocks_.end(),
                           static_cast<std::size_t>(component.horizontal * component.vertical),
                           &made->second);
        }
        return true;
    }
    bool restart_before(std::int64_t unit) {
        const int every = scan_.restart_units;
        if (every == 0 || unit == 0 || unit % every != 0) return true;
        return bits_.take_marker() == kFirstRestart + (unit / every - 1) % 8;
    }
    bool skip_unit() {
        return std::ranges::all_of(
            blocks_, [this](const BlockSteps* block) { return skip_block(*block, bits_); });
    }

    const JpegScan& scan_;
    Bits bits_;
    std::map<std::pair<std::size_t, std::size_t>, BlockSteps> steps_;  // by DC and AC tables
    std::vector<const BlockSteps*> blocks_;                            // of a unit
};

}  // namespace

int JpegScan::unit_width() const {
    return 8 * greatest(*this, &Component::horizontal);
}

int JpegScan::unit_height() const {
    return 8 * greatest(*this, &Component::vertical);
}

std::optional<JpegScan> find_jpeg_scan(std::span<const std::uint8_t> jpeg) {
    constexpr std::uint8_t kScan = 0xDA;
    if (jpeg.size() < 4 || jpeg[0] != 0xFF || jpeg[1] != kStart) return std::nullopt;
    JpegScan scan;
    std::size_t at = 2;
    while (at + 4 <= jpeg.size()) {
        if (jpeg[at] != 0xFF) return std::nullopt;
        const std::uint8_t marker = jpeg[at + 1];
        if (marker == 0xFF) {  // fill
            ++at;
            continue;
        }
        const std::size_t bytes = big16(jpeg, at + 2);
        if (bytes < 2 || at + 2 + bytes > jpeg.size()) return std::nullopt;
        const Bytes segment = jpeg.subspan(at + 4, bytes - 2);
        const bool had_frame = !scan.components.empty();
        if (marker == kScan) {
            scan.data_at = at + 2 + bytes;
            return read_scan(segment, scan) ? std::optional(std::move(scan)) : std::nullopt;
        }
        if (!read_segment(marker, segment, scan)) return std::nullopt;
        if (!had_frame && !scan.components.empty()) scan.size_at = at + 5;
        at += 2 + bytes;
    }
    return std::nullopt;
}

bool is_whole(const JpegScan& scan, std::span<const std::uint8_t> jpeg) {
    return ScanWalk(scan, jpeg).run();
}

std::vector<std::uint8_t> first_unit(const JpegScan& scan, std::span<const std::uint8_t> jpeg) {
    // Ten blocks of 64 codes of at most 26 bits, each byte escaped.
    constexpr std::size_t kMostBytes = 10 * 64 * 26 / 8 * 2;
    const std::size_t end = std::min(jpeg.size(), scan.data_at + kMostBytes);
    std::vector<std::uint8_t> unit(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(end));
    unit[scan.size_at] = unit[scan.size_at + 2] = 0;
    unit[scan.size_at + 1] = static_cast<std::uint8_t>(scan.unit_height());
    unit[scan.size_at + 3] = static_cast<std::uint8_t>(scan.unit_width());
    unit.insert(unit.end(), {0xFF, kEnd});
    return unit;
}

}  // namespace weft
