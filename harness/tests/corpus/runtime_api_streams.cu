// Streams and events: order, callbacks, times, errors.
#include "device_map.h"

namespace {

__global__ void append(int* list, int* length, int value) { list[(*length)++] = value; }

void CUDART_CB note(void* data) { ++*static_cast<int*>(data); }
void CUDART_CB note_status(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<int*>(data) += status == cudaSuccess ? 100 : 0;
}

}  // namespace

CORPUS_CASE(runs_a_stream_in_order) {
  cudaStream_t stream;
  report.expect_success("stream", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const corpus::DeviceArray<int> list(20), length(std::vector<int>{0});
  cudaDeviceSynchronize();
  for (int i = 0; i < 20; ++i) append<<<1, 1, 0, stream>>>(list.data(), length.data(), i * i);
  report.expect_success("wait", cudaStreamSynchronize(stream));
  report.expect_success("nothing left", cudaStreamQuery(stream));
  report.expect_equal("list", list.download(), corpus::on_host<int>(20, [](int i) { return i * i; }));
  report.expect_success("destroyed", cudaStreamDestroy(stream));
}

CORPUS_CASE(orders_two_streams_by_an_event) {
  cudaStream_t first, second;
  int least = 1, greatest = 1;
  report.expect_success("range", cudaDeviceGetStreamPriorityRange(&least, &greatest));
  report.expect("lower numbers come first", greatest <= least);
  cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest);
  cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, least);
  int priority = 99;
  cudaStreamGetPriority(first, &priority);
  report.expect_equal("priority", priority, greatest);
  cudaEvent_t done;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  const corpus::DeviceArray<int> list(10), length(std::vector<int>{0});
  cudaDeviceSynchronize();
  for (int i = 0; i < 5; ++i) append<<<1, 1, 0, first>>>(list.data(), length.data(), i);
  cudaEventRecord(done, first);
  report.expect_success("wait", cudaStreamWaitEvent(second, done, 0));
  for (int i = 5; i < 10; ++i) append<<<1, 1, 0, second>>>(list.data(), length.data(), i);
  cudaDeviceSynchronize();
  report.expect_equal("list", list.download(), corpus::on_host<int>(10, [](int i) { return i; }));
  cudaEventDestroy(done);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

CORPUS_CASE(calls_the_host) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int calls = 0;
  report.expect_success("function", cudaLaunchHostFunc(stream, note, &calls));
  report.expect_success("callback", cudaStreamAddCallback(stream, note_status, &calls, 0));
  cudaStreamSynchronize(stream);
  report.expect_equal("calls", calls, 101);
  cudaStreamDestroy(stream);
}

CORPUS_CASE(measures_between_events) {
  cudaEvent_t start, stop, untimed, unused;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventCreate(&unused);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  const corpus::DeviceArray<int> list(1), length(std::vector<int>{0});
  cudaEventRecord(start);
  append<<<1, 1>>>(list.data(), length.data(), 1);
  cudaEventRecord(stop);
  cudaEventRecord(untimed);
  report.expect_success("wait", cudaEventSynchronize(stop));
  report.expect_success("query", cudaEventQuery(stop));
  float milliseconds = -1.0f;
  report.expect_success("time", cudaEventElapsedTime(&milliseconds, start, stop));
  report.expect("is not negative", milliseconds >= 0.0f);
  report.expect_equal("not recorded", int(cudaEventElapsedTime(&milliseconds, start, unused)),
                      int(cudaErrorInvalidResourceHandle));
  cudaDeviceSynchronize();
  report.expect_equal("without times", int(cudaEventElapsedTime(&milliseconds, start, untimed)),
                      int(cudaErrorInvalidResourceHandle));
  report.expect_equal("never recorded is done", int(cudaEventQuery(unused)), int(cudaSuccess));
  report.expect_equal("unknown flags", int(cudaEventCreateWithFlags(&unused, 77)),
                      int(cudaErrorInvalidValue));
  cudaGetLastError();
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaEventDestroy(untimed);
}
