// Capabilities of every output container, one row each. The Writer, `weft info` and the tests
// iterate the rows; to add a container, add a row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// The precision with which a container stores frame times.
enum class Clock : std::uint8_t {
    source,         // any tick: every pts is kept
    movie,          // any tick that is not too short: FrameClock
    milliseconds,   // Matroska's fixed tick
    centiseconds,   // GIF; all players show delays under two ticks as ten
    delays,         // any, but the first picture is at zero (APNG)
    slots,          // multiples of one period; slots without a frame are empty chunks (AVI)
    constant_rate,  // frame numbers only: variable rates are lost
    none,           // one picture
};

// The negative timestamps that a container can store.
enum class NegativeStart : std::uint8_t {
    other_streams,  // audio may start before the picture; the picture starts at zero or later
    none,           // nothing may start below zero
};

// The place of a cover picture in the file.
enum class CoverStorage : std::uint8_t { none, picture_stream, attachment };

// Where colour tags of frames are stored.
enum class ColorTags : std::uint8_t {
    kept,        // in the container, or in every stream that it takes
    in_streams,  // only in those of some codecs
    as_srgb,     // nowhere: viewers take the colours for sRGB, unless the codec of the picture has
                 // a place for the tag
};

enum class OutputKind : std::uint8_t {
    video,
    still,  // its name may be a pattern: %03d
    raw,    // samples without a header: chosen by -f alone, no extension stands for it
};

// The names in one cell of a row, at most three of them.
class NameList {
 public:
    constexpr NameList(std::initializer_list<std::string_view> names = {}) : size_(names.size()) {
        std::ranges::copy(names, names_.begin());
    }

    constexpr auto begin() const { return names_.begin(); }
    constexpr auto end() const { return names_.begin() + size_; }
    constexpr std::string_view front() const { return names_.front(); }

 private:
    std::array<std::string_view, 3> names_{};
    std::size_t size_;
};

// Abilities of a container, as bits: a row has some of them.
enum ContainerFeature : unsigned {
    kRotation = 1U << 0U,     // keeps the display matrix; else the pixels are turned
    kHdr10 = 1U << 1U,        // keeps mastering display and light level
    kLayouts = 1U << 2U,      // keeps the stereo mode and the projection of 360-degree video
    kPixelAspect = 1U << 3U,  // keeps the sample aspect ratio
    kChapters = 1U << 4U,
    kChapterTags = 1U << 5U,  // besides their titles
    kAttachments = 1U << 6U,
    kDataStreams = 1U << 7U,   // time code, …: those that its muxer takes
    kGlobalTags = 1U << 8U,    // of the whole file
    kLanguages = 1U << 9U,     // and titles of streams
    kPipedOutput = 1U << 10U,  // can be written without seeking
    kSegments = 1U << 11U,     // the picture may be joined from separately encoded streams
};

struct Container {
    std::string_view name = {};   // as in `-f`, and the row's id
    std::string_view muxer = {};  // libav's name; empty: the encoder's packet is the file
    NameList extensions = {};     // lower case, no dot
    OutputKind kind = OutputKind::video;
    // Encoders in order of preference: the default is the one that loses the least of the picture,
    // or the first among equals.
    NameList video_codecs = {};
    NameList lossless_codecs = {};         // the same for --lossless; may be empty
    NameList refused_codecs = {};          // libav's names; its muxer lists but does not write them
    std::string_view audio_codec = {};     // replaces audio that it refuses; empty: no audio
    std::string_view subtitle_codec = {};  // replaces text subtitles; empty: no subtitles
    Clock clock = Clock::source;
    NegativeStart negative_start = NegativeStart::none;
    CoverStorage cover = CoverStorage::none;
    ColorTags color_tags = ColorTags::kept;
    unsigned features = 0;                             // ContainerFeature bits
    std::span<const std::string_view> tag_names = {};  // only these, lower case; empty: any
    int dispositions = 0;                              // AV_DISPOSITION_ bits that come back
    unsigned picture_blocks = 0;  // PictureBlock bits: metadata of pictures that it keeps

    constexpr bool supports(ContainerFeature feature) const { return (features & feature) != 0; }
};

std::span<const Container> containers();

// The row for `-f format` (row or libav name) or else for the path's extension. Throws
// Error(usage) that lists the choices.
const Container& find_container(const std::string& path, const std::string& format);

// Whether `output` is a pattern, out_%03d.png, of a container that holds one picture per file.
// Never throws for unknown names and formats.
bool numbers_pictures(const std::string& output, const std::string& format);

// Every extension that names a container, lower case, in table order; none of raw samples.
std::vector<std::string> output_extensions();

}  // namespace weft
