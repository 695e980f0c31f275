#include "app/media/write/still_output.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

#include "app/media/write/container_table.h"
#include "filters/text/file_descriptor.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstNumber = 1;  // as in ffmpeg

// out.png -> out_%03d.png
std::string suggested_pattern(const std::string& path) {
    const fs::path name(path);
    std::string stem;
    for (const char c : name.stem().string()) stem += c == '%' ? "%%" : std::string(1, c);
    return (name.parent_path() / (stem + "_%03d" + name.extension().string())).string();
}

// An unpublished picture of a sequence, open for reading.
class StagedFile {
 public:
    StagedFile(const AtomicSequence& sequence, const std::string& name)
        : file_(open(sequence.staged(name).c_str(), O_RDONLY | O_CLOEXEC)) {
        if (!file_.is_open())
            throw Error(Outcome::not_written,
                        fmt::format("{}: the unfinished picture has disappeared", name));
    }
    int fd() const { return file_.get(); }

 private:
    FileDescriptor file_;
};

}  // namespace

StillOutput::StillOutput(const std::string& path, bool numbered, const OutputOptions& options,
                         const FrameHashes* frames)
    : path_(path), frames_(frames), standard_output_(STDOUT_FILENO, kStandardOutput) {
    if (path == "-") return;
    if (numbered) pattern_ = parse_sequence(path);
    if (!pattern_) {
        single_ = std::make_unique<AtomicOutput>(path, options);
        return;
    }
    const fs::path target(path);
    check_output_path(target.parent_path() / name(0), options.overwrite);
    sequence_ =
        std::make_unique<AtomicSequence>(target.parent_path(), target.filename().string(), options);
}

// The name of the file of a picture of the sequence.
std::string StillOutput::name(std::int64_t index) const {
    return pattern_->name(index + kFirstNumber);
}

void StillOutput::write(std::span<const std::uint8_t> picture, const AVCodecContext& encoder) {
    if (sequence_) {
        write_numbered(picture, encoder);
    } else {
        if (single_ && pictures_ > 0) refuse_second();
        FileSink& sink = single_ ? single_->sink() : standard_output_;
        sink.write(picture.data(), static_cast<std::int64_t>(picture.size()));
        sink.check();
        if (single_) unverified_ = request_for(sink.fd(), path_, encoder);
    }
    ++pictures_;
    bytes_ += static_cast<std::int64_t>(picture.size());
}

StillRequest StillOutput::request_for(int fd, const std::string& path,
                                      const AVCodecContext& encoder) const {
    return {.fd = fd,
            .path = path,
            .codec = encoder.codec_id,
            .width = encoder.width,
            .height = encoder.height,
            .frames = frames_,
            .index = pictures_};
}

void StillOutput::write_numbered(std::span<const std::uint8_t> picture,
                                 const AVCodecContext& encoder) {
    const std::string file_name = name(pictures_);
    sequence_->add(file_name, picture.data(), static_cast<std::int64_t>(picture.size()));
    const StagedFile file(*sequence_, file_name);
    verify_still(request_for(file.fd(), file_name, encoder));
}

void StillOutput::prove(WrittenProof& proof) const {
    FileHash hash;
    const auto add = [&](int fd, const std::string& path) {
        proof.bytes += hash.add_file(fd, path);
        proof.mtime_ns = std::max(proof.mtime_ns, mtime_ns(fd, path));
    };
    if (single_) add(single_->sink().fd(), path_);
    for (std::int64_t k = 0; sequence_ && k < pictures_; ++k) {
        add(StagedFile(*sequence_, name(k)).fd(), name(k));
    }
    proof.sha256 = hash.digest();
}

std::vector<std::string> StillOutput::older_files() const {
    std::vector<std::string> older;
    if (!pattern_) return older;
    for (SequenceFile& file : list_sequence(*pattern_))
        if (file.number < kFirstNumber || file.number >= kFirstNumber + pictures_)
            older.push_back(std::move(file.path));
    return older;
}

void StillOutput::refuse_second() const {
    throw Error(Outcome::usage,
                fmt::format("{}: is the name of one picture, but the input has several; name a "
                            "sequence such as {}",
                            path_, suggested_pattern(path_)));
}

void StillOutput::commit() {
    if (pictures_ == 0)
        throw Error(Outcome::failed, fmt::format("{}: no frames were written", path_));
    if (unverified_) verify_still(*unverified_);
    if (single_) single_->commit();
    if (sequence_) sequence_->commit();
}

}  // namespace weft
