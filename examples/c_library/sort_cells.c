/* SPDX-License-Identifier: Apache-2.0
 * C99: sorts particles by the number of their cell, and finds where each cell begins. */
#include <ballot.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#define PARTICLES 100000u
#define CELLS 1024u

static int report(ballot_status status) {
  fprintf(stderr, "%s: %s\n", ballot_status_name(status), ballot_last_error());
  return status == BALLOT_NO_DEVICE ? 77 : 1;
}
static int cuda_failed(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}

int main(void) {
  uint32_t *cells, *ids, *sorted_cells, *sorted_ids, *full_cells, *begins, *full;
  uint32_t *host_cells, *host_ids, *host_begins, full_count = 0, seed = 12345, cell, i, wrong = 0;
  const ballot_sort_options by_cell = {.size = sizeof(by_cell), .high_bit = 10}; /* 10 bits: 2 passes */
  size_t sort_bytes = 0, run_bytes = 0, bytes;
  void* scratch = NULL;
  cudaStream_t stream = NULL;
  ballot_exec gpu;
  ballot_status status = ballot_check_version();
  if (status != BALLOT_OK) return report(status);

  /* Set-up: every allocation that the program makes. */
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    fprintf(stderr, "not run: no usable GPU\n");
    return 77;
  }
  status = ballot_sort_pairs_scratch_bytes(BALLOT_U32, BALLOT_U32, PARTICLES, &sort_bytes);
  if (status == BALLOT_OK) status = ballot_runs_scratch_bytes(BALLOT_U32, BALLOT_U32, PARTICLES, &run_bytes);
  if (status != BALLOT_OK) return report(status);
  bytes = sort_bytes > run_bytes ? sort_bytes : run_bytes;
  if (cudaMalloc(&scratch, bytes) != cudaSuccess || cudaMalloc((void**)&cells, PARTICLES * 4) != cudaSuccess ||
      cudaMalloc((void**)&ids, PARTICLES * 4) != cudaSuccess ||
      cudaMalloc((void**)&sorted_cells, PARTICLES * 4) != cudaSuccess ||
      cudaMalloc((void**)&sorted_ids, PARTICLES * 4) != cudaSuccess ||
      cudaMalloc((void**)&full_cells, CELLS * 4) != cudaSuccess ||
      cudaMalloc((void**)&begins, (CELLS + 1) * 4) != cudaSuccess || cudaMalloc((void**)&full, 4) != cudaSuccess) {
    fprintf(stderr, "no memory\n");
    return 1;
  }
  host_cells = malloc(PARTICLES * 4);
  host_ids = malloc(PARTICLES * 4);
  host_begins = malloc((CELLS + 1) * 4);
  if (host_cells == NULL || host_ids == NULL || host_begins == NULL) {
    fprintf(stderr, "no memory\n");
    return 1;
  }
  for (i = 0; i < PARTICLES; ++i) {
    seed = seed * 1664525u + 1013904223u;
    host_cells[i] = seed >> 22;
    host_ids[i] = i;
  }
  if (cuda_failed(cudaMemcpy(cells, host_cells, PARTICLES * 4, cudaMemcpyHostToDevice)) ||
      cuda_failed(cudaMemcpy(ids, host_ids, PARTICLES * 4, cudaMemcpyHostToDevice)) ||
      cuda_failed(cudaDeviceSynchronize())) /* such a stream does not wait for the default one, which copies */
    return 1;

  /* A step: launches only. */
  gpu = ballot_on(stream, scratch, bytes);
  status = ballot_sort_pairs(gpu, ballot_input(cells, PARTICLES, BALLOT_U32), ballot_input(ids, PARTICLES, BALLOT_U32),
                             ballot_output(sorted_cells, PARTICLES, BALLOT_U32),
                             ballot_output(sorted_ids, PARTICLES, BALLOT_U32), &by_cell);
  if (status == BALLOT_OK)
    status = ballot_run_offsets(gpu, ballot_input(sorted_cells, PARTICLES, BALLOT_U32),
                                ballot_output(full_cells, CELLS, BALLOT_U32),
                                ballot_output(begins, CELLS + 1, BALLOT_U32), ballot_value(full, BALLOT_U32));
  if (status != BALLOT_OK) return report(status);

  if (cuda_failed(cudaStreamSynchronize(stream)) ||
      cuda_failed(cudaMemcpy(&full_count, full, 4, cudaMemcpyDeviceToHost)) || full_count > CELLS ||
      cuda_failed(cudaMemcpy(host_begins, begins, (full_count + 1) * 4, cudaMemcpyDeviceToHost)) ||
      cuda_failed(cudaMemcpy(host_ids, sorted_ids, PARTICLES * 4, cudaMemcpyDeviceToHost)))
    return 1;
  for (i = 1; i < PARTICLES; ++i) /* stable: ids ascend within a cell */
    if (host_cells[host_ids[i - 1]] > host_cells[host_ids[i]] ||
        (host_cells[host_ids[i - 1]] == host_cells[host_ids[i]] && host_ids[i - 1] > host_ids[i]))
      ++wrong;
  for (cell = 0; cell < full_count; ++cell)
    if (host_cells[host_ids[host_begins[cell]]] != host_cells[host_ids[host_begins[cell + 1] - 1]]) ++wrong;
  printf("%u particles in %u cells, %u mistakes\n", PARTICLES, full_count, wrong);
  return wrong != 0 || host_begins[full_count] != PARTICLES;
}
