// Values of a function on the device, one thread each, and of its twin on the host.
#pragma once

#include "corpus.h"

namespace corpus {

template <class R, class F>
__global__ void write_values(R* out, int count, F function) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = function(i);
}

template <class R, class F>
std::vector<R> on_device(int count, F function) {
  const DeviceArray<R> out(count);
  write_values<<<(count + 127) / 128, 128>>>(out.data(), count, function);
  return out.download();
}

template <class R, class F>
std::vector<R> on_host(int count, F function) {
  std::vector<R> out(count);
  for (int i = 0; i < count; ++i) out[i] = function(i);
  return out;
}

// Words that are often special, then arbitrary ones: 32 of them, and all pairs.
constexpr int word_count = 32;
constexpr int pair_count = word_count * word_count;
constexpr unsigned int word(int i) {
  constexpr unsigned int edges[] = {
      0u,          1u,          2u,          0xffffffffu, 0xfffffffeu, 0x7fffffffu, 0x80000000u, 0x80000001u,
      0x00ff00ffu, 0xff00ff00u, 0x80808080u, 0x7f7f7f7fu, 0x80007fffu, 0x7fff8000u, 0x00010001u, 0xffff0000u};
  return i < 16 ? edges[i] : static_cast<unsigned int>(i) * 2654435761u ^ 0x5bd1e995u;
}
constexpr unsigned int first_word(int pair) { return word(pair / word_count); }
constexpr unsigned int second_word(int pair) { return word(pair % word_count); }

}  // namespace corpus

// One function over a range, against an expression of the host; both see the index `i`.
#define EXPECT_SAME_VALUES(type, count, device_expression, host_expression)                       \
  report.expect_equal(                                                                            \
      #device_expression,                                                                         \
      corpus::on_device<type>(count, [] __device__(int i) -> type { return device_expression; }), \
      corpus::on_host<type>(count, [](int i) -> type { return host_expression; }))
