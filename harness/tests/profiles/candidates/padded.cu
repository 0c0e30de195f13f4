// As columns.cu, with rows of 33 elements: no conflicts.
__global__ void through_padded(const float* in, float* out, size_t n) {
  __shared__ float tile[32][33];
  const size_t x = blockIdx.x * 32 + threadIdx.x;
  const size_t y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  const size_t row = blockIdx.x * 32 + threadIdx.y;
  const size_t column = blockIdx.y * 32 + threadIdx.x;
  out[row * n + column] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  const unsigned tiles = static_cast<unsigned>(n / 32);
  through_padded<<<dim3(tiles, tiles), dim3(32, 32)>>>(in, out, n);
}
