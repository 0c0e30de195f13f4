#include "authoring/mathml.h"

#include <fmt/format.h>

#include "authoring/math_writer.h"
#include "authoring/mathml_elements.h"
#include "base/characters.h"
#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t longest_formula = 16 << 10;

}  // namespace

std::optional<std::string> MathWriter::formula() {
  std::string content = row();
  if (failed_ || !reader_.at_end()) return std::nullopt;
  return content;
}

bool MathWriter::at_row_end() const {
  const LatexToken& token = reader_.peek();
  return token.kind == Kind::end || token.kind == Kind::close || token.kind == Kind::align ||
         token.kind == Kind::row_end || token.is("\\right") || token.is("\\end") || token.is("\\middle");
}

std::string MathWriter::row() {
  if (++depth_ > deepest) failed_ = true;
  std::string content;
  while (!failed_ && !at_row_end()) {
    const Atom atom = with_scripts();
    content += atom.xml;
    if (atom.function && !at_row_end() && !is_opening(reader_.peek().text)) content += space("0.167em");
  }
  --depth_;
  return content;
}

MathWriter::Atom MathWriter::with_scripts() {
  const LatexToken& first = reader_.peek();
  const bool bare = first.kind == Kind::subscript || first.kind == Kind::superscript;
  Atom base = bare ? Atom{"<mrow></mrow>"} : atom();
  std::string below;
  std::string above;
  while (!failed_) {
    const LatexToken token = reader_.peek();
    if (token.is("\\limits") || token.is("\\nolimits")) {
      base.limits = reader_.next().text == "\\limits";
    } else if (token.kind == Kind::subscript && below.empty()) {
      reader_.next();
      below = argument();
    } else if (token.kind == Kind::superscript && above.empty()) {
      reader_.next();
      above = argument();
    } else if (token.is("'")) {
      above += primes();
    } else {
      // A second script of a kind has no base, which TeX refuses as well.
      failed_ = failed_ || token.kind == Kind::subscript || token.kind == Kind::superscript;
      break;
    }
  }
  if (above.starts_with("<mo>′")) above = group_of(above);
  base.xml = scripted(base, below, above);
  return base;
}

std::string MathWriter::primes() {
  std::string marks;
  while (reader_.peek().is("'")) marks += reader_.next().text == "'" ? "<mo>′</mo>" : "";
  return marks;
}

std::string MathWriter::scripted(const Atom& base, const std::string& below, const std::string& above) const {
  const bool stacked = base.limits && display_;
  if (!below.empty() && !above.empty())
    return element(stacked ? "munderover" : "msubsup", base.xml + below + above);
  if (!below.empty()) return element(stacked ? "munder" : "msub", base.xml + below);
  if (!above.empty()) return element(stacked ? "mover" : "msup", base.xml + above);
  return base.xml;
}

std::string MathWriter::argument() {
  if (at_row_end()) {
    failed_ = true;
    return "";
  }
  if (reader_.peek().kind == Kind::number) return element("mn", std::string(reader_.next_digit().text));
  if (++depth_ > deepest) failed_ = true;
  std::string xml = failed_ ? "" : atom().xml;
  --depth_;
  return xml;
}

MathWriter::Atom MathWriter::atom() {
  const LatexToken token = reader_.next();
  switch (token.kind) {
    case Kind::open: {
      std::string content = row();
      expect(Kind::close);
      return {group_of(content)};
    }
    case Kind::number:
      return {element("mn", std::string(token.text))};
    case Kind::character:
      return character(token.text);
    case Kind::command:
      return command(token.text);
    default:
      failed_ = true;
      return {};
  }
}

void MathWriter::expect(Kind kind) {
  if (reader_.next().kind != kind) failed_ = true;
}

MathWriter::Atom MathWriter::character(std::string_view text) {
  const char c = text.front();
  if (static_cast<unsigned char>(c) >= 0x80 || is_letter(c)) return {element("mi", std::string(text))};
  if (c == '-') return {"<mo>−</mo>"};
  if (c == '*') return {"<mo>∗</mo>"};
  if (c == '~') return {space("0.25em")};
  if (c == '/') return {"<mo lspace=\"0\" rspace=\"0\">/</mo>"};
  const bool bracket = std::string_view("()[]|").find(c) != std::string_view::npos;
  return {fmt::format("<mo{}>{}</mo>", bracket ? " stretchy=\"false\"" : "", escape_markup(text))};
}

std::string MathWriter::mixed_text(std::string_view text) {
  std::string xml;
  while (!text.empty()) {
    const std::size_t begin = text.find('$');
    const std::size_t end = begin == text.npos ? text.npos : text.find('$', begin + 1);
    const bool escaped = begin != text.npos && begin > 0 && text[begin - 1] == '\\';
    if (end == text.npos || escaped) return group_of(xml + text_element(unescaped(text)));
    if (begin > 0) xml += text_element(unescaped(text.substr(0, begin)));
    const auto inner = depth_ < deepest
                           ? MathWriter(text.substr(begin + 1, end - begin - 1), false, depth_ + 1).formula()
                           : std::nullopt;
    if (!inner) failed_ = true;
    xml += group_of(inner.value_or(""));
    text.remove_prefix(end + 1);
  }
  return group_of(xml);
}

std::string to_mathml(std::string_view latex, bool display) {
  std::optional<std::string> content;
  if (latex.size() <= longest_formula) content = MathWriter(latex, display, 0).formula();
  if (!content) return fmt::format("<code class=\"latex\">{}</code>", escape_markup(latex));
  return fmt::format("<math{} alttext=\"{}\"><mrow>{}</mrow></math>", display ? " display=\"block\"" : "",
                     escape_markup(latex), *content);
}

}  // namespace kgrade::authoring
