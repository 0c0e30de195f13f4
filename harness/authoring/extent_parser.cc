#include "authoring/extent_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/characters.h"
#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr int deepest_nesting = 40;

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Without \text{...} and the like around it, and without braces.
std::string plain_word(std::string_view text) {
  std::string word(text);
  for (const std::string_view wrapper :
       {"\\text", "\\mathrm", "\\mathit", "\\mathbf", "\\textit", "\\texttt", "\\operatorname"}) {
    word = replace_all(word, wrapper, "");
  }
  std::erase_if(word, [](char c) { return c == '{' || c == '}' || c == ' '; });
  return word;
}

}  // namespace

std::optional<SymbolicExtent> ExtentParser::whole() {
  sum();
  skip();
  if (failed_ || at_ != text_.size()) return std::nullopt;
  return std::move(extent_);
}

void ExtentParser::skip() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool ExtentParser::take(std::string_view wanted) {
  skip();
  const std::string_view rest = text_.substr(at_);
  // \in is not the beginning of \infty.
  const bool command = wanted.size() > 1 && wanted[0] == '\\';
  if (!rest.starts_with(wanted) || (command && rest.size() > wanted.size() && is_letter(rest[wanted.size()])))
    return false;
  at_ += wanted.size();
  return true;
}

void ExtentParser::emit(std::string text) {
  if (!extent_.pieces.empty() && !extent_.pieces.back().symbol) {
    extent_.pieces.back().text += text;
  } else {
    extent_.pieces.push_back({std::move(text), std::nullopt});
  }
}

void ExtentParser::sum() {
  if (++depth_ > deepest_nesting) failed_ = true;
  if (take("-")) emit("-");
  product();
  while (!failed_) {
    if (take("+")) {
      emit(" + ");
    } else if (take("-")) {
      emit(" - ");
    } else {
      break;
    }
    product();
  }
  --depth_;
}

void ExtentParser::product() {
  factor();
  while (!failed_) {
    skip();
    if (take("*") || take("\\cdot") || take("\\times")) {
      emit(" * ");
    } else if (take("//") || take("/") || take("\\div")) {
      emit(" / ");
    } else if (take("\\bmod") || take("\\%") || take("%")) {
      emit(" % ");
    } else if (begins_factor()) {
      emit(" * ");
    } else {
      return;
    }
    factor();
  }
}

bool ExtentParser::begins_factor() const {
  if (at_ >= text_.size()) return false;
  const char c = text_[at_];
  const std::string_view rest = text_.substr(at_);
  return is_letter(c) || is_digit(c) || c == '(' || rest.starts_with("\\frac") ||
         rest.starts_with("\\lfloor") || rest.starts_with("\\text") || rest.starts_with("\\math");
}

void ExtentParser::factor() {
  skip();
  if (failed_ || at_ >= text_.size()) {
    failed_ = true;
  } else if (is_digit(text_[at_])) {
    std::string digits;
    while (at_ < text_.size() && is_digit(text_[at_])) digits += text_[at_++];
    emit(digits);
  } else if (take("(")) {
    bracketed("(", ")", ")");
  } else if (take("\\lfloor") || take("\u230a")) {
    bracketed("(", "\\rfloor", ")");
  } else if (take("\\lceil")) {
    ceiling();
  } else if (take("\\frac") || take("\\dfrac") || take("\\tfrac")) {
    fraction();
  } else {
    symbol();
  }
}

void ExtentParser::bracketed(const std::string& open, std::string_view end, const std::string& close) {
  emit(open);
  sum();
  if (!take(end)) failed_ = true;
  emit(close);
}

void ExtentParser::ceiling() {
  emit("ceil_div(");
  factor();
  if (!take("/")) failed_ = true;
  emit(", ");
  factor();
  if (!take("\\rceil")) failed_ = true;
  emit(")");
}

void ExtentParser::fraction() {
  for (const std::string separator : {" / ", ""}) {
    if (!take("{")) failed_ = true;
    bracketed("(", "}", ")" + separator);
  }
}

void ExtentParser::symbol() {
  Symbol found;
  if (const std::string name = whole_name(); !name.empty()) {
    found.base = name;
    at_ += name.size();
  } else {
    found.base = base();
    if (found.base.empty()) failed_ = true;
    while (!failed_ && take("_")) subscript(found);
  }
  if (take("^")) failed_ = true;
  if (!failed_) extent_.pieces.push_back({"", std::move(found)});
}

std::string ExtentParser::whole_name() const {
  std::string longest_name;
  for (const std::string& name : names_) {
    const std::string_view rest = text_.substr(at_);
    const bool ends = rest.size() <= name.size() || !is_name_character(rest[name.size()]);
    if (rest.starts_with(name) && ends && name.size() > longest_name.size() && name.size() > 1)
      longest_name = name;
  }
  return longest_name;
}

std::string ExtentParser::base() {
  for (const std::string_view wrapper :
       {"\\text", "\\mathrm", "\\mathit", "\\mathbf", "\\operatorname", "\\texttt"}) {
    if (take(wrapper)) return plain_word(group());
  }
  if (at_ < text_.size() && text_[at_] == '\\') {  // \gamma
    std::string name;
    for (++at_; at_ < text_.size() && is_letter(text_[at_]);) name += text_[at_++];
    static constexpr std::array greek = {"alpha",  "beta", "gamma", "delta", "sigma", "kappa",
                                         "lambda", "mu",   "rho",   "tau",   "ell"};
    return std::find(greek.begin(), greek.end(), name) != greek.end() ? name : "";
  }
  // Small letters in a row are a word; capitals in a row are a product.
  std::size_t end = at_;
  while (end < text_.size() && (is_small_letter(text_[end]) || (end > at_ && is_digit(text_[end])))) ++end;
  if (end == at_ && end < text_.size() && is_letter(text_[end])) {
    ++end;
    while (end < text_.size() && is_small_letter(text_[end])) ++end;
  }
  std::string word(text_.substr(at_, end - at_));
  at_ = end;
  return word;
}

std::string ExtentParser::group() {
  if (!take("{")) return "";
  int depth = 1;
  const std::size_t begin = at_;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '{') ++depth;
    if (text_[at_] == '}' && --depth == 0) return std::string(text_.substr(begin, at_++ - begin));
  }
  failed_ = true;
  return "";
}

void ExtentParser::subscript(Symbol& symbol) {
  std::string inside;
  skip();
  if (at_ < text_.size() && text_[at_] == '{') {
    inside = group();
  } else if (at_ < text_.size() && text_[at_] == '\\') {
    inside = base();
  } else {
    // K_h and, plainly, C_in.
    while (at_ < text_.size() && (is_small_letter(text_[at_]) || is_digit(text_[at_])))
      inside += text_[at_++];
    if (inside.empty() && at_ < text_.size() && is_letter(text_[at_])) inside = text_[at_++];
  }
  std::string word;
  for (const char c : plain_word(inside) + ",") {
    if (c != ',' && c != '_') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      symbol.subscripts.push_back(std::exchange(word, ""));
    }
  }
  if (symbol.subscripts.empty()) failed_ = true;
}

}  // namespace kgrade::authoring
