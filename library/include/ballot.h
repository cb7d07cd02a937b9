/* SPDX-License-Identifier: Apache-2.0
 *
 * libballot: scans, selections, splits, runs and sorts on arrays in GPU memory, for C99 and all languages that can
 * call C. It needs no CUDA header and no CUDA compiler. docs/c.md has an example and the table of all calls. This
 * header is one file, because bindings of other languages read it as a whole.
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

/* The version of this header. Until 1.0 a minor version may change calls, so major and minor version must be those of
 * the library. */
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
  BALLOT_NONE = 0, /* as the type of an array: the call shall not use it */
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

/* Where a call works: a stream of the current device (null: the default stream), and scratch memory on that device. A
 * stream of another device is an invalid argument. */
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
 * Numbers of up to 8 bytes; reductions take 16 bytes, too. Operators: plus (sums of integers wrap), minimum and maximum
 * (of a number and a NaN: the number), and for integers bit_and, bit_or and bit_xor. Sums are taken in the output's
 * type; scans of F16 and BF16 take them in F32, and round each sum where it is stored. Input and output have the same
 * type, except that plus also takes these:
 *     to 64 bits (I64, U64)    from I8, U8, I16, U16, I32, U32
 *     to I32, U32              from U8
 *     to F64                   from F32
 *     to F32                   from F16, BF16
 * `initial` points to one value of the output's type in the host's memory. Null: the operator's identity, which is 0;
 * for minimum the largest and for maximum the lowest integer, of floats NaN; for bit_and all ones. */

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
/* Both from an initial value. If initial_on_device is not 0, `initial` is a device address, which is read when the scan
 * runs. Inclusive: out[i] = initial op in[0] op ... op in[i]. Exclusive: as ballot_exclusive_scan. All but the
 * exclusive scan with `initial` on the host take one more pass over `out`, in which sums of F16 and BF16 are rounded
 * again. */
BALLOT_API ballot_status ballot_inclusive_scan_from(ballot_exec where, ballot_array in, const void* initial,
                                                    int32_t initial_on_device, ballot_operator op, ballot_array out,
                                                    const ballot_scan_options* options);
BALLOT_API ballot_status ballot_exclusive_scan_from(ballot_exec where, ballot_array in, const void* initial,
                                                    int32_t initial_on_device, ballot_operator op, ballot_array out,
                                                    const ballot_scan_options* options);
/* n counts to n + 1 offsets by plus: offsets[0] is 0, and offsets[n] is the total. */
BALLOT_API ballot_status ballot_counts_to_offsets(ballot_exec where, ballot_array counts, ballot_array offsets);
/* ranks[i] is the number of set bytes (U8, not 0): inclusive up to and including byte i, exclusive before byte i.
 * ranks: I32, U32, I64 or U64. */
BALLOT_API ballot_status ballot_inclusive_scan_flags(ballot_exec where, ballot_array flags, ballot_array ranks,
                                                     const ballot_scan_options* options);
BALLOT_API ballot_status ballot_exclusive_scan_flags(ballot_exec where, ballot_array flags, ballot_array ranks,
                                                     const ballot_scan_options* options);
/* For each of the scans above; sums: the type of the output. */
BALLOT_API ballot_status ballot_scan_scratch_bytes(ballot_type sums, uint64_t n, size_t* bytes);

/* Segments by flags, set at the first item of each, or by offsets: where they begin. */
typedef int32_t ballot_segments_kind;
enum {
  BALLOT_HEAD_BYTES = 0,      /* array: U8, one an item */
  BALLOT_HEAD_BITS = 1,       /* array: U32; item i has bit i % 32 of word i / 32 */
  BALLOT_SEGMENT_OFFSETS = 2, /* array: I32, U32, I64 or U64, with or without the end; may be counted */
  BALLOT_SEGMENT_ROWS = 3 /* of reductions: array.length items each, the last may have fewer; nothing else of array */
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
static inline ballot_segments ballot_segments_of(uint64_t items) {
  return ballot_segments_by(BALLOT_SEGMENT_ROWS, ballot_counted(NULL, items, BALLOT_NONE, NULL, BALLOT_NONE));
}

/* The scan of each segment. Items and sums have one type. order: BALLOT_FORWARD or BALLOT_BACKWARD. In place. */
BALLOT_API ballot_status ballot_segmented_inclusive_scan(ballot_exec where, ballot_array in, ballot_segments segments,
                                                         ballot_operator op, ballot_array out, int32_t order);
BALLOT_API ballot_status ballot_segmented_exclusive_scan(ballot_exec where, ballot_array in, ballot_segments segments,
                                                         const void* initial, ballot_operator op, ballot_array out,
                                                         int32_t order);
BALLOT_API ballot_status ballot_segmented_scan_scratch_bytes(ballot_type type, ballot_segments_kind kind, uint64_t n,
                                                             size_t* bytes);

/* Rows of a matrix; row r begins at item r * pitch. A pitch of 0 stands for the length, an out_pitch of 0 for the
 * pitch. */
typedef struct ballot_batch {
  uint64_t rows, length, pitch, out_pitch;
} ballot_batch;
enum { BALLOT_ROWS_FORWARD = 0, BALLOT_ROWS_BACKWARD = 1, BALLOT_ROWS_FORWARD_THEN_BACKWARD = 2 };
/* Sums are taken in the items' type; those of F16 and BF16 in F32. Those of F32 can also be taken in F64, or in a pair
 * of floats. */
enum { BALLOT_ACCUMULATE_ITEMS = 0, BALLOT_ACCUMULATE_F64 = 1, BALLOT_ACCUMULATE_DOUBLE_FLOAT = 2 };
/* Inclusive sums of each row, for numbers of up to 8 bytes. `in` must not be counted. In place if both pitches are
 * equal. */
BALLOT_API ballot_status ballot_batched_scan(ballot_exec where, ballot_array in, ballot_array out, ballot_batch batch,
                                             int32_t directions, int32_t accumulator);
BALLOT_API ballot_status ballot_batched_scan_scratch_bytes(ballot_type type, int32_t accumulator, uint64_t rows,
                                                           uint64_t length, size_t* bytes);

/* *result = initial op in[0] op ... op in[n - 1]; types as for scans. Same bits on every run. */
BALLOT_API ballot_status ballot_reduce(ballot_exec where, ballot_array in, const void* initial, ballot_operator op,
                                       ballot_array result);
BALLOT_API ballot_status ballot_reduce_scratch_bytes(ballot_type result, uint64_t n, size_t* bytes);
/* The first smallest or largest item. The result has 16 bytes on the device: a uint64_t index, and after it the value.
 * Items have up to 8 bytes. NaNs come last. For no items, the index is UINT64_MAX. */
BALLOT_API ballot_status ballot_arg_min(ballot_exec where, ballot_array in, void* result);
BALLOT_API ballot_status ballot_arg_max(ballot_exec where, ballot_array in, void* result);
BALLOT_API ballot_status ballot_arg_scratch_bytes(ballot_type type, uint64_t n, size_t* bytes);

/* out[s] = initial op the items of segment s; for an empty segment `initial`. Types as for scans. Same bits on every
 * run. For segments by offsets (n + 1 offsets for n results: segment s ends where s + 1 begins) and for rows, count is
 * ballot_nothing(). For segments by head flags, item 0 always begins a segment, count receives the number of segments,
 * and results that do not fit are dropped. */
BALLOT_API ballot_status ballot_segmented_reduce(ballot_exec where, ballot_array in, ballot_segments segments,
                                                 const void* initial, ballot_operator op, ballot_array out,
                                                 ballot_array count);
BALLOT_API ballot_status ballot_segmented_reduce_scratch_bytes(ballot_type out, ballot_segments_kind kind, uint64_t n,
                                                               size_t* bytes);
/* The first smallest or largest item of each segment. out: BALLOT_BYTES(16), each as the result of ballot_arg_min; the
 * index counts from the start of `in`. */
BALLOT_API ballot_status ballot_segmented_arg_min(ballot_exec where, ballot_array in, ballot_segments segments,
                                                  ballot_array out, ballot_array count);
BALLOT_API ballot_status ballot_segmented_arg_max(ballot_exec where, ballot_array in, ballot_segments segments,
                                                  ballot_array out, ballot_array count);
BALLOT_API ballot_status ballot_segmented_arg_scratch_bytes(ballot_type type, ballot_segments_kind kind, uint64_t n,
                                                            size_t* bytes);

/* For each run of equal keys: the first key, and op of the values of the run. Keys are compared as for ballot_unique.
 * Types of values and results as for scans. count receives the number of runs. Only the keys may be counted. Outputs
 * may be shorter than needed. Same bits on every run. */
BALLOT_API ballot_status ballot_reduce_by_key(ballot_exec where, ballot_array keys, ballot_array values,
                                              ballot_operator op, ballot_array keys_out, ballot_array results,
                                              ballot_array count);
BALLOT_API ballot_status ballot_reduce_by_key_scratch_bytes(ballot_type keys, ballot_type results, uint64_t n,
                                                            size_t* bytes);

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
/* Which items are selected. All number types can be compared; with a NaN only NOT_EQUAL holds. */
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
/* Selects the items for which `compared`, or else the first column, compares in this way with a value on the host. */
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

/* `in` and `out` each point to 1 to 16 arrays (`columns`). The inputs have one length. out[c] has the type of in[c]
 * (U32 or U64 for positions). Only in[0] may be counted. All calls are stable. An output may be shorter than needed:
 * what does not fit is dropped. The outputs of ballot_split are as long as the input. `count` receives the number of
 * selected items; it is ballot_value(address, type) with BALLOT_U32, _I32, _U64 or _I64. */
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
/* Within each array: the selected items at the front, the rejected ones after them. */
BALLOT_API ballot_status ballot_split_in_place(ballot_exec where, int32_t columns, const ballot_array* items,
                                               ballot_selector select, ballot_array count);
/* types: those of the columns. */
BALLOT_API ballot_status ballot_compact_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                      size_t* bytes);
BALLOT_API ballot_status ballot_compact_in_place_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                               size_t* bytes);
/* For ballot_split and ballot_split_in_two. */
BALLOT_API ballot_status ballot_split_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                    size_t* bytes);
/* A bit an item, and about a sixteenth of the widest column, at least 4096 of its items. With a column of BALLOT_BYTES:
 * all of its items, and 4 or 8 bytes for each. */
BALLOT_API ballot_status ballot_split_in_place_scratch_bytes(int32_t columns, const ballot_type* types, uint64_t n,
                                                             size_t* bytes);
/* The positions of the selected items: I32, U32, I64, U64. By a comparison, `in` is what is compared. By flags only the
 * length of `in` matters (it may be BALLOT_POSITIONS_U32). */
BALLOT_API ballot_status ballot_compact_indices(ballot_exec where, ballot_array in, ballot_selector select,
                                                ballot_array indices, ballot_array count);
BALLOT_API ballot_status ballot_compact_indices_scratch_bytes(ballot_type indices, uint64_t n, size_t* bytes);
/* How many items are selected. No scratch. */
BALLOT_API ballot_status ballot_count_if(ballot_exec where, ballot_array in, ballot_selector select,
                                         ballot_array count);
/* The flags as bits: U32, at least n / 32 words, rounded up. No scratch. */
BALLOT_API ballot_status ballot_flag_bits(ballot_exec where, ballot_array in, ballot_selector select,
                                          ballot_array words);

/* Groups items by bucket number, 0 to buckets - 1 (at most 256 buckets); items with other numbers are left out.
 * numbers: integers of up to 64 bits. Only this array may be counted. offsets: at least buckets + 1 of I32, U32, I64 or
 * U64. A column of positions is BALLOT_POSITIONS_U32 for up to 2^32 items, and _U64 for more. */
BALLOT_API ballot_status ballot_multisplit(ballot_exec where, ballot_array numbers, uint32_t buckets, int32_t columns,
                                           const ballot_array* in, const ballot_array* out, ballot_array offsets);
BALLOT_API ballot_status ballot_multisplit_scratch_bytes(uint32_t buckets, uint64_t n, size_t* bytes);

/* ---- runs of equal neighbours: all number types; floats are compared as numbers, so each NaN is a run of its own
 * ---- */

/* The first item of each run. Outputs may be shorter than needed. */
BALLOT_API ballot_status ballot_unique(ballot_exec where, ballot_array in, ballot_array out, ballot_array count);
/* The same in place: the first items of the runs move to the front of the array. */
BALLOT_API ballot_status ballot_unique_in_place(ballot_exec where, ballot_array items, ballot_array count);
/* The first key of each run, and the item of each column at its position. Only `keys` may be counted. Positions: as for
 * ballot_multisplit. */
BALLOT_API ballot_status ballot_unique_by_key(ballot_exec where, ballot_array keys, int32_t columns,
                                              const ballot_array* values, ballot_array keys_out,
                                              const ballot_array* values_out, ballot_array count);
/* The first item of each run, and where the run begins. offsets: I32, U32, I64, U64, one more than runs; the last one
 * is n. */
BALLOT_API ballot_status ballot_run_offsets(ballot_exec where, ballot_array in, ballot_array values,
                                            ballot_array offsets, ballot_array count);
/* The first item of each run, and how long the run is. lengths: I32, U32, I64, U64. */
BALLOT_API ballot_status ballot_run_length_encode(ballot_exec where, ballot_array in, ballot_array values,
                                                  ballot_array lengths, ballot_array count);
/* For ballot_unique, _run_offsets and _run_length_encode. further: the type of offsets or lengths; BALLOT_NONE for
 * unique. */
BALLOT_API ballot_status ballot_runs_scratch_bytes(ballot_type items, ballot_type further, uint64_t n, size_t* bytes);
BALLOT_API ballot_status ballot_unique_in_place_scratch_bytes(ballot_type items, uint64_t n, size_t* bytes);
BALLOT_API ballot_status ballot_unique_by_key_scratch_bytes(ballot_type keys, uint64_t n, size_t* bytes);

/* ---- sorts: stable. Keys: all number types, within segments of up to 8 bytes. Values: any type ---- */

enum { BALLOT_ASCENDING = 0, BALLOT_DESCENDING = 1 };
enum { BALLOT_NANS_LAST = 0, BALLOT_NANS_FIRST = 1, BALLOT_NANS_BY_BITS = 2 };
enum { BALLOT_ZEROS_APART = 0, BALLOT_ZEROS_EQUAL = 1 };

typedef struct ballot_sort_options {
  size_t size;       /* sizeof(ballot_sort_options) */
  int32_t direction; /* BALLOT_ASCENDING or BALLOT_DESCENDING */
  int32_t nans;      /* BALLOT_NANS_LAST, in both directions; or _FIRST, _BY_BITS */
  int32_t low_bit;   /* keys are compared by bits [low_bit, high_bit) of their order */
  int32_t high_bit;  /* 0: all from low_bit on */
  int32_t zeros;     /* of floats: BALLOT_ZEROS_APART, -0 before +0; or _EQUAL, which keep their order */
  int32_t reserved;  /* 0 */
} ballot_sort_options;

BALLOT_API ballot_status ballot_sort(ballot_exec where, ballot_array keys, ballot_array keys_out,
                                     const ballot_sort_options* options);
BALLOT_API ballot_status ballot_sort_in_place(ballot_exec where, ballot_array keys, const ballot_sort_options* options);
BALLOT_API ballot_status ballot_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values,
                                           ballot_array keys_out, ballot_array values_out,
                                           const ballot_sort_options* options);
BALLOT_API ballot_status ballot_sort_pairs_in_place(ballot_exec where, ballot_array keys, ballot_array values,
                                                    const ballot_sort_options* options);
/* Sorts between two buffers of one type and length; the scratch has no third one. The keys are in `a`, which may be
 * counted. *at (on the host) says where the sorted keys will be: 0 in `a`, 1 in `b`. It depends only on how many bits
 * are compared, and is set when the call returns. The contents of the other buffer are then unspecified. Values go with
 * their keys: items of 4 or 8 bytes, at addresses that are multiples of their size. */
BALLOT_API ballot_status ballot_sort_ping_pong(ballot_exec where, ballot_array a, ballot_array b, int32_t* at,
                                               const ballot_sort_options* options);
BALLOT_API ballot_status ballot_sort_pairs_ping_pong(ballot_exec where, ballot_array a, ballot_array values_a,
                                                     ballot_array b, ballot_array values_b, int32_t* at,
                                                     const ballot_sort_options* options);
/* The order, as positions: I32, U32, I64, U64. keys_out: the sorted keys, or nothing. */
BALLOT_API ballot_status ballot_argsort(ballot_exec where, ballot_array keys, ballot_array keys_out,
                                        ballot_array indices, const ballot_sort_options* options);
/* For ballot_sort and ballot_sort_in_place. */
BALLOT_API ballot_status ballot_sort_scratch_bytes(ballot_type keys, uint64_t n, size_t* bytes);
/* For ballot_sort_pairs and ballot_sort_pairs_in_place. */
BALLOT_API ballot_status ballot_sort_pairs_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n,
                                                         size_t* bytes);
/* For both sorts between two buffers. values: BALLOT_NONE if there are none. */
BALLOT_API ballot_status ballot_sort_ping_pong_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n,
                                                             size_t* bytes);
/* For positions of 8 bytes, up to 2^32 items may need more scratch than more items do. Other sizes never fall as n
 * grows. */
BALLOT_API ballot_status ballot_argsort_scratch_bytes(ballot_type keys, ballot_type indices, uint64_t n, size_t* bytes);

/* Sorts each segment by itself. offsets: where segments begin, ascending. I32, U32, I64, U64; may be counted. */
BALLOT_API ballot_status ballot_segmented_sort(ballot_exec where, ballot_array keys, ballot_array offsets,
                                               ballot_array keys_out, const ballot_sort_options* options);
BALLOT_API ballot_status ballot_segmented_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values,
                                                     ballot_array offsets, ballot_array keys_out,
                                                     ballot_array values_out, const ballot_sort_options* options);
/* Sorts segments between two buffers of one type and length. The keys are in `a`, which may be counted. *at (on the
 * host) says where the sorted keys will be: 1 in `b`; 0 in `a`, if there are no keys or no bit is compared. It is set
 * when the call returns. The contents of the other buffer are then unspecified. Values go with their keys. */
BALLOT_API ballot_status ballot_segmented_sort_ping_pong(ballot_exec where, ballot_array a, ballot_array offsets,
                                                         ballot_array b, int32_t* at,
                                                         const ballot_sort_options* options);
BALLOT_API ballot_status ballot_segmented_sort_pairs_ping_pong(ballot_exec where, ballot_array a, ballot_array values_a,
                                                               ballot_array offsets, ballot_array b,
                                                               ballot_array values_b, int32_t* at,
                                                               const ballot_sort_options* options);
/* The order, as positions in the whole array: I32, U32, I64, U64. */
BALLOT_API ballot_status ballot_segmented_argsort(ballot_exec where, ballot_array keys, ballot_array offsets,
                                                  ballot_array keys_out, ballot_array indices,
                                                  const ballot_sort_options* options);
/* For each of these five. values: BALLOT_NONE if there are none; for argsort the type of the indices. */
BALLOT_API ballot_status ballot_segmented_sort_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n,
                                                             size_t* bytes);

/* Sorts each row by itself. Rows have `row` keys each, one row after the other; the length of the arrays gives their
 * number. Not counted. Rows of up to 3072 keys take one launch. They take scratch only for keys that are not wanted,
 * and for values of other sizes than 4 and 8 bytes. */
BALLOT_API ballot_status ballot_batched_sort(ballot_exec where, ballot_array keys, uint64_t row, ballot_array keys_out,
                                             const ballot_sort_options* options);
BALLOT_API ballot_status ballot_batched_sort_pairs(ballot_exec where, ballot_array keys, ballot_array values,
                                                   uint64_t row, ballot_array keys_out, ballot_array values_out,
                                                   const ballot_sort_options* options);
/* The order, as positions within the row: I32, U32, I64, U64. keys_out: the sorted keys, or nothing. */
BALLOT_API ballot_status ballot_batched_argsort(ballot_exec where, ballot_array keys, uint64_t row,
                                                ballot_array keys_out, ballot_array indices,
                                                const ballot_sort_options* options);
/* For each of these three. n: the number of keys in all rows. values: as above. */
BALLOT_API ballot_status ballot_batched_sort_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n,
                                                           uint64_t row, size_t* bytes);

/* ---- the k largest or smallest keys. Keys: all number types, of rows up to 8 bytes. Values: any type ---- */

typedef struct ballot_top_k_options {
  size_t size;         /* sizeof(ballot_top_k_options) */
  int32_t smallest;    /* 0: the largest keys; not 0: the smallest */
  int32_t nans;        /* BALLOT_NANS_LAST: selected where there are too few numbers; or _FIRST, _BY_BITS */
  int32_t by_position; /* 0: sorted; not 0: in the order of the input, which saves the sort */
  int32_t reserved;    /* 0 */
} ballot_top_k_options;

/* Of equal keys the first ones are selected. Outputs have at least min(k, n) items. `count` receives how many are
 * written; it may be ballot_nothing(). */
BALLOT_API ballot_status ballot_top_k(ballot_exec where, ballot_array keys, uint64_t k, ballot_array keys_out,
                                      ballot_array count, const ballot_top_k_options* options);
BALLOT_API ballot_status ballot_top_k_pairs(ballot_exec where, ballot_array keys, ballot_array values, uint64_t k,
                                            ballot_array keys_out, ballot_array values_out, ballot_array count,
                                            const ballot_top_k_options* options);
/* The positions of the keys: I32, U32, I64, U64. keys_out: the keys, or nothing. */
BALLOT_API ballot_status ballot_top_k_indices(ballot_exec where, ballot_array keys, uint64_t k, ballot_array keys_out,
                                              ballot_array indices, ballot_array count,
                                              const ballot_top_k_options* options);
/* For each of these three. */
BALLOT_API ballot_status ballot_top_k_scratch_bytes(ballot_type keys, uint64_t n, uint64_t k, size_t* bytes);

/* Rows of keys. If there are offsets (I32, U32, I64, U64; one more than rows; may be counted), they say where rows
 * begin and end. Else row r begins at r * pitch (pitch 0: the width), and has `width` items, or the first lengths[r] of
 * them if there are lengths (of the same types). */
typedef struct ballot_rows {
  ballot_array offsets, lengths;
  uint64_t rows, width, pitch;
} ballot_rows;
static inline ballot_rows ballot_rows_at(uint64_t rows, uint64_t width, uint64_t pitch) {
  ballot_rows r;
  r.offsets = ballot_nothing();
  r.lengths = ballot_nothing();
  r.rows = rows;
  r.width = width;
  r.pitch = pitch;
  return r;
}
static inline ballot_rows ballot_rows_by(ballot_array offsets) {
  ballot_rows r = ballot_rows_at(0, 0, 0);
  r.offsets = offsets;
  return r;
}

/* The same for each row; k is at most 4096. The outputs of row r begin at r * k. counts (or nothing): one for each row,
 * I32, U32, I64 or U64. The keys may be counted if rows are given by offsets. */
BALLOT_API ballot_status ballot_batched_top_k(ballot_exec where, ballot_array keys, ballot_rows rows, uint64_t k,
                                              ballot_array keys_out, ballot_array counts,
                                              const ballot_top_k_options* options);
BALLOT_API ballot_status ballot_batched_top_k_pairs(ballot_exec where, ballot_array keys, ballot_array values,
                                                    ballot_rows rows, uint64_t k, ballot_array keys_out,
                                                    ballot_array values_out, ballot_array counts,
                                                    const ballot_top_k_options* options);
/* Positions within the row. keys_out: the keys, or nothing. */
BALLOT_API ballot_status ballot_batched_top_k_indices(ballot_exec where, ballot_array keys, ballot_rows rows,
                                                      uint64_t k, ballot_array keys_out, ballot_array indices,
                                                      ballot_array counts, const ballot_top_k_options* options);
/* For each of these three. rows: the number of rows. */
BALLOT_API ballot_status ballot_batched_top_k_scratch_bytes(ballot_type keys, uint64_t rows, uint64_t k, size_t* bytes);

/* ---- histograms ---- */

typedef int32_t ballot_bins_kind;
enum {
  BALLOT_BINS_EVEN = 0,  /* as many bins as counts, of one width, from *lower to below *upper */
  BALLOT_BINS_DIGIT = 1, /* the bits [low_bit, low_bit + bits) of the key's order; bits: at most 31 */
  BALLOT_BINS_LEVELS = 2 /* bin b: levels[b] <= item < levels[b + 1]; one level more than counts, ascending */
};
typedef struct ballot_bins {
  const void *lower, *upper; /* on the host: values of the items' type */
  ballot_array levels;       /* on the device: of the items' type */
  ballot_bins_kind kind;
  int32_t low_bit, bits;
  int32_t reserved; /* 0 */
} ballot_bins;
static inline ballot_bins ballot_even_bins(const void* lower, const void* upper) {
  ballot_bins b;
  b.lower = lower;
  b.upper = upper;
  b.levels = ballot_nothing();
  b.kind = BALLOT_BINS_EVEN;
  b.low_bit = 0;
  b.bits = 0;
  b.reserved = 0;
  return b;
}
static inline ballot_bins ballot_digit_bins(int32_t low_bit, int32_t bits) {
  ballot_bins b = ballot_even_bins(NULL, NULL);
  b.kind = BALLOT_BINS_DIGIT;
  b.low_bit = low_bit;
  b.bits = bits;
  return b;
}
static inline ballot_bins ballot_level_bins(ballot_array levels) {
  ballot_bins b = ballot_even_bins(NULL, NULL);
  b.kind = BALLOT_BINS_LEVELS;
  b.levels = levels;
  return b;
}
/* How many items each bin has. Items: numbers of up to 8 bytes. A NaN has a bin only if bins are digits. counts: 1 to
 * 2^31 of I32, U32, I64 or U64. outside (or nothing) receives how many items have no bin. No scratch. */
BALLOT_API ballot_status ballot_histogram(ballot_exec where, ballot_array in, ballot_bins bins, ballot_array counts,
                                          ballot_array outside);

/* ---- sorted arrays: all number types, in the order of the options ---- */

typedef struct ballot_order_options {
  size_t size;       /* sizeof(ballot_order_options) */
  int32_t direction; /* BALLOT_ASCENDING or BALLOT_DESCENDING */
  int32_t nans;      /* BALLOT_NANS_LAST, _FIRST, _BY_BITS */
} ballot_order_options;

/* Two sorted arrays as one, stable: of equal keys those of `first` come first. Both may be counted. out has the length
 * of both together. Values: any type. */
BALLOT_API ballot_status ballot_merge(ballot_exec where, ballot_array first, ballot_array second, ballot_array out,
                                      const ballot_order_options* options);
BALLOT_API ballot_status ballot_merge_pairs(ballot_exec where, ballot_array first, ballot_array first_values,
                                            ballot_array second, ballot_array second_values, ballot_array keys_out,
                                            ballot_array values_out, const ballot_order_options* options);
/* n: the length of both inputs together. values: BALLOT_NONE if there are none. */
BALLOT_API ballot_status ballot_merge_scratch_bytes(ballot_type keys, ballot_type values, uint64_t n, size_t* bytes);

/* For each key, how many items of `sorted` come before it (lower_bound) or do not come after it (upper_bound). Keys
 * have the type of `sorted`. If that is an integer of up to 8 bytes, keys may also be positions: for items of 4 bytes
 * those of 4 bytes. Both inputs may be counted. positions: I32, U32, I64 or U64, as many as keys. No scratch. */
BALLOT_API ballot_status ballot_lower_bound(ballot_exec where, ballot_array sorted, ballot_array keys,
                                            ballot_array positions, const ballot_order_options* options);
BALLOT_API ballot_status ballot_upper_bound(ballot_exec where, ballot_array sorted, ballot_array keys,
                                            ballot_array positions, const ballot_order_options* options);
/* is_sorted: 1 if no item comes before its predecessor, else 0. is_sorted_until: how many items are in order at the
 * front. result: I32, U32, I64, U64. */
BALLOT_API ballot_status ballot_is_sorted(ballot_exec where, ballot_array in, ballot_array result,
                                          const ballot_order_options* options);
BALLOT_API ballot_status ballot_is_sorted_until(ballot_exec where, ballot_array in, ballot_array result,
                                                const ballot_order_options* options);
BALLOT_API ballot_status ballot_is_sorted_scratch_bytes(size_t* bytes);

/* ---- gather and scatter: any type; no scratch ---- */

/* Gather: out[i] = in[indices[i]], with as many items in `out` as indices. Scatter: out[indices[i]] = in[i], with as
 * many items in `in` as indices, and any number in `out`. indices: I32, U32, I64 or U64. An index that is negative or
 * too large is left out, and `outside` (or nothing) receives how many these are. `in` and `indices` may be counted; for
 * a scatter, only one of them. */
BALLOT_API ballot_status ballot_gather(ballot_exec where, ballot_array in, ballot_array indices, ballot_array out,
                                       ballot_array outside);
BALLOT_API ballot_status ballot_scatter(ballot_exec where, ballot_array in, ballot_array indices, ballot_array out,
                                        ballot_array outside);

#ifdef __cplusplus
} /* extern "C" */
#endif
