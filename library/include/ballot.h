/* SPDX-License-Identifier: Apache-2.0
 *
 * libballot: scans, selections, splits, runs and sorts on arrays in GPU memory, for C99 and whatever can call C.
 * It needs no CUDA header and no CUDA compiler. docs/c.md has an example and the table of all calls.
 *
 *     size_t bytes;
 *     ballot_sort_scratch_bytes(BALLOT_I32, n, &bytes);                  (once: sizes are pure)
 *     ballot_exec gpu = ballot_on(stream, scratch, bytes);
 *     if (ballot_sort(gpu, ballot_input(keys, n, BALLOT_I32), ballot_output(sorted, n, BALLOT_I32), NULL) != BALLOT_OK)
 *       puts(ballot_last_error());
 *
 * What holds for every call:
 *   - Arguments stand in one order: where, inputs, initial value, operator, outputs, counts, options.
 *   - A call launches work on its stream and returns. It never allocates and never waits, so a graph can capture it.
 *   - Arrays, counts, results and totals are in device memory. Initial values and options are in the host's.
 *   - Errors are found before anything is written, as far as the host can know them. The status says which kind,
 *     ballot_last_error() names the argument and the numbers.
 *   - Outputs overlap no other argument, unless the call says that it works in place.
 *   - Scratch may have any contents and any alignment. One scratch serves one stream at a time.
 *   - A pointer to options may be null: the defaults, which are the zeros of the struct.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(BALLOT_BUILDS_LIBRARY) && defined(__GNUC__)
#  define BALLOT_API __attribute__((visibility("default")))
#else
#  define BALLOT_API
#endif

/* The version of this header. Until 1.0 a minor version may change calls, so major and minor have to fit. */
#define BALLOT_API_MAJOR 0
#define BALLOT_API_MINOR 1
#define BALLOT_API_PATCH 0
#define BALLOT_API_VERSION (BALLOT_API_MAJOR * 10000 + BALLOT_API_MINOR * 100 + BALLOT_API_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* cudaStream_t is a pointer to it */

/* ---- status ---- */

typedef int32_t ballot_status;
enum {
  BALLOT_OK = 0,
  BALLOT_INVALID_ARGUMENT = 1, /* nothing was launched or written */
  BALLOT_CUDA_ERROR = 2,       /* the runtime refused a call: ballot_last_cuda_error() */
  BALLOT_NO_DEVICE = 3,        /* no GPU, no driver, or one too old; nothing was launched */
  BALLOT_WRONG_VERSION = 4,    /* the library is of another version than the header */
  BALLOT_INTERNAL_ERROR = 5    /* no memory on the host, or a mistake of the library */
};

/* Of the last call of this thread that failed: what was wrong, with the names and numbers of the arguments. It is valid
 * until the next failure of this thread. An empty string if there was none. */
BALLOT_API const char* ballot_last_error(void);
/* The cudaError_t of the last BALLOT_CUDA_ERROR or BALLOT_NO_DEVICE of this thread; 0 if there was none. */
BALLOT_API int32_t ballot_last_cuda_error(void);
/* The name of a status: "BALLOT_OK". */
BALLOT_API const char* ballot_status_name(ballot_status status);

/* ---- version ---- */

/* major * 10000 + minor * 100 + patch of the library that is linked or loaded. */
BALLOT_API int32_t ballot_version(void);
/* BALLOT_WRONG_VERSION if a program with that header's version may not use this library. */
BALLOT_API ballot_status ballot_check_header_version(int32_t header_version);
#define ballot_check_version() ballot_check_header_version(BALLOT_API_VERSION)

/* ---- types and arrays ---- */

typedef int32_t ballot_type;
enum {
  BALLOT_NONE = 0, /* of an array: not wanted */
  BALLOT_I8 = 1,
  BALLOT_U8 = 2,
  BALLOT_I16 = 3,
  BALLOT_U16 = 4,
  BALLOT_I32 = 5,
  BALLOT_U32 = 6,
  BALLOT_I64 = 7,
  BALLOT_U64 = 8,
  BALLOT_I128 = 9,
  BALLOT_U128 = 10,
  BALLOT_F16 = 11,  /* IEEE binary16, CUDA's __half */
  BALLOT_BF16 = 12, /* CUDA's __nv_bfloat16 */
  BALLOT_F32 = 13,
  BALLOT_F64 = 14,
  BALLOT_POSITIONS_U32 = 15, /* an input without memory: 0, 1, ..., length - 1, for outputs of BALLOT_U32 */
  BALLOT_POSITIONS_U64 = 16  /* ... of BALLOT_U64 */
};
/* Items of any size that are only moved, 1 to 16777215 bytes at any address: values of sorts, columns of selections. */
#define BALLOT_BYTES(bytes) (0x1000000 + (bytes))

/* Items side by side in device memory. `length` counts items. If `count` is not null, the input has the first
 * min(*count, length) items, where count is the device address of an integer of type count_type (BALLOT_I32, _U32, _I64
 * or _U64; a negative one is 0): the length is known on the device alone. Only inputs, and arrays that are changed in
 * place, may have a count. */
typedef struct ballot_array {
  void* data;
  uint64_t length;
  const void* count;
  ballot_type type;
  ballot_type count_type;
} ballot_array;

/* Where a call works: a stream of the current device (null: the default stream), and scratch memory on that device. */
typedef struct ballot_exec {
  struct CUstream_st* stream;
  void* scratch;
  size_t scratch_bytes;
} ballot_exec;

static inline ballot_array ballot_counted(const void* data, uint64_t length, ballot_type type, const void* count,
                                          ballot_type count_type) {
  ballot_array a;
  a.data = (void*)(uintptr_t)data;
  a.length = length;
  a.count = count;
  a.type = type;
  a.count_type = count_type;
  return a;
}
static inline ballot_array ballot_input(const void* data, uint64_t length, ballot_type type) {
  return ballot_counted(data, length, type, NULL, BALLOT_NONE);
}
static inline ballot_array ballot_output(void* data, uint64_t length, ballot_type type) {
  return ballot_counted(data, length, type, NULL, BALLOT_NONE);
}
/* One value on the device: a count, a result. */
static inline ballot_array ballot_value(void* address, ballot_type type) {
  return ballot_counted(address, 1, type, NULL, BALLOT_NONE);
}
static inline ballot_array ballot_nothing(void) { return ballot_counted(NULL, 0, BALLOT_NONE, NULL, BALLOT_NONE); }
static inline ballot_exec ballot_on(struct CUstream_st* stream, void* scratch, size_t scratch_bytes) {
  ballot_exec where;
  where.stream = stream;
  where.scratch = scratch;
  where.scratch_bytes = scratch_bytes;
  return where;
}

/* ---- scans and reductions ----
 *
 * Numbers of up to 8 bytes; reductions take 16 bytes, too. Operators: plus, of which sums of integers wrap. minimum and
 * maximum; a number wins over a NaN.
 * bit_and, bit_or, bit_xor: integers. Sums are taken in the output's type. Input and output have the same type, except
 * that plus also takes these:
 *     to 64 bits (I64, U64)    from I8, U8, I16, U16, I32, U32
 *     to I32, U32              from U8
 *     to F64                   from F32
 *     to F32                   from F16, BF16
 * `initial` points to one value of the output's type in the host's memory. Null: the operator's identity, which is 0; for
 * minimum the largest and for maximum the lowest integer, of floats NaN; for bit_and all ones. */

typedef int32_t ballot_operator;
enum {
  BALLOT_PLUS = 0,
  BALLOT_MINIMUM = 1,
  BALLOT_MAXIMUM = 2,
  BALLOT_BIT_AND = 3,
  BALLOT_BIT_OR = 4,
  BALLOT_BIT_XOR = 5
};

enum { BALLOT_FORWARD = 0, BALLOT_BACKWARD = 1 };

typedef struct ballot_scan_options {
  size_t size;          /* sizeof(ballot_scan_options) */
  void* total;          /* device address that receives the operator's result of all items (exclusive: with initial) */
  int32_t order;        /* BALLOT_FORWARD or BALLOT_BACKWARD; backward: out[n - 1] comes first */
  int32_t reproducible; /* not 0: sums of floats have the same bits on every run and GPU */
} ballot_scan_options;

/* out[i] = in[0] op ... op in[i]. In place if the types are the same. */
BALLOT_API ballot_status ballot_inclusive_scan(ballot_exec where, ballot_array in, ballot_operator op, ballot_array out,
                                               const ballot_scan_options* options);
/* out[i] = initial op in[0] op ... op in[i - 1]. In place if the types are the same. */
BALLOT_API ballot_status ballot_exclusive_scan(ballot_exec where, ballot_array in, const void* initial,
                                               ballot_operator op, ballot_array out,
                                               const ballot_scan_options* options);
/* n counts to n + 1 offsets by plus: offsets[0] = 0, and the total behind the last one. */
BALLOT_API ballot_status ballot_counts_to_offsets(ballot_exec where, ballot_array counts, ballot_array offsets);
/* The number of set bytes (U8, not 0) up to i, or before i; ranks: I32, U32, I64 or U64. */
BALLOT_API ballot_status ballot_inclusive_scan_flags(ballot_exec where, ballot_array flags, ballot_array ranks,
                                                     const ballot_scan_options* options);
BALLOT_API ballot_status ballot_exclusive_scan_flags(ballot_exec where, ballot_array flags, ballot_array ranks,
                                                     const ballot_scan_options* options);
/* For each of the scans above; sums: the type of the output. */
BALLOT_API ballot_status ballot_scan_scratch_bytes(ballot_type sums, uint64_t n, size_t* bytes);

/* Segments by flags, set at the first item of each, or by offsets: where they begin. */
typedef int32_t ballot_segments_kind;
enum {
  BALLOT_HEAD_BYTES = 0,     /* array: U8, one an item */
  BALLOT_HEAD_BITS = 1,      /* array: U32; item i has bit i % 32 of word i / 32 */
  BALLOT_SEGMENT_OFFSETS = 2 /* array: I32, U32, I64 or U64, with or without the end; may be counted */
};
typedef struct ballot_segments {
  ballot_array array;
  ballot_segments_kind kind;
  int32_t reserved; /* 0 */
} ballot_segments;
static inline ballot_segments ballot_segments_by(ballot_segments_kind kind, ballot_array array) {
  ballot_segments s;
  s.array = array;
  s.kind = kind;
  s.reserved = 0;
  return s;
}

/* The scan of each segment. Items and sums have one type. order: BALLOT_FORWARD or BALLOT_BACKWARD. In place. */
BALLOT_API ballot_status ballot_segmented_inclusive_scan(ballot_exec where, ballot_array in, ballot_segments segments,
                                                         ballot_operator op, ballot_array out, int32_t order);
BALLOT_API ballot_status ballot_segmented_exclusive_scan(ballot_exec where, ballot_array in, ballot_segments segments,
                                                         const void* initial, ballot_operator op, ballot_array out,
                                                         int32_t order);
BALLOT_API ballot_status ballot_segmented_scan_scratch_bytes(ballot_type type, ballot_segments_kind kind, uint64_t n,
                                                             size_t* bytes);

/* Rows of a matrix; row r begins at item r * pitch. A pitch of 0: the length. */
typedef struct ballot_batch {
  uint64_t rows, length, pitch, out_pitch;
} ballot_batch;
enum { BALLOT_ROWS_FORWARD = 0, BALLOT_ROWS_BACKWARD = 1, BALLOT_ROWS_FORWARD_THEN_BACKWARD = 2 };
/* Sums in the items' type; of F32 also in F64, or as two floats. */
enum { BALLOT_ACCUMULATE_ITEMS = 0, BALLOT_ACCUMULATE_F64 = 1, BALLOT_ACCUMULATE_DOUBLE_FLOAT = 2 };
/* Inclusive sums of each row: integers of up to 64 bits, F32, F64; not counted. In place with one pitch. */
BALLOT_API ballot_status ballot_batched_scan(ballot_exec where, ballot_array in, ballot_array out, ballot_batch batch,
                                             int32_t directions, int32_t accumulator);
BALLOT_API ballot_status ballot_batched_scan_scratch_bytes(ballot_type type, int32_t accumulator, uint64_t rows,
                                                           uint64_t length, size_t* bytes);

/* *result = initial op in[0] op ... op in[n - 1]; types as for scans. Same bits on every run. */
BALLOT_API ballot_status ballot_reduce(ballot_exec where, ballot_array in, const void* initial, ballot_operator op,
                                       ballot_array result);
BALLOT_API ballot_status ballot_reduce_scratch_bytes(ballot_type result, uint64_t n, size_t* bytes);
/* The first smallest or largest item: 16 bytes on the device, a uint64_t index and behind it the value. Items of up to 8
 * bytes. NaNs come last. No items: the index is UINT64_MAX. */
BALLOT_API ballot_status ballot_arg_min(ballot_exec where, ballot_array in, void* result);
BALLOT_API ballot_status ballot_arg_max(ballot_exec where, ballot_array in, void* result);
BALLOT_API ballot_status ballot_arg_scratch_bytes(ballot_type type, uint64_t n, size_t* bytes);

/* ---- selections ---- */

typedef int32_t ballot_selector_kind;
enum {
  BALLOT_BY_BYTES = 0,     /* array: U8 or I8, not 0 where selected */
  BALLOT_BY_BITS = 1,      /* array: U32; item i has bit i % 32 of word i / 32 */
  BALLOT_BY_COMPARISON = 2 /* array: what is compared with *value; nothing: the first column */
};
typedef int32_t ballot_comparison;
enum {
  BALLOT_EQUAL = 0,
  BALLOT_NOT_EQUAL = 1,
  BALLOT_LESS = 2,
  BALLOT_LESS_EQUAL = 3,
  BALLOT_GREATER = 4,
  BALLOT_GREATER_EQUAL = 5
};
/* Which items are selected. Compared are all number types; with a NaN only NOT_EQUAL holds. */
typedef struct ballot_selector {
  ballot_array array;
  const void* value;       /* of a comparison: one value of the compared type */
  int32_t value_on_device; /* not 0: `value` is a device address, which the kernel reads */
  ballot_comparison compare;
  ballot_selector_kind kind;
  int32_t invert;         /* not 0: the other items */
  ballot_type value_type; /* of *value, to be checked; BALLOT_NONE: unchecked */
} ballot_selector;

static inline ballot_selector ballot_by_bytes(ballot_array flags) {
  ballot_selector s;
  s.array = flags;
  s.value = NULL;
  s.value_on_device = 0;
  s.compare = BALLOT_EQUAL;
  s.kind = BALLOT_BY_BYTES;
  s.invert = 0;
  s.value_type = BALLOT_NONE;
  return s;
}
static inline ballot_selector ballot_by_bits(ballot_array words) {
  ballot_selector s = ballot_by_bytes(words);
  s.kind = BALLOT_BY_BITS;
  return s;
}
/* Where the first column, or `compared`, compares so with the value on the host. */
static inline ballot_selector ballot_where_array(ballot_array compared, ballot_comparison compare, const void* value) {
  ballot_selector s = ballot_by_bytes(compared);
  s.kind = BALLOT_BY_COMPARISON;
  s.compare = compare;
  s.value = value;
  return s;
}
static inline ballot_selector ballot_where(ballot_comparison compare, const void* value) {
  return ballot_where_array(ballot_nothing(), compare, value);
}

/* `in` and `out` are arrays of `columns` arrays, 1 to 16, of equal length; out[c] has the type of in[c] (U32 or U64 for
 * positions). Only in[0] may be counted. All are stable. An output may be shorter than needed: what does not fit is
 * dropped. `count` receives the number of selected items: ballot_value(address, BALLOT_U32), I32, U64 or I64. */
BALLOT_API ballot_status ballot_compact(ballot_exec where, int32_t columns, const ballot_array* in,
                                        ballot_selector select, const ballot_array* out, ballot_array count);
/* The selected items at the front of each array. */
BALLOT_API ballot_status ballot_compact_in_place(ballot_exec where, int32_t columns, const ballot_array* items,
                                                 ballot_selector select, ballot_array count);
/* The selected items, then the rejected ones. */
BALLOT_API ballot_status ballot_split(ballot_exec where, int32_t columns, const ballot_array* in,
                                      ballot_selector select, const ballot_array* out, ballot_array count);
/* The selected items in one output, the rejected ones in another. */
BALLOT_API ballot_status ballot_split_in_two(ballot_exec where, int32_t columns, const ballot_array* in,
                                             ballot_selector select, const ballot_array* selected,
                                             const ballot_array* rejected, ballot_array count);
/* types: of the columns. */
BALLOT_API ballot_status ballot_compact_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                      size_t* bytes);
BALLOT_API ballot_status ballot_compact_in_place_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                               size_t* bytes);
/* For ballot_split and ballot_split_in_two. */
BALLOT_API ballot_status ballot_split_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                    size_t* bytes);
/* The positions of the selected items: I32, U32, I64, U64. `in`: compared with the value; by flags only its length
 * matters (BALLOT_POSITIONS_U32). */
BALLOT_API ballot_status ballot_compact_indices(ballot_exec where, ballot_array in, ballot_selector select,
                                                ballot_array indices, ballot_array count);
BALLOT_API ballot_status ballot_compact_indices_scratch_bytes(ballot_type indices, uint64_t n, size_t* bytes);
/* How many are selected. No scratch. */
BALLOT_API ballot_status ballot_count_if(ballot_exec where, ballot_array in, ballot_selector select,
                                         ballot_array count);
/* The flags as bits: U32, at least n / 32 words, rounded up. No scratch. */
BALLOT_API ballot_status ballot_flag_bits(ballot_exec where, ballot_array in, ballot_selector select,
                                          ballot_array words);

/* Items by bucket number, 0 to buckets - 1 (at most 256); others are left out. numbers: integers of up to 64 bits, which
 * alone may be counted; offsets: at least buckets + 1 of I32, U32, I64 or U64. */
BALLOT_API ballot_status ballot_multisplit(ballot_exec where, ballot_array numbers, uint32_t buckets, int32_t columns,
                                           const ballot_array* in, const ballot_array* out, ballot_array offsets);
BALLOT_API ballot_status ballot_multisplit_scratch_bytes(uint32_t buckets, uint64_t n, size_t* bytes);

/* ---- runs of equal neighbours: all number types; floats are compared as numbers, so each NaN is a run of its own ---- */

/* The first item of each run. Outputs may be shorter than needed. */
BALLOT_API ballot_status ballot_unique(ballot_exec where, ballot_array in, ballot_array out, ballot_array count);
/* And the columns of those items. Only `keys` may be counted. */
BALLOT_API ballot_status ballot_unique_by_key(ballot_exec where, ballot_array keys, int32_t columns,
                                              const ballot_array* values, ballot_array keys_out,
                                              const ballot_array* values_out, ballot_array count);
/* And where runs begin, with n behind the last one: I32, U32, I64, U64. */
BALLOT_API ballot_status ballot_run_offsets(ballot_exec where, ballot_array in, ballot_array values,
                                            ballot_array offsets, ballot_array count);
/* And how long they are: I32, U32, I64, U64. */
BALLOT_API ballot_status ballot_run_length_encode(ballot_exec where, ballot_array in, ballot_array values,
                                                  ballot_array lengths, ballot_array count);
/* For unique, run_offsets and run_length_encode; further: the type of offsets or lengths, BALLOT_NONE of unique. */
BALLOT_API ballot_status ballot_runs_scratch_bytes(ballot_type items, ballot_type further, uint64_t n, size_t* bytes);
BALLOT_API ballot_status ballot_unique_by_key_scratch_bytes(ballot_type keys, uint64_t n, size_t* bytes);

/* ---- sorts: stable. Keys: all number types, within segments of up to 8 bytes. Values: any type ---- */

enum { BALLOT_ASCENDING = 0, BALLOT_DESCENDING = 1 };
enum { BALLOT_NANS_LAST = 0, BALLOT_NANS_FIRST = 1, BALLOT_NANS_BY_BITS = 2 };

typedef struct ballot_sort_options {
  size_t size;       /* sizeof(ballot_sort_options) */
  int32_t direction; /* BALLOT_ASCENDING or BALLOT_DESCENDING */
  int32_t nans;      /* BALLOT_NANS_LAST, in both directions; or _FIRST, _BY_BITS */
  int32_t low_bit;   /* keys are compared by bits [low_bit, high_bit) of their order */
  int32_t high_bit;  /* 0: all from low_bit on */
} ballot_sort_options;

BALLOT_API ballot_status ballot_sort(ballot_exec where, ballot_array keys, ballot_array keys_out,
                                     const ballot_sort_options* options);
BALLOT_API ballot_status ballot_sort_in_place(ballot_exec where, ballot_array keys, const ballot_sort_options* options);
BALLOT_API ballot_status ballot_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values,
                                           ballot_array keys_out, ballot_array values_out,
                                           const ballot_sort_options* options);
BALLOT_API ballot_status ballot_sort_pairs_in_place(ballot_exec where, ballot_array keys, ballot_array values,
                                                    const ballot_sort_options* options);
/* The order, as positions: I32, U32, I64, U64. keys_out: the sorted keys, or nothing. */
BALLOT_API ballot_status ballot_argsort(ballot_exec where, ballot_array keys, ballot_array keys_out,
                                        ballot_array indices, const ballot_sort_options* options);
/* For ballot_sort and ballot_sort_in_place. */
BALLOT_API ballot_status ballot_sort_scratch_bytes(ballot_type keys, uint64_t n, size_t* bytes);
/* For ballot_sort_pairs and ballot_sort_pairs_in_place. */
BALLOT_API ballot_status ballot_sort_pairs_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n,
                                                         size_t* bytes);
BALLOT_API ballot_status ballot_argsort_scratch_bytes(ballot_type keys, ballot_type indices, uint64_t n, size_t* bytes);

/* Each segment by itself. offsets: where segments begin, ascending: I32, U32, I64, U64; may be counted. */
BALLOT_API ballot_status ballot_segmented_sort(ballot_exec where, ballot_array keys, ballot_array offsets,
                                               ballot_array keys_out, const ballot_sort_options* options);
BALLOT_API ballot_status ballot_segmented_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values,
                                                     ballot_array offsets, ballot_array keys_out,
                                                     ballot_array values_out, const ballot_sort_options* options);
/* The order, as positions in the whole array: I32, U32, I64, U64. */
BALLOT_API ballot_status ballot_segmented_argsort(ballot_exec where, ballot_array keys, ballot_array offsets,
                                                  ballot_array keys_out, ballot_array indices,
                                                  const ballot_sort_options* options);
/* For each of these three; values: BALLOT_NONE of keys alone, the type of the indices for argsort. */
BALLOT_API ballot_status ballot_segmented_sort_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n,
                                                             size_t* bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif
