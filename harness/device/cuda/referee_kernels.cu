#include <algorithm>

#include "device/cuda/check.h"
#include "device/cuda/referee_kernels.h"

namespace kgrade::cuda {
namespace {

constexpr int threads_per_block = 256;

unsigned int grid_for(std::uint64_t items) {
  const std::uint64_t blocks = (items + threads_per_block - 1) / threads_per_block;
  return static_cast<unsigned int>(blocks < 1 ? 1 : blocks > 65535 * 8 ? 65535 * 8 : blocks);
}

__device__ std::uint64_t thread_index() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ std::uint64_t thread_count() { return std::uint64_t{gridDim.x} * blockDim.x; }

__device__ void add_to(unsigned long long* total, unsigned int count) {
  if (count != 0) atomicAdd(total, count);
}

__host__ __device__ std::uint64_t blocks_in(device::ByteRange range) {
  return range.end > range.begin ? device::end_block(range) - device::first_block(range) : 0;
}

__host__ __device__ std::uint64_t blocks_of(const PoisonedRanges& poisoned) {
  return blocks_in(poisoned.ranges.first) + blocks_in(poisoned.ranges.second);
}

__host__ __device__ std::uint64_t blocks_of(const InputTensor& input) {
  return (input.range.elements + 3) / 4;
}

std::uint64_t blocks_of(const BufferLook& look) {
  return std::max(blocks_of(look.zones), look.input.tensor != nullptr ? blocks_of(look.input) : 0);
}

// Block number `index` of two ranges, which are counted one after the other.
struct BlockOfTwo {
  device::ByteRange range;
  std::uint64_t block;
};

__device__ BlockOfTwo block_of_two(const TwoRanges& ranges, std::uint64_t index) {
  const std::uint64_t in_first = blocks_in(ranges.first);
  if (index < in_first) return {ranges.first, device::first_block(ranges.first) + index};
  return {ranges.second, device::first_block(ranges.second) + index - in_first};
}

// As many items as fit into the 4 KiB of a launch's arguments.
template <class Item>
struct Batch {
  static constexpr std::size_t size = 4096 / sizeof(Item);
  Item item[size];
};

__global__ void fill_poison_kernel(const __grid_constant__ Batch<PoisonedRanges> batch) {
  const PoisonedRanges& mine = batch.item[blockIdx.y];
  for (std::uint64_t i = thread_index(); i < blocks_of(mine); i += thread_count()) {
    const BlockOfTwo place = block_of_two(mine.ranges, i);
    device::fill_block(mine.buffer, place.range, mine.poison, place.block);
  }
}

__device__ unsigned int count_changed_bytes(const PoisonedRanges& mine) {
  unsigned int changed = 0;
  for (std::uint64_t i = thread_index(); i < blocks_of(mine); i += thread_count()) {
    const BlockOfTwo place = block_of_two(mine.ranges, i);
    changed += device::changed_bytes_in_block(mine.buffer, place.range, mine.poison, place.block);
  }
  return changed;
}

__global__ void count_unwritten_elements_kernel(const unsigned char* buffer, device::ByteRange range,
                                                device::Poison poison, unsigned long long* total) {
  unsigned int unwritten = 0;
  for (std::uint64_t block = device::first_block(range) + thread_index(); block < device::end_block(range);
       block += thread_count()) {
    unwritten += device::unchanged_elements_in_block(buffer, range, poison, block);
  }
  add_to(total, unwritten);
}

// A block of any input. This function is not inlined, so that the common draws do not need its registers.
__device__ __noinline__ device::Four<std::int64_t> block_of_any_input(const device::InputRange& range,
                                                                      std::uint64_t block) {
  return device::input_block(range, block);
}

// Calls work(dtype, block, four) for this thread's blocks of an input, which is drawn and stored in the given
// form.
template <class Work>
__device__ void draw_blocks(const device::InputRange& range, const DrawForm& form, Dtype dtype,
                            const Work& work) {
  for (std::uint64_t block = thread_index(); 4 * block < range.elements; block += thread_count())
    work(dtype, block, device::stored_as(dtype, device::drawn_block(range.contents, form, block)));
}

// Like draw_blocks(), for a copy of float32 elements, which are stored unchanged or rounded to a narrow type.
template <class Work>
__device__ void copy_blocks(const device::InputRange& range, Dtype dtype, const Work& work) {
  for (std::uint64_t block = thread_index(); 4 * block < range.elements; block += thread_count())
    work(dtype, block, device::copied_block(range, {Dtype::float32, dtype, dtype}, block));
}

// Like draw_blocks(), for any input. Most inputs are uniform or normal numbers, or copies of floats, so these
// have their own code.
template <class Work>
__device__ void for_each_block(const device::InputRange& range, const Work& work) {
  using Kind = Distribution::Kind;
  const Distribution& drawn = range.contents.distribution;
  if (range.source != nullptr && range.source_dtype == Dtype::float32 && drawn.dtype == range.dtype) {
    if (range.dtype == Dtype::float32) return copy_blocks(range, Dtype::float32, work);
    if (is_narrow(range.dtype)) return copy_blocks(range, range.dtype, work);
  }
  const bool is_uniform = drawn.kind == Kind::uniform;
  const bool is_common = range.source == nullptr && is_drawn_in_place(drawn) && !drawn.is_encoded &&
                         (is_uniform || drawn.kind == Kind::normal);
  if (is_common && drawn.dtype == Dtype::float32 && range.dtype == Dtype::float32) {
    if (is_uniform) return draw_blocks(range, {Kind::uniform, Dtype::float32, false}, Dtype::float32, work);
    return draw_blocks(range, {Kind::normal, Dtype::float32, false}, Dtype::float32, work);
  }
  if (is_common && is_narrow(drawn.dtype)) {
    if (is_uniform) return draw_blocks(range, {Kind::uniform, drawn.dtype, false}, range.dtype, work);
    return draw_blocks(range, {Kind::normal, drawn.dtype, false}, range.dtype, work);
  }
  for (std::uint64_t block = thread_index(); 4 * block < range.elements; block += thread_count())
    work(range.dtype, block, block_of_any_input(range, block));
}

// Four blocks have to fit into a multiprocessor. This leaves enough registers for the common draws.
__global__ void __launch_bounds__(threads_per_block, 4)
    fill_inputs_kernel(const __grid_constant__ Batch<InputTensor> batch) {
  const InputTensor& mine = batch.item[blockIdx.y];
  for_each_block(mine.range, [&](Dtype dtype, std::uint64_t block, const device::Four<std::int64_t>& four) {
    device::store_block(mine.tensor, dtype, mine.range.elements, block, four);
  });
}

__global__ void __launch_bounds__(threads_per_block, 4)
    inspect_kernel(const __grid_constant__ Batch<BufferLook> batch) {
  const BufferLook& mine = batch.item[blockIdx.y];
  const InputTensor& input = mine.input;
  add_to(mine.counters, count_changed_bytes(mine.zones));
  if (input.tensor == nullptr) return;
  unsigned int changed = 0;
  for_each_block(input.range, [&](Dtype dtype, std::uint64_t block, const device::Four<std::int64_t>& four) {
    changed += device::count_changed(input.tensor, dtype, input.range.elements, block, four);
  });
  add_to(mine.counters + 1, changed);
}

// Adds this thread's elements to a comparison. The elements are floats of a known type, so several loads are
// in flight before the first value is needed.
template <Dtype dtype>
__device__ void accumulate_floats(ElementErrors& mine, const device::ComparedOutput& output) {
  constexpr unsigned int at_once = 4;
  const std::uint64_t step = thread_count();
  for (std::uint64_t first = thread_index(); first < output.elements; first += at_once * step) {
    float actual[at_once];
    float expected[at_once];
#pragma unroll
    for (unsigned int i = 0; i < at_once; ++i) {
      const std::uint64_t index = first + i * step < output.elements ? first + i * step : first;
      actual[i] = load_element(dtype, output.actual, index);
      expected[i] = load_element(Dtype::float32, output.expected, index);
    }
#pragma unroll
    for (unsigned int i = 0; i < at_once; ++i) {
      const std::uint64_t index = first + i * step;
      if (index < output.elements)
        device::accumulate(mine, actual[i], expected[i], index, dtype, output.magnitudes);
    }
  }
}

// Like accumulate_floats(), for any output.
__device__ void accumulate_any(ElementErrors& mine, const device::ComparedOutput& output) {
  for (std::uint64_t i = thread_index(); i < output.elements; i += thread_count())
    device::accumulate(mine, output, i);
}

using Accumulate = void(ElementErrors&, const device::ComparedOutput&);

// Merges the errors of a block's threads. Parts are merged in the same order on every run.
__device__ ElementErrors merged_in_block(const ElementErrors& mine) {
  // Raw storage, since a shared variable may not have a constructor.
  __shared__ alignas(ElementErrors) unsigned char storage[threads_per_block * sizeof(ElementErrors)];
  auto* parts = reinterpret_cast<ElementErrors*>(storage);
  parts[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned int half = threads_per_block / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) device::merge(parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  return parts[0];
}

// Whether all other blocks have written their parts. If so, the parts are visible to this block.
__device__ bool is_last_block(Counter* finished) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(finished, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return is_last;
}

// `blocks` blocks have to fit into a multiprocessor. It is three where that needs no local memory.
template <Accumulate accumulate, int blocks>
__global__ void __launch_bounds__(threads_per_block, blocks)
    compare_kernel(const __grid_constant__ device::ComparedOutput output, ElementErrors* parts,
                   Counter* finished, ElementErrors* result) {
  ElementErrors mine;
  accumulate(mine, output);
  const ElementErrors part = merged_in_block(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = part;
  if (!is_last_block(finished)) return;
  mine = {};
  for (unsigned int i = threadIdx.x; i < gridDim.x; i += threads_per_block) device::merge(mine, parts[i]);
  const ElementErrors whole = merged_in_block(mine);
  if (threadIdx.x == 0) *result = whole;
}

__global__ void count_wrong_kernel(const __grid_constant__ device::ComparedOutput output, double limit,
                                   unsigned long long* total) {
  unsigned int wrong = 0;
  for (std::uint64_t i = thread_index(); i < output.elements; i += thread_count()) {
    wrong += device::is_wrong(output, i, limit);
  }
  add_to(total, wrong);
}

__global__ void count_by_rule_kernel(const __grid_constant__ device::ComparedOutput output, double absolute,
                                     double relative, bool either, unsigned long long* failed,
                                     unsigned long long* largest_error) {
  unsigned int mine = 0;
  double largest = 0;
  for (std::uint64_t i = thread_index(); i < output.elements; i += thread_count()) {
    const device::RuledElement element = device::ruled_element(output, i, absolute, relative, either);
    mine += element.passes ? 0 : 1;
    largest = fmax(largest, element.error);
  }
  add_to(failed, mine);
  // Numbers that are not negative are in the order of their bits.
  if (largest > 0) atomicMax(largest_error, static_cast<unsigned long long>(__double_as_longlong(largest)));
}

__global__ void sample_kernel(const unsigned char* tensor, std::uint64_t elements, Dtype dtype,
                              double* values) {
  for (std::uint64_t i = thread_index(); i < device::sample_size(elements); i += thread_count())
    values[i] = device::load_number(dtype, tensor, device::sampled_element(i, elements));
}

auto compare_kernel_for(const device::ComparedOutput& output) {
  const bool is_usual = output.quantised.values == nullptr && output.magnitudes.slices.count == 0;
  if (is_usual && output.dtype == Dtype::float32) return compare_kernel<accumulate_floats<Dtype::float32>, 3>;
  if (is_usual && output.dtype == Dtype::bfloat16)
    return compare_kernel<accumulate_floats<Dtype::bfloat16>, 3>;
  if (is_usual && output.dtype == Dtype::float16) return compare_kernel<accumulate_floats<Dtype::float16>, 3>;
  return compare_kernel<accumulate_any, 2>;
}

// Launches enough work to fill a device. The grid is as wide for a small item as for the largest item of the
// launch.
template <class Item>
void launch_on(void (*kernel)(Batch<Item>), const Item* items, std::size_t count) {
  constexpr unsigned int widest = 4096;
  for (std::size_t begin = 0; begin < count; begin += Batch<Item>::size) {
    const std::size_t now = std::min(count - begin, Batch<Item>::size);
    Batch<Item> batch{};
    std::uint64_t most_blocks = 0;
    for (std::size_t i = 0; i < now; ++i) {
      batch.item[i] = items[begin + i];
      most_blocks = std::max(most_blocks, blocks_of(items[begin + i]));
    }
    const dim3 grid(std::min(grid_for(most_blocks), widest), static_cast<unsigned int>(now));
    kernel<<<grid, threads_per_block>>>(batch);
    KGRADE_CUDA_CHECK(cudaGetLastError());
  }
}

}  // namespace

void count_unwritten_elements(const unsigned char* buffer, device::ByteRange range,
                              const device::Poison& poison, Counter* total) {
  count_unwritten_elements_kernel<<<grid_for(blocks_in(range)), threads_per_block>>>(buffer, range, poison,
                                                                                     total);
  KGRADE_CUDA_CHECK(cudaGetLastError());
}

void fill_poison(const PoisonedRanges* ranges, std::size_t count) {
  launch_on(fill_poison_kernel, ranges, count);
}

void fill_inputs(const InputTensor* inputs, std::size_t count) {
  launch_on(fill_inputs_kernel, inputs, count);
}

void inspect(const BufferLook* looks, std::size_t count) { launch_on(inspect_kernel, looks, count); }

void compare(const device::ComparedOutput& output, ElementErrors* parts, Counter* finished,
             ElementErrors* result) {
  const unsigned int blocks = std::min(grid_for(output.elements), comparison_parts);
  compare_kernel_for(output)<<<blocks, threads_per_block>>>(output, parts, finished, result);
  KGRADE_CUDA_CHECK(cudaGetLastError());
}

void count_wrong(const device::ComparedOutput& output, double limit, Counter* total) {
  count_wrong_kernel<<<grid_for(output.elements), threads_per_block>>>(output, limit, total);
  KGRADE_CUDA_CHECK(cudaGetLastError());
}

void count_by_rule(const device::ComparedOutput& output, double absolute, double relative, bool either,
                   Counter* failed, Counter* largest_error) {
  const unsigned int blocks = std::min(grid_for(output.elements), comparison_parts);
  count_by_rule_kernel<<<blocks, threads_per_block>>>(output, absolute, relative, either, failed,
                                                      largest_error);
  KGRADE_CUDA_CHECK(cudaGetLastError());
}

void sample(const unsigned char* tensor, std::uint64_t elements, Dtype dtype, double* values) {
  sample_kernel<<<grid_for(device::sample_size(elements)), threads_per_block>>>(tensor, elements, dtype,
                                                                                values);
  KGRADE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace kgrade::cuda
