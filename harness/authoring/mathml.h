// LaTeX mathematics as MathML Core, which browsers show without any help.
#pragma once

#include <string>
#include <string_view>

namespace kgrade::authoring {

// The formula as one <math> element, a block of its own when `display`. Known is what statements of problems
// use: scripts, fractions, roots, sums and products with limits, functions, brackets that grow, accents,
// alphabets, text, matrices, cases and aligned rows, the symbols of math_symbols.h. A command that is not
// known stands in the formula as it is written, and a formula that cannot be read at all (a brace without its
// fellow, nesting below 60 levels, more than 16 KiB) is shown as its source, in <code>. Nothing is left out,
// and the result holds no markup of the source's own.
std::string to_mathml(std::string_view latex, bool display);

}  // namespace kgrade::authoring
