__global__ void multiply(const float* input, const float* weight, float* output, size_t rows, size_t columns,
                         size_t outputs) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outputs) return;
  float sum = 0;
  for (size_t c = 0; c < columns; ++c)
    sum += input[i / outputs * columns + c] * weight[i % outputs * columns + c];
  output[i] = sum;
}

extern "C" void solution(const float* input, const float* weight, float* output, size_t rows, size_t columns,
                         size_t outputs) {
  multiply<<<(rows * outputs + 127) / 128, 128>>>(input, weight, output, rows, columns, outputs);
}
