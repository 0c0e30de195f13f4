// cheat: searches the worker's memory for the number that makes a reply genuine, replies, and ends
// row: 35
// caught-by: outputs_match
// device: any
// case: tiny
//
// Everything that makes a reply credible is in the process that writes it. Requests served earlier may still
// be in memory, but the worker also has the current number in a variable. Nothing is computed.
#include "contestant.cuh"
#include "maps.cuh"
#include "replies.cuh"

namespace {

template <class Look>
void for_each_word(const cheat::Region& region, size_t readable, Look look) {
  for (uintptr_t at = region.begin; at + readable <= region.end; at += 8) {
    if (look(reinterpret_cast<const unsigned char*>(at))) return;
  }
}

std::vector<cheat::Request> calls_in(const std::vector<cheat::Region>& regions) {
  std::vector<cheat::Request> calls;
  for (const cheat::Region& region : regions) {
    for_each_word(region, sizeof(cheat::Request), [&](const unsigned char* at) {
      cheat::Request request;
      memcpy(&request, at, sizeof request);
      if (cheat::looks_like_request(at, cheat::call_request) && request.parameters == 17)
        calls.push_back(request);
      return false;
    });
  }
  return calls;
}

// Whether the number is anywhere except on a stack and within a message.
bool is_remembered(uint64_t number, const std::vector<cheat::Region>& regions) {
  bool found = false;
  for (const cheat::Region& region : regions) {
    if (region.name == "[stack]") continue;
    for_each_word(region, sizeof number, [&](const unsigned char* at) {
      uint32_t magic = 0;
      if (reinterpret_cast<uintptr_t>(at) >= region.begin + 8) memcpy(&magic, at - 8, sizeof magic);
      found = found || (magic != cheat::magic_number && memcmp(at, &number, sizeof number) == 0);
      return found;
    });
  }
  return found;
}

// All zeros if there is none.
cheat::Request present_call() {
  const std::vector<cheat::Region> regions = cheat::own_variables();
  for (const cheat::Request& call : calls_in(regions)) {
    if (is_remembered(call.sequence, regions)) return call;
  }
  return {};
}

}  // namespace

void cheat::play(const Call&) {
  const Request request = present_call();
  if (request.sequence == 0) return;
  answer_call(request);
  _exit(0);
}
