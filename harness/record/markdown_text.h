// Foreign text in our Markdown (GitHub Flavored Markdown, tables included).
#pragma once

#include <string>
#include <string_view>

namespace kgrade {

// As code on one line, of which nothing is markup, a link or the mention of a user: what is neither letter,
// digit, blank, hyphen nor slash is written as a character reference. Longer texts than `most_bytes` end
// there, with "...". Control characters and what is not UTF-8 are shown as printable() shows them.
std::string markdown_code(std::string_view text, std::size_t most_bytes = 300);

}  // namespace kgrade
