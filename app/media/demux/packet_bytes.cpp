#include "app/media/demux/packet_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace weft {
namespace {

// The flags that encoders set. The others belong to libavformat: 0x2000 makes it treat the data as
// a pointer.
constexpr int kFlags =
    AV_PKT_FLAG_KEY | AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD | AV_PKT_FLAG_DISPOSABLE;

// Larger timestamps overflow where libavformat adds to them.
constexpr std::int64_t kMostTime = std::int64_t{1} << 62;
constexpr std::int64_t kMostBytes = std::numeric_limits<int>::max() - AV_INPUT_BUFFER_PADDING_SIZE;

// The side data that encoders produce and muxers read, with the minimum size that muxers expect.
struct SideKind {
    AVPacketSideDataType type;
    std::size_t least;
};
constexpr std::array kSideKinds = {SideKind{AV_PKT_DATA_PALETTE, AVPALETTE_SIZE},
                                   SideKind{AV_PKT_DATA_NEW_EXTRADATA, 1},
                                   SideKind{AV_PKT_DATA_QUALITY_STATS, 8},
                                   SideKind{AV_PKT_DATA_CPB_PROPERTIES, sizeof(AVCPBProperties)},
                                   SideKind{AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, 8}};

struct PacketHead {
    std::int64_t pts = 0;
    std::int64_t dts = 0;
    std::int64_t duration = 0;
    std::int64_t size = 0;  // size of the data that follows
    std::int32_t flags = 0;
    std::int32_t side_data = 0;  // elements after the data, each a SideHead and its bytes
};

struct SideHead {
    std::int64_t type = 0;
    std::int64_t size = 0;
};

bool is_kept(std::int64_t type, std::size_t size) {
    return std::ranges::any_of(
        kSideKinds, [&](const SideKind& kind) { return kind.type == type && size >= kind.least; });
}

[[noreturn]] void refuse_packet(const std::string& why) {
    throw MediaError(Outcome::failed, "a stored packet " + why);
}

void put(std::vector<std::uint8_t>& bytes, const void* data, std::size_t size) {
    const std::size_t end = bytes.size();
    bytes.resize(end + size);
    if (size > 0) std::memcpy(bytes.data() + end, data, size);
}

class Take {
 public:
    explicit Take(std::span<const std::uint8_t> bytes) : left_(bytes) {}

    std::span<const std::uint8_t> bytes(std::int64_t count) {
        if (count < 0 || static_cast<std::size_t>(count) > left_.size())
            refuse_packet("is cut short");
        const auto taken = left_.first(static_cast<std::size_t>(count));
        left_ = left_.subspan(taken.size());
        return taken;
    }
    std::size_t left() const { return left_.size(); }
    template <class T>
    T value() {
        T value;
        std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
        return value;
    }

 private:
    std::span<const std::uint8_t> left_;
};

void take_side_data(Take& from, AVPacket& packet) {
    const auto head = from.value<SideHead>();
    const auto bytes = from.bytes(head.size);
    if (!is_kept(head.type, bytes.size()))
        refuse_packet(fmt::format("has {} bytes of side data {}", bytes.size(), head.type));
    const auto type = static_cast<AVPacketSideDataType>(head.type);
    if (av_packet_get_side_data(&packet, type, nullptr) != nullptr)
        refuse_packet(fmt::format("has side data {} twice", head.type));
    std::uint8_t* data = av_packet_new_side_data(&packet, type, bytes.size());
    if (data == nullptr) throw_no_memory();
    std::memcpy(data, bytes.data(), bytes.size());
}

void check_head(const PacketHead& head) {
    for (const std::int64_t time : {head.pts, head.dts, head.duration})
        if (time < -kMostTime || time > kMostTime)
            refuse_packet(fmt::format("has the time {}", time));
    if (head.duration < 0) refuse_packet(fmt::format("has the duration {}", head.duration));
    if (head.side_data < 0)
        refuse_packet(fmt::format("has {} elements of side data", head.side_data));
    if (head.size > kMostBytes) refuse_packet(fmt::format("has {} bytes", head.size));
    if ((head.flags & ~kFlags) != 0) refuse_packet(fmt::format("has the flags {:#x}", head.flags));
}

std::vector<const AVPacketSideData*> kept_side_data(const AVPacket& packet) {
    std::vector<const AVPacketSideData*> kept;
    for (int k = 0; k < packet.side_data_elems; ++k)
        if (const AVPacketSideData& side = packet.side_data[k]; is_kept(side.type, side.size))
            kept.push_back(&side);
    return kept;
}

}  // namespace

std::vector<std::uint8_t> packet_bytes(const AVPacket& packet) {
    const std::vector<const AVPacketSideData*> side_data = kept_side_data(packet);
    const PacketHead head{.pts = packet.pts,
                          .dts = packet.dts,
                          .duration = packet.duration,
                          .size = packet.size,
                          .flags = packet.flags & kFlags,
                          .side_data = static_cast<std::int32_t>(side_data.size())};
    std::vector<std::uint8_t> bytes;
    bytes.reserve(sizeof head + static_cast<std::size_t>(packet.size));
    put(bytes, &head, sizeof head);
    put(bytes, packet.data, static_cast<std::size_t>(packet.size));
    for (const AVPacketSideData* side : side_data) {
        const SideHead side_head{side->type, static_cast<std::int64_t>(side->size)};
        put(bytes, &side_head, sizeof side_head);
        put(bytes, side->data, side->size);
    }
    return bytes;
}

AVPacketPtr packet_from(std::span<const std::uint8_t> bytes) {
    Take from(bytes);
    const auto head = from.value<PacketHead>();
    check_head(head);
    AVPacketPtr packet = make_packet();
    const auto data = from.bytes(head.size);
    if (av_new_packet(packet.get(), static_cast<int>(data.size())) < 0) throw_no_memory();
    if (!data.empty()) std::memcpy(packet->data, data.data(), data.size());
    packet->pts = head.pts;
    packet->dts = head.dts;
    packet->duration = head.duration;
    packet->flags = head.flags;
    for (int k = 0; k < head.side_data; ++k) take_side_data(from, *packet);
    if (from.left() > 0) refuse_packet(fmt::format("has {} bytes too many", from.left()));
    return packet;
}

}  // namespace weft
