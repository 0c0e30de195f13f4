// Macros that stand for qualifiers, as in `#define KERNEL __global__ void` and `#define SHARED __shared__`:
// the rewriter has to see what they qualify.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/emulated/rewriter/brackets.h"

namespace kgrade::emulated {

class QualifierMacros {
 public:
  // Takes note of a macro without parameters whose body names a qualifier of CUDA's. `definition` are the
  // tokens after #define.
  void add(Tokens definition);

  // The tokens with the uses of such macros replaced by what they stand for; the new ones stand where the use
  // stood. They point into this object.
  std::vector<Token> expanded(Tokens tokens) const;

 private:
  std::map<std::string, std::string, std::less<>> bodies_;
};

}  // namespace kgrade::emulated
