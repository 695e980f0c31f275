// Small pictures in two folders, for runs over many files.
#pragma once

#include <string>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {

class PictureTreeTest : public CliTest {
 protected:
    // in/0.ppm, in/sub/1.ppm, in/2.ppm and so on.
    void make_pictures(int count) const {
        const std::string picture = read_file(image_clip("small.ppm"));
        make_folder("in");
        make_folder("in/sub");
        for (int k = 0; k < count; ++k)
            write_file(path(fmt::format("in/{}{}.ppm", k % 2 == 0 ? "" : "sub/", k)), picture);
    }
};

}  // namespace weft::cli
