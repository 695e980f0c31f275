#include "filters/placed_text.h"

#include <numeric>

#include "filters/filter.h"

namespace weft {
namespace {

constexpr std::string_view kSpace = " \n\t\r";

bool is_one_of(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

// Appends to a token; remembers how much of it must survive trimming.
class TokenBuilder {
 public:
    explicit TokenBuilder(const PlacedText& from) : from_(from) { token_.source = from.source; }

    void add(std::size_t k, bool is_protected) {
        token_.text.push_back(from_.text[k]);
        token_.places.push_back(from_.place(k));
        if (is_protected || !is_one_of(from_.text[k], kSpace)) keep_up_to(k + 1);
    }
    // White space before byte k is part of the token; an empty quote has this effect alone.
    void keep_up_to(std::size_t k) {
        kept_ = token_.text.size();
        end_ = from_.place(k);
    }
    PlacedText finish(std::size_t start) {
        if (kept_ == 0) end_ = from_.place(start);
        token_.text.resize(kept_);
        token_.places.resize(kept_);
        token_.places.push_back(end_);
        return std::move(token_);
    }

 private:
    const PlacedText& from_;
    PlacedText token_;
    std::size_t kept_ = 0;
    std::size_t end_ = 0;
};

// `at` is past an opening quote; moves it past the closing one.
void read_quoted(const PlacedText& from, std::size_t& at, TokenBuilder& token) {
    const std::size_t opening = at - 1;
    while (at < from.text.size() && from.text[at] != '\'') token.add(at++, true);
    if (at == from.text.size())
        throw FilterError("this quote is not closed", *from.source, from.place(opening));
    token.keep_up_to(++at);
}

bool needs_protection(std::string_view text, std::string_view stops) {
    if (text.empty()) return false;
    const bool edges = is_one_of(text.front(), kSpace) || is_one_of(text.back(), kSpace);
    return edges || text.find_first_of("\\'") != std::string_view::npos ||
           text.find_first_of(stops) != std::string_view::npos;
}

}  // namespace

PlacedText PlacedText::part(std::size_t begin, std::size_t end) const {
    return {.text = text.substr(begin, end - begin),
            .places = {places.begin() + static_cast<std::ptrdiff_t>(begin),
                       places.begin() + static_cast<std::ptrdiff_t>(end) + 1},
            .source = source};
}

PlacedText placed(std::string_view text) {
    PlacedText out{.text = std::string(text),
                   .places = std::vector<std::size_t>(text.size() + 1),
                   .source = std::make_shared<const std::string>(text)};
    std::iota(out.places.begin(), out.places.end(), 0U);
    return out;
}

PlacedText read_token(const PlacedText& from, std::size_t& at, std::string_view stops) {
    const std::string& text = from.text;
    while (at < text.size() && is_one_of(text[at], kSpace)) ++at;
    const std::size_t start = at;
    TokenBuilder token(from);
    while (at < text.size() && !is_one_of(text[at], stops)) {
        if (text[at] == '\'') {
            read_quoted(from, ++at, token);
        } else if (text[at] == '\\') {
            if (at + 1 == text.size())
                throw FilterError("this backslash escapes nothing", *from.source, from.place(at));
            token.add(at + 1, true);
            at += 2;
        } else {
            token.add(at++, false);
        }
    }
    return token.finish(start);
}

std::string escape_token(std::string_view text, std::string_view stops) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const bool edge = k == 0 || k + 1 == text.size();
        if (is_one_of(text[k], stops) || is_one_of(text[k], "\\'") ||
            (edge && is_one_of(text[k], kSpace)))
            out.push_back('\\');
        out.push_back(text[k]);
    }
    return out;
}

std::string quote_token(std::string_view text, std::string_view stops) {
    if (!needs_protection(text, stops)) return std::string(text);
    std::string out = "'";
    for (char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out.push_back(c);
    }
    return out + "'";
}

}  // namespace weft
