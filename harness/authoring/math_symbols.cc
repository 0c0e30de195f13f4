#include "authoring/math_symbols.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace kgrade::authoring {
namespace {

using Kind = MathSymbol::Kind;

// Sorted by bytes, for the search below.
constexpr MathSymbol symbols[] = {
    // clang-format off
    {"\\ ", Kind::space, "0.25em"}, {"\\!", Kind::space, "-0.167em"}, {"\\#", Kind::upright, "#"},
    {"\\$", Kind::upright, "$"}, {"\\%", Kind::upright, "%"}, {"\\&", Kind::upright, "&amp;"},
    {"\\,", Kind::space, "0.167em"}, {"\\:", Kind::space, "0.222em"}, {"\\;", Kind::space, "0.278em"},
    {"\\>", Kind::space, "0.222em"}, {"\\Delta", Kind::upright, "Δ"}, {"\\Gamma", Kind::upright, "Γ"},
    {"\\Im", Kind::upright, "ℑ"}, {"\\Lambda", Kind::upright, "Λ"},
    {"\\Leftarrow", Kind::operation, "⇐"}, {"\\Leftrightarrow", Kind::operation, "⇔"},
    {"\\Omega", Kind::upright, "Ω"}, {"\\Phi", Kind::upright, "Φ"}, {"\\Pi", Kind::upright, "Π"},
    {"\\Pr", Kind::limit_function, "Pr"}, {"\\Psi", Kind::upright, "Ψ"}, {"\\Re", Kind::upright, "ℜ"},
    {"\\Rightarrow", Kind::operation, "⇒"}, {"\\Sigma", Kind::upright, "Σ"},
    {"\\Theta", Kind::upright, "Θ"}, {"\\Upsilon", Kind::upright, "Υ"},
    {"\\Vert", Kind::delimiter, "‖"}, {"\\Xi", Kind::upright, "Ξ"}, {"\\_", Kind::upright, "_"},
    {"\\alpha", Kind::identifier, "α"}, {"\\angle", Kind::upright, "∠"},
    {"\\approx", Kind::operation, "≈"}, {"\\arccos", Kind::function, "arccos"},
    {"\\arcsin", Kind::function, "arcsin"}, {"\\arctan", Kind::function, "arctan"},
    {"\\arg", Kind::function, "arg"}, {"\\ast", Kind::operation, "∗"},
    {"\\backslash", Kind::delimiter, "\\"}, {"\\bar", Kind::accent, "¯"},
    {"\\beta", Kind::identifier, "β"}, {"\\bigcap", Kind::large_operation, "⋂"},
    {"\\bigcup", Kind::large_operation, "⋃"}, {"\\bigodot", Kind::large_operation, "⨀"},
    {"\\bigoplus", Kind::large_operation, "⨁"}, {"\\bigotimes", Kind::large_operation, "⨂"},
    {"\\bigvee", Kind::large_operation, "⋁"}, {"\\bigwedge", Kind::large_operation, "⋀"},
    {"\\bot", Kind::upright, "⊥"}, {"\\breve", Kind::accent, "˘"}, {"\\bullet", Kind::operation, "∙"},
    {"\\cap", Kind::operation, "∩"}, {"\\cdot", Kind::operation, "⋅"}, {"\\cdots", Kind::upright, "⋯"},
    {"\\check", Kind::accent, "ˇ"}, {"\\chi", Kind::identifier, "χ"}, {"\\circ", Kind::operation, "∘"},
    {"\\colon", Kind::operation, ":"}, {"\\coloneqq", Kind::operation, "≔"},
    {"\\cong", Kind::operation, "≅"}, {"\\coprod", Kind::large_operation, "∐"},
    {"\\cos", Kind::function, "cos"}, {"\\cosh", Kind::function, "cosh"},
    {"\\cot", Kind::function, "cot"}, {"\\coth", Kind::function, "coth"},
    {"\\csc", Kind::function, "csc"}, {"\\cup", Kind::operation, "∪"}, {"\\ddot", Kind::accent, "¨"},
    {"\\ddots", Kind::upright, "⋱"}, {"\\deg", Kind::function, "deg"},
    {"\\delta", Kind::identifier, "δ"}, {"\\det", Kind::limit_function, "det"},
    {"\\dim", Kind::function, "dim"}, {"\\div", Kind::operation, "÷"}, {"\\dot", Kind::accent, "˙"},
    {"\\dots", Kind::upright, "…"}, {"\\dotsb", Kind::upright, "⋯"}, {"\\dotsc", Kind::upright, "…"},
    {"\\downarrow", Kind::operation, "↓"}, {"\\ell", Kind::identifier, "ℓ"},
    {"\\emptyset", Kind::upright, "∅"}, {"\\enspace", Kind::space, "0.5em"},
    {"\\epsilon", Kind::identifier, "ϵ"}, {"\\equiv", Kind::operation, "≡"},
    {"\\eta", Kind::identifier, "η"}, {"\\exists", Kind::upright, "∃"},
    {"\\exp", Kind::function, "exp"}, {"\\forall", Kind::upright, "∀"},
    {"\\gamma", Kind::identifier, "γ"}, {"\\gcd", Kind::limit_function, "gcd"},
    {"\\ge", Kind::operation, "≥"}, {"\\geq", Kind::operation, "≥"},
    {"\\geqslant", Kind::operation, "≥"}, {"\\gets", Kind::operation, "←"},
    {"\\gg", Kind::operation, "≫"}, {"\\gt", Kind::operation, "&gt;"}, {"\\hat", Kind::accent, "^"},
    {"\\hbar", Kind::upright, "ℏ"}, {"\\hom", Kind::function, "hom"}, {"\\iff", Kind::operation, "⟺"},
    {"\\iiint", Kind::large_operation, "∭"}, {"\\iint", Kind::large_operation, "∬"},
    {"\\imath", Kind::identifier, "ı"}, {"\\implies", Kind::operation, "⟹"},
    {"\\in", Kind::operation, "∈"}, {"\\inf", Kind::limit_function, "inf"},
    {"\\infty", Kind::upright, "∞"}, {"\\int", Kind::large_operation, "∫"},
    {"\\iota", Kind::identifier, "ι"}, {"\\jmath", Kind::identifier, "ȷ"},
    {"\\kappa", Kind::identifier, "κ"}, {"\\ker", Kind::function, "ker"},
    {"\\lVert", Kind::delimiter, "‖"}, {"\\lambda", Kind::identifier, "λ"},
    {"\\land", Kind::operation, "∧"}, {"\\langle", Kind::delimiter, "⟨"},
    {"\\lbrace", Kind::delimiter, "{"}, {"\\lbrack", Kind::delimiter, "["},
    {"\\lceil", Kind::delimiter, "⌈"}, {"\\ldots", Kind::upright, "…"}, {"\\le", Kind::operation, "≤"},
    {"\\leftarrow", Kind::operation, "←"}, {"\\leftrightarrow", Kind::operation, "↔"},
    {"\\leq", Kind::operation, "≤"}, {"\\leqslant", Kind::operation, "≤"},
    {"\\lfloor", Kind::delimiter, "⌊"}, {"\\lg", Kind::function, "lg"},
    {"\\lim", Kind::limit_function, "lim"}, {"\\liminf", Kind::limit_function, "lim inf"},
    {"\\limsup", Kind::limit_function, "lim sup"}, {"\\ll", Kind::operation, "≪"},
    {"\\ln", Kind::function, "ln"}, {"\\lnot", Kind::operation, "¬"}, {"\\log", Kind::function, "log"},
    {"\\longrightarrow", Kind::operation, "⟶"}, {"\\lor", Kind::operation, "∨"},
    {"\\lt", Kind::operation, "&lt;"}, {"\\lvert", Kind::delimiter, "|"},
    {"\\mapsto", Kind::operation, "↦"}, {"\\max", Kind::limit_function, "max"},
    {"\\medspace", Kind::space, "0.222em"}, {"\\mid", Kind::operation, "∣"},
    {"\\min", Kind::limit_function, "min"}, {"\\mp", Kind::operation, "∓"},
    {"\\mu", Kind::identifier, "μ"}, {"\\nabla", Kind::upright, "∇"}, {"\\ne", Kind::operation, "≠"},
    {"\\neg", Kind::operation, "¬"}, {"\\negthinspace", Kind::space, "-0.167em"},
    {"\\neq", Kind::operation, "≠"}, {"\\ni", Kind::operation, "∋"}, {"\\nmid", Kind::operation, "∤"},
    {"\\notin", Kind::operation, "∉"}, {"\\nu", Kind::identifier, "ν"},
    {"\\odot", Kind::operation, "⊙"}, {"\\oint", Kind::large_operation, "∮"},
    {"\\omega", Kind::identifier, "ω"}, {"\\ominus", Kind::operation, "⊖"},
    {"\\oplus", Kind::operation, "⊕"}, {"\\oslash", Kind::operation, "⊘"},
    {"\\otimes", Kind::operation, "⊗"}, {"\\overline", Kind::accent, "‾"},
    {"\\overrightarrow", Kind::accent, "→"}, {"\\parallel", Kind::operation, "∥"},
    {"\\partial", Kind::upright, "∂"}, {"\\perp", Kind::operation, "⊥"},
    {"\\phi", Kind::identifier, "ϕ"}, {"\\pi", Kind::identifier, "π"}, {"\\pm", Kind::operation, "±"},
    {"\\prime", Kind::operation, "′"}, {"\\prod", Kind::large_operation, "∏"},
    {"\\propto", Kind::operation, "∝"}, {"\\psi", Kind::identifier, "ψ"},
    {"\\qquad", Kind::space, "2em"}, {"\\quad", Kind::space, "1em"}, {"\\rVert", Kind::delimiter, "‖"},
    {"\\rangle", Kind::delimiter, "⟩"}, {"\\rbrace", Kind::delimiter, "}"},
    {"\\rbrack", Kind::delimiter, "]"}, {"\\rceil", Kind::delimiter, "⌉"},
    {"\\rfloor", Kind::delimiter, "⌋"}, {"\\rho", Kind::identifier, "ρ"},
    {"\\rightarrow", Kind::operation, "→"}, {"\\rvert", Kind::delimiter, "|"},
    {"\\sec", Kind::function, "sec"}, {"\\setminus", Kind::operation, "∖"},
    {"\\sigma", Kind::identifier, "σ"}, {"\\sim", Kind::operation, "∼"},
    {"\\simeq", Kind::operation, "≃"}, {"\\sin", Kind::function, "sin"},
    {"\\sinh", Kind::function, "sinh"}, {"\\star", Kind::operation, "⋆"},
    {"\\subset", Kind::operation, "⊂"}, {"\\subseteq", Kind::operation, "⊆"},
    {"\\sum", Kind::large_operation, "∑"}, {"\\sup", Kind::limit_function, "sup"},
    {"\\supset", Kind::operation, "⊃"}, {"\\supseteq", Kind::operation, "⊇"},
    {"\\tan", Kind::function, "tan"}, {"\\tanh", Kind::function, "tanh"},
    {"\\tau", Kind::identifier, "τ"}, {"\\theta", Kind::identifier, "θ"},
    {"\\thickspace", Kind::space, "0.278em"}, {"\\thinspace", Kind::space, "0.167em"},
    {"\\tilde", Kind::accent, "~"}, {"\\times", Kind::operation, "×"}, {"\\to", Kind::operation, "→"},
    {"\\top", Kind::upright, "⊤"}, {"\\triangleq", Kind::operation, "≜"},
    {"\\uparrow", Kind::operation, "↑"}, {"\\upsilon", Kind::identifier, "υ"},
    {"\\varepsilon", Kind::identifier, "ε"}, {"\\varnothing", Kind::upright, "∅"},
    {"\\varphi", Kind::identifier, "φ"}, {"\\varpi", Kind::identifier, "ϖ"},
    {"\\varrho", Kind::identifier, "ϱ"}, {"\\varsigma", Kind::identifier, "ς"},
    {"\\vartheta", Kind::identifier, "ϑ"}, {"\\vdots", Kind::upright, "⋮"},
    {"\\vec", Kind::accent, "→"}, {"\\vee", Kind::operation, "∨"}, {"\\vert", Kind::delimiter, "|"},
    {"\\wedge", Kind::operation, "∧"}, {"\\widehat", Kind::accent, "^"},
    {"\\widetilde", Kind::accent, "~"}, {"\\xi", Kind::identifier, "ξ"},
    {"\\zeta", Kind::identifier, "ζ"}, {"\\{", Kind::delimiter, "{"}, {"\\|", Kind::delimiter, "‖"},
    {"\\}", Kind::delimiter, "}"},
    // clang-format on
};

// Where an alphabet's capitals, small letters and digits begin in Unicode; 0 where it has none.
struct Alphabet {
  std::string_view command;
  std::uint32_t capitals = 0;
  std::uint32_t small = 0;
  std::uint32_t digits = 0;
};

constexpr Alphabet alphabets[] = {
    {"\\mathbb", 0x1d538, 0x1d552, 0x1d7d8}, {"\\mathbf", 0x1d400, 0x1d41a, 0x1d7ce},
    {"\\boldsymbol", 0x1d468, 0x1d482, 0},   {"\\bm", 0x1d468, 0x1d482, 0},
    {"\\mathcal", 0x1d49c, 0x1d4b6, 0},      {"\\mathscr", 0x1d49c, 0x1d4b6, 0},
    {"\\mathfrak", 0x1d504, 0x1d51e, 0},     {"\\mathsf", 0x1d5a0, 0x1d5ba, 0x1d7e2},
    {"\\mathtt", 0x1d670, 0x1d68a, 0x1d7f6},
};

// Letters that had a place in Unicode before their alphabet did.
struct Hole {
  std::uint32_t place;
  std::uint32_t instead;
};

constexpr Hole holes[] = {{0x1d53a, 0x2102}, {0x1d53f, 0x210d}, {0x1d545, 0x2115}, {0x1d547, 0x2119},
                          {0x1d548, 0x211a}, {0x1d549, 0x211d}, {0x1d551, 0x2124}, {0x1d49d, 0x212c},
                          {0x1d4a0, 0x2130}, {0x1d4a1, 0x2131}, {0x1d4a3, 0x210b}, {0x1d4a4, 0x2110},
                          {0x1d4a7, 0x2112}, {0x1d4a8, 0x2133}, {0x1d4ad, 0x211b}, {0x1d4ba, 0x212f},
                          {0x1d4bc, 0x210a}, {0x1d4c4, 0x2134}, {0x1d506, 0x212d}, {0x1d50b, 0x210c},
                          {0x1d50c, 0x2111}, {0x1d515, 0x211c}, {0x1d51d, 0x2128}};

// All code points above need three bytes of UTF-8 or four.
std::string utf8(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
  const auto tail = [&](int shift) { return byte(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x10000) return {byte(0xe0 | (point >> 12)), tail(6), tail(0)};
  return {byte(0xf0 | (point >> 18)), tail(12), tail(6), tail(0)};
}

std::uint32_t place_of(const Alphabet& alphabet, char c) {
  const auto offset = [c](char first) { return static_cast<std::uint32_t>(c - first); };
  std::uint32_t place = 0;
  if (c >= 'A' && c <= 'Z') place = alphabet.capitals + offset('A');
  if (c >= 'a' && c <= 'z') place = alphabet.small + offset('a');
  if (c >= '0' && c <= '9' && alphabet.digits != 0) place = alphabet.digits + offset('0');
  for (const Hole& hole : holes) {
    if (hole.place == place) return hole.instead;
  }
  return place;
}

}  // namespace

const MathSymbol* find_math_symbol(std::string_view command) {
  const auto* found =
      std::lower_bound(std::begin(symbols), std::end(symbols), command,
                       [](const MathSymbol& symbol, std::string_view name) { return symbol.command < name; });
  return found != std::end(symbols) && found->command == command ? found : nullptr;
}

std::string in_alphabet(std::string_view command, std::string_view text) {
  for (const Alphabet& alphabet : alphabets) {
    if (alphabet.command != command) continue;
    std::string changed;
    for (const char c : text) {
      const std::uint32_t place = place_of(alphabet, c);
      changed += place == 0 ? std::string(1, c) : utf8(place);
    }
    return changed;
  }
  return std::string(text);
}

}  // namespace kgrade::authoring
