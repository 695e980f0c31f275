#include "app/media/write/written_proof.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/stat.h>

#include "app/media/output/file_time.h"
#include "app/media/output/write_error.h"

namespace weft {

std::int64_t mtime_ns(int fd, const std::string& path) {
    struct stat info {};
    if (fstat(fd, &info) != 0) throw WriteError(path, errno);
    return file_time_ns(info, path);
}

ProofCollector::ProofCollector(const std::vector<StreamPlan>& plans,
                               const AVFormatContext& source) {
    for (const StreamPlan& plan : plans)
        if (plan.action == StreamAction::copy)
            streams_.push_back({.stream = {.index = plan.source_index,
                                           .kind = stream_kind(*source.streams[plan.source_index])},
                                .packets = {}});
}

void ProofCollector::add_time(std::int64_t pts) {
    auto rest = static_cast<std::uint64_t>(pts);
    std::array<std::uint8_t, sizeof rest> bytes{};
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(rest);
        rest >>= 8U;
    }
    times_.add(bytes.data(), bytes.size());
}

void ProofCollector::add(const AVPacket& packet) {
    const auto found = std::ranges::find(streams_, packet.stream_index,
                                         [](const Collected& one) { return one.stream.index; });
    if (found == streams_.end()) return;
    ++found->stream.packets;
    if (packet.size > 0) found->packets.add(packet.data, static_cast<std::size_t>(packet.size));
}

void ProofCollector::finish(WrittenProof& proof) const {
    proof.times = times_.digest();
    for (const Collected& one : streams_) {
        proof.streams.push_back(one.stream);
        proof.streams.back().hash = one.packets.digest();
    }
}

}  // namespace weft
