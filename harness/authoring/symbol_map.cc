#include "authoring/symbol_map.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <tuple>

#include "authoring/parameter_meaning.h"

namespace kgrade::authoring {
namespace {

struct Letter {
  std::string_view letter;
  std::array<std::string_view, 6> words;  // the likeliest first
};

// As statements of deep-learning problems use them; a letter also stands for itself.
constexpr Letter letters[] = {
    {"B", {"batch", "batches"}},
    {"N", {"n", "batch", "elements", "length", "columns", "cols"}},
    {"C", {"channels", "channel", "classes", "columns", "cols"}},
    {"F", {"filters", "features", "channels"}},
    {"H", {"height", "heads", "hidden", "rows"}},
    {"W", {"width", "columns", "cols", "window"}},
    {"D", {"depth", "dim", "dimension", "features", "embed", "hidden"}},
    {"L", {"length", "len", "seq", "width"}},
    {"S", {"seq", "length", "len", "size"}},
    {"T", {"time", "steps", "seq", "tokens", "length"}},
    {"K", {"kernel", "filter", "k", "inner"}},
    {"R", {"rows", "r", "kernel"}},
    {"M", {"m", "rows"}},
    {"P", {"padding", "pad"}},
    {"G", {"groups", "group"}},
    {"E", {"embed", "embedding", "experts"}},
    {"V", {"vocab", "vocabulary", "values"}},
    {"k", {"kernel", "k", "filter"}},
    {"s", {"stride", "seq"}},
    {"p", {"padding", "pad"}},
    {"d", {"dilation", "dim", "depth"}},
    {"t", {"dilation", "time"}},
    {"g", {"groups", "group"}},
    {"n", {"n", "elements", "length"}},
    {"m", {"m", "rows"}},
    {"b", {"batch"}},
    {"c", {"channels", "channel"}},
    {"h", {"height", "heads"}},
    {"w", {"width"}},
};

constexpr Letter subscript_words[] = {
    {"in", {"in", "input"}},     {"i", {"in", "input", "i"}}, {"out", {"out", "output"}},
    {"o", {"out", "output"}},    {"h", {"h", "height", "y"}}, {"w", {"w", "width", "x"}},
    {"d", {"d", "depth", "z"}},  {"k", {"kernel", "k"}},      {"x", {"x", "w", "width"}},
    {"y", {"y", "h", "height"}}, {"z", {"z", "d", "depth"}},
};

std::string lower(std::string_view text) {
  std::string small;
  for (const char c : text) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

template <std::size_t n>
std::vector<std::string> words_for(const Letter (&table)[n], const std::string& text) {
  std::vector<std::string> words;
  for (const Letter& entry : table) {
    if (entry.letter != text) continue;
    for (const std::string_view word : entry.words) {
      if (!word.empty()) words.emplace_back(word);
    }
  }
  for (const std::string& word : words_of_name(text)) words.push_back(word);
  return words;
}

bool take(std::vector<std::string>& words, const std::string& word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return false;
  words.erase(found);
  return true;
}

// Words of a parameter's name that say nothing.
bool is_neutral(const std::string& word) {
  for (const std::string_view neutral :
       {"size", "num", "number", "count", "dim", "of", "total", "n", "len"}) {
    if (word == neutral) return true;
  }
  return false;
}

// Words that make a parameter another thing altogether: output_padding_h is no height.
bool is_layer_word(const std::string& word) {
  for (const std::string_view known : {"kernel", "filter", "stride", "padding", "pad", "dilation", "pool"}) {
    if (word == known) return true;
  }
  return false;
}

// Of the words that neither the letter nor a subscript explains.
int cost_of_rest(const std::vector<std::string>& words) {
  int cost = 0;
  for (const std::string& word : words) {
    const bool input = word == "in" || word == "input";
    cost += is_neutral(word) ? 2 : input ? 4 : is_layer_word(word) ? 60 : 25;
  }
  return cost;
}

std::string joined(std::string_view text) {
  std::string plain = lower(text);
  std::erase(plain, '_');
  return plain;
}

}  // namespace

int score(const Symbol& symbol, std::string_view parameter) {
  if (joined(symbol.text()) == joined(parameter)) return 100;
  std::vector<std::string> words = words_of_name(parameter);
  int total = 0;
  const std::vector<std::string> meanings = words_for(letters, symbol.base);
  for (std::size_t i = 0; i < meanings.size() && total == 0; ++i) {
    if (take(words, meanings[i])) total = 50 - static_cast<int>(i) * 3;
  }
  if (total == 0) return 0;
  for (const std::string& subscript : symbol.subscripts) {
    const std::vector<std::string> options = words_for(subscript_words, subscript);
    const bool matched =
        std::any_of(options.begin(), options.end(), [&](const auto& word) { return take(words, word); });
    // An input's extent needs no "in" in its name; an output's is another one without its "out".
    total += matched ? 20 : subscript == "in" || subscript == "i" ? 0 : -30;
  }
  return std::clamp(total - cost_of_rest(words), 0, 99);
}

int SymbolMap::score_of(const Symbol& symbol, const std::string& parameter) const {
  const int by_name = score(symbol, parameter);
  const auto description = described_.find(symbol.text());
  if (description == described_.end()) return by_name;
  std::vector<std::string> unexplained = words_of_name(parameter);
  const std::size_t all = unexplained.size();
  for (const std::string& word : description->second) {
    take(unexplained, word);
    if (word.ends_with('s')) take(unexplained, word.substr(0, word.size() - 1));
    take(unexplained, word + "s");
  }
  std::erase_if(unexplained, is_neutral);
  return unexplained.empty() && all > 0 ? std::max(by_name, 95) : by_name;
}

void SymbolMap::assign(const std::vector<Symbol>& symbols) {
  std::vector<std::tuple<int, std::size_t, std::size_t>> pairs;  // minus the score, for the order
  for (std::size_t s = 0; s < symbols.size(); ++s) {
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      const int points = score_of(symbols[s], parameters_[p]);
      if (points >= least_score) pairs.emplace_back(-points, p, s);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::set<std::string> taken;
  for (const auto& [cost, p, s] : pairs) {
    const std::string text = symbols[s].text();
    if (assigned_.contains(text) || taken.contains(parameters_[p])) continue;
    assigned_[text] = parameters_[p];
    taken.insert(parameters_[p]);
  }
}

std::optional<std::string> SymbolMap::find(const Symbol& symbol) const {
  const auto found = assigned_.find(symbol.text());
  return found == assigned_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> SymbolMap::find_repeated(const Symbol& symbol, std::size_t count) const {
  std::vector<std::string> found;
  for (const char axis : std::string_view("dhw").substr(count > 3 ? 3 : 3 - count)) {
    Symbol with_axis = symbol;
    with_axis.subscripts.emplace_back(1, axis);
    int best = 60;  // letter and axis must both be in its name
    std::string name;
    for (const std::string& parameter : parameters_) {
      const int points = score(with_axis, parameter);
      if (points > best) {
        best = points;
        name = parameter;
      }
    }
    if (!name.empty()) found.push_back(name);
  }
  return found.size() == count ? found : std::vector<std::string>{};
}

}  // namespace kgrade::authoring
