#include "app/media/packet_bytes.h"

#include <cstring>

namespace weft {
namespace {

struct PacketHead {
    std::int64_t pts = 0;
    std::int64_t dts = 0;
    std::int64_t duration = 0;
    std::int64_t size = 0;  // of the data, which follows
    std::int32_t flags = 0;
    std::int32_t side_data = 0;  // elements behind the data, each a SideHead and its bytes
};

struct SideHead {
    std::int64_t type = 0;
    std::int64_t size = 0;
};

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
            throw MediaError(ExitCode::failed, "a stored packet is cut short");
        const auto taken = left_.first(static_cast<std::size_t>(count));
        left_ = left_.subspan(taken.size());
        return taken;
    }
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
    std::uint8_t* data = av_packet_new_side_data(
        &packet, static_cast<AVPacketSideDataType>(head.type), bytes.size());
    if (data == nullptr) throw MediaError(ExitCode::failed, "out of memory");
    if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
}

}  // namespace

std::vector<std::uint8_t> packet_bytes(const AVPacket& packet) {
    const PacketHead head{.pts = packet.pts,
                          .dts = packet.dts,
                          .duration = packet.duration,
                          .size = packet.size,
                          .flags = packet.flags,
                          .side_data = packet.side_data_elems};
    std::vector<std::uint8_t> bytes;
    bytes.reserve(sizeof head + static_cast<std::size_t>(packet.size));
    put(bytes, &head, sizeof head);
    put(bytes, packet.data, static_cast<std::size_t>(packet.size));
    for (int k = 0; k < packet.side_data_elems; ++k) {
        const AVPacketSideData& side = packet.side_data[k];
        const SideHead side_head{side.type, static_cast<std::int64_t>(side.size)};
        put(bytes, &side_head, sizeof side_head);
        put(bytes, side.data, side.size);
    }
    return bytes;
}

AVPacketPtr packet_from(std::span<const std::uint8_t> bytes) {
    Take from(bytes);
    const auto head = from.value<PacketHead>();
    AVPacketPtr packet = make_packet();
    const auto data = from.bytes(head.size);
    if (av_new_packet(packet.get(), static_cast<int>(data.size())) < 0)
        throw MediaError(ExitCode::failed, "out of memory");
    if (!data.empty()) std::memcpy(packet->data, data.data(), data.size());
    packet->pts = head.pts;
    packet->dts = head.dts;
    packet->duration = head.duration;
    packet->flags = head.flags;
    for (int k = 0; k < head.side_data; ++k) take_side_data(from, *packet);
    return packet;
}

}  // namespace weft
