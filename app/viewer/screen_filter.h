// Applies the stacks that are looked at to one frame after the other.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/pipeline/filter_chain.h"
#include "app/viewer/frame_worker.h"
#include "app/viewer/picture.h"
#include "app/viewer/shown_frame.h"

namespace weft {

// Chains and memory are made for the first frame and again when the format of the frames or the
// stacks change. For one thread, which has made the device current.
class ScreenFilter {
 public:
    explicit ScreenFilter(Device device, FilterWatchers watchers = {})
        : device_(std::move(device)), watchers_(watchers) {}

    void set_stacks(std::vector<StackRequest> stacks);
    // How many frames before `played` steps in time must be given, as what they remember does not
    // lead up to it. 0 between frames of one serial: what was dropped among them is left out.
    // `rotation_degrees` as in FrameInfo. Throws as filter() does.
    int past_wanted(const PlayedFrame& played, int rotation_degrees);
    // `past` are these frames, the oldest first; fewer where the file begins. Throws FilterError or
    // Error for a stack that such frames cannot go through: the frame can then be had from
    // unfiltered().
    ShownFrame filter(const PlayedFrame& played, int rotation_degrees, const PastFrames& past = {});
    ShownFrame unfiltered(const PlayedFrame& played, int rotation_degrees);

    // Of the last frame.
    WorkerStatus status() const;

 private:
    // What frames of one format need.
    struct Format {
        FrameInfo info;
        PicturePool originals;
        PicturePool results;
        std::vector<ImageBuffer> pinned;  // on a GPU: the way to `originals`
        std::unique_ptr<Stream> stream;

        Format(FrameInfo of, const Device& device);
    };
    void match_format(const PlayedFrame& played, int rotation_degrees);
    void match_stacks();
    ShownFrame frame_of(const PlayedFrame& played, int rotation_degrees);
    Picture upload(std::span<const ImageView> planes);
    Picture original_of(const std::shared_ptr<const Frame>& frame);
    Picture run(FilterChain& chain, const Picture& original);
    void remember(const PastFrames& past);

    void race_on_stacks();
    void note_times() const;

    Device device_;
    FilterWatchers watchers_;
    std::vector<StackRequest> stacks_;
    std::optional<Format> format_;
    std::vector<std::unique_ptr<FilterChain>> chains_;  // null where a stack is empty
    bool planned_ = false;
    std::optional<std::uint64_t> serial_;  // of the last frame that the chains have seen
    bool remembering_ = false;             // what runs is not shown
    double upload_seconds_ = 0;
    double filter_seconds_ = 0;
};

}  // namespace weft
