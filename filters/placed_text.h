// Text that was unquoted or copied out of a larger one and still knows where each byte came from.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct PlacedText {
    std::string text;
    std::vector<std::size_t> places;            // for each byte of `text`, and for its end
    std::shared_ptr<const std::string> source;  // the text that `places` count in

    // The byte of `source` that byte k of `text` came from; the end for k past the end.
    std::size_t place(std::size_t k) const { return places[k < text.size() ? k : text.size()]; }

    // Bytes begin to end of `text`, with their places.
    PlacedText part(std::size_t begin, std::size_t end) const;
};

// A text that is its own source.
PlacedText placed(std::string_view text);

// Reads one token of ffmpeg's grammar from byte `at` of `from`, as av_get_token does: leading and
// trailing white space is dropped, '…' is taken literally, a backslash makes the next byte
// literal, and any unprotected byte of `stops` ends the token. Moves `at` to the stop or the end.
// Throws FilterError for a quote that is not closed and for a backslash at the end.
PlacedText read_token(const PlacedText& from, std::size_t& at, std::string_view stops);

// `text` protected so that read_token(…, stops) gives it back: backslashes where needed.
std::string escape_token(std::string_view text, std::string_view stops);

// The same with quotes, which is easier to read; unchanged if nothing needs protection.
std::string quote_token(std::string_view text, std::string_view stops);

}  // namespace weft
