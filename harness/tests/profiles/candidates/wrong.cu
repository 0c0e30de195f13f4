// As columns.cu, and wrong: it copies.
__global__ void copies(const float* in, float* out, size_t n) {
  __shared__ float tile[32][32];
  const size_t x = blockIdx.x * 32 + threadIdx.x;
  const size_t y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = tile[threadIdx.y][threadIdx.x];
}

extern "C" void solution(const float* in, float* out, size_t n) {
  const unsigned tiles = static_cast<unsigned>(n / 32);
  copies<<<dim3(tiles, tiles), dim3(32, 32)>>>(in, out, n);
}
