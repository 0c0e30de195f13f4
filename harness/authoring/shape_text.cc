#include "authoring/shape_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t longest = 2000;
constexpr int deepest = 40;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// Spaces and what only makes brackets larger.
std::string simplified(std::string_view text) {
  std::string plain(text);
  for (const std::string_view dropped :
       {"\\,", "\\;", "\\!", "\\:", "\\ ", "~", "\\quad", "\\left", "\\right", "\\bigl", "\\bigr", "\\Bigl",
        "\\Bigr", "\\big", "\\displaystyle"}) {
    // "\leftarrow" and the like are no shapes, and stay unknown.
    plain = replace_all(plain, dropped, " ");
  }
  plain = replace_all(plain, "\u00d7", "\\times ");
  plain = replace_all(plain, "\u22c5", "\\cdot ");
  plain = replace_all(plain, "\u00b7", "\\cdot ");
  plain = replace_all(plain, "\\_", "_");
  return replace_all(plain, "\n", " ");
}

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

class ExtentParser {
 public:
  ExtentParser(std::string_view text, const std::vector<std::string>& names, bool times_is_product)
      : text_(text), names_(names), times_is_product_(times_is_product) {}

  std::optional<SymbolicExtent> whole() {
    sum();
    skip();
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return std::move(extent_);
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view wanted) {
    skip();
    const std::string_view rest = text_.substr(at_);
    // \in is not the beginning of \infty.
    const bool command = wanted.size() > 1 && wanted[0] == '\\';
    if (!rest.starts_with(wanted) ||
        (command && rest.size() > wanted.size() && is_letter(rest[wanted.size()])))
      return false;
    at_ += wanted.size();
    return true;
  }

  void emit(std::string text) {
    if (!extent_.pieces.empty() && !extent_.pieces.back().symbol) {
      extent_.pieces.back().text += text;
    } else {
      extent_.pieces.push_back({std::move(text), std::nullopt});
    }
  }

  void sum() {
    if (++depth_ > deepest) failed_ = true;
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

  void product() {
    factor();
    while (!failed_) {
      skip();
      if (take("*") || take("\\cdot") || (times_is_product_ && take("\\times"))) {
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

  bool begins_factor() const {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_];
    const std::string_view rest = text_.substr(at_);
    return is_letter(c) || is_digit(c) || c == '(' || rest.starts_with("\\frac") ||
           rest.starts_with("\\lfloor") || rest.starts_with("\\text") || rest.starts_with("\\math");
  }

  void factor() {
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

  void bracketed(const std::string& open, std::string_view end, const std::string& close) {
    emit(open);
    sum();
    if (!take(end)) failed_ = true;
    emit(close);
  }

  // \lceil a / b \rceil alone: another rounding up has no form in expressions.
  void ceiling() {
    emit("ceil_div(");
    factor();
    if (!take("/")) failed_ = true;
    emit(", ");
    factor();
    if (!take("\\rceil")) failed_ = true;
    emit(")");
  }

  void fraction() {
    for (const std::string separator : {" / ", ""}) {
      if (!take("{")) failed_ = true;
      bracketed("(", "}", ")" + separator);
    }
  }

  void symbol() {
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

  // A name of the problem that stands here and ends here.
  std::string whole_name() const {
    std::string longest_name;
    for (const std::string& name : names_) {
      const std::string_view rest = text_.substr(at_);
      const bool ends = rest.size() <= name.size() || !is_name_character(rest[name.size()]);
      if (rest.starts_with(name) && ends && name.size() > longest_name.size() && name.size() > 1)
        longest_name = name;
    }
    return longest_name;
  }

  std::string base() {
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
    while (end < text_.size() && (is_small(text_[end]) || (end > at_ && is_digit(text_[end])))) ++end;
    if (end == at_ && end < text_.size() && is_letter(text_[end])) {
      ++end;
      while (end < text_.size() && is_small(text_[end])) ++end;
    }
    std::string word(text_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  std::string group() {
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

  void subscript(Symbol& symbol) {
    std::string inside;
    skip();
    if (at_ < text_.size() && text_[at_] == '{') {
      inside = group();
    } else if (at_ < text_.size() && text_[at_] == '\\') {
      inside = base();
    } else {
      // K_h and, plainly, C_in.
      while (at_ < text_.size() && (is_small(text_[at_]) || is_digit(text_[at_]))) inside += text_[at_++];
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

  std::string_view text_;
  const std::vector<std::string>& names_;
  bool times_is_product_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
  SymbolicExtent extent_;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// The parts between separators that stand in no brackets.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth != 0 || !text.substr(i).starts_with(separator)) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + separator.size();
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// The text inside one pair of brackets around all of it.
std::optional<std::string_view> unwrapped(std::string_view text) {
  if (text.size() < 2 ||
      !((text.front() == '(' && text.back() == ')') || (text.front() == '[' && text.back() == ']')))
    return std::nullopt;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == text.front()) ++depth;
    if (text[i] == text.back() && --depth == 0) return std::nullopt;
  }
  return text.substr(1, text.size() - 2);
}

}  // namespace

bool Symbol::has_subscript(std::string_view text) const {
  return std::find(subscripts.begin(), subscripts.end(), text) != subscripts.end();
}

std::string Symbol::text() const {
  std::string text = base;
  for (const std::string& subscript : subscripts) text += "_" + subscript;
  return text;
}

std::vector<Symbol> SymbolicExtent::symbols() const {
  std::vector<Symbol> found;
  for (const Piece& piece : pieces) {
    if (piece.symbol) found.push_back(*piece.symbol);
  }
  return found;
}

const Symbol* SymbolicExtent::lone_symbol() const {
  return pieces.size() == 1 && pieces[0].symbol ? &*pieces[0].symbol : nullptr;
}

std::optional<SymbolicShape> parse_shape(std::string_view text, const std::vector<std::string>& names) {
  if (text.size() > longest) return std::nullopt;
  const std::string plain = simplified(text);
  std::string_view inside = trimmed(plain);
  SymbolicShape shape;
  while (const auto within = unwrapped(inside)) {
    inside = trimmed(*within);
    shape.tuple = true;
  }
  std::vector<std::string_view> parts = split(inside, ",");
  if (parts.size() == 1) parts = split(inside, "\\times");
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();  // (N,)
  shape.tuple = shape.tuple || parts.size() > 1;
  for (const std::string_view part : parts) {
    auto extent = ExtentParser(part, names, true).whole();
    if (!extent || shape.extents.size() >= 16) return std::nullopt;
    shape.extents.push_back(*std::move(extent));
  }
  return shape;
}

std::optional<SymbolicExtent> parse_extent(std::string_view text, const std::vector<std::string>& names) {
  if (text.size() > longest) return std::nullopt;
  const std::string plain = simplified(text);
  return ExtentParser(trimmed(plain), names, true).whole();
}

}  // namespace kgrade::authoring
