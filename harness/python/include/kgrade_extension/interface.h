// The C interface between an extension and the Python process that loads it. An extension reads a tensor's
// description itself. Everything else it does to a tensor goes through `call`, by the operator's name, so
// operators and memory are PyTorch's own. harness/python/kgrade_python/extension_interface.py has the same
// layouts: change both, and the version.
#pragma once

#include <stdint.h>

namespace kgrade_extension {

constexpr int32_t interface_version = 1;

// Python's description of a tensor. It stays at its address and up to date until it is released as often as
// it was handed over.
struct TensorRecord {
  void* data;
  int64_t elements;
  int64_t storage_offset;  // in elements
  const int64_t* sizes;    // `dimensions` sizes, then as many strides, both in elements
  int32_t dimensions;
  int8_t dtype;  // a c10::ScalarType
  int8_t device_type;
  int8_t device_index;
  uint8_t flags;  // of TensorFlag
};

enum TensorFlag : uint8_t { contiguous_flag = 1, requires_grad_flag = 2, strided_flag = 4 };

enum class Kind : int32_t {
  absent = 0,    // a trailing argument that was left out
  none = 1,      // None, std::nullopt, an undefined tensor
  empty = 2,     // {}: an empty list or nothing, whichever the operator takes
  boolean = 3,   // integer
  integer = 4,   // integer
  real = 5,      // real
  text = 6,      // pointer: `count` bytes
  tensor = 7,    // pointer: a TensorRecord
  integers = 8,  // pointer: `count` int64_t
  reals = 9,     // pointer: `count` double
  list = 10,     // pointer: `count` Values
  tuple = 11,    // pointer: `count` Values
  dtype = 12,    // integer: a c10::ScalarType
  device = 13,   // integer: type in the low byte, index + 1 above it
  layout = 14,   // integer: a c10::Layout
  format = 15,   // integer: a c10::MemoryFormat
  options = 16,  // pointer: OptionFields
};

// An argument or a result. The memory that it points to belongs to its maker and lives until the call
// returns. The memory of a result of `call` lives until the thread's next call.
struct Value {
  Kind kind;
  int32_t count;
  union {
    int64_t integer;
    double real;
    const void* pointer;
  };
};

// The fields of a c10::TensorOptions; -1: not set.
struct OptionFields {
  int32_t dtype, layout, device, requires_grad, pinned_memory, memory_format;
};

struct Interface {
  // Zero once the interpreter ends. Then nothing may be called.
  int32_t version;
  // Returns zero with the result in `result`, or nonzero with the error's text in it. A tensor in the result
  // is handed over.
  int32_t (*call)(const char* name, const Value* arguments, int32_t count, Value* result);
  void (*release)(TensorRecord* record);
  // Reports an exported function's result, before its tensors are released, or its error.
  void (*give_result)(const Value* value);
  void (*give_error)(const char* python_type, const char* text);
};

// Hidden, since each loaded library has its own.
inline const Interface* interface __attribute__((visibility("hidden"))) = nullptr;

}  // namespace kgrade_extension
