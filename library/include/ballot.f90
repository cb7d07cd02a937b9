! SPDX-License-Identifier: Apache-2.0
! libballot for Fortran 2003 and later: the calls, types and constants of ballot.h, which says what they do.
!
!     use ballot
!     status = ballot_sort_scratch_bytes(BALLOT_F32, n, bytes)
!     gpu = ballot_on(stream, scratch, bytes)
!     status = ballot_sort(gpu, ballot_input(keys, n, BALLOT_F32), ballot_output(sorted, n, BALLOT_F32), c_null_ptr)
!     if (status /= BALLOT_OK) print *, ballot_message()
!
! Device addresses, streams and scratch are type(c_ptr). Lengths are integer(c_int64_t). Options are passed by c_loc of a
! variable of their type, or c_null_ptr; arrays of arrays and of types by c_loc of their first element.
module ballot
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int32_t), parameter :: BALLOT_OK = 0
  integer(c_int32_t), parameter :: BALLOT_INVALID_ARGUMENT = 1
  integer(c_int32_t), parameter :: BALLOT_CUDA_ERROR = 2
  integer(c_int32_t), parameter :: BALLOT_NO_DEVICE = 3
  integer(c_int32_t), parameter :: BALLOT_WRONG_VERSION = 4
  integer(c_int32_t), parameter :: BALLOT_INTERNAL_ERROR = 5
  integer(c_int32_t), parameter :: BALLOT_NONE = 0
  integer(c_int32_t), parameter :: BALLOT_I8 = 1
  integer(c_int32_t), parameter :: BALLOT_U8 = 2
  integer(c_int32_t), parameter :: BALLOT_I16 = 3
  integer(c_int32_t), parameter :: BALLOT_U16 = 4
  integer(c_int32_t), parameter :: BALLOT_I32 = 5
  integer(c_int32_t), parameter :: BALLOT_U32 = 6
  integer(c_int32_t), parameter :: BALLOT_I64 = 7
  integer(c_int32_t), parameter :: BALLOT_U64 = 8
  integer(c_int32_t), parameter :: BALLOT_I128 = 9
  integer(c_int32_t), parameter :: BALLOT_U128 = 10
  integer(c_int32_t), parameter :: BALLOT_F16 = 11
  integer(c_int32_t), parameter :: BALLOT_BF16 = 12
  integer(c_int32_t), parameter :: BALLOT_F32 = 13
  integer(c_int32_t), parameter :: BALLOT_F64 = 14
  integer(c_int32_t), parameter :: BALLOT_POSITIONS_U32 = 15
  integer(c_int32_t), parameter :: BALLOT_POSITIONS_U64 = 16
  integer(c_int32_t), parameter :: BALLOT_PLUS = 0
  integer(c_int32_t), parameter :: BALLOT_MINIMUM = 1
  integer(c_int32_t), parameter :: BALLOT_MAXIMUM = 2
  integer(c_int32_t), parameter :: BALLOT_BIT_AND = 3
  integer(c_int32_t), parameter :: BALLOT_BIT_OR = 4
  integer(c_int32_t), parameter :: BALLOT_BIT_XOR = 5
  integer(c_int32_t), parameter :: BALLOT_FORWARD = 0
  integer(c_int32_t), parameter :: BALLOT_BACKWARD = 1
  integer(c_int32_t), parameter :: BALLOT_HEAD_BYTES = 0
  integer(c_int32_t), parameter :: BALLOT_HEAD_BITS = 1
  integer(c_int32_t), parameter :: BALLOT_SEGMENT_OFFSETS = 2
  integer(c_int32_t), parameter :: BALLOT_ROWS_FORWARD = 0
  integer(c_int32_t), parameter :: BALLOT_ROWS_BACKWARD = 1
  integer(c_int32_t), parameter :: BALLOT_ROWS_FORWARD_THEN_BACKWARD = 2
  integer(c_int32_t), parameter :: BALLOT_ACCUMULATE_ITEMS = 0
  integer(c_int32_t), parameter :: BALLOT_ACCUMULATE_F64 = 1
  integer(c_int32_t), parameter :: BALLOT_ACCUMULATE_DOUBLE_FLOAT = 2
  integer(c_int32_t), parameter :: BALLOT_BY_BYTES_KIND = 0
  integer(c_int32_t), parameter :: BALLOT_BY_BITS_KIND = 1
  integer(c_int32_t), parameter :: BALLOT_BY_COMPARISON = 2
  integer(c_int32_t), parameter :: BALLOT_EQUAL = 0
  integer(c_int32_t), parameter :: BALLOT_NOT_EQUAL = 1
  integer(c_int32_t), parameter :: BALLOT_LESS = 2
  integer(c_int32_t), parameter :: BALLOT_LESS_EQUAL = 3
  integer(c_int32_t), parameter :: BALLOT_GREATER = 4
  integer(c_int32_t), parameter :: BALLOT_GREATER_EQUAL = 5
  integer(c_int32_t), parameter :: BALLOT_ASCENDING = 0
  integer(c_int32_t), parameter :: BALLOT_DESCENDING = 1
  integer(c_int32_t), parameter :: BALLOT_NANS_LAST = 0
  integer(c_int32_t), parameter :: BALLOT_NANS_FIRST = 1
  integer(c_int32_t), parameter :: BALLOT_NANS_BY_BITS = 2
  integer(c_int32_t), parameter :: BALLOT_ZEROS_APART = 0
  integer(c_int32_t), parameter :: BALLOT_ZEROS_EQUAL = 1
  integer(c_int32_t), parameter :: BALLOT_SEGMENT_ROWS = 3
  integer(c_int32_t), parameter :: BALLOT_BINS_EVEN = 0
  integer(c_int32_t), parameter :: BALLOT_BINS_DIGIT = 1
  integer(c_int32_t), parameter :: BALLOT_BINS_LEVELS = 2
  integer(c_int32_t), parameter :: BALLOT_API_MAJOR = 0
  integer(c_int32_t), parameter :: BALLOT_API_MINOR = 1
  integer(c_int32_t), parameter :: BALLOT_API_PATCH = 0
  integer(c_int32_t), parameter :: BALLOT_API_VERSION = &
    BALLOT_API_MAJOR * 10000 + BALLOT_API_MINOR * 100 + BALLOT_API_PATCH

  type, bind(c) :: ballot_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: length = 0
    type(c_ptr) :: count = c_null_ptr
    integer(c_int32_t) :: type = 0
    integer(c_int32_t) :: count_type = 0
  end type ballot_array

  type, bind(c) :: ballot_exec
    type(c_ptr) :: stream = c_null_ptr
    type(c_ptr) :: scratch = c_null_ptr
    integer(c_size_t) :: scratch_bytes = 0
  end type ballot_exec

  ! Options: their size is set, the other defaults are zeros.
  type, bind(c) :: ballot_scan_options
    integer(c_size_t) :: size = 24
    type(c_ptr) :: total = c_null_ptr
    integer(c_int32_t) :: order = 0
    integer(c_int32_t) :: reproducible = 0
  end type ballot_scan_options

  type, bind(c) :: ballot_segments
    type(ballot_array) :: array
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: reserved = 0
  end type ballot_segments

  type, bind(c) :: ballot_batch
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: length = 0
    integer(c_int64_t) :: pitch = 0
    integer(c_int64_t) :: out_pitch = 0
  end type ballot_batch

  type, bind(c) :: ballot_selector
    type(ballot_array) :: array
    type(c_ptr) :: value = c_null_ptr
    integer(c_int32_t) :: value_on_device = 0
    integer(c_int32_t) :: compare = 0
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: invert = 0
    integer(c_int32_t) :: value_type = 0
  end type ballot_selector

  type, bind(c) :: ballot_sort_options
    integer(c_size_t) :: size = 32
    integer(c_int32_t) :: direction = 0
    integer(c_int32_t) :: nans = 0
    integer(c_int32_t) :: low_bit = 0
    integer(c_int32_t) :: high_bit = 0
    integer(c_int32_t) :: zeros = 0
    integer(c_int32_t) :: reserved = 0
  end type ballot_sort_options

  type, bind(c) :: ballot_top_k_options
    integer(c_size_t) :: size = 24
    integer(c_int32_t) :: smallest = 0
    integer(c_int32_t) :: nans = 0
    integer(c_int32_t) :: by_position = 0
    integer(c_int32_t) :: reserved = 0
  end type ballot_top_k_options

  type, bind(c) :: ballot_rows
    type(ballot_array) :: offsets
    type(ballot_array) :: lengths
    integer(c_int64_t) :: rows = 0
    integer(c_int64_t) :: width = 0
    integer(c_int64_t) :: pitch = 0
  end type ballot_rows

  type, bind(c) :: ballot_bins
    type(c_ptr) :: lower = c_null_ptr
    type(c_ptr) :: upper = c_null_ptr
    type(ballot_array) :: levels
    integer(c_int32_t) :: kind = 0
    integer(c_int32_t) :: low_bit = 0
    integer(c_int32_t) :: bits = 0
    integer(c_int32_t) :: reserved = 0
  end type ballot_bins

  type, bind(c) :: ballot_order_options
    integer(c_size_t) :: size = 16
    integer(c_int32_t) :: direction = 0
    integer(c_int32_t) :: nans = 0
  end type ballot_order_options

  interface
    function ballot_last_error() bind(c, name="ballot_last_error") result(outcome)
      import
      type(c_ptr) :: outcome
    end function ballot_last_error

    function ballot_last_cuda_error() bind(c, name="ballot_last_cuda_error") result(outcome)
      import
      integer(c_int32_t) :: outcome
    end function ballot_last_cuda_error

    function ballot_status_name(status) bind(c, name="ballot_status_name") result(outcome)
      import
      integer(c_int32_t), value :: status
      type(c_ptr) :: outcome
    end function ballot_status_name

    function ballot_version() bind(c, name="ballot_version") result(outcome)
      import
      integer(c_int32_t) :: outcome
    end function ballot_version

    function ballot_check_header_version(header_version) bind(c, name="ballot_check_header_version") result(outcome)
      import
      integer(c_int32_t), value :: header_version
      integer(c_int32_t) :: outcome
    end function ballot_check_header_version

    function ballot_inclusive_scan(where, in, op, out, options) bind(c, name="ballot_inclusive_scan") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out
      integer(c_int32_t), value :: op
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_inclusive_scan

    function ballot_exclusive_scan(where, in, initial, op, out, &
      & options) bind(c, name="ballot_exclusive_scan") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out
      type(c_ptr), value :: initial, options
      integer(c_int32_t), value :: op
      integer(c_int32_t) :: outcome
    end function ballot_exclusive_scan

    function ballot_counts_to_offsets(where, counts, offsets) bind(c, name="ballot_counts_to_offsets") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: counts, offsets
      integer(c_int32_t) :: outcome
    end function ballot_counts_to_offsets

    function ballot_inclusive_scan_flags(where, flags, ranks, &
      & options) bind(c, name="ballot_inclusive_scan_flags") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: flags, ranks
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_inclusive_scan_flags

    function ballot_exclusive_scan_flags(where, flags, ranks, &
      & options) bind(c, name="ballot_exclusive_scan_flags") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: flags, ranks
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_exclusive_scan_flags

    function ballot_scan_scratch_bytes(sums, n, bytes) bind(c, name="ballot_scan_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: sums
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_scan_scratch_bytes

    function ballot_segmented_inclusive_scan(where, in, segments, op, out, &
      & order) bind(c, name="ballot_segmented_inclusive_scan") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out
      type(ballot_segments), value :: segments
      integer(c_int32_t), value :: op, order
      integer(c_int32_t) :: outcome
    end function ballot_segmented_inclusive_scan

    function ballot_segmented_exclusive_scan(where, in, segments, initial, op, out, &
      & order) bind(c, name="ballot_segmented_exclusive_scan") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out
      type(ballot_segments), value :: segments
      type(c_ptr), value :: initial
      integer(c_int32_t), value :: op, order
      integer(c_int32_t) :: outcome
    end function ballot_segmented_exclusive_scan

    function ballot_segmented_scan_scratch_bytes(type, kind, n, &
      & bytes) bind(c, name="ballot_segmented_scan_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: type, kind
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_segmented_scan_scratch_bytes

    function ballot_batched_scan(where, in, out, batch, directions, &
      & accumulator) bind(c, name="ballot_batched_scan") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out
      type(ballot_batch), value :: batch
      integer(c_int32_t), value :: directions, accumulator
      integer(c_int32_t) :: outcome
    end function ballot_batched_scan

    function ballot_batched_scan_scratch_bytes(type, accumulator, rows_, length, &
      & bytes) bind(c, name="ballot_batched_scan_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: type, accumulator
      integer(c_int64_t), value :: rows_, length
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_batched_scan_scratch_bytes

    function ballot_reduce(where, in, initial, op, result) bind(c, name="ballot_reduce") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, result
      type(c_ptr), value :: initial
      integer(c_int32_t), value :: op
      integer(c_int32_t) :: outcome
    end function ballot_reduce

    function ballot_reduce_scratch_bytes(result, n, bytes) bind(c, name="ballot_reduce_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: result
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_reduce_scratch_bytes

    function ballot_arg_min(where, in, result) bind(c, name="ballot_arg_min") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in
      type(c_ptr), value :: result
      integer(c_int32_t) :: outcome
    end function ballot_arg_min

    function ballot_arg_max(where, in, result) bind(c, name="ballot_arg_max") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in
      type(c_ptr), value :: result
      integer(c_int32_t) :: outcome
    end function ballot_arg_max

    function ballot_arg_scratch_bytes(type, n, bytes) bind(c, name="ballot_arg_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: type
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_arg_scratch_bytes

    function ballot_compact(where, columns, in, select, out, count) bind(c, name="ballot_compact") result(outcome)
      import
      type(ballot_exec), value :: where
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: in, out
      type(ballot_selector), value :: select
      type(ballot_array), value :: count
      integer(c_int32_t) :: outcome
    end function ballot_compact

    function ballot_compact_in_place(where, columns, items, select, &
      & count) bind(c, name="ballot_compact_in_place") result(outcome)
      import
      type(ballot_exec), value :: where
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: items
      type(ballot_selector), value :: select
      type(ballot_array), value :: count
      integer(c_int32_t) :: outcome
    end function ballot_compact_in_place

    function ballot_split(where, columns, in, select, out, count) bind(c, name="ballot_split") result(outcome)
      import
      type(ballot_exec), value :: where
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: in, out
      type(ballot_selector), value :: select
      type(ballot_array), value :: count
      integer(c_int32_t) :: outcome
    end function ballot_split

    function ballot_split_in_two(where, columns, in, select, selected, rejected, &
      & count) bind(c, name="ballot_split_in_two") result(outcome)
      import
      type(ballot_exec), value :: where
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: in, selected, rejected
      type(ballot_selector), value :: select
      type(ballot_array), value :: count
      integer(c_int32_t) :: outcome
    end function ballot_split_in_two

    function ballot_split_in_place(where, columns, items, select, &
      & count) bind(c, name="ballot_split_in_place") result(outcome)
      import
      type(ballot_exec), value :: where
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: items
      type(ballot_selector), value :: select
      type(ballot_array), value :: count
      integer(c_int32_t) :: outcome
    end function ballot_split_in_place

    function ballot_compact_scratch_bytes(columns, types, n, &
      & bytes) bind(c, name="ballot_compact_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: types
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_compact_scratch_bytes

    function ballot_compact_in_place_scratch_bytes(columns, types, n, &
      & bytes) bind(c, name="ballot_compact_in_place_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: types
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_compact_in_place_scratch_bytes

    function ballot_split_scratch_bytes(columns, types, n, &
      & bytes) bind(c, name="ballot_split_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: types
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_split_scratch_bytes

    function ballot_split_in_place_scratch_bytes(columns, types, n, &
      & bytes) bind(c, name="ballot_split_in_place_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: types
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_split_in_place_scratch_bytes

    function ballot_compact_indices(where, in, select, indices, &
      & count) bind(c, name="ballot_compact_indices") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, indices, count
      type(ballot_selector), value :: select
      integer(c_int32_t) :: outcome
    end function ballot_compact_indices

    function ballot_compact_indices_scratch_bytes(indices, n, &
      & bytes) bind(c, name="ballot_compact_indices_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: indices
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_compact_indices_scratch_bytes

    function ballot_count_if(where, in, select, count) bind(c, name="ballot_count_if") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, count
      type(ballot_selector), value :: select
      integer(c_int32_t) :: outcome
    end function ballot_count_if

    function ballot_flag_bits(where, in, select, words) bind(c, name="ballot_flag_bits") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, words
      type(ballot_selector), value :: select
      integer(c_int32_t) :: outcome
    end function ballot_flag_bits

    function ballot_multisplit(where, numbers, buckets, columns, in, out, &
      & offsets) bind(c, name="ballot_multisplit") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: numbers, offsets
      integer(c_int32_t), value :: buckets, columns
      type(c_ptr), value :: in, out
      integer(c_int32_t) :: outcome
    end function ballot_multisplit

    function ballot_multisplit_scratch_bytes(buckets, n, &
      & bytes) bind(c, name="ballot_multisplit_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: buckets
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_multisplit_scratch_bytes

    function ballot_unique(where, in, out, count) bind(c, name="ballot_unique") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out, count
      integer(c_int32_t) :: outcome
    end function ballot_unique

    function ballot_unique_in_place(where, items, count) bind(c, name="ballot_unique_in_place") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: items, count
      integer(c_int32_t) :: outcome
    end function ballot_unique_in_place

    function ballot_unique_by_key(where, keys, columns, values, keys_out, values_out, &
      & count) bind(c, name="ballot_unique_by_key") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out, count
      integer(c_int32_t), value :: columns
      type(c_ptr), value :: values, values_out
      integer(c_int32_t) :: outcome
    end function ballot_unique_by_key

    function ballot_run_offsets(where, in, values, offsets, count) bind(c, name="ballot_run_offsets") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, values, offsets, count
      integer(c_int32_t) :: outcome
    end function ballot_run_offsets

    function ballot_run_length_encode(where, in, values, lengths, &
      & count) bind(c, name="ballot_run_length_encode") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, values, lengths, count
      integer(c_int32_t) :: outcome
    end function ballot_run_length_encode

    function ballot_runs_scratch_bytes(items, further, n, &
      & bytes) bind(c, name="ballot_runs_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: items, further
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_runs_scratch_bytes

    function ballot_unique_in_place_scratch_bytes(items, n, &
      & bytes) bind(c, name="ballot_unique_in_place_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: items
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_unique_in_place_scratch_bytes

    function ballot_unique_by_key_scratch_bytes(keys, n, &
      & bytes) bind(c, name="ballot_unique_by_key_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_unique_by_key_scratch_bytes

    function ballot_sort(where, keys, keys_out, options) bind(c, name="ballot_sort") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_sort

    function ballot_sort_in_place(where, keys, options) bind(c, name="ballot_sort_in_place") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_sort_in_place

    function ballot_sort_pairs(where, keys, values, keys_out, values_out, &
      & options) bind(c, name="ballot_sort_pairs") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, values, keys_out, values_out
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_sort_pairs

    function ballot_sort_pairs_in_place(where, keys, values, &
      & options) bind(c, name="ballot_sort_pairs_in_place") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, values
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_sort_pairs_in_place

    function ballot_sort_ping_pong(where, a, b, at, options) bind(c, name="ballot_sort_ping_pong") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: a, b
      integer(c_int32_t), intent(out) :: at
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_sort_ping_pong

    function ballot_sort_pairs_ping_pong(where, a, values_a, b, values_b, at, &
      & options) bind(c, name="ballot_sort_pairs_ping_pong") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: a, values_a, b, values_b
      integer(c_int32_t), intent(out) :: at
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_sort_pairs_ping_pong

    function ballot_argsort(where, keys, keys_out, indices, options) bind(c, name="ballot_argsort") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out, indices
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_argsort

    function ballot_sort_scratch_bytes(keys, n, bytes) bind(c, name="ballot_sort_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_sort_scratch_bytes

    function ballot_sort_pairs_scratch_bytes(keys, values, n, &
      & bytes) bind(c, name="ballot_sort_pairs_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys, values
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_sort_pairs_scratch_bytes

    function ballot_sort_ping_pong_scratch_bytes(keys, values, n, &
      & bytes) bind(c, name="ballot_sort_ping_pong_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys, values
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_sort_ping_pong_scratch_bytes

    function ballot_argsort_scratch_bytes(keys, indices, n, &
      & bytes) bind(c, name="ballot_argsort_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys, indices
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_argsort_scratch_bytes

    function ballot_segmented_sort(where, keys, offsets, keys_out, &
      & options) bind(c, name="ballot_segmented_sort") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, offsets, keys_out
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_segmented_sort

    function ballot_segmented_sort_pairs(where, keys, values, offsets, keys_out, values_out, &
      & options) bind(c, name="ballot_segmented_sort_pairs") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, values, offsets, keys_out, values_out
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_segmented_sort_pairs

    function ballot_segmented_sort_ping_pong(where, a, offsets, b, at, &
      & options) bind(c, name="ballot_segmented_sort_ping_pong") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: a, offsets, b
      integer(c_int32_t), intent(out) :: at
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_segmented_sort_ping_pong

    function ballot_segmented_sort_pairs_ping_pong(where, a, values_a, &
      & offsets, b, values_b, at, options) bind(c, name="ballot_segmented_sort_pairs_ping_pong") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: a, values_a, offsets, b, values_b
      integer(c_int32_t), intent(out) :: at
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_segmented_sort_pairs_ping_pong

    function ballot_segmented_argsort(where, keys, offsets, keys_out, indices, &
      & options) bind(c, name="ballot_segmented_argsort") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, offsets, keys_out, indices
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_segmented_argsort

    function ballot_segmented_sort_scratch_bytes(keys, values, n, &
      & bytes) bind(c, name="ballot_segmented_sort_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys, values
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_segmented_sort_scratch_bytes

    function ballot_batched_sort(where, keys, row, keys_out, &
      & options) bind(c, name="ballot_batched_sort") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out
      integer(c_int64_t), value :: row
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_batched_sort

    function ballot_batched_sort_pairs(where, keys, values, row, keys_out, values_out, &
      & options) bind(c, name="ballot_batched_sort_pairs") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, values, keys_out, values_out
      integer(c_int64_t), value :: row
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_batched_sort_pairs

    function ballot_batched_argsort(where, keys, row, keys_out, indices, &
      & options) bind(c, name="ballot_batched_argsort") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out, indices
      integer(c_int64_t), value :: row
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_batched_argsort

    function ballot_batched_sort_scratch_bytes(keys, values, n, row, &
      & bytes) bind(c, name="ballot_batched_sort_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys, values
      integer(c_int64_t), value :: n, row
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_batched_sort_scratch_bytes

    function ballot_strlen(text) bind(c, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function ballot_strlen

    function ballot_segmented_reduce(where, in, segments, initial, op, out, count) &
      &bind(c, name="ballot_segmented_reduce") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out, count
      type(ballot_segments), value :: segments
      type(c_ptr), value :: initial
      integer(c_int32_t), value :: op
      integer(c_int32_t) :: outcome
    end function ballot_segmented_reduce

    function ballot_segmented_reduce_scratch_bytes(out, kind, n, bytes) &
      &bind(c, name="ballot_segmented_reduce_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: out, kind
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_segmented_reduce_scratch_bytes

    function ballot_segmented_arg_min(where, in, segments, out, count) &
      &bind(c, name="ballot_segmented_arg_min") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out, count
      type(ballot_segments), value :: segments
      integer(c_int32_t) :: outcome
    end function ballot_segmented_arg_min

    function ballot_segmented_arg_max(where, in, segments, out, count) &
      &bind(c, name="ballot_segmented_arg_max") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out, count
      type(ballot_segments), value :: segments
      integer(c_int32_t) :: outcome
    end function ballot_segmented_arg_max

    function ballot_segmented_arg_scratch_bytes(type, kind, n, bytes) &
      &bind(c, name="ballot_segmented_arg_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: type, kind
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_segmented_arg_scratch_bytes

    function ballot_reduce_by_key(where, keys, values, op, keys_out, results, count) &
      &bind(c, name="ballot_reduce_by_key") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, values, keys_out, results, count
      integer(c_int32_t), value :: op
      integer(c_int32_t) :: outcome
    end function ballot_reduce_by_key

    function ballot_reduce_by_key_scratch_bytes(keys, results, n, bytes) &
      &bind(c, name="ballot_reduce_by_key_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys, results
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_reduce_by_key_scratch_bytes

    function ballot_top_k(where, keys, k, keys_out, count, options) bind(c, name="ballot_top_k") &
      &result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out, count
      integer(c_int64_t), value :: k
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_top_k

    function ballot_top_k_pairs(where, keys, values, k, keys_out, values_out, count, options) &
      &bind(c, name="ballot_top_k_pairs") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, values, keys_out, values_out, count
      integer(c_int64_t), value :: k
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_top_k_pairs

    function ballot_top_k_indices(where, keys, k, keys_out, indices, count, options) &
      &bind(c, name="ballot_top_k_indices") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out, indices, count
      integer(c_int64_t), value :: k
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_top_k_indices

    function ballot_top_k_scratch_bytes(keys, n, k, bytes) bind(c, name="ballot_top_k_scratch_bytes") &
      &result(outcome)
      import
      integer(c_int32_t), value :: keys
      integer(c_int64_t), value :: n, k
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_top_k_scratch_bytes

    function ballot_batched_top_k(where, keys, rows, k, keys_out, counts, options) &
      &bind(c, name="ballot_batched_top_k") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out, counts
      type(ballot_rows), value :: rows
      integer(c_int64_t), value :: k
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_batched_top_k

    function ballot_batched_top_k_pairs(where, keys, values, rows, k, keys_out, values_out, counts, &
      &options) bind(c, name="ballot_batched_top_k_pairs") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, values, keys_out, values_out, counts
      type(ballot_rows), value :: rows
      integer(c_int64_t), value :: k
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_batched_top_k_pairs

    function ballot_batched_top_k_indices(where, keys, rows, k, keys_out, indices, counts, options) &
      &bind(c, name="ballot_batched_top_k_indices") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: keys, keys_out, indices, counts
      type(ballot_rows), value :: rows
      integer(c_int64_t), value :: k
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_batched_top_k_indices

    function ballot_batched_top_k_scratch_bytes(keys, rows, k, bytes) &
      &bind(c, name="ballot_batched_top_k_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys
      integer(c_int64_t), value :: rows, k
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_batched_top_k_scratch_bytes

    function ballot_histogram(where, in, bins, counts, outside) bind(c, name="ballot_histogram") &
      &result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, counts, outside
      type(ballot_bins), value :: bins
      integer(c_int32_t) :: outcome
    end function ballot_histogram

    function ballot_merge(where, first, second, out, options) bind(c, name="ballot_merge") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: first, second, out
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_merge

    function ballot_merge_pairs(where, first, first_values, second, second_values, keys_out, values_out, &
      &options) bind(c, name="ballot_merge_pairs") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: first, first_values, second, second_values, keys_out, values_out
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_merge_pairs

    function ballot_merge_scratch_bytes(keys, values, n, bytes) &
      &bind(c, name="ballot_merge_scratch_bytes") result(outcome)
      import
      integer(c_int32_t), value :: keys, values
      integer(c_int64_t), value :: n
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_merge_scratch_bytes

    function ballot_lower_bound(where, sorted, keys, positions, options) &
      &bind(c, name="ballot_lower_bound") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: sorted, keys, positions
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_lower_bound

    function ballot_upper_bound(where, sorted, keys, positions, options) &
      &bind(c, name="ballot_upper_bound") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: sorted, keys, positions
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_upper_bound

    function ballot_is_sorted(where, in, result, options) bind(c, name="ballot_is_sorted") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, result
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_is_sorted

    function ballot_is_sorted_until(where, in, result, options) bind(c, name="ballot_is_sorted_until") &
      &result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, result
      type(c_ptr), value :: options
      integer(c_int32_t) :: outcome
    end function ballot_is_sorted_until

    function ballot_is_sorted_scratch_bytes(bytes) bind(c, name="ballot_is_sorted_scratch_bytes") &
      &result(outcome)
      import
      integer(c_size_t), intent(out) :: bytes
      integer(c_int32_t) :: outcome
    end function ballot_is_sorted_scratch_bytes

    function ballot_gather(where, in, indices, out, outside) bind(c, name="ballot_gather") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, indices, out, outside
      integer(c_int32_t) :: outcome
    end function ballot_gather

    function ballot_scatter(where, in, indices, out, outside) bind(c, name="ballot_scatter") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, indices, out, outside
      integer(c_int32_t) :: outcome
    end function ballot_scatter

    function ballot_inclusive_scan_from(where, in, initial, initial_on_device, op, out, options) &
      &bind(c, name="ballot_inclusive_scan_from") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out
      type(c_ptr), value :: initial, options
      integer(c_int32_t), value :: initial_on_device, op
      integer(c_int32_t) :: outcome
    end function ballot_inclusive_scan_from

    function ballot_exclusive_scan_from(where, in, initial, initial_on_device, op, out, options) &
      &bind(c, name="ballot_exclusive_scan_from") result(outcome)
      import
      type(ballot_exec), value :: where
      type(ballot_array), value :: in, out
      type(c_ptr), value :: initial, options
      integer(c_int32_t), value :: initial_on_device, op
      integer(c_int32_t) :: outcome
    end function ballot_exclusive_scan_from
  end interface
  private :: ballot_strlen

contains

  ! Items that are only moved, of so many bytes.
  pure function ballot_bytes(item_bytes) result(code)
    integer, intent(in) :: item_bytes
    integer(c_int32_t) :: code
    code = 16777216_c_int32_t + int(item_bytes, c_int32_t)
  end function ballot_bytes

  function ballot_counted(data, length, type_code, count, count_type) result(array)
    type(c_ptr), intent(in) :: data, count
    integer(c_int64_t), intent(in) :: length
    integer(c_int32_t), intent(in) :: type_code, count_type
    type(ballot_array) :: array
    array = ballot_array(data, length, count, type_code, count_type)
  end function ballot_counted

  function ballot_input(data, length, type_code) result(array)
    type(c_ptr), intent(in) :: data
    integer(c_int64_t), intent(in) :: length
    integer(c_int32_t), intent(in) :: type_code
    type(ballot_array) :: array
    array = ballot_array(data, length, c_null_ptr, type_code, BALLOT_NONE)
  end function ballot_input

  function ballot_output(data, length, type_code) result(array)
    type(c_ptr), intent(in) :: data
    integer(c_int64_t), intent(in) :: length
    integer(c_int32_t), intent(in) :: type_code
    type(ballot_array) :: array
    array = ballot_input(data, length, type_code)
  end function ballot_output

  ! One value on the device: a count, a result.
  function ballot_value(address, type_code) result(array)
    type(c_ptr), intent(in) :: address
    integer(c_int32_t), intent(in) :: type_code
    type(ballot_array) :: array
    array = ballot_input(address, 1_c_int64_t, type_code)
  end function ballot_value

  function ballot_nothing() result(array)
    type(ballot_array) :: array
    array = ballot_input(c_null_ptr, 0_c_int64_t, BALLOT_NONE)
  end function ballot_nothing

  function ballot_on(stream, scratch, scratch_bytes) result(where)
    type(c_ptr), intent(in) :: stream, scratch
    integer(c_size_t), intent(in) :: scratch_bytes
    type(ballot_exec) :: where
    where = ballot_exec(stream, scratch, scratch_bytes)
  end function ballot_on

  function ballot_segments_by(kind, array) result(segments)
    integer(c_int32_t), intent(in) :: kind
    type(ballot_array), intent(in) :: array
    type(ballot_segments) :: segments
    segments = ballot_segments(array, kind, 0)
  end function ballot_segments_by

  ! Segments of so many items each.
  function ballot_segments_of(items) result(segments)
    integer(c_int64_t), intent(in) :: items
    type(ballot_segments) :: segments
    segments = ballot_segments(ballot_array(length=items), BALLOT_SEGMENT_ROWS, 0)
  end function ballot_segments_of

  function ballot_rows_at(rows, width, pitch) result(layout)
    integer(c_int64_t), intent(in) :: rows, width, pitch
    type(ballot_rows) :: layout
    layout = ballot_rows(ballot_nothing(), ballot_nothing(), rows, width, pitch)
  end function ballot_rows_at

  function ballot_rows_by(offsets) result(layout)
    type(ballot_array), intent(in) :: offsets
    type(ballot_rows) :: layout
    layout = ballot_rows(offsets, ballot_nothing(), 0, 0, 0)
  end function ballot_rows_by

  function ballot_by_bytes(flags) result(select)
    type(ballot_array), intent(in) :: flags
    type(ballot_selector) :: select
    select = ballot_selector(array=flags, kind=BALLOT_BY_BYTES_KIND)
  end function ballot_by_bytes

  function ballot_by_bits(words) result(select)
    type(ballot_array), intent(in) :: words
    type(ballot_selector) :: select
    select = ballot_selector(array=words, kind=BALLOT_BY_BITS_KIND)
  end function ballot_by_bits

  ! Where the first column compares so with the value of this type at this address of the host.
  function ballot_where(compare, value, value_type) result(select)
    integer(c_int32_t), intent(in) :: compare, value_type
    type(c_ptr), intent(in) :: value
    type(ballot_selector) :: select
    select = ballot_selector(array=ballot_nothing(), value=value, compare=compare, kind=BALLOT_BY_COMPARISON, &
      & value_type=value_type)
  end function ballot_where

  ! The program was compiled with this module, and may use the library that is there.
  function ballot_check_version() result(status)
    integer(c_int32_t) :: status
    status = ballot_check_header_version(BALLOT_API_VERSION)
  end function ballot_check_version

  ! What ballot_last_error says.
  function ballot_message() result(message)
    character(len=:), allocatable :: message
    character(kind=c_char), pointer :: characters(:)
    type(c_ptr) :: text
    integer :: i
    text = ballot_last_error()
    call c_f_pointer(text, characters, [ballot_strlen(text)])
    allocate(character(len=size(characters)) :: message)
    do i = 1, size(characters)
      message(i:i) = characters(i)
    end do
  end function ballot_message

end module ballot
