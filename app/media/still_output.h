// One image, or a numbered sequence of them: every packet of the encoder is a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/media/atomic_output.h"
#include "app/media/ffmpeg.h"
#include "app/media/output_verifier.h"

namespace weft {

class StillOutput {
 public:
    // `path` is one name, a pattern (out_%03d.png, numbers from 1), or "-". `frames`, which outlive
    // this object, are what the pictures must be; null: any that decode. Throws as AtomicOutput.
    StillOutput(const std::string& path, const OutputOptions& options, const FrameHashes* frames);

    // Writes one picture; one of a sequence is decoded again at once. Throws Error(usage) for a
    // second picture under a lone name.
    void write(const AVPacket& packet, const AVCodecContext& encoder);

    // Decodes a lone picture again (not on standard output) and puts everything in place. A huge
    // picture needs as much memory as the filters do: give theirs back before. Throws
    // Error(not_written); Error(failed) if nothing was written.
    void commit();

    std::int64_t pictures() const { return pictures_; }
    std::int64_t bytes() const { return bytes_; }

 private:
    void write_numbered(const AVPacket& packet, const AVCodecContext& encoder);
    StillRequest request_for(int fd, const std::string& path, const AVCodecContext& encoder) const;
    void refuse_second() const;

    std::string path_;
    const FrameHashes* frames_;
    FileSink standard_output_;
    std::unique_ptr<AtomicOutput> single_;
    std::unique_ptr<AtomicSequence> sequence_;
    std::optional<StillRequest> unverified_;
    std::int64_t pictures_ = 0;
    std::int64_t bytes_ = 0;
};

}  // namespace weft
