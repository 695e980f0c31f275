#include "app/media/check/damage.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace weft {

namespace {

void add_part(std::string& text, std::int64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {}", count, count == 1 ? one : many);
}

template <class T>
void keep_least(std::optional<T>& least, const std::optional<T>& other) {
    if (other && (!least || *other < *least)) least = other;
}

}  // namespace

void DamageCollector::Tally::add(BadPlace place) {
    ++count;
    if (!first) first = place;
}

void DamageCollector::corrupt_frame(BadPlace place) {
    corrupt_frames_.add(place);
}
void DamageCollector::decode_error(BadPlace place) {
    decode_errors_.add(place);
}
void DamageCollector::missing_frame(BadPlace place) {
    missing_frames_.add(place);
}
void DamageCollector::corrupt_packet(BadPlace place) {
    corrupt_packets_.add(place);
}
void DamageCollector::read_error(BadPlace place) {
    read_errors_.add(place);
}

void DamageCollector::structure(std::string sentence, BadPlace place) {
    sentences_.push_back(std::move(sentence));
    places_.push_back(place);
}

void DamageCollector::set_expected(std::int64_t frames, std::int64_t found) {
    expected_ = frames;
    found_ = found;
}

bool DamageCollector::any() const {
    return corrupt_frames_.count + decode_errors_.count + missing_frames_.count +
                   corrupt_packets_.count + read_errors_.count >
               0 ||
           !sentences_.empty() || lacks_frames();
}

// The least time and the least byte, which may be of different packets: these are out of display
// order.
BadPlace DamageCollector::first_place() const {
    BadPlace first;
    const auto merge = [&](const BadPlace& place) {
        keep_least(first.seconds, place.seconds);
        keep_least(first.byte, place.byte);
    };
    for (const BadPlace& place : places_) merge(place);
    for (const Tally* tally :
         {&corrupt_frames_, &decode_errors_, &missing_frames_, &corrupt_packets_, &read_errors_})
        if (tally->first) merge(*tally->first);
    return first;
}

std::string DamageCollector::wording() const {
    std::string text;
    for (const std::string& sentence : sentences_) {
        if (!text.empty()) text += "; ";
        text += sentence;
    }
    if (lacks_frames())
        text += fmt::format("{}{} of {} frames are there", text.empty() ? "" : "; ", found_,
                            *expected_);
    add_part(text, missing_frames_.count, "picture cannot be decoded",
             "pictures cannot be decoded");
    add_part(text, corrupt_frames_.count, "frame is corrupt", "frames are corrupt");
    add_part(text, decode_errors_.count, "decode error", "decode errors");
    add_part(text, corrupt_packets_.count, "packet is broken", "packets are broken");
    add_part(text, read_errors_.count, "part of the file makes no sense",
             "parts of the file make no sense");
    return text;
}

DamageReport DamageCollector::report() const {
    DamageReport report;
    report.damaged = any();
    report.corrupt_frames = corrupt_frames_.count;
    report.decode_errors = decode_errors_.count;
    report.frames_expected = expected_;
    if (!report.damaged) return report;
    const BadPlace first = first_place();
    report.first_bad_seconds = first.seconds;
    report.first_bad_byte = first.byte;
    report.reason = wording();
    if (first.seconds || first.byte) report.reason += "; first";
    if (first.seconds) report.reason += fmt::format(" at {:.3f} s", *first.seconds);
    if (first.byte)
        report.reason += fmt::format("{} byte {}", first.seconds ? "," : " at", *first.byte);
    return report;
}

}  // namespace weft
