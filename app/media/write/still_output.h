// Writes an image or a numbered sequence of images: each encoded picture becomes a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/media/demux/image_sequence.h"
#include "app/media/libav/ffmpeg.h"
#include "app/media/output/atomic_output.h"
#include "app/media/write/output_verifier.h"
#include "app/media/write/written_proof.h"

namespace weft {

class StillOutput {
 public:
    // `path` is a file name or "-"; or, if `numbered`, a pattern (out_%03d.png, numbers from 1).
    // `frames` are the expected pictures and must outlive this object; null: any that decode.
    // Throws as AtomicOutput.
    StillOutput(const std::string& path, bool numbered, const OutputOptions& options,
                const FrameHashes* frames);

    // Writes one picture; one of a sequence is decoded again immediately. Throws Error(usage) for a
    // second picture under a single name.
    void write(std::span<const std::uint8_t> picture, const AVCodecContext& encoder);

    // Decodes a single picture again (not on standard output) and renames all files into place. A
    // huge picture needs as much memory as the filters do: free theirs first. Throws
    // Error(not_written); Error(failed) if nothing was written.
    void commit();

    // Fills in size, time and hash of all files. Call it before commit(), and not for standard
    // output. Throws Error(not_written or failed).
    void prove(WrittenProof& proof) const;

    // Files of the sequence that stay when commit() has put the pictures in place, so that readers
    // take them for a part of it: those of a longer, older one. By ascending number.
    std::vector<std::string> older_files() const;
    // The name of the first file of a sequence, without its folder.
    std::string first_name() const { return name(0); }

    std::int64_t pictures() const { return pictures_; }
    std::int64_t bytes() const { return bytes_; }

 private:
    void write_numbered(std::span<const std::uint8_t> picture, const AVCodecContext& encoder);
    StillRequest request_for(int fd, const std::string& path, const AVCodecContext& encoder) const;
    void refuse_second() const;

    std::string name(std::int64_t index) const;

    std::string path_;
    std::optional<SequencePattern> pattern_;
    const FrameHashes* frames_;
    FileSink standard_output_;
    std::unique_ptr<AtomicOutput> single_;
    std::unique_ptr<AtomicSequence> sequence_;
    std::optional<StillRequest> unverified_;
    std::int64_t pictures_ = 0;
    std::int64_t bytes_ = 0;
};

}  // namespace weft
