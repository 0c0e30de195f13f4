// The Markdown of statements as HTML.
//
// Known are: headings (#), paragraphs, lists (-, *, +, 1.) with blocks in their items, tables, fenced code,
// quotes (>), rules (---), and in a line code, links, **strong**, *emphasis*, formulas ($...$, and $$...$$ as
// blocks of their own), \ before punctuation. As in CommonMark and GitHub's tables, of which this is a part;
// what is not known stands there as text.
//
// The source is hostile: of its HTML only <br> is one, all other stands there as text; links lead to http,
// https and mailto alone; pictures become links. Nothing nests deeper than 12 blocks or 8 emphases.
#pragma once

#include <string>
#include <string_view>

namespace kgrade::authoring {

std::string markdown_to_html(std::string_view markdown);

// What stands in one line or cell, or several lines of a paragraph.
std::string inline_markdown_to_html(std::string_view text);

}  // namespace kgrade::authoring
