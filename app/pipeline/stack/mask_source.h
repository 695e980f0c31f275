// The mask of a step is a picture, numbered pictures or a video whose luma is the weight.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/media/demux/heartbeat.h"
#include "app/media/read/reader.h"
#include "app/pipeline/stack/mask_weights.h"
#include "filters/frame_place.h"
#include "filters/stack.h"

namespace weft {

// The film that a mask is for.
struct MaskedFilm {
    int width = 0;  // of its frames as they are coded
    int height = 0;
    int rotation_degrees = 0;  // see Reader::rotation_degrees()
    // The time of its first frame on the clock of -ss, which is more than 0 where sound begins
    // earlier.
    double first_seconds = 0;
    // The film's, since its reader waits while a mask is decoded.
    std::shared_ptr<Heartbeat> heartbeat = std::make_shared<Heartbeat>();
};

// As the reader shows it, with a heartbeat of its own.
MaskedFilm masked_film(const Reader& film);

// Mask and film cover each other as a viewer sees them: both are rotated and mirrored as players
// do, and the mask is stretched to the film's shape. See mask_weights() and scaled() for the
// numbers.
//
// A picture holds for every frame, as does a video of one frame. A video's frame holds from its
// time to that of the next one; times count from the first frame, in the mask as in the film, and a
// time up to 1.5 ms or half a frame before it counts as its own, since containers round. Numbered
// pictures have no times: the first one, whatever its number, is for the film's first frame. The
// last frame of a mask that ends before the film is held, and the mask counts as damaged.
//
// Not thread-safe. Decodes in software.
class MaskSource {
 public:
    // Opens the mask and decodes its first frame. Throws Error(usage) with the remedy if it cannot
    // be opened or decoded, or is too large for the film's frames.
    MaskSource(std::string path, MaskedFilm film);
    ~MaskSource();
    MaskSource(MaskSource&&) noexcept;
    MaskSource& operator=(MaskSource&&) noexcept;

    // Throws Error(usage) if both lengths are known, and they differ by more than two seconds. A
    // mask that ends a little early is only found by at().
    void require_length_of(const Reader& film) const;

    // Shows the mask at a frame of the film, on the clock of MaskedFilm::first_seconds. Returns
    // another number whenever the weights may be others. Cheap in rising order; after other frames
    // and leaps of more than ten seconds the mask is opened again and decoded from a key frame on.
    // Blocks on reading and decoding. Throws MediaError on I/O errors.
    std::int64_t move_to(const FramePlace& frame);
    // One for each pixel of the film's frame as coded, row by row; valid until the next move_to(),
    // which must have been called. Computed by the first call for each picture of the mask. Throws
    // Error(failed) for a picture that is too large.
    std::span<const std::uint16_t> weights();

    // Whether it has one picture: the weights never change.
    bool is_still() const;

    // Damage found so far, in sentences that name the mask; without places in bytes. Complete after
    // the film's last frame if the mask is as long.
    const DamageReport& damage() const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// The masks of a stack's steps, null for steps without one. The runners of both fields share them.
using StepMasks = std::vector<std::shared_ptr<MaskSource>>;

// Opens the masks that the steps name. Throws FilterError if one cannot be used.
StepMasks open_masks(const Stack& stack, const MaskedFilm& film);

}  // namespace weft
