// at::Tensor: a counted reference to one of PyTorch's tensors. This header reads the tensor's description.
// PyTorch does all operations on the tensor, through `call`.
#pragma once

#include "kgrade_extension/accessor.h"
#include "kgrade_extension/argument.h"
#include "kgrade_extension/operator_names.h"

// The parameters for an operator's arguments after `a`. Absent arguments come last.
#define KGRADE_MORE                                                                                    \
  const ::at::Argument &b = ::at::absent, const ::at::Argument &c = ::at::absent,                      \
                       const ::at::Argument &d = ::at::absent, const ::at::Argument &e = ::at::absent, \
                       const ::at::Argument &f = ::at::absent, const ::at::Argument &g = ::at::absent, \
                       const ::at::Argument &h = ::at::absent, const ::at::Argument &i = ::at::absent, \
                       const ::at::Argument &j = ::at::absent
#define KGRADE_MORE_VALUES \
  b.value(), c.value(), d.value(), e.value(), f.value(), g.value(), h.value(), i.value(), j.value()

namespace at {

using namespace c10;

// The result of x.max(dim) and similar operators. Without `dim`, x.max() returns one tensor.
using TensorPair = std::tuple<Tensor, Tensor>;

class Tensor {
  using Record = kgrade_extension::TensorRecord;
  struct Handle {
    Record* record;
    long references;
  };

 public:
  Tensor() = default;
  Tensor(const Tensor& other) : handle_(other.handle_) {
    if (handle_ != nullptr) __atomic_fetch_add(&handle_->references, 1, __ATOMIC_RELAXED);
  }
  Tensor(Tensor&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Tensor& operator=(const Tensor& other) & {
    Tensor copy(other);
    return *this = static_cast<Tensor&&>(copy);
  }
  Tensor& operator=(Tensor&& other) & noexcept {
    Handle* mine = handle_;
    handle_ = other.handle_;
    other.handle_ = mine;
    return *this;
  }
  // x.view(...) = y writes into the memory of x.
  Tensor& operator=(const Tensor& other) && { return apply_in_place("copy_", other); }
  Tensor& operator=(const Scalar& number) && { return apply_in_place("fill_", number); }
  ~Tensor() { reset(); }

  // Takes over a record that was handed over.
  static Tensor owning(const void* record) {
    Tensor tensor;
    tensor.handle_ = new Handle{static_cast<Record*>(const_cast<void*>(record)), 1};
    return tensor;
  }
  // The description, or null for an undefined tensor.
  const Record* record() const { return handle_ != nullptr ? handle_->record : nullptr; }

  bool defined() const { return handle_ != nullptr; }
  void reset() {
    if (handle_ == nullptr || __atomic_sub_fetch(&handle_->references, 1, __ATOMIC_ACQ_REL) != 0) return;
    // A static tensor may outlive the interpreter.
    if (kgrade_extension::interface->version != 0) kgrade_extension::interface->release(handle_->record);
    delete handle_;
    handle_ = nullptr;
  }
  bool is_same(const Tensor& other) const { return record() == other.record(); }
  bool is_alias_of(const Tensor& other) const;
  long use_count() const { return handle_ != nullptr ? handle_->references : 0; }

  int64_t dim() const { return known().dimensions; }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return known().elements; }
  size_t element_size() const { return elementSize(scalar_type()); }
  size_t itemsize() const { return element_size(); }
  size_t nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
  int64_t storage_offset() const { return known().storage_offset; }
  IntArrayRef sizes() const { return {known().sizes, static_cast<size_t>(dim())}; }
  IntArrayRef strides() const { return {known().sizes + dim(), static_cast<size_t>(dim())}; }
  int64_t size(int64_t dimension) const { return sizes()[wrapped(dimension)]; }
  int64_t stride(int64_t dimension) const { return strides()[wrapped(dimension)]; }
  ScalarType scalar_type() const { return static_cast<ScalarType>(known().dtype); }
  TypeMeta dtype() const { return scalar_type(); }
  Device device() const { return Device(static_cast<DeviceType>(known().device_type), known().device_index); }
  int64_t get_device() const { return device().index(); }
  Layout layout() const { return has(kgrade_extension::strided_flag) ? kStrided : Layout::Sparse; }
  bool is_cuda() const { return device().is_cuda(); }
  bool is_cpu() const { return device().is_cpu(); }
  bool is_meta() const { return device().is_meta(); }
  bool is_sparse() const { return layout() == Layout::Sparse; }
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool is_complex() const { return isComplexType(scalar_type()); }
  bool requires_grad() const { return has(kgrade_extension::requires_grad_flag); }
  TypeProperties type() const { return TypeProperties(scalar_type(), device()); }
  TensorOptions options() const { return TensorOptions(scalar_type()).device(device()).layout(layout()); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  MemoryFormat suggest_memory_format() const;
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;

  void* data_ptr() const { return known().data; }
  void* mutable_data_ptr() const { return data_ptr(); }
  const void* const_data_ptr() const { return data_ptr(); }
  template <class T>
  T* data_ptr() const {
    constexpr ScalarType wanted = CppTypeToScalarType<std::remove_const_t<T>>::value;
    if (scalar_type() != wanted)
      throw_error("RuntimeError", str("expected scalar type ", wanted, " but found ", scalar_type()));
    return static_cast<T*>(data_ptr());
  }
  template <class T>
  T* data() const {
    return data_ptr<T>();
  }
  template <class T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <class T>
  const T* const_data_ptr() const {
    return data_ptr<std::remove_const_t<T>>();
  }

  template <class T, size_t N>
  TensorAccessor<T, N> accessor() const& {
    expect_dimensions(N, "TensorAccessor");
    return TensorAccessor<T, N>(data_ptr<T>(), sizes().data(), strides().data());
  }
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> generic_packed_accessor() const& {
    expect_dimensions(N, "PackedTensorAccessor");
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, Traits> packed_accessor32() const& {
    if (numel() > 0x7fffffff)
      throw_error("RuntimeError",
                  "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
    return generic_packed_accessor<T, N, Traits, int32_t>();
  }
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, Traits> packed_accessor64() const& {
    return generic_packed_accessor<T, N, Traits, int64_t>();
  }
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class Index = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> packed_accessor() const& {
    return generic_packed_accessor<T, N, Traits, Index>();
  }

  // Calls an operator by its name. The operators and methods below use this function.
  Tensor apply(const char* name, const Argument& a = absent, const Argument& b = absent) const;
  Tensor& apply_in_place(const char* name, const Argument& a) const;

  Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }
  bool equal(const Tensor& other) const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;
  bool is_nonzero() const;
  Tensor operator[](int64_t index) const { return apply("select", 0, index); }
  Tensor data() const { return apply("detach"); }
  Tensor variable_data() const { return apply("detach"); }
  Tensor tensor_data() const { return apply("detach"); }
  Tensor toType(ScalarType type) const { return apply("to", type); }
  Tensor T() const { return apply("numpy_T"); }
  Tensor operator-() const { return apply("neg"); }
  Tensor operator~() const { return apply("bitwise_not"); }
  Tensor max() const;
  Tensor max(const Tensor& other) const;
  TensorPair max(int64_t dim, bool keepdim = false) const;
  Tensor min() const;
  Tensor min(const Tensor& other) const;
  TensorPair min(int64_t dim, bool keepdim = false) const;
  Tensor median() const;
  TensorPair median(int64_t dim, bool keepdim = false) const;

#define KGRADE_METHOD(name) KGRADE_IF_USED(KGRADE_DECLARATION, name)
#define KGRADE_DECLARATION(name) Tensor name(const Argument& a = absent, KGRADE_MORE) const;
  KGRADE_OPERATORS_EVERYWHERE(KGRADE_METHOD)
  KGRADE_METHODS(KGRADE_METHOD)
#undef KGRADE_DECLARATION
#define KGRADE_DECLARATION(name) Tensor& name(const Argument& a = absent, KGRADE_MORE) const;
  KGRADE_METHODS_IN_PLACE(KGRADE_METHOD)
#undef KGRADE_DECLARATION
#define KGRADE_DECLARATION(name) TensorPair name(const Argument& a = absent, KGRADE_MORE) const;
  KGRADE_PAIRS_EVERYWHERE(KGRADE_METHOD)
#undef KGRADE_DECLARATION
#ifdef KGRADE_USES_vector
#define KGRADE_DECLARATION(name) std::vector<Tensor> name(const Argument& a = absent, KGRADE_MORE) const;
  KGRADE_LISTS_EVERYWHERE(KGRADE_METHOD)
#undef KGRADE_DECLARATION
#endif
#undef KGRADE_METHOD

  Tensor& operator+=(const Argument& other) const { return apply_in_place("add_", other); }
  Tensor& operator-=(const Argument& other) const { return apply_in_place("sub_", other); }
  Tensor& operator*=(const Argument& other) const { return apply_in_place("mul_", other); }
  Tensor& operator/=(const Argument& other) const { return apply_in_place("div_", other); }

 private:
  const Record& known() const {
    if (handle_ == nullptr) throw_error("RuntimeError", "tensor does not have a device: it is undefined");
    return *handle_->record;
  }
  bool has(uint8_t flag) const { return (known().flags & flag) != 0; }
  int64_t wrapped(int64_t dimension) const { return maybe_wrap_dim(dimension, dim()); }
  bool is_dense_in(std::initializer_list<int> order) const;
  void expect_dimensions(size_t wanted, const char* what) const {
    if (static_cast<size_t>(dim()) != wanted)
      throw_error("RuntimeError", str(what, " expected ", wanted, " dims but tensor has ", dim()));
  }

 public:
  static int64_t maybe_wrap_dim(int64_t dimension, int64_t dimensions) {
    const int64_t range = dimensions > 0 ? dimensions : 1;
    if (dimension < -range || dimension >= range)
      throw_error("IndexError", str("Dimension out of range (expected to be in range of [", -range, ", ",
                                    range - 1, "], but got ", dimension, ")"));
    if (dimensions == 0)
      throw_error("IndexError", str("Dimension specified as ", dimension, " but tensor has no dimensions"));
    return dimension < 0 ? dimension + dimensions : dimension;
  }

 private:
  Handle* handle_ = nullptr;
};

using TensorList = ArrayRef<Tensor>;

inline int64_t maybe_wrap_dim(int64_t dimension, int64_t dimensions) {
  return Tensor::maybe_wrap_dim(dimension, dimensions);
}

}  // namespace at
