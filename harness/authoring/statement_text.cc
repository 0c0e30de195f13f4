#include "authoring/statement_text.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr std::size_t most_units = 5000;
constexpr std::size_t most_pieces = 2000;

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool begins_item(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") || line.starts_with("#") ||
      line.starts_with("|"))
    return true;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && digits < line.size() && (line[digits] == '.' || line[digits] == ')');
}

// Paragraphs and items, each as one line.
std::vector<std::string> units_of(std::string_view statement) {
  std::vector<std::string> units(1);
  bool fenced = false;
  bool formula = false;
  while (!statement.empty() && units.size() < most_units) {
    const std::size_t end = std::min(statement.find('\n'), statement.size());
    const std::string_view line = trimmed(statement.substr(0, end));
    statement.remove_prefix(std::min(end + 1, statement.size()));
    if (line.starts_with("```") || line.starts_with("~~~")) {
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    // A formula in a display is one, whatever its lines begin with.
    if (!formula && (line.empty() || begins_item(line))) units.emplace_back();
    units.back() += (units.back().empty() ? "" : " ") + std::string(line);
    for (std::size_t i = line.find("$$"); i != line.npos; i = line.find("$$", i + 2)) formula = !formula;
  }
  return units;
}

class PieceReader {
 public:
  explicit PieceReader(std::string_view text) : text_(text) {}

  std::vector<StatementPiece> run() {
    while (at_ < text_.size() && pieces_.size() < most_pieces) step();
    return std::move(pieces_);
  }

 private:
  using Kind = StatementPiece::Kind;

  void step() {
    const char c = text_[at_];
    if (c == '`' && span("`", Kind::code)) return;
    if (text_.substr(at_).starts_with("$$") && span("$$", Kind::formula)) return;
    if (c == '$' && span("$", Kind::formula)) return;
    if ((c == '(' || c == '[') && bracketed(c == '(' ? ')' : ']')) return;
    if (is_word_character(c)) return word();
    if (std::string_view(",.;:=").find(c) != std::string_view::npos)
      pieces_.push_back({Kind::word, std::string(1, c)});
    ++at_;
  }

  bool span(std::string_view mark, Kind kind) {
    const std::size_t begin = at_ + mark.size();
    const std::size_t end = text_.find(mark, begin);
    if (end == text_.npos) return false;
    pieces_.push_back({kind, std::string(trimmed(text_.substr(begin, end - begin)))});
    at_ = end + mark.size();
    return true;
  }

  // (M, N) and [rows, columns]; a link's address is none, and words in brackets are words.
  bool bracketed(char close) {
    // Farther away it is none, and hostile text would have every bracket look through all of it.
    const std::size_t length = text_.substr(at_, 200).find(close);
    const std::size_t end = at_ + length;
    if (length == text_.npos || (at_ > 0 && text_[at_ - 1] == ']')) return false;
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    const bool list = inside.find(',') != inside.npos || inside.find("\u00d7") != inside.npos ||
                      inside.find(" x ") != inside.npos;
    const bool prose = inside.find_first_of("`$()[].:;") != inside.npos || inside.size() > 120;
    if (!list || prose) return false;
    pieces_.push_back(
        {Kind::formula, replace_all(std::string(text_.substr(at_, end + 1 - at_)), " x ", " \\times ")});
    at_ = end + 1;
    return true;
  }

  void word() {
    std::string word;
    for (; at_ < text_.size() && is_word_character(text_[at_]); ++at_) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_])));
    }
    pieces_.push_back({Kind::word, std::move(word)});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<StatementPiece> pieces_;
};

}  // namespace

std::vector<std::vector<StatementPiece>> statement_units(std::string_view statement) {
  std::vector<std::vector<StatementPiece>> units;
  for (const std::string& unit : units_of(statement)) {
    std::vector<StatementPiece> pieces = PieceReader(unit).run();
    if (!pieces.empty()) units.push_back(std::move(pieces));
  }
  return units;
}

std::string without_wrappers(std::string_view text) {
  std::string plain(text);
  for (const std::string_view wrapper :
       {"\\mathbf", "\\text", "\\mathrm", "\\mathit", "\\boldsymbol", "\\texttt", "\\mathcal"}) {
    plain = replace_all(plain, wrapper, "");
  }
  plain = replace_all(plain, "\\_", "_");
  std::erase_if(plain, [](char c) { return c == '{' || c == '}' || c == ' '; });
  return plain;
}

std::vector<std::string> rows_of_formula(std::string_view formula) {
  std::string plain(formula);
  for (const std::string_view name : {"aligned", "align*", "align", "gathered", "split"}) {
    plain = replace_all(plain, "\\begin{" + std::string(name) + "}", "");
    plain = replace_all(plain, "\\end{" + std::string(name) + "}", "");
  }
  plain = replace_all(plain, "&", "");
  std::vector<std::string> rows;
  std::string_view rest = plain;
  for (std::size_t end = rest.find("\\\\"); end != rest.npos; end = rest.find("\\\\")) {
    rows.emplace_back(trimmed(rest.substr(0, end)));
    rest.remove_prefix(end + 2);
  }
  rows.emplace_back(trimmed(rest));
  return rows;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    parts.emplace_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace kgrade::authoring
