// cheat: computes nothing, answers the referee itself with guessed sequence numbers, and ends the process
// row: 30
// caught-by: protocol
// device: any
// case: tiny
//
// It sends one reply for each of the first numbers, so that the right one is among them.
#include "contestant.cuh"
#include "replies.cuh"

void cheat::play(const Call&) {
  for (uint64_t guess = 1; guess <= 64; ++guess) {
    Reply reply;
    reply.sequence = guess;
    send_to_referee(&reply, sizeof reply);
  }
  _exit(0);
}
