// Writes the packets of several streams into one container, in time order, and records the counts
// and timestamps that verification compares.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/output/file_sink.h"
#include "app/media/write/container_table.h"

namespace weft {

// The packets written to one stream of the file, with times in the container's time base.
struct StreamRecord {
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    AVCodecID codec = AV_CODEC_ID_NONE;
    bool cover = false;
    bool attachment = false;   // has no packets
    unsigned data_tag = 0;     // of a stream of data: the type of its description
    std::int64_t packets = 0;  // without the empty ones that fill gaps between subtitles in mp4
    std::int64_t bytes = 0;    // of these
    AVRational time_base{0, 1};
    std::vector<std::int64_t> pts = {};  // only for the paced stream
};

// The FF_COMPLIANCE_ level to use for a muxer: FLAC and 360-degree descriptions in mp4 and more
// than 8 bits in y4m require a relaxed one, and players read them.
int compliance_of(const AVOutputFormat& muxer);

// Whether a subtitle packet is empty: mp4 fills the gaps between texts with such packets.
bool is_gap_filler(const AVPacket& packet, AVCodecID codec);

// Not thread-safe. Every call that writes throws Error(not_written) once the sink has failed.
class Muxer {
 public:
    // `sink` must outlive the muxer. Seeks only if `seekable`. Throws MediaError.
    Muxer(const Container& container, FileSink& sink, bool seekable);

    AVFormatContext& context() { return *context_; }
    const AVFormatContext& context() const { return *context_; }

    // Adds an output stream; the caller sets its type and codec before start().
    AVStream& add_stream();

    // The encoded video stream. Its encoder lags, so packets of other streams wait for it (up to 64
    // MiB; then they are written first) to keep the file interleaved.
    void set_paced_stream(int index) { paced_ = index; }

    // For containers that cannot store negative timestamps: the packets that have arrived when the
    // first frame is written determine how far all streams are shifted; see shift_seconds().
    void shift_negative_start() { shift_is_pending_ = true; }
    // The shift of all streams in seconds.
    double shift_seconds() const;

    // Writes the header. `options` are passed to the muxer.
    void start(const std::map<std::string, std::string>& options);

    // Takes a packet whose timestamps are in `time_base`. Timestamps that decrease within a stream
    // are raised to the lowest value that the container accepts.
    void write(AVPacketPtr packet, int stream, AVRational time_base);

    // Writes the waiting packets and the trailer.
    void finish();

    // One record per stream, in the order of add_stream().
    const std::vector<StreamRecord>& records() const { return records_; }

 private:
    void measure_shift(const AVPacket& first);
    std::int64_t shift_in(AVRational time_base) const;
    void rescale(AVPacket& packet, const AVStream& stream, AVRational from);
    void keep_increasing(AVPacket& packet);
    void wait(AVPacketPtr packet);
    void release(std::int64_t until_us);
    void set_final_delay(const AVPacket& packet);
    void put(AVPacket& packet);
    void fill_slots(std::int64_t until);

    FileSink& sink_;
    std::string path_;
    AvioPtr io_;
    OutputContextPtr context_;
    bool slots_;  // Clock::slots
    std::int64_t next_slot_ = 0;
    int paced_ = -1;
    bool shift_is_pending_ = false;                     // requested, not measured yet
    std::int64_t shift_ = 0;                            // in the paced stream's ticks
    std::multimap<std::int64_t, AVPacketPtr> waiting_;  // by time; equal times in order of arrival
    std::int64_t waiting_bytes_ = 0;
    std::vector<std::int64_t> last_dts_;
    std::vector<std::int64_t> delays_;  // added to each stream's times; see codec_delay
    std::vector<StreamRecord> records_;
};

}  // namespace weft
