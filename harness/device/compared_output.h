// Collects the addresses that the referee's comparison reads: the places of a pair of outputs in their
// buffers.
#pragma once

#include "device/device.h"
#include "device/element_errors.h"

namespace kgrade {

// `bytes_of(buffer, begin)` is the device's address of byte number `begin` of a buffer.
template <class BytesOf>
device::ComparedOutput compared_output(const OutputPair& output, const BytesOf& bytes_of) {
  device::ComparedOutput both{bytes_of(*output.actual, output.actual_begin),
                              bytes_of(*output.expected, output.expected_begin),
                              output.elements,
                              output.dtype,
                              output.tied,
                              output.quantised,
                              output.magnitudes,
                              output.expects_own_type};
  if (output.scales != nullptr) {
    both.quantised.values = bytes_of(*output.values, output.values_begin);
    both.quantised.scales = bytes_of(*output.scales, output.scales_begin);
    both.quantised.expected_scales = bytes_of(*output.expected_scales, output.expected_scales_begin);
  } else if (output.values != nullptr) {
    both.tied.values = bytes_of(*output.values, output.values_begin);
  }
  return both;
}

}  // namespace kgrade
