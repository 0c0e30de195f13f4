// Reads one extent; internal to authoring.
//
//   sum     := "-"? product (("+" | "-") product)*
//   product := factor (("*" | "\cdot" | "\times" | "/" | "\bmod" | nothing) factor)*
//   factor  := integer | symbol | "(" sum ")" | \lfloor sum \rfloor | \lceil factor "/" factor \rceil
//            | \frac "{" sum "}" "{" sum "}"
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "authoring/shape_text.h"

namespace kgrade::authoring {

class ExtentParser {
 public:
  // `text` must outlive the parser, and so must `names`, which are taken whole wherever they stand.
  ExtentParser(std::string_view text, const std::vector<std::string>& names) : text_(text), names_(names) {}

  // Nothing when the text is no extent.
  std::optional<SymbolicExtent> whole();

 private:
  void skip();
  bool take(std::string_view wanted);
  void emit(std::string text);
  void sum();
  void product();
  bool begins_factor() const;
  void factor();
  void bracketed(const std::string& open, std::string_view end, const std::string& close);
  // \lceil a / b \rceil alone: another rounding up has no form in expressions.
  void ceiling();
  void fraction();
  void symbol();
  // A name of the problem that stands here and ends here.
  std::string whole_name() const;
  std::string base();
  std::string group();
  void subscript(Symbol& symbol);

  std::string_view text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  SymbolicExtent extent_;
};

}  // namespace kgrade::authoring
