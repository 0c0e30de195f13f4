// What the commands of LaTeX mathematics stand for; the names are those of LaTeX and amsmath.
#pragma once

#include <string>
#include <string_view>

namespace kgrade::authoring {

struct MathSymbol {
  enum class Kind {
    identifier,       // \alpha
    upright,          // \infty, \Gamma: an identifier that is not slanted
    operation,        // \le
    large_operation,  // \sum: its limits stand below and above in a display
    function,         // \log
    limit_function,   // \max: as a large operation
    delimiter,        // \lfloor: grows behind \left alone
    space,            // `text` is the width
    accent            // \hat{x}: `text` stands above
  };
  std::string_view command;
  Kind kind = Kind::identifier;
  std::string_view text;  // UTF-8
};

// Null for a command that is not known, or is no symbol (\frac).
const MathSymbol* find_math_symbol(std::string_view command);

// Letters and digits of `text` in the alphabet of \mathbb, \mathcal, \mathbf and the like (Unicode's
// mathematical alphanumeric symbols); other characters stay. Nothing is changed for an unknown alphabet.
std::string in_alphabet(std::string_view command, std::string_view text);

}  // namespace kgrade::authoring
