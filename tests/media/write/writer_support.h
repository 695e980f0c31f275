// Reads a clip, writes it unfiltered, and inspects the result with ffprobe and ffmpeg.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/media/read/reader.h"
#include "app/media/write/writer.h"
#include "tests/support/clips.h"

namespace weft::test {

// Fast and small, for tests that do not look at the quality.
WriterOptions quick_options(const std::filesystem::path& output);

// Passes every item of the Reader to the Writer.
WriteReport rewrite(const ReaderOptions& from, const WriterOptions& to);
WriteReport rewrite(const std::filesystem::path& from, const WriterOptions& to);

// An unused output name in the tests' folder.
std::filesystem::path fresh_output(const std::string& ending);

// One stream of a file as libav reads it.
struct StreamContents {
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    bool cover = false;
    std::vector<double> times;         // presentation times in seconds, sorted
    std::vector<std::string> packets;  // their bytes, in file order
    std::int64_t decoded = 0;          // frames, of video streams
};

// Reads every packet of the file and decodes every frame; throws if one does not decode.
std::vector<StreamContents> contents_of(const std::filesystem::path& file);

// The streams of one kind; covers do not count as videos.
std::vector<StreamContents> of_type(const std::vector<StreamContents>& streams, AVMediaType type);

// A source without a file: frames of random pixels in any format, 25 per second.
class SyntheticSource {
 public:
    SyntheticSource(AVPixelFormat format, int width, int height, int pictures = 2);

    // Valid as long as this object.
    WriterSource source() const;
    AVStream& stream() { return *context_->streams[0]; }
    Frame& picture(int index) { return pictures_[static_cast<std::size_t>(index)]; }

    // Writes every frame; `expected` is the frame count given to the Writer. Throws its errors.
    WriteReport write(const WriterOptions& options,
                      std::optional<std::int64_t> expected = {}) const;

 private:
    InputContextPtr context_;
    std::vector<Frame> pictures_;
};

// The decoded frames of a file's video.
std::vector<AVFramePtr> decode_frames(const std::filesystem::path& file);

// One component's samples, row by row, as libav describes the format: chroma at its own size.
std::vector<unsigned> samples_of(const AVFrame& frame, int component);

// One hash of each decoded picture in the given pixel format.
std::vector<std::string> frame_hashes(const std::filesystem::path& file,
                                      const std::string& pixel_format);

// The streams as ffprobe lists them, with side data.
nlohmann::json streams_of(const std::filesystem::path& file);
// The first stream of `type` ("video"), or null.
nlohmann::json stream_of(const std::filesystem::path& file, const std::string& type);

}  // namespace weft::test
