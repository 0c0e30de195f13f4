// TensorAccessor (on the host) and PackedTensorAccessor (for kernels) find a tensor's elements by index.
#pragma once

#include "kgrade_extension/scalar_types.h"

namespace at {

template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

// A copy of sizes or strides, so that an accessor can be a kernel's argument.
template <size_t N, class Index>
class PackedExtents {
 public:
  template <class From>
  C10_HOST_DEVICE PackedExtents(const From* extents) {
    for (size_t i = 0; i < N; ++i) extents_[i] = static_cast<Index>(extents[i]);
  }
  C10_HOST_DEVICE const Index& operator[](size_t i) const { return extents_[i]; }

 private:
  Index extents_[N];
};

// An accessor of the tensor's last N dimensions. `Extents` is a pointer to the tensor's own sizes or strides,
// or holds a copy.
template <class T, size_t N, template <class> class Traits, class Index, class Extents>
class BasicTensorAccessor {
 public:
  using PtrType = typename Traits<T>::PtrType;
  template <class From>
  C10_HOST_DEVICE BasicTensorAccessor(PtrType data, const From* sizes, const From* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  C10_HOST c10::ArrayRef<Index> sizes() const { return {&sizes_[0], N}; }
  C10_HOST c10::ArrayRef<Index> strides() const { return {&strides_[0], N}; }
  C10_HOST_DEVICE Index size(Index i) const { return sizes_[i]; }
  C10_HOST_DEVICE Index stride(Index i) const { return strides_[i]; }
  C10_HOST_DEVICE PtrType data() const { return data_; }
  C10_HOST_DEVICE decltype(auto) operator[](Index i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return BasicTensorAccessor<T, N - 1, Traits, Index, const Index*>(data_ + strides_[0] * i, &sizes_[1],
                                                                        &strides_[1]);
    }
  }

 private:
  PtrType data_;
  Extents sizes_;
  Extents strides_;
};

template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
using TensorAccessor = BasicTensorAccessor<T, N, Traits, Index, const Index*>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
using GenericPackedTensorAccessor = BasicTensorAccessor<T, N, Traits, Index, PackedExtents<N, Index>>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, Index>;

}  // namespace at
