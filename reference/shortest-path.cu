// The lengths of the shortest paths from one node of a graph to all.
#include "ops/graph.cuh"

extern "C" void solution(const ops::element* d_adj_matrix, int source, ops::element* d_distances, size_t n) {
  ops::shortest_paths_from(d_adj_matrix, d_distances, static_cast<std::int64_t>(n), source);
}
