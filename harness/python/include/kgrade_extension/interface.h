// The C interface between an extension and the Python process that loads it. Everything an extension does to
// a tensor beyond reading its description goes through `call`, by the operator's name; so the operator is
// PyTorch's own, and so is the memory. harness/python/kgrade_python/extension_interface.py has the same
// layouts: change both, and the version.
#pragma once

#include <stdint.h>

namespace kgrade_extension {

constexpr int32_t interface_version = 1;

// What Python says of a tensor. It stays at its address, and is kept up to date, until it is released as
// often as it was handed over.
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
  empty = 2,     // {}: an empty list, or nothing, as the operator has it
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

// An argument or a result. What it points to belongs to whoever made it and lives until the call returns; of
// a result of `call`, until the thread's next one.
struct Value {
  Kind kind;
  int32_t count;
  union {
    int64_t integer;
    double real;
    const void* pointer;
  };
};

// Of a c10::TensorOptions; -1 stands for what was not said.
struct OptionFields {
  int32_t dtype, layout, device, requires_grad, pinned_memory, memory_format;
};

struct Interface {
  // Zero once the interpreter ends: then nothing is called any more.
  int32_t version;
  // Zero and a result, or nonzero and the error's text in `result`. A tensor in the result is handed over.
  int32_t (*call)(const char* name, const Value* arguments, int32_t count, Value* result);
  void (*release)(TensorRecord* record);
  // What an exported function returns, said before its tensors are released; or how it ended instead.
  void (*give_result)(const Value* value);
  void (*give_error)(const char* python_type, const char* text);
};

// One for each loaded library, which is why it is hidden.
inline const Interface* interface __attribute__((visibility("hidden"))) = nullptr;

}  // namespace kgrade_extension
