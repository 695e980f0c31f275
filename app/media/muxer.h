// Writes packets of several streams into one container, in time order, and keeps the books that
// the verification compares.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/media/avio_sink.h"
#include "app/media/container_table.h"
#include "app/media/ffmpeg.h"
#include "app/media/file_sink.h"

namespace weft {

// What went into one stream of the file, in the clock the container keeps.
struct StreamRecord {
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    AVCodecID codec = AV_CODEC_ID_NONE;
    bool cover = false;
    bool attachment = false;   // has no packets
    std::int64_t packets = 0;  // without the empty ones that fill gaps between subtitles in mp4
    AVRational time_base{0, 1};
    std::vector<std::int64_t> pts = {};  // of the paced stream only
};

// How far from the standards a muxer may go for us (an FF_COMPLIANCE_ value): FLAC and 360-degree
// descriptions in mp4 and more than 8 bits in y4m are behind this, and players read them.
int compliance_of(const AVOutputFormat& muxer);

// Whether a subtitle packet says nothing: mp4 fills the gaps between texts with such packets.
bool is_gap_filler(const AVPacket& packet, AVCodecID codec);

// Not thread-safe. Every call that writes throws Error(not_written) as soon as the sink has failed.
class Muxer {
 public:
    // `sink` outlives the muxer. Seeks only if `seekable`. Throws MediaError.
    Muxer(const Container& container, FileSink& sink, bool seekable);

    AVFormatContext& context() { return *context_; }
    const AVFormatContext& context() const { return *context_; }

    // A new output stream, its kind and codec to be filled in before start().
    AVStream& add_stream();

    // The picture that is encoded, behind which its encoder lags: other streams wait for it, so
    // that the file is interleaved (up to 64 MiB; then they go first).
    void set_paced_stream(int index) { paced_ = index; }

    // For containers that take no time below zero: once the first picture comes, everything that
    // has arrived by then decides by how much all streams are moved; see lifted().
    void lift_negative_start() { lift_ = true; }
    // By how many seconds every stream was moved.
    double lifted_seconds() const;

    // Writes the header. `options` are the muxer's own.
    void start(const std::map<std::string, std::string>& options);

    // Hands over a packet whose timestamps are in `time_base`. Timestamps that step back within a
    // stream are raised to the least that the container takes.
    void write(AVPacketPtr packet, int stream, AVRational time_base);

    // Writes what waits, and the trailer.
    void finish();

    // One record a stream, in the order of add_stream().
    const std::vector<StreamRecord>& records() const { return records_; }

 private:
    void measure_lift(const AVPacket& first);
    std::int64_t lift_in(AVRational time_base) const;
    void rescale(AVPacket& packet, const AVStream& stream, AVRational from);
    void keep_increasing(AVPacket& packet);
    void wait(AVPacketPtr packet);
    void release(std::int64_t until_us);
    void put(AVPacket& packet);

    FileSink& sink_;
    std::string path_;
    AvioPtr io_;
    OutputContextPtr context_;
    int paced_ = -1;
    bool lift_ = false;                                 // still to be measured
    std::int64_t lifted_ = 0;                           // in the paced stream's ticks
    std::multimap<std::int64_t, AVPacketPtr> waiting_;  // by time; equal times in order of arrival
    std::int64_t waiting_bytes_ = 0;
    std::vector<std::int64_t> last_dts_;
    std::vector<std::int64_t> delays_;  // added to each stream's times; see codec_delay
    std::vector<StreamRecord> records_;
};

}  // namespace weft
