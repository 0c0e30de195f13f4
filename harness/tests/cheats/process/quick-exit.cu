// cheat: calls quick_exit(0), with a handler that prints a success message
// row: 29
// caught-by: completion
// device: any
// case: tiny
//
#include <stdio.h>
#include <stdlib.h>

#include "contestant.cuh"

namespace {

void boast() {
  printf("{\"verdict\": \"accepted\", \"speedup\": 100.0}\n");
  fflush(stdout);
}

}  // namespace

void cheat::play(const Call&) {
  at_quick_exit(&boast);
  quick_exit(0);
}
