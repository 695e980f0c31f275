// The tracks of a Matroska file: what the file states about each, and what its blocks contain.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/media/structure/matroska_elements.h"

namespace weft::matroska {

class TrackBook {
 public:
    // An element of the tracks, the tags, the cues or the info, which begins in a `parent`.
    void note(FileCursor& cursor, const Element& part, std::uint32_t parent);
    // A block of a track: `frames` that have bytes.
    void add_block(std::uint64_t track, std::int64_t time, bool key, int frames);

    // A block in the bytes of another, which begins at byte `at` in a cluster of this time.
    struct Swallowed {
        std::uint64_t track = 0;
        std::int64_t time = 0;
        std::int64_t at = 0;
        std::int64_t cluster_time = 0;
        unsigned flags = 0;
    };
    void add_swallowed(const Swallowed& block);

    // It is also true while no track is known.
    bool knows(std::uint64_t track) const;

    // Call the functions below after the last element and block, which all count.
    // A sentence about a contradiction that means lost frames; empty: none.
    std::string contradiction();
    // Why a block may have been moved to another track or time, or a track may be hidden; empty: no
    // reason.
    std::string doubt() const;
    // Whether tags state the frames of every track, for this file.
    bool counted() const;
    // The frames of each track that libav makes a stream of, in the order of the streams; 0 where
    // it makes other packets of them.
    std::vector<std::int64_t> frames_by_stream() const;

 private:
    struct Track {
        std::uint64_t uid = 0;
        std::uint64_t number = 0;
        std::uint64_t type = 0;
        std::string codec;
        int facts = 0;  // numbers, types and codecs that it states: one of each
        bool is_stream() const;
    };
    struct Stamp {
        std::int64_t time = 0;
        int frames = 0;
    };
    struct Blocks {
        std::int64_t frames = 0;
        std::int64_t count = 0;
        std::int64_t key = 0;
        std::vector<Stamp> stamps;  // in order of time once all blocks are known
    };
    // A tag of mkvmerge about one track.
    struct Statistics {
        std::uint64_t uid = 0;
        std::string name;  // belongs to the text after it
        std::string writer;
        std::int64_t frames = -1;
    };
    struct Cue {
        std::uint64_t track = 0;
        std::int64_t time = 0;
    };

    void note_track(FileCursor& cursor, const Element& part);
    void note_tag(FileCursor& cursor, const Element& part);
    const Statistics* statistics_of(const Track& track) const;
    const Blocks& blocks_of(const Track& track) const;
    bool cues_fit() const;
    bool has_stray_block() const;
    std::string swallowed_block(bool certain) const;
    static bool has_room(const Blocks& blocks, double step, std::int64_t time);
    static double gap_after(const Blocks& blocks, std::size_t n);
    static double frame_step(const Blocks& blocks);
    static bool is_surplus(const Blocks& blocks, std::size_t n, double step);
    static bool lacks(const Blocks& blocks, double step, const Stamp& stamp, bool at_ends);
    static bool has_short_lace(const Blocks& blocks, double step);

    std::vector<Track> tracks_;
    std::map<std::uint64_t, Blocks> blocks_;
    std::vector<Statistics> tags_;
    std::vector<Cue> cues_;
    std::vector<Swallowed> swallowed_;
    std::string writer_;
    std::int64_t cue_time_ = 0;
    std::int64_t times_ = 0;  // that are stored, of all tracks
};

}  // namespace weft::matroska
