// What a launch computes, and the order in which a block goes through it.
#pragma once

#include "shape.cuh"

// What a launch computes: the outputs of a phase, from some of the taps and chunks of channels.
struct Task {
  Shape shape;
  int phase_z, phase_y, phase_x;
  Taps levels, rows, columns;  // taps along z, y, x
  int first_chunk, chunks;
  bool add;           // to what the output has
  int row_step;       // pixels from a row of taps to the next
  int window;         // pixels that a block's products read
  int channel_tiles;  // of a group
  int tiles;          // of pixels, that a plane has
  int residues;       // planes that are multiples of the taps' step apart are marched through on their own
  int emissions;      // of a march through all planes
  long long in_plane, out_plane;  // pixels of a channel

  __host__ __device__ int taps() const { return levels.count > 0 ? rows.count * columns.count : 0; }
  __host__ __device__ int marches() const { return shape.batch_size * residues * tiles; }
  __device__ bool has(int plane) const { return plane >= 0 && plane < shape.z.input && taps() > 0; }
  __device__ int group() const { return blockIdx.y / channel_tiles; }
  __device__ int first_channel(int channels) const { return blockIdx.y % channel_tiles * channels; }
};

// A block's stretches of marches, one after the other; a march takes a sample's tile through its planes. Each
// plane gives an emission, of what is then complete. First come whole marches, neighbours in neighbouring
// blocks at the same time, so that L2 serves what their windows share. The marches that are left are cut in
// pieces of one length.
struct Walk {
  int stretch;
  int left;      // planes, with the present one
  int emitting;  // so many of them emit: those before give their products to later ones
  int plane;     // of the input, may be outside

  __device__ bool over() const { return left <= 0; }
  __device__ bool emits() const { return left <= emitting; }
  // Begins the stretch, and returns its march. Tap 0 takes a plane to the present emission, tap j to the j-th
  // after it.
  __device__ int enter(const Task& task) {
    const int blocks = gridDim.x, whole = task.marches() / blocks;
    int march = stretch * blocks + blockIdx.x, begin = 0, end = task.emissions;
    if (stretch >= whole) {
      const long long rest = static_cast<long long>(task.marches() - whole * blocks) * task.emissions;
      const long long from = rest * blockIdx.x / blocks, to = rest * (blockIdx.x + 1) / blocks;
      const int number = static_cast<int>(from / task.emissions) + stretch - whole;
      const long long start = static_cast<long long>(number) * task.emissions;
      march = whole * blocks + number;
      if (from > start) begin = static_cast<int>(from - start);
      if (to - start < end) end = static_cast<int>(to - start);
    }
    const int before = task.levels.count > 0 ? task.levels.count - 1 : 0;
    emitting = end - begin;
    left = emitting > 0 ? emitting + before : 0;
    plane = march / task.tiles % task.residues + (begin - before) * task.levels.shift_step +
            task.shape.z.first - task.levels.shift;
    return march;
  }
  // To the next plane; true where that is another stretch's.
  __device__ bool advance(const Task& task) {
    plane += task.levels.shift_step;
    if (--left > 0) return false;
    ++stretch;
    return true;
  }
};
