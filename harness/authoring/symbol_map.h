// Which parameter a statement's symbol stands for: B is batch_size, C_in is in_channels, K_h is kernel_h.
//
// A pair of symbol and parameter gets a score. The letter has words that it usually stands for, and so has
// each subscript; words of the parameter's name that the symbol does not account for count against it. Where
// the statement itself describes a symbol ("N is the batch size"), the description counts most.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "authoring/shape_text.h"

namespace kgrade::authoring {

// From 0 to 100; what lies below 28 is no match.
int score(const Symbol& symbol, std::string_view parameter);
inline constexpr int least_score = 28;

class SymbolMap {
 public:
  // `parameters` are the integer parameters of the problem; `described` holds, for symbols by their text(),
  // the words that the statement describes them with.
  SymbolMap(std::vector<std::string> parameters, std::map<std::string, std::vector<std::string>> described)
      : parameters_(std::move(parameters)), described_(std::move(described)) {}

  // Decides on all symbols together: the best pair first, and no parameter for two symbols.
  void assign(const std::vector<Symbol>& symbols);

  // The parameter, or nothing.
  std::optional<std::string> find(const Symbol& symbol) const;
  // For a symbol that stands `count` times in one shape, as K in (C, K, K): the parameters of its letter for
  // the last axes in order, as kernel_h and kernel_w. Empty when there are not that many.
  std::vector<std::string> find_repeated(const Symbol& symbol, std::size_t count) const;

  const std::vector<std::string>& parameters() const { return parameters_; }

 private:
  int score_of(const Symbol& symbol, const std::string& parameter) const;

  std::vector<std::string> parameters_;
  std::map<std::string, std::vector<std::string>> described_;
  std::map<std::string, std::string> assigned_;  // by Symbol::text()
};

}  // namespace kgrade::authoring
