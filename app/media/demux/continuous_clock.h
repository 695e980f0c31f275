// Continuous times for a file whose clock starts again, as in transport and program streams that
// were joined and in the cells of a DVD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Where the clock starts again, its times continue: with one offset for all streams of a program,
// which keeps them in sync. A part begins when all streams of the part before it have ended, so the
// times of no stream overlap. As in ffmpeg, a clock has started again where the decoding time of
// sound or video goes back by more than 0.1 s, or goes forward by more than 10 s, which closes the
// gap. A single packet with a stray time begins no part, and neither does a stream that pauses
// while another continues.
class ContinuousClock {
 public:
    // `context` outlives the clock.
    explicit ContinuousClock(AVFormatContext& context) : context_(&context) {}

    // Takes the next packet of the file. After a jump packets are held until the other streams have
    // jumped too: for a second of the stream, 4096 packets or 8 MiB.
    void add(AVPacketPtr packet);
    // Call at the end of the file: no packet is held any longer.
    void end();
    // The next packet with continuous times, or null: call add() or end() first.
    AVPacketPtr next();
    // Forgets all times, since reading continues elsewhere in the file.
    void reset();

    bool has_restarted() const { return !restarts_s_.empty(); }
    // States where the clock has started again so far; empty if nowhere.
    std::string note() const;

 private:
    // Times are in ticks of 1/90000 s, as in the file.
    struct Track {
        bool known = false;        // whether its part has shown a time
        std::int64_t last = 0;     // the latest decoding time
        std::int64_t step = 0;     // from it to the next one, as far as is known
        std::int64_t longest = 0;  // the longest step
        std::int64_t end = 0;      // of all that is shown
        std::size_t part = 0;
    };
    struct Part {
        std::int64_t offset = 0;  // to be added to its times
        std::int64_t byte = 0;
    };
    // The beginning of a stream in a part to come.
    struct Beginning {
        std::int64_t first = 0;  // the decoding times of its first two packets
        std::int64_t second = 0;
        std::int64_t latest = 0;
        std::int64_t shown = 0;  // the earliest time at which one is shown
        int packets = 0;
        bool ended = false;  // by another jump
    };

    void take(AVPacketPtr packet);
    void take_all();
    void hold(AVPacketPtr packet);
    void note_beginning(const AVPacket& packet);
    void decide();
    void start_part();
    void deliver(AVPacketPtr packet);
    void unwrap(AVPacket& packet) const;
    void join_part(const AVPacket& packet);
    void follow(const AVPacket& packet);
    bool jumps(const AVPacket& packet) const;
    bool jumps_forward(int stream, std::int64_t dts) const;
    bool belongs_to_held(const AVPacket& packet) const;
    bool is_stray(const Beginning& jumped) const;
    bool is_decided() const;
    bool is_clock(int stream) const;
    int program_of(int stream) const;
    std::int64_t ticks(std::int64_t time, int stream) const;

    AVFormatContext* context_;
    std::map<int, Track> tracks_;             // by stream
    std::map<int, std::vector<Part>> parts_;  // by program; the first part has no entry
    std::map<int, std::int64_t> latest_;      // decoding time, by program
    std::map<int, Beginning> beginnings_;     // by stream, of the held packets
    std::deque<AVPacketPtr> incoming_;
    std::deque<AVPacketPtr> held_;  // the first one has jumped
    std::int64_t held_bytes_ = 0;
    std::deque<AVPacketPtr> ready_;
    std::vector<double> restarts_s_;
};

}  // namespace weft
