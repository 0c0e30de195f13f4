#include "authoring/statement_claims.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "authoring/parameter_meaning.h"
#include "authoring/statement_text.h"
#include "base/text.h"

namespace kgrade::authoring {
namespace {

// "weights" is what bn_weight is called, "BatchNorm" is bn.
std::vector<std::string> spoken(const std::string& word) {
  if (word == "bn") return {"bn", "batchnorm"};
  if (word == "gn") return {"gn", "groupnorm"};
  if (word == "ln") return {"ln", "layernorm"};
  if (word == "in") return {"in", "instancenorm", "input"};
  if (word == "bias") return {"bias", "biases"};
  return {word, word + "s"};
}

bool is_shape_word(const std::string& word) {
  for (const std::string_view known :
       {"shape", "shapes", "size", "sizes", "length", "lengths", "dimension", "dimensions", "dims",
        "elements", "shaped", "vector", "array", "extent", "extents"}) {
    if (word == known) return true;
  }
  return false;
}

bool is_tuple(std::string_view text) {
  return (text.starts_with('(') && text.ends_with(')')) || (text.starts_with('[') && text.ends_with(']'));
}

class UnitReader {
 public:
  UnitReader(const std::vector<std::string>& tensors, const std::vector<std::string>& scalars,
             StatementClaims& claims)
      : tensors_(tensors), scalars_(scalars), claims_(claims) {}

  void read(const std::vector<StatementPiece>& unit) {
    names_in_code_ = std::any_of(unit.begin(), unit.end(), [&](const StatementPiece& piece) {
      return piece.kind != StatementPiece::Kind::word && tensor_named(piece.text);
    });
    for (std::size_t i = 0; i < unit.size(); ++i) piece(unit, i);
  }

 private:
  void piece(const std::vector<StatementPiece>& unit, std::size_t i) {
    const StatementPiece& piece = unit[i];
    const bool word = piece.kind == StatementPiece::Kind::word;
    const auto tensor = tensor_named(piece.text);
    // The article "a" names no tensor.
    if (tensor && (!word || (!names_in_code_ && piece.text.size() > 1))) return name(*tensor);
    if (word) return add_word(piece.text);
    if (piece.kind == StatementPiece::Kind::formula && read_membership(piece.text)) return;
    if (read_equations(piece.text)) return;
    if (!read_shape(unit, i)) describe(unit, i);
  }

  // x, \mathbf{x}, X for a tensor called x.
  std::optional<std::string> tensor_named(std::string_view text) const {
    const auto same = [](std::string_view a, std::string_view b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
      });
    };
    const std::string plain = without_wrappers(text);
    for (const std::string& tensor : tensors_) {
      if (plain == tensor) return tensor;
    }
    for (const std::string& tensor : tensors_) {
      if (same(plain, tensor)) return tensor;
    }
    return std::nullopt;
  }

  void name(const std::string& tensor) {
    if (shaped_) names_.clear();
    shaped_ = false;
    names_.push_back(tensor);
  }

  void add_word(const std::string& word) {
    if (is_shape_word(word)) since_shape_word_ = 0;
    if (since_shape_word_ >= 0 && ++since_shape_word_ > 4) since_shape_word_ = -1;
    words_.insert(word);
  }

  bool after_shape_word() const { return since_shape_word_ >= 0; }

  // A \in \mathbb{R}^{M \times N}
  bool read_membership(const std::string& text) {
    const std::size_t in = text.find("\\in");
    const std::size_t open = text.find("^{", in);
    if (in == std::string::npos || open == std::string::npos || text.back() != '}') return false;
    if (text.find("\\mathbb", in) == std::string::npos) return false;
    const auto shape = parse_shape(std::string_view(text).substr(open + 2, text.size() - open - 3), scalars_);
    bool read = false;
    for (const std::string& part : split_list(std::string_view(text).substr(0, in))) {
      const auto tensor = tensor_named(part);
      if (!tensor || !shape) continue;
      claim({*tensor, *shape, text, false});
      read = true;
    }
    return read;
  }

  // The first shape behind names is theirs; a single symbol must be called a length or the like.
  bool read_shape(const std::vector<StatementPiece>& unit, std::size_t i) {
    const std::string& text = unit[i].text;
    auto shape = parse_shape(text, scalars_);
    if (!shape && after_shape_word() && is_tuple(text)) shape.emplace().tuple = true;
    if (!shape || !(shape->tuple || after_shape_word())) return false;
    const bool named = !names_.empty() && !shaped_;
    // "weights/biases of shape ..." names nothing, but describes.
    std::vector<std::string> tensors = named                ? names_
                                       : after_shape_word() ? described_tensors()
                                                            : std::vector<std::string>{};
    const bool counts = i + 1 < unit.size() && unit[i + 1].text == "elements";
    if (!shape->tuple && named && !after_shape_word() && !counts) return false;
    for (const std::string& tensor : tensors) claim({tensor, *shape, text, !named});
    shaped_ = true;
    since_shape_word_ = -1;
    words_.clear();
    return !tensors.empty();
  }

  std::vector<std::string> described_tensors() const {
    std::vector<std::string> found;
    for (const std::string& tensor : tensors_) {
      const std::vector<std::string> parts = words_of_name(tensor);
      const bool all = std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
        const std::vector<std::string> forms = spoken(part);
        return std::any_of(forms.begin(), forms.end(),
                           [&](const std::string& form) { return words_.contains(form); });
      });
      if (all && !parts.empty()) found.push_back(tensor);
    }
    return found;
  }

  void claim(ShapeClaim claim) {
    const auto known = std::find_if(claims_.shapes.begin(), claims_.shapes.end(),
                                    [&](const ShapeClaim& other) { return other.tensor == claim.tensor; });
    if (known == claims_.shapes.end())
      claims_.shapes.push_back(std::move(claim));
    else if (known->shape.extents.empty())
      *known = std::move(claim);
  }

  bool read_equations(const std::string& text) {
    bool read = false;
    for (const std::string& row : rows_of_formula(text)) {
      const std::size_t equals = row.find('=');
      if (equals == std::string::npos || equals == 0 || row.find('=', equals + 1) != std::string::npos)
        continue;
      const auto left = parse_extent(std::string_view(row).substr(0, equals), scalars_);
      auto right = parse_extent(std::string_view(row).substr(equals + 1), scalars_);
      read = true;
      if (!left || !right || left->lone_symbol() == nullptr) continue;
      claims_.equations.push_back({*left->lone_symbol(), *std::move(right), row});
    }
    return read;
  }

  // "$N$ is the batch size", "$g$ = `groups`".
  void describe(const std::vector<StatementPiece>& unit, std::size_t i) {
    const auto extent = parse_extent(unit[i].text, scalars_);
    if (!extent || extent->lone_symbol() == nullptr || i + 1 >= unit.size()) return;
    const std::string& verb = unit[i + 1].text;
    if (verb != "is" && verb != "denotes" && verb != "are" && verb != "=" && verb != ":" && verb != "the")
      return;
    std::vector<std::string> words;
    for (std::size_t k = i + 1; k < unit.size() && k < i + 8 && unit[k].kind != StatementPiece::Kind::formula;
         ++k) {
      if (unit[k].text == "," || unit[k].text == "." || unit[k].text == ";" || unit[k].text == "and") break;
      for (std::string& word : words_of_name(unit[k].text)) words.push_back(std::move(word));
    }
    claims_.descriptions.emplace(extent->lone_symbol()->text(), std::move(words));
  }

  const std::vector<std::string>& tensors_;
  const std::vector<std::string>& scalars_;
  StatementClaims& claims_;
  bool names_in_code_ = false;
  std::vector<std::string> names_;
  bool shaped_ = false;
  int since_shape_word_ = -1;  // words since "shape", or -1
  std::set<std::string> words_;
};

}  // namespace

StatementClaims read_statement(std::string_view statement, const std::vector<std::string>& tensors,
                               const std::vector<std::string>& scalars) {
  StatementClaims claims;
  for (const std::vector<StatementPiece>& unit : statement_units(statement)) {
    UnitReader(tensors, scalars, claims).read(unit);
  }
  return claims;
}

}  // namespace kgrade::authoring
