/* SPDX-License-Identifier: Apache-2.0
 * ballot.h alone, in C: every helper is used. */
#include <ballot.h>

int main(void) {
  uint32_t limit = 3, types = BALLOT_U32;
  ballot_array in = ballot_input(&limit, 1, BALLOT_U32), out = ballot_output(&limit, 1, BALLOT_BYTES(4));
  ballot_exec gpu = ballot_on(NULL, NULL, 0);
  ballot_selector select = ballot_where(BALLOT_LESS, &limit);
  ballot_sort_options sort = {sizeof(sort), BALLOT_DESCENDING, BALLOT_NANS_FIRST, 0, 0, BALLOT_ZEROS_EQUAL, 0};
  ballot_scan_options scan = {sizeof(scan), NULL, BALLOT_BACKWARD, 1};
  ballot_top_k_options best = {sizeof(best), 1, BALLOT_NANS_LAST, 0, 0};
  ballot_order_options order = {sizeof(order), BALLOT_DESCENDING, BALLOT_NANS_LAST};
  (void)types;
  select = ballot_by_bits(ballot_counted(&limit, 1, BALLOT_U32, &limit, BALLOT_U32));
  (void)ballot_segmented_reduce(gpu, in, ballot_segments_of(10), &limit, BALLOT_PLUS, out, ballot_nothing());
  (void)ballot_batched_top_k(gpu, in, ballot_rows_by(in), 3, out, ballot_nothing(), &best);
  (void)ballot_batched_top_k(gpu, in, ballot_rows_at(1, 2, 0), 3, out, ballot_nothing(), &best);
  (void)ballot_histogram(gpu, in, ballot_even_bins(&limit, &limit), out, ballot_nothing());
  (void)ballot_histogram(gpu, in, ballot_digit_bins(0, 8), out, ballot_nothing());
  (void)ballot_histogram(gpu, in, ballot_level_bins(in), out, ballot_nothing());
  (void)ballot_merge(gpu, in, in, out, &order);
  return ballot_check_version() + ballot_sort(gpu, in, out, &sort) +
         ballot_inclusive_scan(gpu, in, BALLOT_PLUS, ballot_value(&limit, BALLOT_U32), &scan) +
         ballot_compact(gpu, 1, &in, select, &out, ballot_nothing()) +
         ballot_segmented_sort(gpu, in, ballot_segments_by(BALLOT_HEAD_BITS, in).array, out, NULL) +
         ballot_compact(gpu, 1, &in, ballot_where_array(in, BALLOT_EQUAL, &limit), &out, ballot_by_bytes(in).array);
}
