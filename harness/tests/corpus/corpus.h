// The framework for the corpus of CUDA programs: a file holds cases, and a case runs kernels and compares
// their results with what the host computes. The same file is compiled for the emulated device, and by nvcc
// for a GPU; corpus_test.cc runs the cases of both.
//
//   CORPUS_CASE(adds_vectors) {
//     const auto a = corpus::numbers(1000, 1), b = corpus::numbers(1000, 2);
//     corpus::DeviceArray<float> da(a), db(b), dc(a.size());
//     add<<<4, 256>>>(da.data(), db.data(), dc.data(), 1000);
//     std::vector<float> expected(1000);
//     ...
//     report.expect_equal("sum", dc.download(), expected);
//   }
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace corpus {

// The mistakes that a case found.
class Report {
 public:
  void expect(const char* what, bool holds) {
    if (!holds) fail(std::string(what) + " does not hold");
  }

  void expect_success(const char* what, cudaError_t error) {
    if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
  }

  template <class T>
  void expect_equal(const char* what, const T& actual, const T& expected) {
    if (!(actual == expected)) mismatch(what, "", actual, expected);
  }

  // NaN equals NaN.
  template <class T>
  void expect_equal(const char* what, const std::vector<T>& actual, const std::vector<T>& expected) {
    compare(what, actual, expected, [](const T& a, const T& e) { return a == e || (a != a && e != e); });
  }

  // |actual - expected| <= tolerance * max(1, |expected|); NaN equals NaN, an infinity itself.
  template <class T>
  void expect_near(const char* what, const std::vector<T>& actual, const std::vector<T>& expected,
                   double tolerance) {
    compare(what, actual, expected, [tolerance](const T& a, const T& e) {
      const double x = static_cast<double>(a), y = static_cast<double>(e);
      if (x == y || (x != x && y != y)) return true;
      return std::fabs(x - y) <= tolerance * std::fmax(1.0, std::fabs(y));
    });
  }

  const std::string& text() const { return text_; }

  void fail(const std::string& message) {
    if (failures_++ < 5) text_ += message + "\n";
  }

 private:
  template <class T, class Same>
  void compare(const char* what, const std::vector<T>& actual, const std::vector<T>& expected, Same same) {
    if (actual.size() != expected.size()) {
      fail(std::string(what) + ": " + std::to_string(actual.size()) + " values for " +
           std::to_string(expected.size()));
      return;
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const T a = actual[i], e = expected[i];
      if (!same(a, e)) mismatch(what, "[" + std::to_string(i) + "]", a, e);
    }
  }

  template <class T>
  void mismatch(const char* what, const std::string& place, const T& actual, const T& expected) {
    std::ostringstream stream;
    stream.precision(9);
    stream << what << place << " is " << actual << ", expected " << expected;
    fail(stream.str());
  }

  std::string text_;
  int failures_ = 0;
};

// Owns device memory.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) { cudaMalloc(&data_, count * sizeof(T)); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return count_; }

  void set_bytes(int byte) { cudaMemset(data_, byte, count_ * sizeof(T)); }

  // Waits for the device.
  std::vector<T> download() const {
    std::vector<T> values(count_);
    cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

// Small integers divided by two: sums of a few thousand of them are exact in any order.
inline std::vector<float> numbers(std::size_t count, unsigned int seed) {
  std::vector<float> result(count);
  unsigned int state = seed * 2654435761u + 1u;
  for (float& value : result) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<int>(state >> 24) - 128) / 2.0f;
  }
  return result;
}

struct Case {
  const char* name;
  void (*run)(Report& report);
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Registration {
  Registration(const char* name, void (*run)(Report& report)) { cases().push_back({name, run}); }
};

}  // namespace corpus

#define CORPUS_CASE(name)                                                 \
  static void name(corpus::Report& report);                               \
  static const corpus::Registration corpus_registers_##name(#name, name); \
  static void name([[maybe_unused]] corpus::Report& report)

// The functions that corpus_test.cc looks up in the library. Each file has them once.
extern "C" int corpus_count() { return static_cast<int>(corpus::cases().size()); }
extern "C" const char* corpus_name(int index) {
  return corpus::cases()[static_cast<std::size_t>(index)].name;
}

// Writes one line for each mistake, or an empty text. An error that kernels left counts too.
extern "C" void corpus_run(int index, char* text, std::size_t text_bytes) {
  corpus::Report report;
  corpus::cases()[static_cast<std::size_t>(index)].run(report);
  report.expect_success("after the case", cudaDeviceSynchronize());
  report.expect_success("after the case", cudaGetLastError());
  std::snprintf(text, text_bytes, "%s", report.text().c_str());
}
