// The C interface between an extension and the Python process that loads it. An extension reads a tensor's
// description itself. For everything else, it calls PyTorch's operators by name, through `call`. So operators
// and memory are PyTorch's own. harness/python/kgrade_python/extension_interface.py has the same layouts:
// change both, and the version.
#pragma once

#include <stdint.h>

namespace kgrade_extension {

constexpr int32_t interface_version = 1;

// Python's description of a tensor. Whoever a record is handed over to has to release it once. Until it is
// released as often as it was handed over, the record stays at its address and up to date.
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
  empty = 2,     // {}: an empty list or None, whichever the operator takes
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
  // Zero once the interpreter has ended. From then on, no function of the interface may be called.
  int32_t version;
  // Calls an operator. Returns zero and writes its result to `result`, or returns nonzero and writes the
  // error's text to `result`. Tensors in the result are handed over.
  int32_t (*call)(const char* name, const Value* arguments, int32_t count, Value* result);
  void (*release)(TensorRecord* record);
  // An exported function ends with one of these calls, which reports its result or its error. The tensors of
  // a result are released only after the call.
  void (*give_result)(const Value* value);
  void (*give_error)(const char* python_type, const char* text);
};

// The symbol is hidden, since each loaded library has its own pointer.
inline const Interface* interface __attribute__((visibility("hidden"))) = nullptr;

}  // namespace kgrade_extension
