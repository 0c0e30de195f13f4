// Operands as lower precisions hold them, rounded to the nearest value, ties to even (IEEE 754-2019, 4.3.1).
#pragma once

namespace kgrade {

// The formats that tensor cores take operands in, by the CUDA C++ Programming Guide, "Alternate
// floating-point types": TF32 has 10 bits of mantissa and the exponent of float, bfloat16 7 bits and the
// exponent of float, half 10 bits and 5 bits of exponent.
enum class OperandFormat { tf32, fp16, bf16 };

// Values that are not finite stay as they are; those beyond the largest half become infinite.
float rounded(float value, OperandFormat format);

}  // namespace kgrade
