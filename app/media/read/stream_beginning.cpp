#include "app/media/read/stream_beginning.h"

namespace weft {

void read_beginning(Demuxer& demuxer, int video, Decoder& decoder) {
    if (demuxer.is_images() || !demuxer.can_seek(video)) return;
    AVPacketPtr packet = make_packet();
    int result = demuxer.read(*packet);
    while (result >= 0 && packet->stream_index != video) {
        av_packet_unref(packet.get());
        result = demuxer.read(*packet);
    }
    if (result >= 0 && (packet->flags & AV_PKT_FLAG_KEY) != 0) decoder.learn(*packet);
}

}  // namespace weft
