// 2D convolution that keeps the image's size, then ReLU, then hard swish.
#include "ops/activation.cuh"
#include "ops/conv.cuh"

namespace {

// x * min(max(x + 3, 0), 6) / 6, of x that is not negative.
struct ReluHardSwish {
  __device__ ops::accumulator operator()(ops::accumulator x) const {
    const ops::accumulator positive = x > 0 ? x : ops::accumulator(0);
    const ops::accumulator gate = positive + 3 < 6 ? positive + 3 : ops::accumulator(6);
    return positive * gate / 6;
  }
};

}  // namespace

extern "C" void solution(const ops::element* image, const ops::element* kernel, ops::element* output, size_t H,
                         size_t W, size_t Kh, size_t Kw) {
  ops::ConvShape shape = ops::conv_shape(1, 1, 1, 1);
  shape.height = ops::conv_axis(H, Kh, 1, Kh / 2, 1);
  shape.width = ops::conv_axis(W, Kw, 1, Kw / 2, 1);
  const ops::Intermediate sums(shape.output_positions());
  if (sums.data() == nullptr) return;
  ops::conv(image, kernel, sums.data(), shape);
  ops::activation(ReluHardSwish(), sums.data(), output, shape.output_positions());
}
