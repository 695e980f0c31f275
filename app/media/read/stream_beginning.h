// Stream properties that only the first packet of a stream carries.
#pragma once

#include "app/media/demux/demuxer.h"
#include "app/media/read/decoder.h"

namespace weft {

// For decoders that start later in the stream: x264 writes its version into the first packet only,
// and libav needs it to work around errors of old versions (4:4:4 before version 151, for one).
// Passes `decoder` the first packet of stream `video`, if it is a key frame, and discards the
// picture; Decoder::flush() keeps the version. `demuxer` must be at the beginning; seek it
// afterwards. Inputs that cannot seek are not read. Blocks. Throws MediaError on I/O errors.
void read_beginning(Demuxer& demuxer, int video, Decoder& decoder);

}  // namespace weft
