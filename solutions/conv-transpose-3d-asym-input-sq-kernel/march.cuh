// The kernel that marches through the depth, and its launches; tuned.cu says what for.
#pragma once

#include "operands.cuh"

const int stages = 3;  // of shared memory for pixels: two are read while one is written

// ---- A warpgroup's pixels: strips of 64, operands of products.

template <int halves, int slots, int channels, int strips>
struct Sums {
  static constexpr int width = slots * channels;
  Walk walk;
  float* target;                           // the first channel of the caller's, first plane
  int places[strips][2];                   // in the output's plane, of the caller's pixels; negative outside
  float sums[strips][halves * width / 2];  // [lo, hi][slot][...]; slot j is of the j-th emission from here

  __device__ Sums(const Task& task, float* output) : walk() { enter(task, output); }
  __device__ static int first_pixel() { return threadIdx.x / 128 * strips * 64; }
  __device__ void enter(const Task& task, float* output) {
    const Shape& shape = task.shape;
    const int march = walk.enter(task);
    const int sample = march / task.tiles / task.residues;
    const int channel = (sample * shape.groups + task.group()) * shape.out_channels +
                        task.first_channel(channels) + threadIdx.x % 4 * 2;
    target = output + channel * task.out_plane;
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) {
#pragma unroll
      for (int i = 0; i < halves * width / 2; ++i) sums[strip][i] = 0.0f;
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int pixel = march % task.tiles * (blockDim.x / 128 * strips * 64) + first_pixel() + strip * 64 +
                          threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + r * 8;
        const int y = output_of(shape.y, pixel / shape.x.pitch, task.phase_y);
        const int x = output_of(shape.x, pixel % shape.x.pitch, task.phase_x);
        places[strip][r] = y >= 0 && x >= 0 ? y * shape.x.output + x : -1;
      }
    }
  }

  // A tap's products.
  __device__ void add_tap(const Task& task, const Operand& pixel, const Operand& weight) {
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) {
      add_product<halves * width>(sums[strip], pixel.at(strip * 64), weight.at(0));
      if (halves == 2) {
        add_product<width>(reinterpret_cast<float(&)[width / 2]>(sums[strip]),
                           pixel.at(strip * 64 + 2 * task.window), weight.at(width));
      }
    }
  }
  // Begins to multiply all taps of a plane and chunk. There is one at least, which the loop's form tells the
  // assembler: it would wait for each product otherwise.
  __device__ void multiply(const Task& task, const uint4* pixels, const uint4* weights) {
    const int row = task.row_step, step = task.columns.shift_step, back = (task.columns.count - 1) * step;
    Operand pixel(pixels + first_pixel() + (task.rows.count - 1) * row + back, task.window);
    Operand weight(weights, halves * width);
    begin_products();
    if (task.rows.count == 3 && task.columns.count == 3) {  // the usual number, without a loop's counting
#pragma unroll
      for (int tap = 0; tap < 9; ++tap) {
        add_tap(task, pixel.moved(-(tap / 3 * row + tap % 3 * step)), weight.moved(tap * 2 * halves * width));
      }
    } else {
      int taps = task.taps(), column = task.columns.count;
#pragma unroll 1
      do {
        add_tap(task, pixel, weight);
        weight = weight.moved(2 * halves * width);
        pixel = pixel.moved(-step);
        if (--column == 0) {
          column = task.columns.count;
          pixel = pixel.moved(back + step - row);
        }
      } while (--taps > 0);
    }
    commit_products();
  }
  __device__ void wait() {
    wait_for_products<0>();
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) use_sums(sums[strip]);
  }

  __device__ void emit(const Task& task) const {
    const Shape& shape = task.shape;
    const int z = output_of(shape.z, walk.plane - shape.z.first + task.levels.shift, task.phase_z);
    if (z < 0) return;
    const int left = shape.out_channels - task.first_channel(channels) - threadIdx.x % 4 * 2;
    float* const plane = target + static_cast<long long>(z) * shape.y.output * shape.x.output;
#pragma unroll
    for (int strip = 0; strip < strips; ++strip) {
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        if (places[strip][r] < 0) continue;
        float* own = plane + places[strip][r];
#pragma unroll
        for (int i = 0; i < channels / 4; ++i) {
          const int at = i / 2 * 4 + r * 2 + i % 2;  // channel i / 2 * 8 + i % 2
          float sum = sums[strip][at];
          if (halves == 2) sum += sums[strip][at + width / 2];
          sum *= 1 / (input_scale * weight_scale);
          if (i / 2 * 8 + i % 2 < left) __stcs(own, task.add ? sum + *own : sum);
          own += (i % 2 == 0 ? 1 : 7) * task.out_plane;
        }
      }
    }
  }

  // Once a plane is finished, if one is: its emission and those that wait for no other plane.
  __device__ void settle(const Task& task, float* output, bool finished) {
    while (!walk.over() && (finished || !task.has(walk.plane))) {
      finished = false;
      if (walk.emits()) emit(task);
#pragma unroll
      for (int strip = 0; strip < strips; ++strip) {
#pragma unroll
        for (int i = 0; i < halves * width / 2; ++i) {
          const bool last = i % (width / 2) + channels / 2 >= width / 2;
          sums[strip][i] = last ? 0.0f : sums[strip][i + channels / 2];
        }
      }
      if (walk.advance(task)) enter(task, output);
    }
  }
};

// Block: x has a share of the marches, y counts groups and tiles of output channels.
template <int halves, int slots, int channels, int warpgroups, int strips>
__global__ void __launch_bounds__(warpgroups * 128, 1)
    march(const float* __restrict__ input, const float* __restrict__ kernel, float* __restrict__ output,
          const __grid_constant__ Task task, Range* range) {
  extern __shared__ uint4 shared[];
  const int tile_pixels = warpgroups * strips * 64;
  const int part_size =
      task.taps() * 2 * halves * slots * channels;  // in units of 16 bytes, as all sizes here
  const int stage_size = 2 * halves * task.window;
  uint4* const weights = shared;
  uint4* const pixels = shared + task.chunks * part_size;

  Loader<halves, warpgroups * 128, strips> loader(task, input, tile_pixels);
  if (!loader.over()) loader.load(task);
  Seen seen;
  load_weights<halves, slots, channels>(kernel, weights, task, seen);
  report(seen, &range->too_large, &range->weights_count);
  loader.go_on(task, tile_pixels, pixels);
  Sums<halves, slots, channels, strips> sums(task, output);
  sums.settle(task, output, false);
  __syncthreads();

  int stage = 0;
  while (!sums.walk.over()) {
    int part = 0;
    do {
      sums.multiply(task, pixels + stage * stage_size, weights + part * part_size);
      stage = stage + 1 < stages ? stage + 1 : 0;
      loader.go_on(task, tile_pixels, pixels + stage * stage_size);
      __syncthreads();  // the next stage is there, and the one before this is free
      sums.wait();
    } while (++part < task.chunks);
    sums.settle(task, output, true);
  }
  report(loader.seen, &range->too_large, &range->input_counts);
}

// ---- Launching.

struct Device {
  int multiprocessors = 1, shared_bytes = 0;  // the latter for a block
};

inline Device this_device() {
  Device device;
  int number = 0;
  cudaGetDevice(&number);
  cudaDeviceGetAttribute(&device.multiprocessors, cudaDevAttrMultiProcessorCount, number);
  cudaDeviceGetAttribute(&device.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, number);
  return device;
}

// All passes of a phase: each has so many rows of taps and chunks of channels as shared memory has room for,
// and adds its sums to those of the passes before.
template <int halves, int slots, int channels, int warpgroups, int strips>
struct Passes {
  static constexpr int tile_pixels = warpgroups * strips * 64;
  Device device;
  int rows, chunks;       // of a pass
  Taps along_y, along_x;  // the most of any phase

  long long shared_bytes(const Shape& shape, int rows, int chunks) const {
    const long long window = tile_pixels + (rows - 1LL) * along_y.shift_step * shape.x.pitch +
                             (along_x.count - 1) * along_x.shift_step;
    const long long taps = static_cast<long long>(rows) * along_x.count;
    return (taps * chunks * slots * channels + stages * window) * 2 * halves * 16;
  }
  static int chunks_of(const Shape& shape) { return (shape.in_channels + chunk - 1) / chunk; }

  // False where shared memory does not suffice.
  bool prepare(const Shape& shape) {
    device = this_device();
    along_y = most_taps(shape.y);
    along_x = most_taps(shape.x);
    rows = along_y.count;
    chunks = chunks_of(shape);
    while (rows > 1 && shared_bytes(shape, rows, 1) > device.shared_bytes) --rows;
    // Tensor cores cut off what a sum has no bits for: so not too many products to a sum.
    const int taps = rows * along_x.count * slots;
    while (chunks > 1 && (taps * chunks > 100 || shared_bytes(shape, rows, chunks) > device.shared_bytes)) {
      --chunks;
    }
    const long long bytes = shared_bytes(shape, rows, chunks);
    if (bytes > device.shared_bytes ||
        static_cast<long long>(shape.groups) * ((shape.out_channels + channels - 1) / channels) > 65535) {
      return false;
    }
    if (cudaFuncSetAttribute(march<halves, slots, channels, warpgroups, strips>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)) == cudaSuccess) {
      return true;
    }
    cudaGetLastError();
    return false;
  }

  void run(const float* input, const float* kernel, float* output, Task task, Range* range) const {
    const Shape& shape = task.shape;
    task.tiles = (shape.y.numbers() * shape.x.pitch + tile_pixels - 1) / tile_pixels;
    task.channel_tiles = (shape.out_channels + channels - 1) / channels;
    task.row_step = task.rows.shift_step * shape.x.pitch;
    task.window = tile_pixels + (task.rows.count > 1 ? (task.rows.count - 1) * task.row_step : 0) +
                  (task.columns.count > 1 ? (task.columns.count - 1) * task.columns.shift_step : 0);
    const int others = shape.groups * task.channel_tiles;
    const long long most = static_cast<long long>(task.marches()) * task.emissions;
    int share = others < device.multiprocessors ? device.multiprocessors / others : 1;
    if (share > most) share = static_cast<int>(most);
    const size_t bytes = shared_bytes(shape, rows, chunks);
    march<halves, slots, channels, warpgroups, strips>
        <<<dim3(share, others), warpgroups * 128, bytes>>>(input, kernel, output, task, range);
  }

  void run_phase(const float* input, const float* kernel, float* output, const Shape& shape, int phase,
                 Range* range) const {
    Task task = {};
    task.shape = shape;
    task.in_plane = shape.input_plane();
    task.out_plane = shape.output_plane();
    task.phase_x = phase % shape.x.stride;
    task.phase_y = phase / shape.x.stride % shape.y.stride;
    task.phase_z = phase / shape.x.stride / shape.y.stride;
    const Taps levels = taps_of(shape.z, task.phase_z), all_rows = taps_of(shape.y, task.phase_y);
    task.columns = taps_of(shape.x, task.phase_x);
    task.residues = levels.shift_step;
    task.emissions = (shape.z.numbers() + task.residues - 1) / task.residues;
    for (int level = 0; level == 0 || level < levels.count; level += slots) {
      for (int row = 0; row == 0 || row < all_rows.count; row += rows) {
        for (int part = 0; part < chunks_of(shape); part += chunks) {
          task.levels = levels.part(level, slots);
          task.rows = all_rows.part(row, rows);
          task.first_chunk = part;
          task.chunks = chunks < chunks_of(shape) - part ? chunks : chunks_of(shape) - part;
          if (task.add && task.taps() == 0) continue;
          run(input, kernel, output, task, range);
          task.add = true;
        }
      }
    }
  }
};

// False where shared memory does not suffice, or the device refuses.
template <int halves, int slots, int channels, int warpgroups, int strips>
bool launch_march(const float* input, const float* kernel, float* output, const Shape& shape,
                  Range* range) {
  Passes<halves, slots, channels, warpgroups, strips> passes = {};
  if (!passes.prepare(shape)) return false;
  for (int phase = 0; phase < shape.phases(); ++phase) {
    passes.run_phase(input, kernel, output, shape, phase, range);
  }
  return cudaGetLastError() == cudaSuccess;
}
