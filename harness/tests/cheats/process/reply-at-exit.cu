// cheat: calls exit(0), whose handlers print a success record and send a garbled last message
// row: 32
// caught-by: protocol
// device: any
// case: tiny
//
#include <stdio.h>
#include <stdlib.h>

#include "contestant.cuh"
#include "replies.cuh"

namespace {

constexpr const char record[] = "{\"verdict\": \"accepted\", \"speedup\": 100.0}\n";

void say_goodbye() {
  fputs(record, stdout);
  fflush(stdout);
  cheat::send_to_referee(record, sizeof record - 1);
}

}  // namespace

void cheat::play(const Call&) {
  atexit(&say_goodbye);
  exit(0);
}
