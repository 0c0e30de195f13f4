// Fragments of wmma (Programming Guide, "Warp Matrix Functions"): which shapes there are, and which elements
// of a matrix each lane of the warp holds.
//
// A fragment has as many elements a lane as on a GPU. Which ones is not specified there, and not the same:
// here lane l holds the elements l * num_elements and following of the matrix, counted row by row. Operands
// of half have more room than the matrix has elements; the lanes then start over, and each of them holds
// an element that another holds too.
#pragma once

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

}  // namespace nvcuda::wmma

namespace kgrade_emulated {

namespace wmma = nvcuda::wmma;

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

// M by N by K, for operands and accumulators of these types.
template <class Use, int M, int N, int K, class T>
constexpr bool is_fragment() {
  constexpr bool accumulates = std::is_same_v<Use, wmma::accumulator>;
  constexpr bool square = M == 16 && N == 16, oblong = (M == 32 && N == 8) || (M == 8 && N == 32);
  if (!accumulates && !is_one_of<Use, wmma::matrix_a, wmma::matrix_b>) return false;
  if (K == 16 && (square || oblong)) {
    return accumulates ? is_one_of<T, float, __half, int>
                       : is_one_of<T, __half, __nv_bfloat16, signed char, unsigned char>;
  }
  if (K == 8 && square)
    return std::is_same_v<T, std::conditional_t<accumulates, float, wmma::precision::tf32>>;
  return K == 4 && M == 8 && N == 8 && std::is_same_v<T, double>;
}

template <class Use, int M, int N, int K>
struct Extent {
  static constexpr int rows = std::is_same_v<Use, wmma::matrix_b> ? K : M;
  static constexpr int columns = std::is_same_v<Use, wmma::matrix_a> ? K : N;
  static constexpr int elements = rows * columns;
};

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
  using type = float;
};

}  // namespace kgrade_emulated

namespace nvcuda::wmma {

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
  static_assert(kgrade_emulated::is_fragment<Use, M, N, K, T>(),
                "wmma has no fragment of this shape and type");
  static_assert(std::is_void_v<Layout> == std::is_same_v<Use, accumulator>,
                "operands have a layout, accumulators have none");

 public:
  using element_type = T;
  using storage_element_type = typename kgrade_emulated::Stored<T>::type;
  using extent = kgrade_emulated::Extent<Use, M, N, K>;
  static constexpr bool is_half_operand = std::is_same_v<T, __half> && !std::is_same_v<Use, accumulator>;
  static constexpr int num_elements = is_half_operand ? 16 : extent::elements / 32;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];

  // The number in the matrix, row by row, of element i of a lane.
  static constexpr int element(int lane, int i) {
    return lane % (extent::elements / num_elements) * num_elements + i;
  }
};

}  // namespace nvcuda::wmma
