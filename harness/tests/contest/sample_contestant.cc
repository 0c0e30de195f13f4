// A contestant as the toolchain would build it, from `solution(const float* input, int behaviour, float*
// output, long n)`.
#include <unistd.h>

#include <thread>

#include "behaviour.h"

namespace {

using kgrade::test::Behaviour;

void double_all(const float* input, float* output, long n) {
  for (long i = 0; i < n; ++i) output[i] = 2 * input[i];
}

int misbehave(Behaviour behaviour, float* input, float* output, long n) {
  if (behaviour == Behaviour::wrong) output[0] += 1;
  if (behaviour == Behaviour::joins_a_thread) std::thread([] {}).join();
  if (behaviour == Behaviour::leaves_a_thread) {
    std::thread([] {
      while (true) ::pause();
    }).detach();
  }
  if (behaviour == Behaviour::writes_behind) output[n] = 1;
  if (behaviour == Behaviour::writes_before) output[-1] = 1;
  if (behaviour == Behaviour::writes_input) input[5] += 1;
  static int calls = 0;
  ++calls;
  if (behaviour == Behaviour::counts_calls) output[0] = static_cast<float>(calls);
  if (behaviour == Behaviour::exits) ::_exit(3);
  return behaviour == Behaviour::fails ? 700 : 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int kgrade_entry(const unsigned long long* arguments) {
  auto* const input = reinterpret_cast<float*>(arguments[0]);
  const auto behaviour = static_cast<Behaviour>(arguments[1]);
  auto* const output = reinterpret_cast<float*>(arguments[2]);
  const auto n = static_cast<long>(arguments[3]);
  double_all(input, output, behaviour == Behaviour::half ? n / 2 : n);
  return misbehave(behaviour, input, output, n);
}
