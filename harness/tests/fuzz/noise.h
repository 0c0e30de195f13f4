// Inputs drawn from a seed: the same on every machine.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace kgrade::fuzz {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : generator_(seed) {}

  // 0 to bound - 1. The distributions of the standard library differ between machines; this function does
  // not.
  std::size_t below(std::size_t bound) { return generator_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }

  std::string bytes(std::size_t size) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(generator_());
    return text;
  }

  // One to eight edits: bytes changed, removed, doubled and moved, and pieces put in.
  std::string mutated(std::string text, const std::vector<std::string>& pieces) {
    for (std::size_t edits = 1 + below(8); edits > 0; --edits) edit(text, pieces);
    return text;
  }

 private:
  void edit(std::string& text, const std::vector<std::string>& pieces) {
    if (text.empty()) text = "\n";
    const std::size_t at = below(text.size());
    const std::string part = text.substr(below(text.size()), 1 + below(40));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(generator_());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, 1 + below(40));
        break;
      case 3:
        text.insert(at, part);
        break;
      case 4:
        text.replace(at, part.size(), part);
        break;
      default:
        text.insert(at, pieces.empty() ? bytes(1 + below(8)) : pieces[below(pieces.size())]);
        break;
    }
  }

  std::mt19937_64 generator_;
};

}  // namespace kgrade::fuzz
