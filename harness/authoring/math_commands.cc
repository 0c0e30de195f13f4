// What the commands of a formula take, and what they become.
#include <fmt/format.h>

#include "authoring/math_writer.h"
#include "authoring/mathml_elements.h"
#include "base/text.h"

namespace kgrade::authoring {
MathWriter::Atom MathWriter::command(std::string_view name) {
  if (const MathSymbol* symbol = find_math_symbol(name)) return of_symbol(*symbol);
  if (name == "\\frac" || name == "\\dfrac" || name == "\\tfrac" || name == "\\cfrac") return fraction("");
  if (name == "\\binom") {
    return {"<mrow><mo>(</mo>" + fraction(" linethickness=\"0\"").xml + "<mo>)</mo></mrow>"};
  }
  if (name == "\\sqrt") return root();
  if (name == "\\left") return brackets();
  if (name == "\\begin") return environment();
  if (name == "\\substack") return stack();
  if (name == "\\bmod") return {"<mo lspace=\"0.222em\" rspace=\"0.222em\">mod</mo>"};
  if (name == "\\mod") return {space("0.5em") + "<mi>mod</mi>" + space("0.167em")};
  if (name == "\\pmod") {
    return {space("0.5em") + "<mo stretchy=\"false\">(</mo><mi>mod</mi>" + space("0.167em") + argument() +
            "<mo stretchy=\"false\">)</mo>"};
  }
  if (name == "\\underbrace" || name == "\\underline") {
    return {element("munder", argument() + (name == "\\underline" ? "<mo>_</mo>" : "<mo>⏟</mo>")), true};
  }
  if (name == "\\overbrace") return {element("mover", argument() + "<mo>⏞</mo>"), true};
  if (name == "\\displaystyle") return {"<mstyle displaystyle=\"true\">" + row() + "</mstyle>"};
  if (const auto size = bracket_size(name)) return sized_bracket(*size);
  return words(name);
}

MathWriter::Atom MathWriter::of_symbol(const MathSymbol& symbol) {
  const std::string text(symbol.text);
  switch (symbol.kind) {
    case MathSymbol::Kind::identifier:
      return {element("mi", text)};
    case MathSymbol::Kind::upright:
      return {"<mi mathvariant=\"normal\">" + text + "</mi>"};
    case MathSymbol::Kind::operation:
      return {element("mo", text)};
    case MathSymbol::Kind::large_operation:
      return {"<mo movablelimits=\"false\">" + text + "</mo>",
              symbol.command.find("int") == symbol.command.npos};
    case MathSymbol::Kind::function:
      return {element("mi", text), false, true};
    case MathSymbol::Kind::limit_function:
      return {element("mi", text), true, true};
    case MathSymbol::Kind::delimiter:
      return {"<mo stretchy=\"false\">" + text + "</mo>"};
    case MathSymbol::Kind::space:
      return {space(text)};
    case MathSymbol::Kind::accent:
      return {"<mover accent=\"true\">" + argument() + "<mo>" + text + "</mo></mover>"};
  }
  return {};
}

MathWriter::Atom MathWriter::fraction(std::string_view attributes) {
  const std::string top = argument();
  return {fmt::format("<mfrac{}>{}{}</mfrac>", attributes, top, argument())};
}

MathWriter::Atom MathWriter::root() {
  const auto index = reader_.raw_option();
  if (!index) return {element("msqrt", argument())};
  const auto degree = MathWriter(*index, false, depth_ + 1).formula();
  if (!degree) failed_ = true;
  return {element("mroot", argument() + group_of(degree.value_or("")))};
}

std::string MathWriter::bracket() {
  const LatexToken token = reader_.next();
  if (token.is(".")) return "";
  if (token.kind == Kind::character)
    return std::string(token.text == "<" ? "⟨" : token.text == ">" ? "⟩" : token.text);
  const MathSymbol* symbol = token.kind == Kind::command ? find_math_symbol(token.text) : nullptr;
  if (symbol == nullptr || symbol->kind != MathSymbol::Kind::delimiter) {
    failed_ = true;
    return "";
  }
  return std::string(symbol->text);
}

MathWriter::Atom MathWriter::sized_bracket(std::string_view size) {
  const std::string text = bracket();
  if (text.empty()) return {};
  return {fmt::format("<mo stretchy=\"true\" symmetric=\"true\" minsize=\"{0}\" maxsize=\"{0}\">{1}</mo>",
                      size, escape_markup(text))};
}

MathWriter::Atom MathWriter::brackets() {
  std::string content = fence(bracket(), "prefix");
  content += row();
  while (!failed_ && reader_.peek().is("\\middle")) {
    reader_.next();
    content += fence(bracket(), "infix");
    content += row();
  }
  if (!reader_.next().is("\\right")) failed_ = true;
  if (!failed_) content += fence(bracket(), "postfix");
  return {group_of(content)};
}

std::string MathWriter::table_rows() {
  std::string rows;
  std::string cells;
  while (!failed_) {
    cells += element("mtd", row());
    const Kind kind = reader_.peek().kind;
    if (kind == Kind::align) {
      reader_.next();
      continue;
    }
    rows += element("mtr", cells);
    cells.clear();
    if (kind != Kind::row_end) break;
    reader_.next();
    reader_.raw_option();  // the space that \\[2pt] asks for
    if (reader_.peek().is("\\end") || reader_.at_end()) break;
  }
  return rows;
}

MathWriter::Atom MathWriter::environment() {
  const auto name = reader_.raw_group();
  const MathEnvironment* known = name ? find_math_environment(*name) : nullptr;
  if (known == nullptr || (known->has_columns && !reader_.raw_group())) {
    failed_ = true;
    return {};
  }
  const std::string table = fmt::format("<mtable{}>{}</mtable>", known->attributes, table_rows());
  if (!reader_.next().is("\\end") || reader_.raw_group() != name) failed_ = true;
  return {group_of(fence(known->open, "prefix") + table + fence(known->close, "postfix"))};
}

MathWriter::Atom MathWriter::stack() {
  const auto inside = reader_.raw_group();
  if (!inside || depth_ > deepest) {
    failed_ = true;
    return {};
  }
  MathWriter inner(*inside, false, depth_ + 1);
  const std::string rows = inner.table_rows();
  if (inner.failed_ || !inner.reader_.at_end()) failed_ = true;
  return {element("mtable", rows)};
}

MathWriter::Atom MathWriter::words(std::string_view name) {
  const bool starred = name == "\\operatorname" && reader_.peek().is("*");
  if (name == "\\text" || name == "\\textrm" || name == "\\textbf" || name == "\\textit" ||
      name == "\\texttt" || name == "\\mbox" || name == "\\textsf" || name == "\\textnormal") {
    const auto text = reader_.raw_group();
    return {text ? mixed_text(*text) : unknown(name)};
  }
  if (name == "\\operatorname") {
    if (starred) reader_.next();
    const auto text = reader_.raw_group();
    if (!text) return {unknown(starred ? "\\operatorname*" : name)};
    return {element("mi", escape_markup(unescaped(*text))), starred, true};
  }
  return alphabet(name);
}

MathWriter::Atom MathWriter::alphabet(std::string_view name) {
  const bool upright = name == "\\mathrm" || name == "\\mathnormal" || name == "\\mathit";
  if (!upright && in_alphabet(name, "A") == "A") return {unknown(name)};
  const auto text = reader_.raw_group();
  if (!text) return {unknown(name)};
  if (text->find_first_of("\\{}^_$") != std::string_view::npos &&
      unescaped(*text).find('\\') != std::string::npos) {
    const auto inner = MathWriter(*text, display_, depth_ + 1).formula();
    if (!inner) failed_ = true;
    return {group_of(inner.value_or(""))};
  }
  const std::string plain = escape_markup(in_alphabet(name, unescaped(*text)));
  return {(upright && name != "\\mathit" ? "<mi mathvariant=\"normal\">" : "<mi>") + plain + "</mi>"};
}

}  // namespace kgrade::authoring
