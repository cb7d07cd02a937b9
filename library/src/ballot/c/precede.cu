// SPDX-License-Identifier: Apache-2.0
#include <ballot/c/precede.hpp>
#include <ballot/c/reduce_run_calls.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/simt/simt.cuh>

#include <cstring>

namespace ballot_c {
namespace {

using ballot::detail::elementwise_launch;
using ballot::detail::elementwise_threads;
using ballot::detail::transform_tile;

template <class T>
struct preceded {
  const void* device_initial;  // null: `initial`
  T initial;
  typename form_of<T>::form form;
  typename form_of<T>::operation op;
  void* data;

  __device__ __forceinline__ T first() const {
    return device_initial != nullptr ? form.load(device_initial, 0) : initial;
  }
};

template <class T>
__global__ void __launch_bounds__(elementwise_threads) precede_kernel(preceded<T> a, length n) {
  const T initial = a.first();
  transform_tile(
      n.get(), [&](u64 i) { return a.form.load(a.data, i); },
      [&](u64 i, T value) { a.form.store(a.data, i, a.op(initial, value)); });
}
template <class T>
__global__ void precede_total_kernel(preceded<T> a, length n) {
  const T initial = a.first();
  a.form.store(a.data, 0, n.get() == 0 ? initial : a.op(initial, a.form.load(a.data, 0)));
}

// f(preceded) of the words of such sums.
template <class F>
void with_preceded(const void* initial, bool on_device, ballot_operator op, const type_info& type, void* data,
                   const F& f) {
  with_run_word(type, op, [&]<class T>() {
    preceded<T> a{};
    a.form = form_for<T>(type, op);
    a.op = operation_for<T>(op);
    a.data = data;
    if (on_device) {
      a.device_initial = initial;
    } else {
      u64 raw = 0;
      std::memcpy(&raw, initial, type.bytes);
      a.initial = a.form.load(&raw, 0);
    }
    f(a);
  });
}

}  // namespace

void precede(ballot::stream_t stream, const void* initial, bool on_device, ballot_operator op, const type_info& type,
             void* data, const length& n, const char* function) {
  if (n.capacity == 0) return;
  with_preceded(initial, on_device, op, type, data, [&]<class T>(const preceded<T>& a) {
    ballot::simt::launch(precede_kernel<T>, elementwise_launch(stream, n.capacity, function), a, n);
  });
}
void precede_total(ballot::stream_t stream, const void* initial, bool on_device, ballot_operator op,
                   const type_info& type, void* total, const length& n, const char*) {
  with_preceded(initial, on_device, op, type, total, [&]<class T>(const preceded<T>& a) {
    ballot::simt::launch(precede_total_kernel<T>, ballot::simt::launch_config{dim3(1), dim3(1), 0, stream}, a, n);
  });
}

}  // namespace ballot_c
