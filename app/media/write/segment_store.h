// The data that `--resume` continues from: the packets of an output's finished segments, in a
// hidden file next to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/output/atomic_output.h"
#include "app/media/output/record_file.h"
#include "app/media/write/remedies.h"
#include "app/media/write/resume.h"
#include "app/media/write/segment_ledger.h"

namespace weft {

struct SegmentRequest {
    std::string output;  // the output's name as given by the user
    JobFacts job = {};
    int encoder_threads = 0;             // for a new file
    std::optional<VideoPart> part = {};  // nothing: the whole video
    Overwrite overwrite = Overwrite::refuse;
    OnFullDisk on_full_disk = {};
    Remedies remedies = {};
};

// `.NAME.weft-resume` in the folder of `output`, with links resolved.
std::filesystem::path segment_file(const std::string& output);

// Removes the file, or the unfinished one of a part, unless a process is using it. Never throws.
void remove_segment_file(const std::string& output,
                         const std::optional<VideoPart>& part = {}) noexcept;

// Returns the segments of an interrupted run for this output, compared with a job of these facts,
// or nothing if none exist. It only reads, and may do so while another run writes the file. Throws
// Error(failed) on disk errors.
std::optional<KeptSegments> kept_segments(const std::string& output, JobFacts job);

// The number of frames in the finished segments of a video or of one of its parts. Reads little of
// the file, without checking it, and may do so while another run writes it. 0 without a file.
// Throws Error(failed) on disk errors.
std::int64_t kept_frames(const std::string& output, const std::optional<VideoPart>& part);

// `.NAME.weft-part-2`: a finished part, next to the output.
std::filesystem::path part_file(const std::string& output, int number);

// Thrown for stored segments whose frames are not those of the video at their place.
class SegmentsDiffer : public Error {
 public:
    SegmentsDiffer(const std::string& message, std::size_t fitting)
        : Error(Outcome::failed, message), fitting_(fitting) {}
    // The number of segments before them.
    std::size_t fitting() const { return fitting_; }

 private:
    std::size_t fitting_;
};

struct JoinedFrames {
    std::int64_t copied = 0;
    std::int64_t left_out = 0;  // over the limit, or not where the frames before them end
};

// Copies the segments of the finished parts, all parts of one video in order, to segment_file() of
// the output, where a run with these facts takes them over: `most` segments. Replaces an older one.
// Throws Error(failed) if a part is missing, or if the parts are not of one video
// with the same facts; Error(usage) for files that another user can write; Error(not_written).
JoinedFrames join_parts(const std::string& output, const std::vector<VideoPart>& parts,
                        std::size_t most);

// Removes the files of the parts; call it once the output is in place. Never throws.
void remove_parts(const std::string& output, const std::vector<VideoPart>& parts) noexcept;

// The open file, locked against other processes and readable only by its owner. It holds the job,
// then packets; a segment counts if all of its packets and its end are intact. finish_segment()
// returns once the segment is on disk, so a crash loses only the current one. Not thread-safe.
class SegmentStore {
 public:
    using Sink = std::function<void(AVPacketPtr)>;

    // Opens or creates the file, reads all of it, and drops incomplete segments. If segments belong
    // to another job, throws Error(usage) with the differences; with Overwrite::replace they are
    // dropped with a note instead. They are always dropped if only facts with JobFact::why_apart
    // differ. Content that no run writes is refused or replaced likewise. A file that another user
    // owns or can write is always an error, and the file is left unchanged. Throws
    // Error(not_written) if it cannot be opened or another process has locked it.
    explicit SegmentStore(const SegmentRequest& request);
    // Keeps the file if it holds a segment.
    ~SegmentStore();
    SegmentStore(const SegmentStore&) = delete;
    SegmentStore& operator=(const SegmentStore&) = delete;

    // The first run's thread count: with another one encoders produce different bits.
    int encoder_threads() const { return threads_; }

    // Segments are decoded with the container's single set of headers. Stores these headers if the
    // file has none; otherwise they must be equal, as facts must.
    void require_headers(std::span<const std::uint8_t> extradata);

    const std::vector<StoredSegment>& segments() const { return segments_; }
    std::int64_t frames() const;  // in all segments
    // Sentences about dropped segments, for the report.
    const std::vector<std::string>& notes() const { return notes_; }

    // Passes on the packets of a segment in the order in which they were added. Throws
    // Error(failed).
    void replay(const StoredSegment& segment, const Sink& sink);

    // Both throw Error(not_written).
    void add(const AVPacket& packet);
    void finish_segment(std::vector<Hash128> frames);  // their hashes, in display order

    // For a part, once all of its segments are finished: gives the file the name of part_file().
    // Throws Error(not_written).
    void finish_part();

    // Call once the output is in place: nothing is left to resume.
    void remove() noexcept;

 private:
    void load();
    void refuse_malformed(const std::string& what);
    void restart();
    void write_job();
    void refuse_or_drop(const std::string& difference);

    SegmentRequest request_;
    std::filesystem::path path_;
    RecordFile file_;
    JobFacts found_;  // the job in the file
    int threads_ = 0;
    std::optional<std::vector<std::uint8_t>> headers_;
    std::vector<StoredSegment> segments_;
    StoredSegment at_work_;
    std::vector<std::string> notes_;
    bool removed_ = false;
};

}  // namespace weft
