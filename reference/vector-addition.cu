// The sum of two vectors.
#include "ops/pointwise.cuh"

namespace {

struct Add {
  __device__ ops::accumulator operator()(ops::accumulator a, ops::accumulator b) const { return a + b; }
};

}  // namespace

extern "C" void solution(const ops::element* d_input1, const ops::element* d_input2, ops::element* d_output,
                         size_t n) {
  ops::pointwise(Add(), static_cast<std::int64_t>(n), d_output, d_input1, d_input2);
}
