// Element types, and the places and layouts of tensors: c10::ScalarType, Device, Layout, MemoryFormat,
// TensorOptions.
#pragma once

#include "kgrade_extension/array_ref.h"
#include "kgrade_extension/half.h"

namespace c10 {

// X's arguments: C++ type, name, number in PyTorch.
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(X) \
  X(uint8_t, Byte, 0)                                    \
  X(int8_t, Char, 1)                                     \
  X(int16_t, Short, 2)                                   \
  X(int, Int, 3)                                         \
  X(int64_t, Long, 4)                                    \
  X(Half, Half, 5)                                       \
  X(float, Float, 6)                                     \
  X(double, Double, 7)                                   \
  X(bool, Bool, 11)                                      \
  X(BFloat16, BFloat16, 15)                              \
  X(uint16_t, UInt16, 27)                                \
  X(uint32_t, UInt32, 28)                                \
  X(uint64_t, UInt64, 29)
#define KGRADE_SCALAR_TYPES(X) AT_FORALL_SCALAR_TYPES_WITH_COMPLEX_AND_QINTS(X)

// Types that have no C++ type here. X's arguments: name, number in PyTorch, bytes.
#define KGRADE_COMPLEX_TYPES(X) X(ComplexHalf, 8, 4) X(ComplexFloat, 9, 8) X(ComplexDouble, 10, 16)
#define KGRADE_FLOAT8_TYPES(X) X(Float8_e5m2, 23, 1) X(Float8_e4m3fn, 24, 1) X(Float8_e8m0fnu, 44, 1)
#define KGRADE_OPAQUE_TYPES(X) KGRADE_COMPLEX_TYPES(X) KGRADE_FLOAT8_TYPES(X)

enum class ScalarType : int8_t {
#define KGRADE_ENTRY(type, name, number) name = number,
  KGRADE_SCALAR_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY
#define KGRADE_ENTRY(name, number, bytes) name = number,
      KGRADE_OPAQUE_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY
          Undefined = 127,
};

// The type's ScalarType, for the types above only.
template <class T>
struct CppTypeToScalarType;
template <ScalarType>
struct ScalarTypeToCPPType;
#define KGRADE_ENTRY(type, name, number)                  \
  template <>                                             \
  struct CppTypeToScalarType<type> {                      \
    static constexpr ScalarType value = ScalarType::name; \
  };                                                      \
  template <>                                             \
  struct ScalarTypeToCPPType<ScalarType::name> {          \
    using type_ = type;                                   \
  };
KGRADE_SCALAR_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY

inline const char* toString(ScalarType type) {
  switch (type) {
#define KGRADE_ENTRY(cpp_type, name, number) \
  case ScalarType::name:                     \
    return #name;
    KGRADE_SCALAR_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY
#define KGRADE_ENTRY(name, number, bytes) \
  case ScalarType::name:                  \
    return #name;
    KGRADE_OPAQUE_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY
    case ScalarType::Undefined:
      return "Undefined";
  }
  return "UNKNOWN_SCALAR";
}

inline size_t elementSize(ScalarType type) {
  switch (type) {
#define KGRADE_ENTRY(cpp_type, name, number) \
  case ScalarType::name:                     \
    return sizeof(cpp_type);
    KGRADE_SCALAR_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY
#define KGRADE_ENTRY(name, number, bytes) \
  case ScalarType::name:                  \
    return bytes;
    KGRADE_OPAQUE_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY
    case ScalarType::Undefined:
      break;
  }
  throw_error("RuntimeError", "Unknown ScalarType");
}

#define KGRADE_ENTRY(name, number, bytes) || type == ScalarType::name
inline bool isFloatingType(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::Float || type == ScalarType::Double ||
         type == ScalarType::BFloat16 KGRADE_FLOAT8_TYPES(KGRADE_ENTRY);
}
inline bool isComplexType(ScalarType type) { return false KGRADE_COMPLEX_TYPES(KGRADE_ENTRY); }
#undef KGRADE_ENTRY
inline bool isIntegralType(ScalarType type, bool with_bool) {
  return type == ScalarType::Bool
             ? with_bool
             : !isFloatingType(type) && !isComplexType(type) && type != ScalarType::Undefined;
}

// The result of Tensor::dtype().
class TypeMeta {
 public:
  constexpr TypeMeta(ScalarType type) : type_(type) {}
  constexpr ScalarType toScalarType() const { return type_; }
  size_t itemsize() const { return elementSize(type_); }
  const char* name() const {
    switch (type_) {
      case ScalarType::Byte:
        return "unsigned char";
      case ScalarType::Char:
        return "signed char";
      case ScalarType::Short:
        return "short int";
      case ScalarType::Int:
        return "int";
      case ScalarType::Long:
        return "long int";
      case ScalarType::Half:
        return "c10::Half";
      case ScalarType::Float:
        return "float";
      case ScalarType::Double:
        return "double";
      case ScalarType::Bool:
        return "bool";
      case ScalarType::BFloat16:
        return "c10::BFloat16";
      default:
        return toString(type_);
    }
  }
  template <class T>
  bool Match() const {
    return type_ == CppTypeToScalarType<T>::value;
  }
  friend bool operator==(TypeMeta a, TypeMeta b) { return a.type_ == b.type_; }
  friend bool operator!=(TypeMeta a, TypeMeta b) { return a.type_ != b.type_; }

 private:
  ScalarType type_;
};
inline ScalarType typeMetaToScalarType(TypeMeta type) { return type.toScalarType(); }
template <class T>
constexpr TypeMeta dtype_of() {
  return CppTypeToScalarType<T>::value;
}

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, Meta = 14 };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMeta = DeviceType::Meta;
using DeviceIndex = int8_t;

inline const char* DeviceTypeName(DeviceType type, bool lower = false) {
  switch (type) {
    case DeviceType::CPU:
      return lower ? "cpu" : "CPU";
    case DeviceType::CUDA:
      return lower ? "cuda" : "CUDA";
    case DeviceType::Meta:
      return lower ? "meta" : "META";
  }
  return lower ? "unknown" : "UNKNOWN";
}

class Device {
 public:
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  // "cpu", "cuda", "cuda:1".
  Device(const char* text) : type_(DeviceType::CPU), index_(-1) {
    const char* rest = text;
    if (starts_with(rest, "cuda"))
      type_ = DeviceType::CUDA;
    else if (starts_with(rest, "meta"))
      type_ = DeviceType::Meta;
    else if (!starts_with(rest, "cpu"))
      fail(text);
    if (*rest == '\0') return;
    if (*rest++ != ':' || *rest == '\0') fail(text);
    int index = 0;
    for (; *rest >= '0' && *rest <= '9' && index < 100; ++rest) index = 10 * index + (*rest - '0');
    if (*rest != '\0' || index > 127) fail(text);
    index_ = static_cast<DeviceIndex>(index);
  }
  template <class T, IfText<T> = 0>
  Device(const T& text) : Device(Text(text).c_str()) {}
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ != -1; }
  bool is_cuda() const { return type_ == DeviceType::CUDA; }
  bool is_cpu() const { return type_ == DeviceType::CPU; }
  bool is_meta() const { return type_ == DeviceType::Meta; }
  void set_index(DeviceIndex index) { index_ = index; }
  Text str() const {
    Text text(DeviceTypeName(type_, true));
    if (has_index()) text.add_number(":%d", int{index_});
    return text;
  }
  friend bool operator==(Device a, Device b) { return a.type_ == b.type_ && a.index_ == b.index_; }
  friend bool operator!=(Device a, Device b) { return !(a == b); }

 private:
  static bool starts_with(const char*& text, const char* name) {
    const size_t size = __builtin_strlen(name);
    if (__builtin_strncmp(text, name, size) != 0) return false;
    text += size;
    return true;
  }
  [[noreturn]] static void fail(const char* text) {
    throw_error("RuntimeError", c10::str("Invalid device string: '", text, "'"));
  }
  DeviceType type_;
  DeviceIndex index_;
};

enum class Layout : int8_t { Strided = 0, Sparse = 1 };
constexpr Layout kStrided = Layout::Strided;

enum class MemoryFormat : int8_t { Contiguous = 0, Preserve = 1, ChannelsLast = 2, ChannelsLast3d = 3 };

#define KGRADE_ENTRY(cpp_type, name, number) constexpr ScalarType k##name = ScalarType::name;
KGRADE_SCALAR_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY
constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong;
constexpr ScalarType kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble;
#define KGRADE_ENTRY(name, number, bytes) constexpr ScalarType k##name = ScalarType::name;
KGRADE_OPAQUE_TYPES(KGRADE_ENTRY)
#undef KGRADE_ENTRY

inline void append(Text& text, ScalarType more) { append(text, toString(more)); }
inline void append(Text& text, TypeMeta more) { append(text, more.name()); }
inline void append(Text& text, Device more) { append(text, more.str()); }
inline void append(Text& text, DeviceType more) { append(text, DeviceTypeName(more, true)); }

// The result of the older Tensor::type().
class TypeProperties {
 public:
  TypeProperties(ScalarType type, Device device) : type_(type), device_(device) {}
  ScalarType scalarType() const { return type_; }
  bool is_cuda() const { return device_.is_cuda(); }
  bool is_sparse() const { return false; }

 private:
  ScalarType type_;
  Device device_;
};

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) { fields_.dtype = static_cast<int32_t>(type); }
  TensorOptions(TypeMeta type) : TensorOptions(type.toScalarType()) {}
  TensorOptions(Device device) { fields_.device = packed(device); }
  TensorOptions(DeviceType type) : TensorOptions(Device(type)) {}
  TensorOptions(const char* device) : TensorOptions(Device(device)) {}
  template <class T, IfText<T> = 0>
  TensorOptions(const T& device) : TensorOptions(Device(device)) {}
  TensorOptions(Layout layout) { fields_.layout = static_cast<int32_t>(layout); }
  TensorOptions(MemoryFormat format) { fields_.memory_format = static_cast<int32_t>(format); }

  // Each returns a copy with that one property set.
  TensorOptions dtype(ScalarType type) const { return with(&Fields::dtype, static_cast<int32_t>(type)); }
  TensorOptions dtype(TypeMeta type) const { return dtype(type.toScalarType()); }
  template <class T>
  TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
#ifdef KGRADE_USES_optional
  TensorOptions dtype(const optional<ScalarType>& type) const { return type ? dtype(*type) : *this; }
  TensorOptions device(const optional<Device>& chosen) const { return chosen ? device(*chosen) : *this; }
#endif
  TensorOptions device(Device device) const { return with(&Fields::device, packed(device)); }
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const { return device(Device(type, index)); }
  TensorOptions device(const char* text) const { return device(Device(text)); }
  template <class T, IfText<T> = 0>
  TensorOptions device(const T& text) const {
    return device(Device(text));
  }
  TensorOptions device_index(DeviceIndex index) const { return device(Device(kCUDA, index)); }
  TensorOptions layout(Layout layout) const { return with(&Fields::layout, static_cast<int32_t>(layout)); }
  TensorOptions requires_grad(bool yes) const { return with(&Fields::requires_grad, yes); }
  TensorOptions pinned_memory(bool yes) const { return with(&Fields::pinned_memory, yes); }
  TensorOptions memory_format(MemoryFormat format) const {
    return with(&Fields::memory_format, static_cast<int32_t>(format));
  }

  TypeMeta dtype() const { return fields_.dtype < 0 ? kFloat : static_cast<ScalarType>(fields_.dtype); }
  Device device() const { return unpacked(fields_.device < 0 ? 0 : fields_.device); }
  Layout layout() const { return fields_.layout < 0 ? kStrided : static_cast<Layout>(fields_.layout); }
  bool requires_grad() const { return fields_.requires_grad > 0; }
  bool pinned_memory() const { return fields_.pinned_memory > 0; }
  bool has_dtype() const { return fields_.dtype >= 0; }
  bool has_device() const { return fields_.device >= 0; }
  const kgrade_extension::OptionFields& fields() const { return fields_; }

  static int32_t packed(Device device) {
    return static_cast<int32_t>(device.type()) | ((device.index() + 1) << 8);
  }
  static Device unpacked(int64_t device) {
    return Device(static_cast<DeviceType>(device & 0xff), static_cast<DeviceIndex>((device >> 8) - 1));
  }

 private:
  using Fields = kgrade_extension::OptionFields;
  TensorOptions with(int32_t Fields::*field, int32_t value) const {
    TensorOptions copy = *this;
    copy.fields_.*field = value;
    return copy;
  }
  Fields fields_{-1, -1, -1, -1, -1, -1};
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions dtype(TypeMeta type) { return TensorOptions(type); }
template <class T>
TensorOptions dtype() {
  return TensorOptions(CppTypeToScalarType<T>::value);
}
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool yes = true) { return TensorOptions().requires_grad(yes); }
inline TensorOptions memory_format(MemoryFormat format) { return TensorOptions(format); }

}  // namespace c10

namespace caffe2 {
using c10::TypeMeta;
}
