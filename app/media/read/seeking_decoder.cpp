#include "app/media/read/seeking_decoder.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "app/media/demux/encryption.h"
#include "app/media/demux/foreign_form.h"
#include "app/media/demux/heif_properties.h"
#include "app/media/demux/picture_limits.h"
#include "app/media/demux/video_stream.h"
#include "app/media/libav/undecodable.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

// A demuxer that fails this often in a row makes no progress.
constexpr int kMaxReadErrors = 64;

int known_video(const Demuxer& demuxer, const std::string& path) {
    const int index = find_video_stream(demuxer.context(), path);
    if (demuxer.context().streams[index]->codecpar->codec_id == AV_CODEC_ID_NONE)
        throw Undecodable(path + ": has a video of a kind that FFmpeg does not know");
    return index;
}

// EXIF's orientation as a display matrix, of which {a, b, c, d} are given: x' = a x + c y,
// y' = b x + d y. libav makes one for JPEGs alone, and gives it to the frame.
void set_orientation(AVStream& stream, int orientation) {
    constexpr std::array<std::array<std::int32_t, 4>, 9> kMatrices{{{},
                                                                    {1, 0, 0, 1},
                                                                    {-1, 0, 0, 1},
                                                                    {-1, 0, 0, -1},
                                                                    {1, 0, 0, -1},
                                                                    {0, 1, 1, 0},
                                                                    {0, 1, -1, 0},
                                                                    {0, -1, -1, 0},
                                                                    {0, -1, 1, 0}}};
    constexpr std::size_t kBytes = 9 * sizeof(std::int32_t);
    if (orientation == 1) return;
    auto* matrix = reinterpret_cast<std::int32_t*>(
        av_stream_new_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, kBytes));
    if (matrix == nullptr) throw_no_memory();
    const auto& abcd = kMatrices.at(static_cast<std::size_t>(orientation));
    constexpr std::int32_t kUnit = 1 << 16;
    const std::array<std::int32_t, 9> made{
        abcd[0] * kUnit, abcd[1] * kUnit, 0, abcd[2] * kUnit, abcd[3] * kUnit, 0, 0, 0, 1 << 30};
    std::ranges::copy(made, matrix);
}

// The formats whose pictures EXIF turns. JPEG XL and HEIF store their orientation elsewhere,
// and EXIF's is that of the original.
bool is_turned_by_exif(AVCodecID codec) {
    constexpr std::array kCodecs{AV_CODEC_ID_MJPEG, AV_CODEC_ID_PNG, AV_CODEC_ID_TIFF,
                                 AV_CODEC_ID_WEBP};
    return std::ranges::find(kCodecs, codec) != kCodecs.end();
}

// A pipe's metadata is only missed in those formats. Files of several pictures have more than a
// video's tags, too.
std::shared_ptr<PictureMetadata> metadata_of(const Demuxer& demuxer, AVStream& video) {
    const AVCodecID codec = video.codecpar->codec_id;
    const bool turned = is_turned_by_exif(codec);
    const std::string kind = demuxer.kind();
    const bool several = kind == "gif" || kind == "apng" || kind == "fits";
    if (several && demuxer.file().seekable())
        return std::make_shared<PictureMetadata>(demuxer.file(), codec);
    set_orientation(video, read_heif_properties(demuxer.file()).orientation);
    if (codec == AV_CODEC_ID_TIFF && has_limited_range(demuxer.file()))
        video.codecpar->color_range = AVCOL_RANGE_MPEG;
    if (!demuxer.is_images() || !(demuxer.file().seekable() || turned)) return nullptr;
    auto metadata = std::make_shared<PictureMetadata>(demuxer.file(), codec);
    if (turned && !demuxer.is_sequence()) set_orientation(video, metadata->orientation());
    return metadata;
}

// Reports damage if a cut removed the description of the streams, and encryption if that hides it.
int video_of(const Demuxer& demuxer, const std::string& path) {
    try {
        return known_video(demuxer, path);
    } catch (const MediaError& error) {
        if (const std::string how = find_encryption(demuxer); !how.empty())
            throw Undecodable(fmt::format("{}: {}", path, encrypted_text(how)));
        const InputFile& file = demuxer.file();
        if (const std::string what = foreign_form(file); !what.empty())
            throw Undecodable(fmt::format("{}: {}", path, what));
        const StructureReport found = check_structure(file, demuxer.kind(), {0, file.size()});
        if (found.problem.empty()) throw;
        throw MediaError(Outcome::damaged,
                         fmt::format("{}; damaged: {}", error.what(), found.problem));
    }
}

}  // namespace

SeekingDecoder::SeekingDecoder(const ReaderOptions& options)
    : options_(options),
      demuxer_(options),
      video_index_(video_of(demuxer_, options.path)),
      metadata_(metadata_of(demuxer_, video())),
      decoder_(video(), demuxer_.is_images(), options),
      mirrored_(take_mirroring(video())) {}

// x264 writes its version into the first packet only, and libav needs it to work around errors of
// old versions (4:4:4 before version 151, for one). The decoder keeps it across flush().
void SeekingDecoder::read_beginning() {
    beginning_read_ = true;
    if (demuxer_.is_images() || !can_seek()) return;
    AVPacketPtr packet = make_packet();
    int result = demuxer_.read(*packet);
    while (result >= 0 && packet->stream_index != video_index_) {
        av_packet_unref(packet.get());
        result = demuxer_.read(*packet);
    }
    if (result >= 0 && (packet->flags & AV_PKT_FLAG_KEY) != 0) decoder_.read_properties(*packet);
}

bool SeekingDecoder::seek(std::int64_t timestamp) {
    if (!beginning_read_) read_beginning();
    seeked_ = demuxer_.seek(video_index_, timestamp);
    if (!seeked_) return false;
    decoder_.flush();
    key_seen_ = false;
    key_pts_.reset();
    read_errors_ = 0;
    return true;
}

int SeekingDecoder::read(AVPacket& packet) {
    if (read_errors_ > kMaxReadErrors) return AVERROR_EOF;
    const int result = demuxer_.read(packet);
    if (result == AVERROR(ENOMEM)) av_check(result, "reading", options_.path);
    read_errors_ = result < 0 ? read_errors_ + 1 : 0;
    return result;
}

bool SeekingDecoder::is_decodable(const AVPacket& packet) {
    if (key_seen_) return true;
    key_seen_ = (packet.flags & AV_PKT_FLAG_KEY) != 0;
    if (key_seen_ && packet.pts != AV_NOPTS_VALUE) key_pts_ = packet.pts;
    return key_seen_;
}

}  // namespace weft
