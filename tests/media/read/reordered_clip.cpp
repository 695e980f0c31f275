#include "tests/media/read/reordered_clip.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "tests/support/clips.h"

namespace weft::test {

namespace {

constexpr int kFrames = 64;
constexpr int kPlainSlice = 1;
constexpr int kKeySlice = 5;
constexpr int kFirstSpsByte = 8;  // of avcC, after a count and a size of two bytes
constexpr std::size_t kOrderDigits = 16;

class Bits {
 public:
    explicit Bits(std::span<const std::uint8_t> nal) {
        int zeros = 0;
        for (const std::uint8_t byte : nal) {
            const bool inserted = zeros >= 2 && byte == 3;
            zeros = byte == 0 ? zeros + 1 : 0;
            if (!inserted) text_ += std::bitset<8>(byte).to_string();
        }
    }
    std::size_t position() const { return at_; }
    unsigned fixed(std::size_t bits) {
        const std::string digits = text_.substr(std::exchange(at_, at_ + bits), bits);
        return static_cast<unsigned>(std::stoul(digits, nullptr, 2));
    }
    unsigned golomb() {
        const std::size_t zeros = text_.find('1', at_) - at_;
        at_ += zeros;
        return fixed(zeros + 1) - 1;
    }
    // Puts `digits` in the place of those from `from` to the current position.
    void replace_from(std::size_t from, const std::string& digits) {
        text_.replace(from, at_ - from, digits);
        at_ = from + digits.size();
    }
    // Ends the NAL here, with the trailing bits.
    void end() {
        text_.resize(at_);
        text_ += '1';
    }
    Bytes nal() {
        text_.resize(text_.find_last_of('1') + 1);
        text_.resize((text_.size() + 7) / 8 * 8, '0');
        Bytes bytes;
        int zeros = 0;
        for (std::size_t k = 0; k < text_.size(); k += 8) {
            const auto byte = static_cast<std::uint8_t>(std::stoul(text_.substr(k, 8), nullptr, 2));
            if (zeros >= 2 && byte <= 3) bytes.push_back(3);
            if (zeros >= 2 && byte <= 3) zeros = 0;
            bytes.push_back(byte);
            zeros = byte == 0 ? zeros + 1 : 0;
        }
        return bytes;
    }

 private:
    std::string text_;
    std::size_t at_ = 0;
};

std::string digits_of(unsigned value, std::size_t bits) {
    return std::bitset<32>(value).to_string().substr(32 - bits);
}

std::string golomb_digits(unsigned value) {
    const std::size_t bits = std::bit_width(value + 1);
    return std::string(bits - 1, '0') + digits_of(value + 1, bits);
}

// Sizes in the slice headers.
struct Digits {
    std::size_t number = 0;  // frame_num, which counts reference frames in decoding order
    std::size_t order = 0;   // of display
};

// x264's, of the main profile: one reference frame, level 1, no VUI, a display order of 16 digits.
// Returns the previous digits.
Digits promise_one_reference(Bits& sps) {
    sps.fixed(24);
    const std::size_t level = sps.position();
    sps.fixed(8);
    sps.replace_from(level, digits_of(10, 8));
    sps.golomb();
    Digits digits;
    digits.number = sps.golomb() + 4;
    if (sps.golomb() != 0) throw std::runtime_error("display order is decoding order");
    const std::size_t order = sps.position();
    digits.order = sps.golomb() + 4;
    sps.replace_from(order, golomb_digits(kOrderDigits - 4));
    const std::size_t references = sps.position();
    sps.golomb();
    sps.replace_from(references, golomb_digits(1));
    sps.fixed(1);
    sps.golomb();
    sps.golomb();
    sps.fixed(2);
    if (sps.fixed(1) != 0)
        for (int k = 0; k < 4; ++k) sps.golomb();
    const std::size_t vui = sps.position();
    sps.fixed(1);
    sps.replace_from(vui, "0");
    sps.end();
    return digits;
}

void append_sized(Bytes& bytes, const Bytes& nal, int size_bytes) {
    for (int k = size_bytes - 1; k >= 0; --k)
        bytes.push_back(static_cast<std::uint8_t>(nal.size() >> (8 * k)));
    bytes.insert(bytes.end(), nal.begin(), nal.end());
}

struct Order {
    unsigned decoded = 0;
    unsigned shown = 0;
};

// Of an intra slice in CAVLC, whose data need no alignment. The oldest reference frame makes room.
Bytes renumbered_slice(std::span<const std::uint8_t> nal, Order order, const Digits& digits) {
    Bits bits(nal);
    bits.fixed(8);
    for (int k = 0; k < 3; ++k) bits.golomb();
    const std::size_t number = bits.position();
    bits.fixed(digits.number);
    bits.replace_from(number, digits_of(order.decoded % (1U << digits.number), digits.number));
    const bool key = (nal[0] & 31) == kKeySlice;
    if (key) bits.golomb();
    const std::size_t shown = bits.position();
    bits.fixed(digits.order);
    bits.replace_from(shown, digits_of(2 * order.shown, kOrderDigits));
    if (key) return bits.nal();
    const std::size_t marking = bits.position();
    if (bits.fixed(1) != 0)
        while (bits.golomb() != 0) bits.golomb();
    bits.replace_from(marking, "0");
    return bits.nal();
}

// Returns only the slices of the picture.
Bytes renumbered(const Bytes& packet, Order order, const Digits& digits) {
    Bytes made;
    for (std::size_t at = 0; at + 4 < packet.size();) {
        std::size_t size = 0;
        for (int k = 0; k < 4; ++k) size = size << 8 | packet[at++];
        const std::span nal = std::span(packet).subspan(at, size);
        at += size;
        const int type = nal[0] & 31;
        if (type != kPlainSlice && type != kKeySlice) continue;
        append_sized(made, renumbered_slice(nal, order, digits), 4);
    }
    return made;
}

struct Source {
    InputContextPtr file;
    std::vector<Bytes> packets;
};

Source read(const std::filesystem::path& path) {
    AVFormatContext* opened = nullptr;
    av_check(avformat_open_input(&opened, path.c_str(), nullptr, nullptr), "opening", path);
    Source source{InputContextPtr(opened), {}};
    for (AVPacketPtr packet = make_packet(); av_read_frame(opened, packet.get()) >= 0;
         packet = make_packet())
        source.packets.emplace_back(packet->data, packet->data + packet->size);
    return source;
}

void set_extradata(AVCodecParameters& codec, const Bytes& bytes) {
    av_freep(&codec.extradata);
    codec.extradata =
        static_cast<std::uint8_t*>(av_mallocz(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (codec.extradata == nullptr) throw_no_memory();
    std::ranges::copy(bytes, codec.extradata);
    codec.extradata_size = static_cast<int>(bytes.size());
}

// As promise_one_reference().
Digits change_headers(AVCodecParameters& codec) {
    const std::span avcc(codec.extradata, static_cast<std::size_t>(codec.extradata_size));
    const std::size_t size = static_cast<std::size_t>(avcc[6]) << 8 | avcc[7];
    Bits sps(avcc.subspan(kFirstSpsByte, size));
    const Digits digits = promise_one_reference(sps);
    Bytes changed(avcc.begin(), avcc.begin() + 6);
    append_sized(changed, sps.nal(), 2);
    const std::span rest = avcc.subspan(kFirstSpsByte + size);
    changed.insert(changed.end(), rest.begin(), rest.end());
    set_extradata(codec, changed);
    return digits;
}

// The first frame alone, then groups that end with their first one.
std::vector<int> decoding_order(int depth) {
    std::vector<int> order{0};
    for (int first = 1; first < kFrames; first += depth + 1)
        for (int k = std::min(first + depth, kFrames - 1); k >= first; --k) order.push_back(k);
    return order;
}

}  // namespace

std::filesystem::path make_reordered_clip(const std::string& name, int depth) {
    const auto plain =
        make_clip(name + "-plain.mp4",
                  "-f lavfi -i testsrc2=s=320x180:r=30 -frames:v " + std::to_string(kFrames) +
                      " -c:v libx264 -profile:v main -pix_fmt yuv420p -qp 30 -bf 3 "
                      "-force_key_frames expr:1 "
                      "-x264-params open-gop=1:keyint=infinite:cabac=0");
    const Source source = read(plain);
    auto file = clip_dir() / (name + ".mp4");
    AVFormatContext* made = nullptr;
    av_check(avformat_alloc_output_context2(&made, nullptr, "mp4", file.c_str()), "making", file);
    const OutputContextPtr output(made);
    AVStream* stream = avformat_new_stream(made, nullptr);
    if (stream == nullptr) throw_no_memory();
    av_check(avcodec_parameters_copy(stream->codecpar, source.file->streams[0]->codecpar),
             "copying", file);
    const Digits digits = change_headers(*stream->codecpar);
    stream->time_base = {1, 30};
    av_check(avio_open(&made->pb, file.c_str(), AVIO_FLAG_WRITE), "opening", file);
    av_check(avformat_write_header(made, nullptr), "writing", file);
    unsigned order = 0;
    for (const int shown : decoding_order(depth)) {
        const Bytes bytes = renumbered(source.packets.at(static_cast<std::size_t>(shown)),
                                       {order, static_cast<unsigned>(shown)}, digits);
        const AVPacketPtr packet = make_packet();
        av_check(av_new_packet(packet.get(), static_cast<int>(bytes.size())), "making", file);
        std::ranges::copy(bytes, packet->data);
        packet->pts = shown;
        packet->dts = static_cast<int>(order) - depth;
        packet->duration = 1;
        packet->flags = order == 0 ? AV_PKT_FLAG_KEY : 0;
        av_packet_rescale_ts(packet.get(), {1, 30}, stream->time_base);
        av_check(av_write_frame(made, packet.get()), "writing", file);
        ++order;
    }
    av_check(av_write_trailer(made), "writing", file);
    avio_closep(&made->pb);
    return file;
}

}  // namespace weft::test
