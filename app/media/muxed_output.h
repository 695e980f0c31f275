// A container file under construction: its streams, in the source's order, and where each of the
// source's packets goes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/atomic_output.h"
#include "app/media/container_table.h"
#include "app/media/frame_clock.h"
#include "app/media/muxer.h"
#include "app/media/output_verifier.h"
#include "app/media/stream_handler.h"
#include "app/media/stream_plan.h"

namespace weft {

struct MuxedOutputSettings {
    const Container* container = nullptr;
    std::string path;  // "-": standard output
    OutputOptions options;
    const AVFormatContext* source = nullptr;
    int video_index = 0;
    std::vector<StreamPlan> plans;  // one a source stream
    TimeShift shift;
    std::optional<std::int64_t> length_us;
    const AVCodecContext* encoder = nullptr;  // of the picture
    const AVFrame* first_frame = nullptr;     // as decoded
    bool keep_matrix = false;                 // the pixels were not turned
};

class MuxedOutput {
 public:
    // Creates the temporary file and writes the header.
    explicit MuxedOutput(const MuxedOutputSettings& settings);

    void write_picture(AVPacketPtr packet, AVRational time_base);
    // A packet of the source, by its stream_index; dropped streams' packets are ignored.
    void write_packet(AVPacketPtr packet);

    // Ends every stream and the file, and reads it back. `frames`: as VerifyRequest's.
    void finish(Verify verify, const FrameHashes* frames);
    // Gives the finished file its name.
    void commit();

    // That went into the file; all of them once finish() has returned.
    std::int64_t pictures() const;
    std::int64_t bytes() const { return sink_->size(); }
    // By how much every stream was moved because the container takes no time below zero.
    double lifted_seconds() const;
    // Packets of converted streams that could not be decoded.
    std::int64_t damaged_packets() const;

 private:
    using Handler = std::unique_ptr<StreamHandler>;
    struct Route {
        Handler handler;  // null: its packets are ignored
        int stream = -1;  // in the output
    };

    void add_streams(const MuxedOutputSettings& settings);
    void add_picture(const MuxedOutputSettings& settings, AVStream& out);
    Handler make_handler(const MuxedOutputSettings& settings, const StreamPlan& plan,
                         AVStream& out) const;
    void write_covers(const MuxedOutputSettings& settings);
    void verify_file(Verify verify, const FrameHashes* frames);
    TimedPacketSink sink_of(int stream);

    const Container& container_;
    std::unique_ptr<AtomicOutput> file_;  // null on standard output
    std::unique_ptr<FileSink> standard_output_;
    FileSink* sink_;
    std::unique_ptr<Muxer> muxer_;
    std::vector<Route> routes_;  // by source index
    int picture_ = 0;            // in the output
};

}  // namespace weft
