# SPDX-License-Identifier: Apache-2.0
# Configures and builds; does nothing if nothing changed.

# configure FOLDER ARGUMENT...: configures from scratch if the arguments, the compiler or nvcc differ from the last time. Else
# it leaves CMake to ninja, which runs it again if a CMake file changed.
configure() {
  local folder=$1 stamp=$1/.configured-with wish
  shift
  wish="$CXX ${NVCC:-no nvcc} $*"
  if [[ -f $stamp && -f $folder/build.ninja && $(<"$stamp") == "$wish" ]]; then return 0; fi
  rm -f "$stamp"
  if [[ -n $NVCC ]]; then
    choose_host_compiler
    set -- "$@" -DBALLOT_CUDA=ON "-DCMAKE_CUDA_COMPILER=$NVCC" "-DCMAKE_CUDA_HOST_COMPILER=$CXX"
  else
    set -- "$@" -DBALLOT_CUDA=OFF
  fi
  # Left of || this function runs without `set -e`: a failure must not leave the stamp of a success.
  cmake --fresh -S "$BALLOT_ROOT" -B "$folder" "$@" || return
  printf '%s' "$wish" >"$stamp"
}

# As many jobs as there are cores, but not more than fit in memory: each nvcc process takes up to a gigabyte or two.
jobs_here() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '/^MemAvailable:/ { print int($2 / 1048576 / 1.5) }' /proc/meminfo 2>/dev/null || echo "$cores")
  ((memory_gb >= 1)) || memory_gb=1
  echo $((cores < memory_gb ? cores : memory_gb))
}
