! SPDX-License-Identifier: Apache-2.0
! Fortran 2008: the energies of the particles that are fast enough, in falling order, and their sum.
program count_particles
  use, intrinsic :: iso_c_binding
  use ballot
  implicit none

  interface
    function cudaMalloc(address, bytes) bind(c, name="cudaMalloc") result(code)
      import
      type(c_ptr), intent(out) :: address
      integer(c_size_t), value :: bytes
      integer(c_int) :: code
    end function cudaMalloc
    ! Waits for the default stream, on which this program works.
    function cudaMemcpy(to, from, bytes, kind) bind(c, name="cudaMemcpy") result(code)
      import
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
      integer(c_int), value :: kind
      integer(c_int) :: code
    end function cudaMemcpy
  end interface

  integer(c_int64_t), parameter :: n = 50000
  integer(c_int), parameter :: to_device = 1, to_host = 2
  real(c_double), target :: energies(n), sorted(n), total(1), limit
  integer(c_int32_t), target :: kept(1)
  type(c_ptr) :: d_energies, d_fast, d_sorted, d_total, d_count, scratch
  type(ballot_array), target :: from(1), to(1)
  type(ballot_sort_options), target :: falling
  integer(c_int32_t), target :: types(1)
  integer(c_size_t) :: bytes, needed
  type(ballot_exec) :: gpu
  type(ballot_array) :: fast
  integer :: i, wrong

  do i = 1, int(n)
    energies(i) = real(modulo(int(i, c_int64_t) * 7919_c_int64_t, 10007_c_int64_t), c_double)
  end do
  limit = 5000

  call check(ballot_check_version())
  types = BALLOT_F64
  call check(ballot_compact_scratch_bytes(1, c_loc(types), n, bytes))
  call check(ballot_sort_scratch_bytes(BALLOT_F64, n, needed))
  bytes = max(bytes, needed)
  call check(ballot_reduce_scratch_bytes(BALLOT_F64, n, needed))
  bytes = max(bytes, needed)
  if (cudaMalloc(d_energies, n * 8) /= 0) then
    print *, "not run: no usable GPU"
    stop 77
  end if
  i = cudaMalloc(d_fast, n * 8) + cudaMalloc(d_sorted, n * 8) + cudaMalloc(d_total, 8_c_size_t) &
    & + cudaMalloc(d_count, 4_c_size_t) + cudaMalloc(scratch, bytes) &
    & + cudaMemcpy(d_energies, c_loc(energies), n * 8, to_device)
  if (i /= 0) error stop "no memory"

  ! The step: launches only. How many particles are fast is known on the device alone.
  gpu = ballot_on(c_null_ptr, scratch, bytes)
  from(1) = ballot_input(d_energies, n, BALLOT_F64)
  to(1) = ballot_output(d_fast, n, BALLOT_F64)
  call check(ballot_compact(gpu, 1, c_loc(from), ballot_where(BALLOT_GREATER, c_loc(limit), BALLOT_F64), c_loc(to), &
    & ballot_value(d_count, BALLOT_I32)))
  fast = ballot_counted(d_fast, n, BALLOT_F64, d_count, BALLOT_I32)
  falling%direction = BALLOT_DESCENDING
  call check(ballot_sort(gpu, fast, ballot_output(d_sorted, n, BALLOT_F64), c_loc(falling)))
  call check(ballot_reduce(gpu, fast, c_null_ptr, BALLOT_PLUS, ballot_value(d_total, BALLOT_F64)))

  i = cudaMemcpy(c_loc(kept), d_count, 4_c_size_t, to_host) + cudaMemcpy(c_loc(total), d_total, 8_c_size_t, to_host) &
    & + cudaMemcpy(c_loc(sorted), d_sorted, n * 8, to_host)
  if (i /= 0) error stop "copies failed"
  wrong = count(sorted(2:kept(1)) > sorted(1:kept(1) - 1))
  if (kept(1) /= count(energies > limit)) wrong = wrong + 1
  if (abs(total(1) - sum(energies, mask=energies > limit)) > 0) wrong = wrong + 1
  print *, kept(1), "of", n, "particles are fast,", wrong, "mistakes"
  if (wrong /= 0) stop 1

contains

  subroutine check(status)
    integer(c_int32_t), intent(in) :: status
    if (status == BALLOT_OK) return
    print *, ballot_message()
    if (status == BALLOT_NO_DEVICE) stop 77
    stop 1
  end subroutine check

end program count_particles
