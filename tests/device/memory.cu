// SPDX-License-Identifier: Apache-2.0
// Memory on the device that is released: errors of a destructor do not hide others, and `release`
// reports.
#include <ballot/device/memory.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

using namespace ballot;

namespace device_memory {

static_assert(std::is_nothrow_destructible_v<device_array<int>> && std::is_nothrow_destructible_v<device_value<int>>);

// Takes an array's memory away, so that the array cannot release it.
template <class T>
void take_away(const device_array<T>& array) {
  simt::release(test::test_stream(), array.data());
}

// Whether the runtime has a refused release to tell of; tells of it no more.
bool tells_of_refusal() {
#if BALLOT_EMULATED
  try {
    simt::synchronize(test::test_stream());
  } catch (const emulator::error& e) {
    return e.kind() == emulator::error_kind::out_of_bounds;
  }
  return false;
#else
  return cudaGetLastError() != cudaSuccess;
#endif
}

#if BALLOT_EMULATED
using refusal = emulator::error;
#else
using refusal = cuda_error;
#endif

TEST_CASE("a release that is refused in a destructor throws nothing, and is left to be seen") {
  CHECK(!tells_of_refusal());
  {
    const device_array<int> array(100, test::test_stream());
    take_away(array);
  }
  CHECK(tells_of_refusal());
  CHECK(!tells_of_refusal());
}

TEST_CASE("a release that is refused does not hide the error on whose way it happens") {
  std::string caught;
  try {
    const device_array<int> array(100, test::test_stream());
    take_away(array);
    throw std::runtime_error("the first error");
  } catch (const std::exception& e) {
    caught = e.what();
  }
  CHECK(caught == "the first error");
  CHECK(tells_of_refusal());
}

TEST_CASE("a release that is refused when another array moves in throws nothing") {
  device_array<int> array(100, test::test_stream()), other(3, test::test_stream());
  take_away(array);
  array = std::move(other);
  CHECK(array.size() == 3);
  CHECK(tells_of_refusal());
  array.write({1, 2, 3});
  CHECK(array.read() == std::vector<int>{1, 2, 3});
}

TEST_CASE("release gives memory back at once, and reports where it is refused") {
  device_array<int> array(100, test::test_stream());
  array.release();
  CHECK(array.data() == nullptr);
  CHECK(array.size() == 0);
  array.release();  // of nothing: nothing
  CHECK(!tells_of_refusal());

  array = device_array<int>(100, test::test_stream());
  take_away(array);
  CHECK_THROWS_AS(array.release(), refusal);
  CHECK(array.data() == nullptr);  // so that its destructor tries no more
  CHECK(array.size() == 0);
  CHECK(!tells_of_refusal());  // what is thrown is not told again

  device_value<int> value(test::test_stream());
  value.write(test::test_stream(), 7);
  CHECK(value.read(test::test_stream()) == 7);
  value.release();
  CHECK(value.address() == nullptr);
  CHECK(!tells_of_refusal());
}

}  // namespace device_memory
