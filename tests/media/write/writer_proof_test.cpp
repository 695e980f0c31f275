// --lossless: a file gets its name only if every frame decodes to the encoder's input.
#include <fstream>
#include <memory>

#include <gmock/gmock.h>

#include "tests/media/write/writer_support.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;

constexpr int kSide = 512;
constexpr int kFrames = 10;
constexpr int kHit = 4;  // the frame whose bytes change

// A file that is complete except for its end, in its own folder.
class Unfinished {
 public:
    Unfinished(const std::string& name, const std::string& codec, int frames)
        : folder_(clip_dir() / ("proof_" + name)),
          source_(AV_PIX_FMT_GRAY8, kSide, kSide, frames),
          frames_(frames) {
        fs::create_directories(folder_);
        options.path = (folder_ / name).string();
        options.video_codec = codec;
        options.lossless = true;
        options.encoder_threads = 1;
    }

    void write() {
        writer_ = std::make_unique<Writer>(options, source_.source());
        for (int k = 0; k < frames_; ++k) {
            Frame& picture = source_.picture(k);
            Frame copy;
            copy.av.reset(av_frame_clone(picture.av.get()));
            copy.pts = picture.pts;
            copy.duration = picture.duration;
            copy.index = k;
            writer_->write(std::move(copy));
        }
    }
    // Inverts 16 bytes of the temporary file.
    void tamper(std::int64_t at) const {
        const fs::path file = temporary();
        ASSERT_FALSE(file.empty()) << "no file is open in " << folder_;
        ASSERT_GT(fs::file_size(file), static_cast<std::uintmax_t>(at + 16)) << "not written yet";
        std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
        std::string old(16, '\0');
        bytes.seekg(at).read(old.data(), 16);
        for (char& byte : old) byte = static_cast<char>(~byte);
        bytes.seekp(at).write(old.data(), 16);
    }
    // The message of the error that finish() throws; empty: none.
    std::string failure() const {
        try {
            writer_->finish();
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), Outcome::failed);
            return error.what();
        }
        return "";
    }
    bool has_name() const { return fs::exists(options.path); }

    WriterOptions options;

 private:
    // Found by its descriptor: only file systems without unnamed files give it a name.
    fs::path temporary() const {
        for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
            std::error_code closed;  // the iterator's own
            const fs::path target = fs::read_symlink(entry.path(), closed);
            if (!closed && target.parent_path() == folder_) return entry.path();
        }
        return {};
    }

    fs::path folder_;
    SyntheticSource source_;
    int frames_;
    std::unique_ptr<Writer> writer_;
};

void expect_refused(Unfinished& file, std::int64_t at, int frame) {
    file.write();
    file.tamper(at);
    EXPECT_THAT(file.failure(),
                testing::HasSubstr("frame " + std::to_string(frame) + " with other samples"));
    EXPECT_FALSE(file.has_name());
}

// Raw samples: only a comparison detects the change.
TEST(MediaWriterProof, DetectsChangedSamplesOfVideos) {
    Unfinished file("raw.nut", "rawvideo", kFrames);
    expect_refused(file, kHit * kSide * kSide + kSide * kSide / 2, kHit);
}

// FFV1's decoder conceals a broken slice and returns the frame as a good one.
TEST(MediaWriterProof, DetectsConcealedSlices) {
    Unfinished file("ffv1.nut", "ffv1", kFrames);
    // Noise does not compress: a coded frame has about the size of its samples.
    expect_refused(file, kHit * kSide * kSide + kSide * kSide / 2, kHit);
}

TEST(MediaWriterProof, DetectsChangedSamplesOfStills) {
    Unfinished file("one.bmp", "", 1);
    expect_refused(file, kSide * kSide / 2, 0);
}

TEST(MediaWriterProof, UnchangedFilesPass) {
    for (const char* name : {"whole.nut", "whole.mkv", "whole.mp4", "whole.webm", "whole.avi"}) {
        Unfinished file(name, "", kFrames);
        file.write();
        EXPECT_EQ(file.failure(), "") << name;
        EXPECT_TRUE(file.has_name()) << name;
    }
}

TEST(MediaWriterProof, IsLeftOutWhereOnlyPacketsAreWanted) {
    Unfinished file("packets.nut", "rawvideo", kFrames);
    file.options.verify = Verify::packets;
    file.write();
    file.tamper(kHit * kSide * kSide);
    EXPECT_EQ(file.failure(), "");
}

}  // namespace
}  // namespace weft
