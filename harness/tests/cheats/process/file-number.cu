// cheat: points the C library's standard output at the referee's socket and prints a success message
// row: 34
// caught-by: protocol
// device: any
// case: tiny
//
#include <stdio.h>

#include "contestant.cuh"

void cheat::play(const Call&) {
  fflush(stdout);
  const int number = stdout->_fileno;
  stdout->_fileno = 3;
  printf("check: pass\nbenchmark-count: 1\nbenchmark.0.mean: 1\n");
  fflush(stdout);
  stdout->_fileno = number;
}
