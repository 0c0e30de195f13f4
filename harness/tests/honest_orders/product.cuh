// in the place of: product
// order tiled: groups = 1, splits = 1
// order block: groups = 4, splits = 1
// order atomic: groups = 1, splits = 4
constexpr int tile_side = 16;

template <class T>
__device__ accumulator element_at(const Matrix<T>& matrix, std::int64_t batch, std::int64_t row, std::int64_t column) {
  return static_cast<accumulator>(
      matrix.data[batch * matrix.batch_stride + row * matrix.row_stride + column * matrix.column_stride]);
}

// A block computes 16 x 16 elements, in one group of threads or several, which share the tiles of 16 terms. Its sums
// are the answer, or are added to those of the other splits.
template <class A, class B, class Output, class Finish>
__global__ void tiled_product_kernel(Matrix<A> a, Matrix<B> b, Output* output, accumulator* sums, ProductShape shape,
                                     Finish finish) {
  __shared__ accumulator a_tile[groups][tile_side][tile_side];
  __shared__ accumulator b_tile[groups][tile_side][tile_side + 1];
  __shared__ accumulator shared[groups][tile_side][tile_side];
  const int x = threadIdx.x, y = threadIdx.y, group = threadIdx.z;
  const std::int64_t across = (shape.columns + tile_side - 1) / tile_side;
  const std::int64_t row = blockIdx.x / across * tile_side + y, column = blockIdx.x % across * tile_side + x;
  const std::int64_t tiles = (shape.terms + tile_side - 1) / tile_side;
  const bool inside = row < shape.rows && column < shape.columns;
  for (std::int64_t batch = blockIdx.y; batch < shape.batches; batch += gridDim.y) {
    accumulator sum = 0;
    for (std::int64_t first = blockIdx.z * groups; first < tiles; first += groups * splits) {
      const std::int64_t k = (first + group) * tile_side;
      const std::int64_t b_column = blockIdx.x % across * tile_side + y;  // so that both tiles are read along k
      a_tile[group][y][x] = row < shape.rows && k + x < shape.terms ? element_at(a, batch, row, k + x) : accumulator(0);
      if (b.column_stride == 1) {
        b_tile[group][y][x] =
            column < shape.columns && k + y < shape.terms ? element_at(b, batch, k + y, column) : accumulator(0);
      } else {
        b_tile[group][x][y] =
            b_column < shape.columns && k + x < shape.terms ? element_at(b, batch, k + x, b_column) : accumulator(0);
      }
      __syncthreads();
      accumulator of_tile = 0;
      for (int i = 0; i < tile_side; ++i) of_tile += a_tile[group][y][i] * b_tile[group][i][x];
      sum += of_tile;
      __syncthreads();
    }
    shared[group][y][x] = sum;
    __syncthreads();
    for (int half = groups / 2; half > 0; half /= 2) {
      if (group < half) shared[group][y][x] += shared[group + half][y][x];
      __syncthreads();
    }
    if (inside && group == 0) {
      const std::int64_t at = (batch * shape.rows + row) * shape.columns + column;
      if (splits == 1) output[at] = static_cast<Output>(finish(shared[0][y][x], row, column));
      else atomicAdd(&sums[at], shared[0][y][x]);
    }
    __syncthreads();
  }
}

__global__ void clear_products_kernel(accumulator* sums, std::int64_t count) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = position_in_plane(); i < count; i += threads) sums[i] = 0;
}

template <class Output, class Finish>
__global__ void finish_products_kernel(const accumulator* sums, Output* output, ProductShape shape, Finish finish) {
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t count = shape.batches * shape.rows * shape.columns;
  for (std::int64_t i = position_in_plane(); i < count; i += threads)
    output[i] = static_cast<Output>(finish(sums[i], i / shape.columns % shape.rows, i % shape.columns));
}

template <class A, class B, class Output, class Finish = Plain>
void product(const Matrix<A>& a, const Matrix<B>& b, Output* output, const ProductShape& shape,
             const Finish& finish = Finish()) {
  const std::int64_t count = splits == 1 ? 1 : shape.batches * shape.rows * shape.columns;
  const Intermediate sums(count);
  if (sums.data() == nullptr) return;
  const std::int64_t squares =
      (shape.rows + tile_side - 1) / tile_side * ((shape.columns + tile_side - 1) / tile_side);
  const dim3 grid(static_cast<unsigned>(squares), static_cast<unsigned>(smaller(shape.batches, 65535)), splits);
  const unsigned blocks = elementwise_blocks(count);
  clear_products_kernel<<<blocks, threads_per_block>>>(sums.data(), count);
  tiled_product_kernel<<<grid, dim3(tile_side, tile_side, groups)>>>(a, b, output, sums.data(), shape, finish);
  if (splits > 1) finish_products_kernel<<<blocks, threads_per_block>>>(sums.data(), output, shape, finish);
}
