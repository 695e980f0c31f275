// One opened input: a file that libav demuxes, or the pictures of a numbered sequence.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/media/demux/continuous_clock.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/demux/input_file.h"
#include "app/media/demux/reader_options.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

class Demuxer {
 public:
    // Detects the format from the content and the name's extension (or uses options.format), opens
    // it and reads the streams' parameters. Refuses formats that open other files (playlists,
    // concat lists, sessions). Throws MediaError: failed, or damaged if the format is recognised
    // and its header is broken.
    explicit Demuxer(const ReaderOptions& options);

    AVFormatContext& context() const { return *context_; }
    const InputFile& file() const { return *file_; }
    // The demuxer's name as libav spells it: "matroska,webm".
    const char* format_name() const { return context_->iformat->name; }
    // A picture file (png, jpeg, …) or a sequence of them: one packet per picture, no clock. Data
    // after the picture in a PNG, JPEG or JPEG 2000 file (thumbnails, archives) is ignored.
    bool is_images() const { return images_; }
    // Whether the content matches the format, or the user named it; else only the file's name does.
    bool is_recognised() const { return recognised_; }
    // The kind of file, as walk_structure() takes it.
    std::string kind() const;
    bool is_sequence() const { return !sequence_.empty(); }
    // InputFile::change(); for a sequence, that of the first picture that changed while it was
    // read.
    std::string change() const { return is_sequence() ? changed_ : file_->change(); }
    // Names of pictures missing inside a sequence.
    const std::vector<std::string>& gaps() const { return gaps_; }

    // Reads the next packet of any stream. Where the clock of a transport or program stream starts
    // again, its times continue: see ContinuousClock. Returns 0, AVERROR_EOF at the end, or another
    // AVERROR after which the next call may continue past the bad part. Throws MediaError(failed)
    // on I/O errors and when memory runs out, even where libav reports that as the end of the file.
    int read(AVPacket& packet);

    // False for pipes and for files without times to seek by.
    bool can_seek(int stream) const;
    // Moves to the key frame at or before `timestamp` of `stream`. False if the input cannot, or if
    // the seek failed, which leaves the position of read() unknown.
    bool seek(int stream, std::int64_t timestamp);

    // After a seek, the first packets may be between key frames and have guessed times (ts, ps).
    bool seeks_roughly() const;
    // Null, or the times of such a stream, as far as it has been read.
    const ContinuousClock* clock() const { return clock_ ? &*clock_ : nullptr; }
    // File name of the sequence's picture with this pts; empty if none has it.
    std::string picture_name(std::int64_t pts) const;

 private:
    void open_container(const ReaderOptions& options);
    void open_sequence(const SequencePattern& pattern, const ReaderOptions& options);
    const AVInputFormat* find_format(const ReaderOptions& options, int& score);
    void open_format(const AVInputFormat* format, int score, const ReaderOptions& options);
    void read_parameters(const ReaderLimits& limits);
    void set_up_parser();
    int read_picture(AVPacket& packet);
    int read_stored(AVPacket& packet);
    int read_continuously(AVPacket& packet);
    void read_whole_file(const InputFile& file, AVPacket& packet) const;

    std::shared_ptr<Heartbeat> heart_;
    std::unique_ptr<InputFile> file_;
    InputContextPtr context_;  // after file_: closed first
    std::optional<ContinuousClock> clock_;
    bool images_ = false;
    bool recognised_ = true;
    bool whole_file_ = false;  // the file is one packet
    bool file_read_ = false;
    std::vector<SequenceFile> sequence_;
    std::size_t next_picture_ = 0;
    std::vector<std::string> gaps_;
    std::string changed_;  // for a sequence
};

// Whether the clock of a transport or program stream starts again anywhere, so that its times do
// not show where to seek. Reads the whole file. Throws as Demuxer does.
bool clock_restarts(const ReaderOptions& options);

}  // namespace weft
