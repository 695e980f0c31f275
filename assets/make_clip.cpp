// weft-make-clip FILE: makes the six-second sample clip of ./dev demo. Nothing is downloaded.
#include <cstdio>
#include <exception>

#include "assets/clip_encoder.h"
#include "assets/clip_scene.h"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: weft-make-clip FILE    (FILE ends in .mp4, .mkv or .mov)\n", stderr);
        return 2;
    }
    av_log_set_level(AV_LOG_WARNING);  // x264 logs its settings and statistics at the default level
    try {
        weft::clip::Encoder encoder(argv[1]);
        for (int n = 0; n < weft::clip::kFrames; ++n) encoder.write(weft::clip::draw_frame(n));
        encoder.finish();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "weft-make-clip: error: %s\n", error.what());
        return 1;
    }
}
