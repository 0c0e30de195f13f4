// Every element twice.
__global__ void scale(const KGRADE_ELEMENT* in, KGRADE_ELEMENT* out, size_t n) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < n) out[i] = static_cast<KGRADE_ELEMENT>(2 * static_cast<KGRADE_ACCUMULATOR>(in[i]));
}

extern "C" void solution(const KGRADE_ELEMENT* in, KGRADE_ELEMENT* out, size_t n) {
  scale<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(in, out, n);
}
