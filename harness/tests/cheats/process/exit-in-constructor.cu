// cheat: ends the process with status 0 while its library is being loaded, as if it had succeeded
// row: 29
// caught-by: load
// device: any
//
#include "contestant.cuh"

namespace {

struct Quitter {
  Quitter() { _exit(0); }
} quitter;

}  // namespace

void cheat::play(const Call&) {}
