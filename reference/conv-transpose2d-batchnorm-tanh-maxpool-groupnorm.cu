// Transposed 2D convolution, batch norm with the statistics of the batch, tanh, max pooling, group norm.
#include "ops/activation.cuh"
#include "ops/conv_transpose.cuh"
#include "ops/norm.cuh"
#include "ops/pool.cuh"

extern "C" void solution(const ops::element* input, const ops::element* kernel, const ops::element* bn_weight,
                         const ops::element* bn_bias, const ops::element* gn_weight,
                         const ops::element* gn_bias, ops::element* output, size_t batch_size,
                         size_t in_channels, size_t out_channels, size_t height, size_t width,
                         size_t kernel_h, size_t kernel_w, size_t stride_h, size_t stride_w, size_t padding_h,
                         size_t padding_w, size_t output_padding_h, size_t output_padding_w, size_t groups,
                         size_t num_groups) {
  const double epsilon = 1e-5;
  const size_t dilation = 1;
  ops::ConvShape conv = ops::conv_shape(batch_size, in_channels, out_channels, groups);
  conv.height = ops::conv_transpose_axis(height, kernel_h, stride_h, padding_h, output_padding_h, dilation);
  conv.width = ops::conv_transpose_axis(width, kernel_w, stride_w, padding_w, output_padding_w, dilation);

  ops::PoolShape pool;
  pool.planes = conv.output_planes();
  pool.height = ops::pool_axis(conv.height.output, 2, 2, 0, 1);
  pool.width = ops::pool_axis(conv.width.output, 2, 2, 0, 1);

  ops::NormShape before_pool;
  before_pool.batch = conv.batch;
  before_pool.channels = conv.out_channels;
  before_pool.positions = conv.output_positions();
  ops::NormShape after_pool = before_pool;
  after_pool.positions = pool.output_positions();

  const std::int64_t conv_elements = conv.output_planes() * conv.output_positions();
  const ops::Intermediate features(conv_elements);
  const ops::Intermediate pooled(pool.planes * pool.output_positions());
  if (features.data() == nullptr || pooled.data() == nullptr) return;

  ops::conv_transpose(input, kernel, features.data(), conv);
  ops::batch_norm(features.data(), bn_weight, bn_bias, features.data(), before_pool, epsilon);
  ops::activation(ops::Tanh(), features.data(), features.data(), conv_elements);
  ops::max_pool(features.data(), pooled.data(), pool);
  ops::group_norm(pooled.data(), gn_weight, gn_bias, output, after_pool,
                  static_cast<std::int64_t>(num_groups), epsilon);
}
