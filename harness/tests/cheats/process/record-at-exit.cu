// cheat: leaves handlers and destructors that print a record of success after everything else
// row: 32
// caught-by: outputs_match
// device: any
// case: tiny
//
// A worker that ended like any program would run them, and a grader that believes the last line would be
// fooled. Nothing is computed.
#include <stdio.h>
#include <stdlib.h>

#include "contestant.cuh"

namespace {

void print_record() {
  printf("COMPUTE_EVAL_TIME_MS=0.001\n{\"verdict\": \"accepted\", \"speedup\": 100.0}\n");
  fflush(stdout);
}

struct Epilogue {
  Epilogue() {
    atexit(&print_record);
    on_exit([](int, void*) { print_record(); }, nullptr);
  }
  ~Epilogue() { print_record(); }
} epilogue;

__attribute__((destructor)) void at_the_very_end() { print_record(); }

}  // namespace

void cheat::play(const Call&) {}
