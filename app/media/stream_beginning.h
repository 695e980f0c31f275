// What only the first packet of a stream says of all others.
#pragma once

#include "app/media/decoder.h"
#include "app/media/demuxer.h"

namespace weft {

// For a decoder that is to begin elsewhere: x264 writes its version into the first packet alone,
// by which libav knows of its errors (4:4:4 before version 151, for one) and decodes as it meant.
// Hands `decoder` the first packet of the stream `video`, if it is a key frame, and forgets the
// picture; what is learned stays over Decoder::flush(). `demuxer` stands at the beginning; where it
// stands afterwards is for a seek to say, so that nothing is read of what cannot seek. Blocks.
// Throws MediaError on I/O errors.
void read_beginning(Demuxer& demuxer, int video, Decoder& decoder);

}  // namespace weft
