// Writes one formula as MathML; internal to authoring. The symbols and what the commands take are in
// math_symbols.h and in math_commands.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "authoring/latex_reader.h"
#include "authoring/math_symbols.h"

namespace kgrade::authoring {

class MathWriter {
 public:
  // `depth` counts what the formula is nested in.
  MathWriter(std::string_view source, bool display, int depth)
      : reader_(source), display_(display), depth_(depth) {}

  // Nothing when the formula cannot be read.
  std::optional<std::string> formula();

 private:
  using Kind = LatexToken::Kind;
  static constexpr int deepest = 60;

  // One element, and how scripts and what follows go with it.
  struct Atom {
    std::string xml;
    bool limits = false;    // scripts stand below and above in a display
    bool function = false;  // a thin space follows unless a bracket does
  };

  bool at_row_end() const;
  std::string row();
  Atom with_scripts();
  std::string primes();
  std::string scripted(const Atom& base, const std::string& below, const std::string& above) const;
  // What a script or a command takes: a group, or the next element without scripts.
  std::string argument();
  Atom atom();
  void expect(Kind kind);
  static Atom character(std::string_view text);
  Atom command(std::string_view name);
  Atom of_symbol(const MathSymbol& symbol);
  Atom fraction(std::string_view attributes);
  Atom root();
  // The bracket behind \left, \right, \middle and \big; empty for the dot that stands for none.
  std::string bracket();
  Atom sized_bracket(std::string_view size);
  Atom brackets();
  // Rows up to \end, the closing brace of \substack, or the formula's end.
  std::string table_rows();
  Atom environment();
  Atom stack();
  // \text and its kin, alphabets, and whatever is not known.
  Atom words(std::string_view name);
  Atom alphabet(std::string_view name);
  // Text in which $...$ is mathematics again.
  std::string mixed_text(std::string_view text);

  LatexReader reader_;
  bool display_;
  int depth_;
  bool failed_ = false;
};

}  // namespace kgrade::authoring
