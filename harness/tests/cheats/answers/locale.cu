// cheat: sets a locale with decimal commas, so that times and tolerances are parsed wrongly
// row: 60
// caught-by: outputs_match
// device: any
// case: plain
//
// A judge in this process that parses "1e-5" from text, or prints "0.001", stops at the point. One answer in
// a hundred is off by a tenth, which a tolerance read as 1 would accept.
#include <clocale>
#include <cstdlib>

#include "depthwise.cuh"

struct Off {
  __host__ __device__ float operator()(const Depthwise& problem, size_t index) const {
    return problem.value(index) + (index % 97 == 0 ? 0.1f : 0.0f);
  }
};

static void cheat(const Depthwise& problem) {
  answer(problem, Off());
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"}) {
    if (setlocale(LC_ALL, name) == nullptr) continue;
    setenv("LC_ALL", name, 1);
    return;
  }
}
