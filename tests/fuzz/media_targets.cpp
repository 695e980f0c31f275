// Files of unknown origin as parsed by app/media itself, in addition to libav.
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>

#include "app/media/check/jpeg_scan.h"
#include "app/media/check/packet_check.h"
#include "app/media/demux/adts.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/demux/packet_bytes.h"
#include "app/media/libav/error.h"
#include "app/media/metadata/animation.h"
#include "app/media/metadata/png_chunks.h"
#include "app/media/structure/structure.h"
#include "app/media/write/segment_store.h"
#include "tests/fuzz/targets.h"

namespace weft::fuzz {
namespace {

void check_report(const StructureReport& report) {
    require(report.frames.value_or(0) >= 0);
    require(!report.only_if_short || !report.problem.empty());
}

// Takes up to `count` bytes from the front.
Bytes take(Bytes& from, std::size_t count) {
    const Bytes taken = from.first(std::min(count, from.size()));
    from = from.subspan(taken.size());
    return taken;
}

// Writes records with valid checksums, so that the fuzzer gets past them: kind, two bytes of size,
// bytes.
void write_records(const std::string& path, Bytes bytes) {
    file_with({}, std::filesystem::path(path).filename().string());
    RecordFile file(FileDescriptor(open(path.c_str(), O_RDWR | O_CLOEXEC)), path);
    file.cut(0);
    while (bytes.size() >= 3) {
        const Bytes head = take(bytes, 3);
        file.append(head[0], take(bytes, head[1] | static_cast<std::size_t>(head[2]) << 8U));
    }
}

}  // namespace

void fuzz_structure(Bytes bytes) {
    if (bytes.empty()) return;  // refused by InputFile
    const InputFile file(file_with(bytes, "media"));
    (void)plays_of(file);
    for (const std::string_view kind : structure_kinds()) {
        check_report(check_structure(file, kind, {0, file.size()}));
        const auto walk = walk_structure(file, kind);
        walk->follow(file.size() / 2);
        check_report(walk->finish({0, file.size() / 2}));
    }
}

// Chunks that were read can be put into the same PNG, unless it is damaged.
void fuzz_chunks(Bytes bytes) {
    if (bytes.empty()) return;  // refused by InputFile
    const std::vector<PngChunk> chunks = read_png_chunks(InputFile(file_with(bytes, "png"))).list;
    for (const PngChunk& chunk : chunks)
        require(chunk.type.size() == 4 && png_keyword(chunk).size() <= chunk.data.size());
    try {
        require(add_png_chunks(bytes, chunks).size() >= 8);
    } catch (const MediaError&) {
        return;
    }
}

void fuzz_jpeg(Bytes bytes) {
    const std::optional<JpegScan> scan = find_jpeg_scan(bytes);
    if (!scan) return;
    require(scan->width > 0 && scan->height > 0 && scan->data_at <= bytes.size());
    (void)is_whole(*scan, bytes);
    const std::vector<std::uint8_t> unit = first_unit(*scan, bytes);
    const std::optional<JpegScan> small = find_jpeg_scan(unit);
    require(small && small->width == scan->unit_width() && small->height == scan->unit_height());
}

// The first byte is the size of the codec's header, the rest a packet. H.264, then HEVC.
void fuzz_nal(Bytes bytes) {
    if (bytes.empty()) return;
    const std::size_t size = take(bytes, 1)[0];
    const Bytes box = take(bytes, size);
    std::vector<std::uint8_t> header(box.begin(), box.end());
    for (const AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC}) {
        AVCodecParameters parameters{};
        parameters.codec_id = codec;
        parameters.extradata = header.data();
        parameters.extradata_size = static_cast<int>(header.size());
        (void)NalCheck(parameters).sound(bytes);
    }
}

void fuzz_adts(Bytes bytes) {
    const auto header = read_adts(bytes);
    require(!header || (header->sample_rate > 0 && header->channels <= 8));
}

// Bytes are rejected, or give a packet that round-trips.
void fuzz_packet(Bytes bytes) {
    try {
        const AVPacketPtr packet = packet_from(bytes);
        const std::vector<std::uint8_t> again = packet_bytes(*packet);
        require(packet_bytes(*packet_from(again)) == again);
    } catch (const Error&) {
    }
}

// A file of segments is taken over, dropped or refused; segments taken over can be replayed.
void fuzz_ledger(Bytes bytes) {
    const std::string output = file_with({}, "out.mkv");
    write_records(segment_file(output).string(), bytes);
    try {
        SegmentStore store({.output = output, .overwrite = Overwrite::refuse});
        for (const StoredSegment& segment : store.segments())
            store.replay(segment, [](const AVPacketPtr& packet) { require(packet != nullptr); });
        store.remove();
    } catch (const Error&) {
    }
}

// A pattern gives names for the numbers that its digits can hold, and none outside its folder.
void fuzz_sequence(Bytes bytes) {
    const auto pattern = parse_sequence(text_of(bytes));
    if (!pattern) return;
    for (const std::int64_t number : {0LL, 1LL, 999999LL})
        require(pattern->name(number).find('/') == std::string::npos);
}

}  // namespace weft::fuzz
