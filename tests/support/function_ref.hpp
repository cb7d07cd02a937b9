// SPDX-License-Identifier: Apache-2.0
// function_ref<void(const exec&)>: a function to call now, which outlives the call. A function that
// takes one is compiled once, not for each lambda.
#pragma once

#include <ballot/core/namespace.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace ballot::test {

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>)
  function_ref(F&& f)  // NOLINT: a lambda becomes one
      : function_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* function, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(function))(std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(function_, std::forward<Arguments>(arguments)...); }

 private:
  void* function_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace ballot::test
