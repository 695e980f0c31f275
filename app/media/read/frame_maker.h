// Turns decoded frames into Frames: native format, exact time, colour and shape tags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/media/picture/frame.h"

namespace weft {

// A FrameMaker adapts decoded frames to the filters; a FramePreparer adapts frames to the encoder.
class FrameMaker {
 public:
    // Both outlive the maker. `mirror`: the stream's display matrix mirrored before
    // take_mirroring().
    FrameMaker(AVFormatContext& context, AVStream& stream, bool mirror, std::string path)
        : context_(context), stream_(stream), mirror_(mirror), path_(std::move(path)) {}

    // pts is the packet's or, if the file has none, libav's best guess. Timestamps that do not
    // increase are moved to one tick after the previous frame. Container tags replace missing tags
    // of the bitstream; the first frame gets the stream's HDR metadata. Frame::index stays 0.
    // Samples above their format's range, as in damaged files and raw video, are clamped. A display
    // matrix that mirrors is applied to pixels outside GPU memory, and keeps only its rotation.
    // Throws MediaError(failed) for pixel formats that cannot be converted without loss.
    Frame make(AVFramePtr decoded);

    // Whether the file gives its display time.
    static bool has_time(const AVFrame& decoded);
    // Gives `earlier` frames, in display order, the times that lead up to `first` in steps of the
    // stream's frame rate.
    void set_times_before(const AVFrame& first, std::vector<AVFramePtr>& earlier) const;

    // Notes on conversions and irregularities so far.
    const std::vector<std::string>& notes() const { return notes_; }

 private:
    void to_native(AVFramePtr& frame);
    void drop_alpha_of_cmyk(AVFrame& frame);
    void mirror(AVFramePtr& frame);
    void set_time(Frame& frame);
    void fill_tags(AVFrame& frame) const;

    AVFormatContext& context_;
    AVStream& stream_;
    bool mirror_;
    std::string path_;
    std::vector<std::string> notes_;
    std::optional<std::int64_t> last_pts_;
    std::int64_t last_duration_ = 0;
    bool opaque_palette_ = true;
    bool noted_order_ = false;
    bool noted_mirror_ = false;
    bool noted_cmyk_ = false;
    bool damaged_ = false;
    int source_format_ = AV_PIX_FMT_NONE;
};

}  // namespace weft
