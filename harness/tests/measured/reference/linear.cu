#include <cstddef>

using Element = KGRADE_ELEMENT;
using Accumulator = KGRADE_ACCUMULATOR;

__global__ void multiply(const Element* input, const Element* weight, Element* output, size_t rows,
                         size_t columns, size_t outputs) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * outputs) return;
  Accumulator sum = 0;
  for (size_t c = 0; c < columns; ++c)
    sum += Accumulator(input[i / outputs * columns + c]) * Accumulator(weight[i % outputs * columns + c]);
  output[i] = Element(sum);
}

extern "C" void solution(const Element* input, const Element* weight, Element* output, size_t rows,
                         size_t columns, size_t outputs) {
  multiply<<<(rows * outputs + 127) / 128, 128>>>(input, weight, output, rows, columns, outputs);
}
