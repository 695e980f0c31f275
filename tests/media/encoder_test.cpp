#include "app/media/encoder.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

// Threads of an encoder for pictures of this size; the pixels are never looked at.
int threads_for(const char* encoder, int side, int wanted) {
    EncoderSettings settings;
    settings.choice.encoder = avcodec_find_encoder_by_name(encoder);
    settings.threads = wanted;
    const AVFramePtr sample = make_frame();
    sample->width = sample->height = side;
    sample->format = AV_PIX_FMT_RGB24;
    return VideoEncoder(settings, *sample).context().thread_count;
}

// Every frame thread holds a picture.
TEST(MediaEncoder, FewThreadsForGiantPictures) {
    EXPECT_EQ(threads_for("png", 64, 8), 8);
    EXPECT_EQ(threads_for("png", 64, 100), 64);  // libav takes no more
    EXPECT_EQ(threads_for("png", 4000, 8), 5);   // of 48 MB
    EXPECT_EQ(threads_for("png", 12000, 8), 1);
}

}  // namespace
}  // namespace weft
