// kgrade-rewrite: a program that only the emulated device's toolchain starts, in the sandbox of the compiler.
// It reads a source that may be hostile, which the grading process itself must not do. It writes its answer
// to standard output (rewrite.h). Exit codes: 0 for an answer, 2 for wrong arguments.
#include <cstdio>
#include <string>
#include <vector>

#include "device/emulated/rewriter/rewrite.h"

int main(int count, char** words) {
  using namespace kgrade::emulated;
  const auto request = to_request(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
  if (!request) {
    std::fputs("kgrade-rewrite is started by kgrade\n", stderr);
    return 2;
  }
  std::puts(to_answer(rewrite_tree(*request)).c_str());
  return 0;
}
