// SPDX-License-Identifier: Apache-2.0
// Handlers of XLA's foreign function interface: calls of libballot inside jax.jit (ballot/jax.py).
// A library of its own that needs nothing of Python. XLA may not record them in command buffers,
// its CUDA graphs: scratch is XLA's until the call returns, and a replay would find it in other
// hands.
#include <place.hpp>

#include "../src/library.hpp"

#include <string>

namespace ballot_jax {
namespace {

namespace ffi = xla::ffi;
using ballot_python::library;

const library* calls = nullptr;

ballot_type type_of(ffi::DataType type) {
  switch (type) {
    case ffi::DataType::PRED:
    case ffi::DataType::U8:
      return BALLOT_U8;
    case ffi::DataType::S8:
      return BALLOT_I8;
    case ffi::DataType::S16:
      return BALLOT_I16;
    case ffi::DataType::U16:
      return BALLOT_U16;
    case ffi::DataType::S32:
      return BALLOT_I32;
    case ffi::DataType::U32:
      return BALLOT_U32;
    case ffi::DataType::S64:
      return BALLOT_I64;
    case ffi::DataType::U64:
      return BALLOT_U64;
    case ffi::DataType::F16:
      return BALLOT_F16;
    case ffi::DataType::BF16:
      return BALLOT_BF16;
    case ffi::DataType::F32:
      return BALLOT_F32;
    case ffi::DataType::F64:
      return BALLOT_F64;
    default:
      return BALLOT_NONE;  // refused by the library, by name
  }
}

// One call: its arrays, and the launch. The first status that is not BALLOT_OK stays.
class call {
 public:
  call(CUstream_st* stream, scratch_context& scratch) : stream_(stream), place_(scratch) {}

  ballot_array in(const ffi::AnyBuffer& b) {
    return ballot_input(place_.input(b.untyped_data(), b.size_bytes()), b.element_count(), type_of(b.element_type()));
  }
  ballot_array out(ffi::Result<ffi::AnyBuffer>& b) {
    return ballot_output(place_.output(b->untyped_data(), b->size_bytes()), b->element_count(),
                         type_of(b->element_type()));
  }
  template <class Size, class... Arguments>
  call& scratch(Size size, Arguments... arguments) {
    status_ = size(arguments..., &bytes_);
    return *this;
  }
  template <class F>
  ffi::Error run(const F& launch) {
    void* memory = nullptr;
    if (status_ == BALLOT_OK && bytes_ > 0 && (memory = place_.scratch(bytes_)) == nullptr)
      return ffi::Error(ffi::ErrorCode::kResourceExhausted,
                        "ballot: no " + std::to_string(bytes_) + " bytes of scratch");
    if (status_ == BALLOT_OK) status_ = launch(ballot_on(stream_, memory, bytes_));
    if (status_ != BALLOT_OK)
      return ffi::Error(
          status_ == BALLOT_INVALID_ARGUMENT ? ffi::ErrorCode::kInvalidArgument : ffi::ErrorCode::kInternal,
          std::string("ballot: ") + calls->last_error());
    place_.finish();
    return ffi::Error::Success();
  }

 private:
  CUstream_st* stream_;
  place place_;
  std::size_t bytes_ = 0;
  ballot_status status_ = BALLOT_OK;
};

using buffer = ffi::AnyBuffer;
using result = ffi::Result<ffi::AnyBuffer>;
using stream = CUstream_st*;

ballot_sort_options sort_options(bool descending, std::int32_t nans) {
  ballot_sort_options o{};
  o.size = sizeof o;
  o.direction = descending ? BALLOT_DESCENDING : BALLOT_ASCENDING;
  o.nans = nans;
  return o;
}

ffi::Error sort(stream s, scratch_context scratch, buffer keys, result out, bool descending, std::int32_t nans) {
  call c(s, scratch);
  const ballot_sort_options options = sort_options(descending, nans);
  const ballot_array k = c.in(keys), o = c.out(out);
  return c.scratch(calls->sort_scratch_bytes, k.type, k.length).run([&](ballot_exec e) {
    return calls->sort(e, k, o, &options);
  });
}

ffi::Error argsort(stream s, scratch_context scratch, buffer keys, result out, result order, bool descending,
                   std::int32_t nans) {
  call c(s, scratch);
  const ballot_sort_options options = sort_options(descending, nans);
  const ballot_array k = c.in(keys), o = c.out(out), i = c.out(order);
  return c.scratch(calls->argsort_scratch_bytes, k.type, i.type, k.length).run([&](ballot_exec e) {
    return calls->argsort(e, k, o, i, &options);
  });
}

ffi::Error cumsum(stream s, scratch_context scratch, buffer items, result out, std::int32_t op, bool exclusive,
                  bool reverse) {
  call c(s, scratch);
  const ballot_scan_options options{sizeof(ballot_scan_options), nullptr, reverse ? BALLOT_BACKWARD : BALLOT_FORWARD,
                                    0};
  const ballot_array x = c.in(items), o = c.out(out);
  // The identity of bytes would be no bool.
  const std::uint8_t set = 1;
  const bool is_bool = out->element_type() == ffi::DataType::PRED;
  const void* initial = is_bool && (op == BALLOT_MINIMUM || op == BALLOT_BIT_AND) ? &set : nullptr;
  return c.scratch(calls->scan_scratch_bytes, o.type, x.length).run([&](ballot_exec e) {
    return exclusive ? calls->exclusive_scan(e, x, initial, op, o, &options)
                     : calls->inclusive_scan(e, x, op, o, &options);
  });
}

ffi::Error compact(stream s, scratch_context scratch, buffer items, buffer mask, result out, result count) {
  call c(s, scratch);
  const ballot_array x = c.in(items), m = c.in(mask), o = c.out(out), n = c.out(count);
  return c.scratch(calls->compact_scratch_bytes, 1, &x.type, x.length).run([&](ballot_exec e) {
    return calls->compact(e, 1, &x, ballot_by_bytes(m), &o, n);
  });
}

ffi::Error nonzero(stream s, scratch_context scratch, buffer mask, result out, result count) {
  call c(s, scratch);
  const ballot_array m = c.in(mask), o = c.out(out), n = c.out(count);
  const ballot_array items = ballot_input(nullptr, m.length, BALLOT_POSITIONS_U32);
  return c.scratch(calls->compact_indices_scratch_bytes, o.type, m.length).run([&](ballot_exec e) {
    return calls->compact_indices(e, items, ballot_by_bytes(m), o, n);
  });
}

ffi::Error reduce_by_key(stream s, scratch_context scratch, buffer keys, buffer values, result keys_out, result out,
                         result count, std::int32_t op) {
  call c(s, scratch);
  const ballot_array k = c.in(keys), v = c.in(values), ko = c.out(keys_out), o = c.out(out), n = c.out(count);
  return c.scratch(calls->reduce_by_key_scratch_bytes, k.type, o.type, k.length).run([&](ballot_exec e) {
    return calls->reduce_by_key(e, k, v, op, ko, o, n);
  });
}

ffi::Error topk(stream s, scratch_context scratch, buffer keys, result out, result order, bool largest) {
  call c(s, scratch);
  ballot_top_k_options options{};
  options.size = sizeof options;
  options.smallest = largest ? 0 : 1;
  const ballot_array k = c.in(keys), o = c.out(out), i = c.out(order);
  return c.scratch(calls->top_k_scratch_bytes, k.type, k.length, o.length).run([&](ballot_exec e) {
    return calls->top_k_indices(e, k, o.length, o, i, ballot_nothing(), &options);
  });
}

ffi::Error searchsorted(stream s, scratch_context scratch, buffer sorted, buffer values, result out, bool right) {
  call c(s, scratch);
  const ballot_array x = c.in(sorted), v = c.in(values), o = c.out(out);
  return c.run([&](ballot_exec e) {
    return right ? calls->upper_bound(e, x, v, o, nullptr) : calls->lower_bound(e, x, v, o, nullptr);
  });
}

}  // namespace
}  // namespace ballot_jax

// The table of libballot's calls, of ballot._core, which keeps it.
extern "C" __attribute__((visibility("default"))) void ballot_jax_use(const void* library) {
  ballot_jax::calls = static_cast<const ballot_jax::library*>(library);
}

namespace ffi = xla::ffi;
using ffi::AnyBuffer;
using int32 = std::int32_t;

// The handlers' symbols are seen from outside.
#pragma GCC visibility push(default)
#define BALLOT_JAX_HANDLER(name, operands) \
  XLA_FFI_DEFINE_HANDLER_SYMBOL(           \
      ballot_jax_##name, ballot_jax::name, \
      ffi::Ffi::Bind().Ctx<ballot_jax::stream_context>().Ctx<ballot_jax::scratch_context>() operands)
BALLOT_JAX_HANDLER(sort, .Arg<AnyBuffer>().Ret<AnyBuffer>().Attr<bool>("descending").Attr<int32>("nans"));
BALLOT_JAX_HANDLER(argsort,
                   .Arg<AnyBuffer>().Ret<AnyBuffer>().Ret<AnyBuffer>().Attr<bool>("descending").Attr<int32>("nans"));
BALLOT_JAX_HANDLER(cumsum,
                   .Arg<AnyBuffer>().Ret<AnyBuffer>().Attr<int32>("op").Attr<bool>("exclusive").Attr<bool>("reverse"));
BALLOT_JAX_HANDLER(compact, .Arg<AnyBuffer>().Arg<AnyBuffer>().Ret<AnyBuffer>().Ret<AnyBuffer>());
BALLOT_JAX_HANDLER(nonzero, .Arg<AnyBuffer>().Ret<AnyBuffer>().Ret<AnyBuffer>());
BALLOT_JAX_HANDLER(
    reduce_by_key,
    .Arg<AnyBuffer>().Arg<AnyBuffer>().Ret<AnyBuffer>().Ret<AnyBuffer>().Ret<AnyBuffer>().Attr<int32>("op"));
BALLOT_JAX_HANDLER(topk, .Arg<AnyBuffer>().Ret<AnyBuffer>().Ret<AnyBuffer>().Attr<bool>("largest"));
BALLOT_JAX_HANDLER(searchsorted, .Arg<AnyBuffer>().Arg<AnyBuffer>().Ret<AnyBuffer>().Attr<bool>("right"));
#pragma GCC visibility pop
