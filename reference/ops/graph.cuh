// Shortest paths and the minimum spanning tree of a graph of n nodes, given as a matrix of the lengths of its
// edges; 0 means that there is no edge. Lengths are whole numbers, so sums are exact.
#pragma once

#include "ops/launch.cuh"

namespace ops {

// More than any sum of lengths.
constexpr float no_path = 1e30f;

// --- Between all nodes: Floyd 1962 ---

__global__ void edges_as_paths_kernel(const element* edges, element* paths, std::int64_t n) {
  const std::int64_t at = position_in_plane();
  if (at >= n * n) return;
  const auto edge = static_cast<float>(edges[at]);
  const bool is_same = at / n == at % n;
  paths[at] = static_cast<element>(is_same ? 0.0f : edge > 0 ? edge : no_path);
}

// A path may lead through node `by`. Paths to and from it do not change in this step, so the order of the
// threads does not matter. A row of blocks works on a row of the matrix.
__global__ void lead_through_kernel(element* paths, std::int64_t n, std::int64_t by) {
  const std::int64_t to = position_in_plane();
  if (to >= n) return;
  for (std::int64_t from = blockIdx.y; from < n; from += gridDim.y) {
    element* const path = paths + from * n + to;
    const auto through = static_cast<float>(paths[from * n + by]) + static_cast<float>(paths[by * n + to]);
    if (through < static_cast<float>(*path)) *path = static_cast<element>(through);
  }
}

__global__ void name_missing_kernel(element* paths, std::int64_t count) {
  const std::int64_t at = position_in_plane();
  if (at < count && static_cast<float>(paths[at]) >= no_path) paths[at] = static_cast<element>(-1.0f);
}

// Writes -1 where there is no path.
inline void all_shortest_paths(const element* edges, element* paths, std::int64_t n) {
  const dim3 grid = plane_grid(1, n * n);
  edges_as_paths_kernel<<<grid, threads_per_block>>>(edges, paths, n);
  for (std::int64_t by = 0; by < n; ++by)
    lead_through_kernel<<<plane_grid(n, n), threads_per_block>>>(paths, n, by);
  name_missing_kernel<<<grid, threads_per_block>>>(paths, n * n);
}

// --- From one node ---

// Dijkstra 1959: the node nearest to the source is added to the tree of known shortest paths.
struct LengthOfPath {
  __device__ float operator()(float of_node, float edge) const { return of_node + edge; }
};

// Prim 1957: the node nearest to the tree is added to it.
struct LengthOfEdge {
  __device__ float operator()(float /*of_node*/, float edge) const { return edge; }
};

// The most threads of a block.
constexpr int most_tree_threads = 1024;

// One block grows a tree from node `source`. `distances`: each node's distance when it was added to the tree,
// `no_path` if it was not. `is_left`: whether each node has yet to be added. A thread looks at the same nodes
// in every step.
template <class Length>
__global__ void grow_tree_kernel(const element* edges, float* distances, bool* is_left, std::int64_t n,
                                 std::int64_t source) {
  __shared__ float nearest[most_tree_threads];
  __shared__ std::int64_t node[most_tree_threads];
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    distances[i] = i == source ? 0 : no_path;
    is_left[i] = true;
  }
  std::int64_t next = source;
  float distance = 0;
  while (distance < no_path) {
    float own_nearest = no_path;
    std::int64_t own_node = 0;
    for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      if (i == next) is_left[i] = false;
      if (!is_left[i]) continue;
      const auto edge = static_cast<float>(edges[next * n + i]);
      const float length = Length()(distance, edge);
      if (edge > 0 && length < distances[i]) distances[i] = length;
      if (distances[i] < own_nearest) {
        own_nearest = distances[i];
        own_node = i;
      }
    }
    nearest[threadIdx.x] = own_nearest;
    node[threadIdx.x] = own_node;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half && nearest[threadIdx.x + half] < nearest[threadIdx.x]) {
        nearest[threadIdx.x] = nearest[threadIdx.x + half];
        node[threadIdx.x] = node[threadIdx.x + half];
      }
      __syncthreads();
    }
    distance = nearest[0];
    next = node[0];
    __syncthreads();  // before the next step writes to them
  }
}

// A power of two: one thread for each node, if a block can have that many.
inline int tree_threads(std::int64_t n) {
  int threads = 1;
  while (threads < smaller(n, most_tree_threads)) threads *= 2;
  return threads;
}

// Memory for the tree; freed in the order of the stream.
class Tree {
 public:
  explicit Tree(std::int64_t n) : distances_((n * sizeof(float) + sizeof(accumulator) - 1) / sizeof(accumulator)),
                                  left_((n + sizeof(accumulator) - 1) / sizeof(accumulator)) {}
  float* distances() const { return reinterpret_cast<float*>(distances_.data()); }
  bool* is_left() const { return reinterpret_cast<bool*>(left_.data()); }
  bool is_made() const { return distances_.data() != nullptr && left_.data() != nullptr; }

 private:
  Intermediate distances_;
  Intermediate left_;
};

__global__ void distances_kernel(const float* distances, element* output, std::int64_t n) {
  const std::int64_t at = position_in_plane();
  if (at < n) output[at] = static_cast<element>(distances[at] < no_path ? distances[at] : -1.0f);
}

// Writes -1 for nodes that no path leads to.
inline void shortest_paths_from(const element* edges, element* output, std::int64_t n, std::int64_t source) {
  const Tree tree(n);
  if (!tree.is_made()) return;
  grow_tree_kernel<LengthOfPath><<<1, tree_threads(n)>>>(edges, tree.distances(), tree.is_left(), n, source);
  distances_kernel<<<plane_grid(1, n), threads_per_block>>>(tree.distances(), output, n);
}

__global__ void weight_of_tree_kernel(const float* distances, element* output, std::int64_t n) {
  float sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (distances[i] >= no_path) {
      output[0] = static_cast<element>(-1.0f);
      return;
    }
    sum += distances[i];
  }
  output[0] = static_cast<element>(sum);
}

// The sum of a minimum spanning tree's edges; -1 if the graph is not connected.
inline void spanning_tree_weight(const element* edges, element* output, std::int64_t n) {
  const Tree tree(n);
  if (!tree.is_made()) return;
  grow_tree_kernel<LengthOfEdge><<<1, tree_threads(n)>>>(edges, tree.distances(), tree.is_left(), n, 0);
  weight_of_tree_kernel<<<1, 1>>>(tree.distances(), output, n);
}

}  // namespace ops
