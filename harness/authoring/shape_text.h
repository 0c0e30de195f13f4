// Shapes and formulas for extents as statements write them, in LaTeX or plainly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgrade::authoring {

// C_{\text{in}}: base "C", subscripts "in". A whole word, as groups or \text{rows}, is a base alone.
struct Symbol {
  std::string base;
  std::vector<std::string> subscripts;

  bool operator==(const Symbol&) const = default;
  bool has_subscript(std::string_view text) const;
  std::string text() const;  // "C_in"
};

// An integer expression in which symbols are still to be replaced by names; see problem/expression.h.
struct SymbolicExtent {
  struct Piece {
    std::string text;  // of an expression, when there is no symbol
    std::optional<Symbol> symbol;
  };
  std::vector<Piece> pieces;

  std::vector<Symbol> symbols() const;
  // The symbol, when the extent is nothing else.
  const Symbol* lone_symbol() const;
};

struct SymbolicShape {
  std::vector<SymbolicExtent> extents;
  bool tuple = false;  // written as one: in brackets, or with \times between its extents
};

// "(B, C_{\text{in}}/g, H)", "N \times M", "[rows, columns]", "N". `names` are taken whole wherever they
// stand. Nothing for what is no shape.
std::optional<SymbolicShape> parse_shape(std::string_view text, const std::vector<std::string>& names);

// "\left\lfloor (H + 2p - K)/s \right\rfloor + 1".
std::optional<SymbolicExtent> parse_extent(std::string_view text, const std::vector<std::string>& names);

}  // namespace kgrade::authoring
