// cheat: searches the worker's memory for the number that makes a reply genuine, replies, and ends
// row: 35
// caught-by: outputs_match
// device: any
// case: tiny
//
// Whatever a reply must know to be believed is in the process that writes it. Nothing is computed.
#include "contestant.cuh"
#include "maps.cuh"
#include "replies.cuh"

namespace {

// The one with the highest number, which is the latest; 0 when there is none.
cheat::Request latest_call() {
  cheat::Request latest = {};
  for (const cheat::Region& region : cheat::own_variables()) {
    for (uintptr_t at = region.begin; at + sizeof latest <= region.end; at += 8) {
      if (!cheat::looks_like_request(reinterpret_cast<const unsigned char*>(at), cheat::call_request))
        continue;
      cheat::Request request;
      memcpy(&request, reinterpret_cast<const void*>(at), sizeof request);
      if (request.sequence > latest.sequence && request.parameters == 17) latest = request;
    }
  }
  return latest;
}

}  // namespace

void cheat::play(const Call&) {
  const Request request = latest_call();
  if (request.sequence == 0) return;
  answer_call(request);
  _exit(0);
}
