// A container file under construction: its streams, in the source's order, and the handler of each
// source stream's packets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/output/atomic_output.h"
#include "app/media/output/mp4_additions.h"
#include "app/media/write/container_table.h"
#include "app/media/write/frame_clock.h"
#include "app/media/write/muxer.h"
#include "app/media/write/output_verifier.h"
#include "app/media/write/source_metadata.h"
#include "app/media/write/stream_handler.h"
#include "app/media/write/stream_plan.h"
#include "app/media/write/written_proof.h"

namespace weft {

struct MuxedOutputSettings {
    const Container* container = nullptr;
    std::string path;  // "-": standard output
    OutputOptions options;
    const AVFormatContext* source = nullptr;
    int video_index = 0;
    std::vector<StreamPlan> plans;  // one per source stream
    TimeShift shift;
    std::optional<std::int64_t> length_us;
    const AVCodecContext* encoder = nullptr;  // the video encoder
    AVRational time_base{1, 25};              // of its packets; the encoder's own may be coarser
    const AVFrame* first_frame = nullptr;     // as decoded
    bool keep_matrix = false;                 // the pixels were not rotated
    // How often an animated picture is played; 0, the default, means endlessly.
    std::uint32_t plays = 0;
    bool redacted = false;  // without the tags that may hold a picture
    // Entries of the source's iTunes list that libav does not read, for mp4.
    std::string list_entries = {};
    bool index_first = false;  // -movflags +faststart
};

class MuxedOutput {
 public:
    // Creates the temporary file and writes the header.
    explicit MuxedOutput(const MuxedOutputSettings& settings);

    void write_frame(AVPacketPtr packet, AVRational time_base);
    // Writes a source packet, routed by its stream_index; packets of dropped streams are ignored.
    void write_packet(AVPacketPtr packet);

    // Finishes all streams and the file, then reads it back. `frames`: as in VerifyRequest. Returns
    // the names of tags that are not in the file.
    std::vector<std::string> finish(Verify verify, const FrameHashes* frames);
    // Fills in size, time and hash of the finished file. Call it before commit(), and not for
    // standard output. Throws Error(not_written or failed).
    void prove(WrittenProof& proof) const;
    // Renames the finished file to its final name.
    void commit();

    // Written to the file so far; complete once finish() has returned.
    std::int64_t pictures() const;
    std::int64_t bytes() const { return sink_->size(); }
    // How far all streams were shifted because the container cannot store negative timestamps.
    double shift_seconds() const;
    // Packets of converted streams that could not be decoded.
    std::int64_t damaged_packets() const;

 private:
    using Handler = std::unique_ptr<StreamHandler>;
    struct Route {
        Handler handler;  // null: packets are ignored
        int stream = -1;  // in the output
    };

    void add_streams(const MuxedOutputSettings& settings);
    void add_frame(const MuxedOutputSettings& settings, AVStream& out);
    Handler make_handler(const MuxedOutputSettings& settings, const StreamPlan& plan,
                         AVStream& out) const;
    void write_covers(const MuxedOutputSettings& settings);
    void note_tags(const AVFormatContext& source);
    std::vector<std::string> verify_file(Verify verify, const FrameHashes* frames);
    TimedPacketSink sink_of(int stream);

    const Container& container_;
    std::unique_ptr<AtomicOutput> file_;  // null on standard output
    std::unique_ptr<FileSink> standard_output_;
    FileSink* sink_;
    std::unique_ptr<Muxer> muxer_;
    std::vector<Route> routes_;  // by source index
    Mp4Additions additions_;
    bool index_first_;
    Tags tags_;                              // given to the muxer
    std::vector<Tags> stream_tags_;          // the same, by stream of the output
    std::vector<std::string> stream_names_;  // in the source
    int picture_ = 0;                        // in the output
};

}  // namespace weft
