// SPDX-License-Identifier: Apache-2.0
#include "base/failure.hpp"
#include "columns/npy.hpp"
#include "columns/npy_type.hpp"
#include "processes/fetch_items.hpp"
#include "processes/order_check.hpp"
#include "processes/part_files.hpp"
#include "processes/parts.hpp"
#include "processes/sort_by_processes.hpp"

#include <numeric>
#include <optional>

namespace ballot::app {
namespace {

template <class T>
using word_of = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

// Items as unsigned words of the same order, and back.
template <class T>
host_buffer words_of(std::span<const T> items, direction order) {
  const auto codec = key_codec_of<T>(order);
  host_buffer memory(items.size() * sizeof(word_of<T>));
  const auto words = memory.as<word_of<T>>();
  for (std::size_t i = 0; i < items.size(); ++i)
    words[i] = codec.encode(__builtin_bit_cast(ordered_bits_t<T>, items[i]));
  return memory;
}
template <class T>
void items_of(std::span<const word_of<T>> words, direction order, std::span<T> items) {
  const auto codec = key_codec_of<T>(order);
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = __builtin_bit_cast(T, codec.decode(static_cast<ordered_bits_t<T>>(words[i])));
}

struct column_part {
  std::uint64_t all_items;
  host_buffer items;   // of this process: the input, then the result
  host_buffer places;  // of the result in the input, where they are wanted
};

// Sorts the part, and checks it.
template <class T>
void sort_part(const process_group& group, part_sorter& by, const sort_request& request, bool verify, column_part& part,
               phase_clock& clock) {
  using W = word_of<T>;
  const bool is_whole = request.bits.low == 0 && request.bits.high == 8 * static_cast<int>(sizeof(T));
  const bool with_places = request.argsort || (verify && !is_whole);
  const std::uint64_t n = part.items.size() / sizeof(T);
  if (with_places) {
    part.places.resize(n * sizeof(std::uint64_t));
    const auto places = part.places.as<std::uint64_t>();
    std::iota(places.begin(), places.end(), part_begin(part.all_items, group.rank(), group.size()));
  }
  host_buffer words, original;
  if (with_places && verify) original.append(std::as_const(part.items).bytes());
  const std::uint64_t sum = verify ? sum_of_hashes(part.items.bytes(), sizeof(T)) : 0;
  {
    scoped_phase computing(clock, by.works_in());
    words = words_of<T>(part.items.as<T>(), request.order);
    by.sort(words, sizeof(W), with_places ? &part.places : nullptr, request.bits);
    items_of<T>(std::as_const(words).as<W>(), request.order, part.items.as<T>());
  }
  if (!verify) return;
  scoped_phase checking(clock, phase::verify);
  // From the items, not from the words that the engine has sorted.
  const auto items = std::as_const(part.items).as<T>();
  const int width = request.bits.high - request.bits.low;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const auto compared = [&](std::uint64_t i) {
    return (static_cast<std::uint64_t>(ordered_bits(items[i], request.order)) >> request.bits.low) & mask;
  };
  require_same_sum(group, sum, sum_of_hashes(part.items.bytes(), sizeof(T)));
  if (with_places) {
    const auto places = std::as_const(part.places).as<std::uint64_t>();
    require_order<std::uint64_t>(group, n, compared, places.data());
    const host_buffer there = fetch_items(group, by, original.bytes(), sizeof(T), part.all_items, places);
    group.together([&] {
      if (std::memcmp(there.data(), part.items.data(), part.items.size()) != 0)
        throw_verification_failure("a place is not that of its item");
    });
  } else {
    // Equal items follow each other; as many bits are equal, their order does not show.
    require_order<std::uint64_t>(group, n, compared, nullptr);
  }
}

}  // namespace

opened_column open_column_of_processes(const column_file& files) {
  opened_column opened;
  opened.type = open_source(files.input, files.input_format, files.type)->type();  // with its checks
  const bool is_npy = files.input_format == format::npy;
  opened.in = std::make_unique<input_file>(files.input, is_npy ? first_bytes::tell_compression : first_bytes::are_data);
  if (is_npy) (void)read_npy_header(*opened.in);
  opened.reader.emplace(*opened.in, size_of(opened.type));
  return opened;
}

std::uint64_t sort_column_by_processes(const process_group& group, part_sorter& by, const column_file& files,
                                       const std::function<sort_request(dtype)>& request_for, phase_clock& clock) {
  column_part part{};
  opened_column opened;
  std::optional<sort_request> request;
  group.together([&] {
    scoped_phase reading(clock, phase::read);
    opened = open_column_of_processes(files);
    request = request_for(opened.type);
    part.all_items = opened.reader->items();
  });
  opened.reader->require_agreement(group);
  group.together([&] {
    scoped_phase reading(clock, phase::read);
    part.items = opened.reader->read(group);
  });
  visit_dtype(request->type,
              [&]<class T>(std::type_identity<T>) { sort_part<T>(group, by, *request, files.verify, part, clock); });
  const dtype written = request->argsort ? dtype::u64 : request->type;
  const host_buffer& result = request->argsort ? part.places : part.items;
  const std::string front =
      files.output_format == format::npy ? npy_preamble(npy_descr_of(written), {part.all_items}) : std::string();
  scoped_phase writing(clock, phase::write);
  part_writer out(group, files.output, front.size() + part.all_items * size_of(written));
  group.together([&] {
    if (group.rank() == 0) out.write(0, std::as_bytes(std::span(front)));
    out.write(front.size() + part_begin(part.all_items, group.rank(), group.size()) * size_of(written), result.bytes());
  });
  out.commit();
  return part.all_items;
}

}  // namespace ballot::app
