// wmma: matrix products of a warp (Programming Guide, "Warp Matrix Functions"), for half, bfloat16, tf32,
// double and 8-bit integers. Sums are float (double, int) sums in the order of K, so that their last bits
// differ from a GPU's. Operands of tf32 lose their extra bits when they are multiplied, as on a GPU;
// __float_to_tf32() rounds them before.
//
// A fragment has as many elements per lane as on a GPU. CUDA does not specify which ones, and they differ:
// here lane l holds the elements from l * num_elements on, counted row by row. Operands of half have room for
// more elements than the matrix has. The later lanes then start over, so that several lanes hold each
// element.
#pragma once

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "kgrade_emulated/groups.h"

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

// Whether there is a fragment for M by N by K with these types.
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

namespace kgrade_emulated {

// Half the unit in the last place of tf32 is added to the magnitude: to nearest, ties away from zero. NaN
// and infinity stay.
inline float round_to_tf32(float x) {
  const unsigned int bits = __float_as_uint(x);
  if ((bits & 0x7f800000u) == 0x7f800000u) return x;
  return __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

inline float truncate_to_tf32(float x) {
  return x != x ? x : __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}

// The number that an operand is multiplied as.
template <class T, class Stored>
auto factor(const Stored& x) {
  if constexpr (std::is_same_v<T, nvcuda::wmma::precision::tf32>) {
    return truncate_to_tf32(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return x;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int>(x);
  } else {
    return static_cast<float>(x);
  }
}

// Place of element e of a matrix in memory.
template <class Extent>
std::size_t place(int e, unsigned int leading, bool by_rows) {
  const std::size_t row = static_cast<unsigned int>(e / Extent::columns);
  const std::size_t column = static_cast<unsigned int>(e % Extent::columns);
  return by_rows ? row * leading + column : column * leading + row;
}

template <class Fragment, class T>
void load_fragment(Fragment& fragment, const T* source, unsigned int leading, bool by_rows) {
  __syncwarp();
  const int lane = static_cast<int>(current_lane());
  for (int i = 0; i < Fragment::num_elements; ++i) {
    fragment.x[i] = source[place<typename Fragment::extent>(Fragment::element(lane, i), leading, by_rows)];
  }
}

// One lane's factors of both operands.
template <class A, class B>
struct Factors {
  using Number = decltype(factor<typename A::element_type>(A::x[0]));
  Number a[A::num_elements];
  Number b[B::num_elements];

  Factors(const A& a_fragment, const B& b_fragment) {
    for (int i = 0; i < A::num_elements; ++i) a[i] = factor<typename A::element_type>(a_fragment.x[i]);
    for (int i = 0; i < B::num_elements; ++i) b[i] = factor<typename B::element_type>(b_fragment.x[i]);
  }
};

template <class Sum>
Sum saturated(long long sum) {
  constexpr long long most = 0x7fffffff;
  return static_cast<Sum>(sum > most ? most : sum < -most - 1 ? -most - 1 : sum);
}

}  // namespace kgrade_emulated

namespace nvcuda::wmma {

inline float __float_to_tf32(float x) { return kgrade_emulated::round_to_tf32(x); }

template <class Use, int M, int N, int K, class T, class Layout>
void fill_fragment(fragment<Use, M, N, K, T, Layout>& f,
                   const typename fragment<Use, M, N, K, T, Layout>::storage_element_type& value) {
  for (auto& element : f.x) element = value;
}

template <class Use, int M, int N, int K, class T, class Layout>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f,
                      const typename fragment<Use, M, N, K, T, Layout>::storage_element_type* source,
                      unsigned int leading) {
  static_assert(!std::is_void_v<Layout>, "accumulators are loaded with a layout");
  kgrade_emulated::load_fragment(f, source, leading, std::is_same_v<Layout, row_major>);
}

template <int M, int N, int K, class T>
void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* source, unsigned int leading,
                      layout_t layout) {
  kgrade_emulated::load_fragment(f, source, leading, layout == mem_row_major);
}

// The whole matrix is stored when this returns.
template <int M, int N, int K, class T>
void store_matrix_sync(T* destination, const fragment<accumulator, M, N, K, T>& f, unsigned int leading,
                       layout_t layout) {
  using Fragment = fragment<accumulator, M, N, K, T>;
  __syncwarp();
  const int lane = static_cast<int>(kgrade_emulated::current_lane());
  for (int i = 0; i < Fragment::num_elements; ++i) {
    const int e = Fragment::element(lane, i);
    destination[kgrade_emulated::place<typename Fragment::extent>(e, leading, layout == mem_row_major)] =
        f.x[i];
  }
  __syncwarp();
}

// d = a * b + c. Each lane computes the elements of d that it holds.
template <int M, int N, int K, class T, class LayoutA, class LayoutB, class D, class C>
void mma_sync(fragment<accumulator, M, N, K, D>& d, const fragment<matrix_a, M, N, K, T, LayoutA>& a,
              const fragment<matrix_b, M, N, K, T, LayoutB>& b, const fragment<accumulator, M, N, K, C>& c,
              bool saturate = false) {
  using A = fragment<matrix_a, M, N, K, T, LayoutA>;
  using B = fragment<matrix_b, M, N, K, T, LayoutB>;
  using Factors = kgrade_emulated::Factors<A, B>;
  using Number = typename Factors::Number;
  constexpr bool whole = std::is_same_v<Number, int>;
  using Sum = std::conditional_t<whole, long long, Number>;

  const Factors own(a, b);
  const kgrade_emulated::Offers<Factors> factors(~0u, own);
  const int lane = static_cast<int>(kgrade_emulated::current_lane());
  for (int i = 0; i < d.num_elements; ++i) {
    const int row = d.element(lane, i) / N, column = d.element(lane, i) % N;
    Sum sum = static_cast<Sum>(kgrade_emulated::factor<C>(c.x[i]));
    for (int k = 0; k < K; ++k) {
      const int from_a = row * K + k, from_b = k * N + column;
      sum += factors[from_a / A::num_elements]->a[from_a % A::num_elements] *
             factors[from_b / B::num_elements]->b[from_b % B::num_elements];
    }
    if constexpr (whole) {
      d.x[i] = saturate ? kgrade_emulated::saturated<D>(sum) : static_cast<D>(sum);
    } else {
      d.x[i] = static_cast<D>(sum);
    }
  }
}

}  // namespace nvcuda::wmma
